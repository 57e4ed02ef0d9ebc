"""How long a change takes until it is searchable: one saved file, and a branch of two thousand."""

import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

from benchmarks.stage import Stage
from benchmarks.table import Row, spread_ms

CHUNKS = 10_000
SAVES = 40
BRANCH_FILES = 2_000
SAMPLE = range(0, BRANCH_FILES, 100)
GIVE_UP_S = 30.0


def rows(stage: Stage) -> Iterator[Row]:
    times = [_save_until_found(stage, number) for number in range(SAVES)]
    yield Row("saved file -> searchable, lexical", "200 (p95 400) ms", spread_ms(times, 0.95))
    yield _branch_row(stage)


def _save_until_found(stage: Stage, number: int) -> float:
    root, word = stage.indexed(CHUNKS), f"zqsaved{number}x"
    serial = stage.daemon.call("events_since", root, serial=0)["last_serial"]
    began = time.perf_counter()
    (root / "docs" / "saved.md").write_text(f"# saved\n\n{word}\n", encoding="utf-8")
    while not stage.daemon.hits(root, word):
        if time.perf_counter() - began > GIVE_UP_S:
            raise RuntimeError(f"{word} was saved and not found within {GIVE_UP_S:g} s")
        serial = stage.daemon.call("events_since", root, serial=serial, wait_ms=1000)["last_serial"]
    return time.perf_counter() - began


def _branch_row(stage: Stage) -> Row:
    root = stage.folder / "branches"
    _git(stage.folder, "init", "-q", "-b", "main", str(root))
    _write_branch(root, "main")
    _git(root, "checkout", "-q", "-b", "other")
    _write_branch(root, "other")
    _git(root, "checkout", "-q", "main")
    stage.daemon.index(root)
    stage.daemon.call("settle", root)
    _git(root, "checkout", "-q", "other")
    began = time.perf_counter()
    stage.daemon.call("settle", root)
    seconds = time.perf_counter() - began
    wrong = sum(
        bool(stage.daemon.hits(root, f"zqmain{number}x")) + (not stage.daemon.hits(root, f"zqother{number}x"))
        for number in SAMPLE
    )
    answers = f"{wrong} of {2 * len(SAMPLE)} answers wrong afterwards"
    return Row(
        f"git checkout of {BRANCH_FILES:,} files -> all right again", "<= 10 s, none wrong", f"{seconds:.1f} s", answers
    )


def _write_branch(root: Path, branch: str) -> None:
    for number in range(BRANCH_FILES):
        path = root / f"d{number % 20}" / f"f{number}.md"
        path.parent.mkdir(exist_ok=True)
        path.write_text(f"## {branch} {number}\n\n브랜치 내용 zq{branch}{number}x\n", encoding="utf-8")
    _git(root, "add", "-A")
    _git(root, "-c", "user.name=bench", "-c", "user.email=bench@example.org", "commit", "-q", "-m", branch)


def _git(folder: Path, *arguments: str) -> None:
    subprocess.run(["git", *arguments], cwd=folder, check=True, stdin=subprocess.DEVNULL)
