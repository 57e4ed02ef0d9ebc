"""What a `.consigliere/` that somebody else prepared can do: nothing."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from consiglierd.model.deadline import Deadline
from consiglierd.model.query import Query
from tests.support.rebuilt import Rebuilder, search_places

PLANTS = (
    "lexical-link", "wal-link", "aside-link", "database-link", "second-name", "cursor-pipe", "database-pipe",
    "database-folder", "lexical-file", "aside-file", "deep-cursor",
)  # fmt: skip


@pytest.fixture(scope="module")
def rebuilder() -> Iterator[Rebuilder]:
    with Rebuilder() as made:
        yield made


def plant(name: str, folder: Path, outside: Path) -> None:
    lexical, database, aside = folder / "lexical", folder / "consigliere.db", folder / "aside"
    match name:
        case "lexical-link":
            lexical.symlink_to(outside)
        case "wal-link":
            (folder / "consigliere.db-wal").symlink_to(outside / "kept.txt")
        case "aside-link":
            aside.symlink_to(outside)
            database.write_text("no database")
        case "database-link":
            database.symlink_to(outside / "kept.txt")
        case "second-name":
            (folder / "consigliere.db-wal").hardlink_to(outside / "kept.txt")
        case "cursor-pipe":
            lexical.mkdir()
            os.mkfifo(lexical / "cursor.json")
        case "database-pipe":
            os.mkfifo(database)
        case "database-folder":
            database.mkdir()
        case "lexical-file":
            lexical.write_text("no folder")
        case "aside-file":
            aside.write_text("no folder")
            database.write_text("no database")
        case "deep-cursor":
            lexical.mkdir()
            (lexical / "cursor.json").write_text("[" * 200_000)


def an_outside(folder: Path) -> Path:
    (folder / "sub").mkdir(parents=True)
    (folder / "sub" / "letter.txt").write_text("a letter")
    (folder / "kept.txt").write_text("kept")
    return folder


def assert_untouched(outside: Path) -> None:
    files = {str(path.relative_to(outside)): path.read_text() for path in outside.rglob("*") if path.is_file()}
    assert files == {"sub/letter.txt": "a letter", "kept.txt": "kept"}


def found_in(rebuilder: Rebuilder, root: Path) -> list[str]:
    workspace = rebuilder.opened(root)
    result = workspace.search(Query(text="zq77", limit=5), Deadline.after(60.0))
    return [place[0] for place in search_places(result)]


@pytest.mark.parametrize("name", PLANTS)
def test_a_data_folder_never_seen_before_leads_nowhere(tmp_path: Path, rebuilder: Rebuilder, name: str) -> None:
    outside = an_outside(tmp_path / "outside")
    root = tmp_path / "project"
    (root / ".consigliere").mkdir(parents=True)
    (root / "a.md").write_text("zq77\n")
    plant(name, root / ".consigliere", outside)
    assert found_in(rebuilder, root) == ["a.md"]
    assert_untouched(outside)


@pytest.mark.parametrize("name", PLANTS)
def test_a_data_folder_that_was_replaced_leads_nowhere(tmp_path: Path, rebuilder: Rebuilder, name: str) -> None:
    outside = an_outside(tmp_path / "outside")
    root = tmp_path / "project"
    root.mkdir()
    (root / "a.md").write_text("zq77\n")
    assert found_in(rebuilder, root) == ["a.md"]
    rebuilder.close_workspace(root)
    (root / ".consigliere").rename(tmp_path / "moved")
    (root / ".consigliere").mkdir()
    plant(name, root / ".consigliere", outside)
    assert found_in(rebuilder, root) == ["a.md"]
    assert_untouched(outside)
