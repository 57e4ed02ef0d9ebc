"""What a person waits for: whole client processes, beside the bare interpreter and ripgrep."""

import json
import re
import shutil
import subprocess
import sys
import sysconfig
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

from benchmarks.corpus import questions
from benchmarks.stage import Stage
from benchmarks.table import Row, median

RUNS = 30
CHUNKS = 20_000  # two thousand files
ONE_FILE_CLIENT = Path(__file__).parents[1] / "client" / "bin" / "consigliere"


def rows(stage: Stage) -> Iterator[Row]:
    root = stage.indexed(CHUNKS)
    question = questions(1, CHUNKS)[0]
    search = ["search", question, "--json"]
    yield _ratio_row(
        "one-file client, whole process less the daemon's time",
        "<= 1.3x",
        [sys.executable, "-IS", str(ONE_FILE_CLIENT), *search],
        "python -IS -c pass",
        [sys.executable, "-IS", "-c", "pass"],
        stage,
        root,
    )
    installed = Path(sysconfig.get_path("scripts")) / "consigliere-client"
    empty = stage.folder / "empty-script"
    # The same script as the installer wrote it, with nothing behind it.
    empty.write_text(re.sub(r"(?m)^from consigliere\S* import (\w+)$", r"\1 = int", installed.read_text()))
    empty.chmod(0o700)
    assert "consigliere" not in empty.read_text().partition("\n")[2], "the empty script imports the client"
    yield _ratio_row(
        "consigliere-client, whole process less the daemon's time",
        "<= 1.6x",
        [str(installed), *search],
        "empty console script",
        [str(empty)],
        stage,
        root,
    )
    yield _ripgrep_row(root, question, [sys.executable, "-IS", str(ONE_FILE_CLIENT), *search], stage)


def _ratio_row(
    what: str, target: str, ours: Sequence[str], rival_name: str, rival: Sequence[str], stage: Stage, root: Path
) -> Row:
    if not Path(ours[2] if ours[1] == "-IS" else ours[0]).exists():
        return Row(what, target, "the client is absent")
    our_s, rival_s = [], []
    # In turn, so that whatever else the machine does falls on both.
    for _ in range(RUNS):
        seconds, output = _run(ours, stage, root)
        our_s.append(seconds - json.loads(output)["took_ms"] / 1e3)
        rival_s.append(_run(rival, stage, root)[0])
    ratio = median(our_s) / median(rival_s)
    return Row(
        what, target, f"{ratio:.2f}x ({median(our_s) * 1e3:.0f} ms)", f"{rival_name} {median(rival_s) * 1e3:.0f} ms"
    )


def _ripgrep_row(root: Path, question: str, ours: Sequence[str], stage: Stage) -> Row:
    what = f"search in {CHUNKS // 10:,} Markdown files, whole process"
    ripgrep = shutil.which("rg")
    if ripgrep is None or not ONE_FILE_CLIENT.exists():
        return Row(what, "reported", "ripgrep absent" if ripgrep is None else "the client is absent")
    word = question.split()[0]
    our_s = [_run(ours, stage, root)[0] for _ in range(RUNS)]
    rival_s = [_run([ripgrep, "--fixed-strings", word, str(root)], stage, root)[0] for _ in range(RUNS)]
    return Row(what, "reported", f"{median(our_s) * 1e3:.0f} ms", f"ripgrep, one word {median(rival_s) * 1e3:.0f} ms")


def _run(command: Sequence[str], stage: Stage, root: Path) -> tuple[float, bytes]:
    environment = stage.daemon.environment
    began = time.perf_counter()
    done = subprocess.run(command, cwd=root, env=environment, capture_output=True, check=False)
    seconds = time.perf_counter() - began
    if done.returncode not in (0, 1):
        raise RuntimeError(f"{command[0]} ended with {done.returncode}: {done.stderr.decode(errors='replace')}")
    return seconds, done.stdout
