"""Every hit is, byte for byte, the lines that it names: before, during and after edits."""

import json
import random
import threading
from pathlib import Path
from typing import Any

import pytest

from tests.support.living_daemon import LivingDaemon

SHARED = Path(__file__).resolve().parents[2] / ".." / "shared" / "data" / "react-docs-ko"


@pytest.fixture(scope="module")
def sections() -> list[tuple[str, str]]:
    if not SHARED.is_dir():
        pytest.skip("the measuring material (../shared/data/react-docs-ko) is not beside the project")
    with (SHARED / "corpus.jsonl").open(encoding="utf-8") as file:
        corpus = [json.loads(line) for line in file]
    return [(entry["title"], entry["text"]) for entry in corpus]


def written(title: str, text: str, edit: int = 0) -> str:
    note = f"\n수정 {edit}회: edited line {edit}\n" if edit else ""
    return f"## {title}\n{note}\n{text}\n"


def lines_of(path: Path, hit: dict[str, Any]) -> str:
    lines = path.read_bytes().decode().replace("\r\n", "\n").replace("\r", "\n").split("\n")
    return "\n".join(lines[hit["line_start"] - 1 : hit["line_end"]])


def test_every_hit_is_the_lines_it_names_while_files_change(sections: list[tuple[str, str]], tmp_path: Path) -> None:
    root = tmp_path / "docs"
    root.mkdir()
    for number, (title, text) in enumerate(sections):
        (root / f"{number:04}.md").write_text(written(title, text))
    queries = [title for title, _ in sections[::9]]
    daemon = LivingDaemon()
    try:
        daemon.start()
        daemon.settle(root)
        assert daemon.call("status", root)["files"] == len(sections)
        assert _all_verbatim(daemon, root, queries) > 500
        _edit_while_searching(daemon, root, sections, queries)
        daemon.settle(root)
        assert _all_verbatim(daemon, root, queries) > 500
    finally:
        daemon.close()


def _all_verbatim(daemon: LivingDaemon, root: Path, queries: list[str]) -> int:
    seen = 0
    for query in queries:
        for hit in daemon.search(root, query)["hits"]:
            assert lines_of(root / hit["file"], hit) == hit["text"]
            seen += 1
    return seen


def _edit_while_searching(
    daemon: LivingDaemon, root: Path, sections: list[tuple[str, str]], queries: list[str]
) -> None:
    """Each hit must be the named lines of one of the two contents that the file had around the search."""
    rng = random.Random(5)
    done = threading.Event()
    lock = threading.Lock()
    history: dict[str, list[str]] = {f"{n:04}.md": [written(*section)] for n, section in enumerate(sections)}

    def edit() -> None:
        for edit_number in range(1, 800):
            number = rng.randrange(len(sections))
            name = f"{number:04}.md"
            text = written(*sections[number], edit_number)
            with lock:
                history[name].append(text)
            temporary = root / f".{name}.tmp"
            temporary.write_text(text)
            temporary.rename(root / name)
        done.set()

    editor = threading.Thread(target=edit)
    editor.start()
    checked = 0
    while not done.is_set():
        query = rng.choice(queries)
        with lock:
            before = {name: len(texts) for name, texts in history.items()}
        reply = daemon.search(root, query)
        with lock:
            after = {name: list(texts) for name, texts in history.items()}
        for hit in reply["hits"]:
            name = hit["file"]
            # What stood there when the search began, and whatever was written until it ended.
            candidates = after[name][max(0, before[name] - 2) :]
            cut = ["\n".join(text.split("\n")[hit["line_start"] - 1 : hit["line_end"]]) for text in candidates]
            assert hit["text"] in cut, f"{name}:{hit['line_start']} is no text that stood there"
            checked += 1
    editor.join()
    assert checked > 50
