"""What a file leaves behind that changes again and again is bounded."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from consiglierd.indexer import loop
from consiglierd.model.deadline import Deadline
from tests.support.rebuilt import Rebuilder
from tests.support.view import view_of

ROUNDS = 25


def test_a_file_that_changes_again_and_again_leaves_little_behind(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(loop, "KEEP_REMOVED_S", 0.0)
    root = tmp_path / "project"
    root.mkdir()
    text = "\n".join(f"word{number} " + "=" * 7000 for number in range(100)) + "\n"
    database = root / ".consigliere" / "consigliere.db"
    with Rebuilder() as rebuilder:
        workspace = rebuilder.opened(root)
        for number in range(ROUNDS):
            (root / "log.txt").write_text(f"{text}end {number}\n")
            workspace.settle(Deadline.after(60.0))
        with closing(sqlite3.connect(database)) as connection:
            kept = connection.execute("SELECT sum(length(content)) FROM section_texts").fetchone()[0]
        # Without pruning it would be the file twenty-five times over.
        assert kept < 12 * len(text)
        with rebuilder.rebuilt(root) as rebuilt:
            assert view_of(database) == rebuilt.view()
