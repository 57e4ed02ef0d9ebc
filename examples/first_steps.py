"""A guided first run: start a daemon of its own, index two projects, ask, edit, ask again, and check every answer."""

import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

REPOSITORY = Path(__file__).resolve().parents[1]
SAMPLE = Path(__file__).resolve().parent / "streamapp"
PROGRAM = Path(sys.executable).parent / "consigliere"
INDEX_TIMEOUT_S = 300
CALL_TIMEOUT_S = 60

KOREAN_QUESTION = "동시 시청 기기는 몇 대까지 허용하나요?"
KOREAN_FILE = "docs/rules.md"
KOREAN_SENTENCE = "계정당 동시 시청 기기는 3대까지 허용한다."
EDITED_SENTENCE = "계정당 동시 시청 기기는 4대까지 허용한다."
ENGLISH_QUESTION = "Is Windows supported, or WSL?"
ENGLISH_FILE = "README.md"
ENGLISH_SENTENCE = "Windows is not supported, but WSL 2 is Linux"
ABSENT_QUESTION = "양자컴퓨터 냉각용 헬륨 재고"
NOTHING_FOUND = "검색 결과 없음"


class StepFailed(Exception):
    """A step did not show what it promises; the message says what was expected and what came."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What one run of the program gave."""

    status: int
    output: str


@dataclass(frozen=True, slots=True)
class Terminal:
    """Runs the installed program against the daemon of this run, and shows what a person would see."""

    environment: dict[str, str]

    def run(self, *arguments: str, folder: Path, expected: int = 0, timeout_s: float = CALL_TIMEOUT_S) -> Answer:
        # Bytes, because a plain C locale could not spell a Korean question.
        words = [os.fsencode(PROGRAM), *(word.encode() for word in arguments)]
        try:
            done = subprocess.run(
                words,
                cwd=folder,
                env=self.environment,
                capture_output=True,
                timeout=timeout_s,
                check=False,
            )
        except subprocess.TimeoutExpired as error:
            raise StepFailed(f"`{_spelled(arguments)}` did not end within {timeout_s:.0f} s") from error
        output, errors = done.stdout.decode(errors="replace"), done.stderr.decode(errors="replace")
        if done.returncode != expected:
            wrong = f"`{_spelled(arguments)}` ended with status {done.returncode}, {expected} was expected"
            raise StepFailed(f"{wrong}\n{output}{errors}")
        return Answer(done.returncode, output)

    def show(self, *arguments: str, folder: Path, expected: int = 0, timeout_s: float = CALL_TIMEOUT_S) -> Answer:
        print(f"\n  $ {_spelled(arguments)}", flush=True)
        answer = self.run(*arguments, folder=folder, expected=expected, timeout_s=timeout_s)
        print("".join(f"    {line}\n" for line in answer.output.rstrip("\n").split("\n")), end="", flush=True)
        return answer

    def hits(self, *arguments: str, folder: Path) -> list[dict[str, Any]]:
        """The hits of `search --json`: the same question as shown, in the form that programs read."""
        answer = self.run("search", *arguments, "--json", folder=folder)
        try:
            found: list[dict[str, Any]] = json.loads(answer.output)["hits"]
        except (ValueError, KeyError) as error:
            raise StepFailed(f"`{_spelled(arguments)} --json` did not print the promised object: {error!r}") from error
        return found


def _spelled(arguments: Sequence[str]) -> str:
    return " ".join(["consigliere", *(f'"{word}"' if " " in word else word for word in arguments)])


def line_of(path: Path, sentence: str) -> int:
    """The number of the line that holds the sentence, so that the expectation cannot rot."""
    for number, line in enumerate(path.read_text(encoding="utf-8").split("\n"), start=1):
        if sentence in line:
            return number
    raise StepFailed(f"{path} no longer holds the sentence {sentence!r}; adapt examples/first_steps.py")


def expect_first(hits: Sequence[dict[str, Any]], root: Path, file: str, sentence: str) -> None:
    """The best hit is the section of `file` that holds the sentence, and its text is the file's own."""
    line = line_of(root / file, sentence)
    if not hits:
        raise StepFailed(f"nothing was found, {file}:{line} was expected")
    best = hits[0]
    if best["file"] != file or not best["line_start"] <= line <= best["line_end"]:
        places = ", ".join(f"{hit['file']}:{hit['line_start']}-{hit['line_end']}" for hit in hits)
        raise StepFailed(f"{file}:{line} was expected first, but the hits are {places}")
    lines = (root / file).read_text(encoding="utf-8").split("\n")
    if best["text"] != "\n".join(lines[best["line_start"] - 1 : best["line_end"]]):
        raise StepFailed(f"the text of {file}:{best['line_start']} is not what stands in the file")
    print(f"  ✓ {file}:{line} is in the first hit, word for word", flush=True)


@contextmanager
def own_daemon(folder: Path) -> Iterator[Terminal]:
    """A daemon on a socket of its own, so that this run touches no other daemon; stopped at the end."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("CONSIGLIERE_")}
    terminal = Terminal(kept | {"CONSIGLIERE_SOCKET": str(folder / "first.sock")})
    try:
        terminal.show("start", folder=folder)
        yield terminal
    finally:
        terminal.show("stop", folder=folder)


def ask_in_korean(terminal: Terminal, project: Path) -> None:
    print("\n2. One question in Korean, to the sample project")
    terminal.show("search", KOREAN_QUESTION, "--top", "1", folder=project)
    expect_first(terminal.hits(KOREAN_QUESTION, folder=project), project, KOREAN_FILE, KOREAN_SENTENCE)


def ask_in_english(terminal: Terminal, repository: Path) -> None:
    print("\n3. One question in English, to the documents of this repository")
    terminal.show("search", ENGLISH_QUESTION, "--top", "1", folder=repository)
    expect_first(terminal.hits(ENGLISH_QUESTION, folder=repository), repository, ENGLISH_FILE, ENGLISH_SENTENCE)


def edit_and_ask_again(terminal: Terminal, project: Path) -> None:
    print(f"\n4. Edit {KOREAN_FILE} (3대 → 4대), and ask again")
    path = project / KOREAN_FILE
    path.write_text(path.read_text(encoding="utf-8").replace(KOREAN_SENTENCE, EDITED_SENTENCE), encoding="utf-8")
    terminal.show("search", KOREAN_QUESTION, "--fresh", "--top", "1", folder=project)
    hits = terminal.hits(KOREAN_QUESTION, "--fresh", folder=project)
    expect_first(hits, project, KOREAN_FILE, EDITED_SENTENCE)
    if any(KOREAN_SENTENCE in hit["text"] for hit in hits):
        raise StepFailed(f"the old sentence {KOREAN_SENTENCE!r} is still answered after the edit")
    print("  ✓ the old sentence is gone", flush=True)


def ask_for_what_is_not_there(terminal: Terminal, project: Path) -> None:
    print("\n5. Ask for something that is not there: no guess, a reason, and exit status 1")
    answer = terminal.show("search", ABSENT_QUESTION, folder=project, expected=1)
    if not answer.output.startswith(NOTHING_FOUND) or ":" not in answer.output:
        raise StepFailed(f"{NOTHING_FOUND!r} with its reason was expected, but this came: {answer.output!r}")
    print("  ✓ exit status 1", flush=True)


def walk(folder: Path, repository: Path) -> None:
    """All steps, in a temporary folder; `repository` holds the English documents."""
    project = folder / "streamapp"
    shutil.copytree(SAMPLE, project)
    print("1. Start a daemon, index the sample project and this repository's own documents")
    with own_daemon(folder) as terminal:
        terminal.show("index", "--wait", folder=project, timeout_s=INDEX_TIMEOUT_S)
        terminal.show("index", "--wait", folder=repository, timeout_s=INDEX_TIMEOUT_S)
        ask_in_korean(terminal, project)
        ask_in_english(terminal, repository)
        edit_and_ask_again(terminal, project)
        ask_for_what_is_not_there(terminal, project)
        print("\n6. Stop the daemon")


def say_how_to_go_on() -> None:
    print(
        f"""
Everything answered as promised. To go on with a project of your own:

  export PATH="{PROGRAM.parent}:$PATH"
  cd /path/to/your/project
  consigliere index                              # once: starts the daemon, waits until words are searchable
  consigliere search "what you want to know"
  consigliere search "..." --fresh --json        # wait for the last save; output for programs
  consigliere status                             # what is indexed, how fresh, what was left out
  consigliere init --bin                         # settings, and bin/consigliere for your repository
  consigliere --help

README.md (English) and README.ko.md (한국어) say the rest."""
    )


def run() -> int:
    """The program; 0 when every step showed what it promises."""
    if hasattr(sys.stdout, "reconfigure"):
        sys.stdout.reconfigure(encoding="utf-8", errors="replace")
    if not PROGRAM.exists():
        print(f"first_steps: {PROGRAM} is missing; run this through `make run`", file=sys.stderr)
        return 1
    # The path of a socket may hold no more than about 100 bytes, and the system's own temporary folder can be deep.
    short = "/tmp" if Path("/tmp").is_dir() else None
    folder = Path(tempfile.mkdtemp(prefix="consigliere-", dir=short)).resolve()
    try:
        walk(folder, REPOSITORY)
    except StepFailed as failure:
        # A failed step may be followed by a failed stop; the first of them is the one to read.
        first = failure.__context__ if isinstance(failure.__context__, StepFailed) else failure
        print(f"\nfirst_steps failed: {first}", file=sys.stderr)
        return 1
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    say_how_to_go_on()
    return 0


if __name__ == "__main__":
    sys.exit(run())
