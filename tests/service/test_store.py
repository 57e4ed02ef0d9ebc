"""The derived database: one transaction a revision, ids never used again, statistics that add up."""

import sqlite3
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from consiglierd.errors import Busy, Unavailable
from consiglierd.indexer.term_delta import TermDelta
from consiglierd.model.calibration import Calibration
from consiglierd.model.document import ParsedDocument, Section, Span, Tag
from consiglierd.model.evaluation import Gain
from consiglierd.model.files import FileStat
from consiglierd.model.ids import Revision, digest_of
from consiglierd.store.authored import AuthoredStore
from consiglierd.store.connection import StoreCorrupt
from consiglierd.store.derived import DerivedStore
from consiglierd.store.folder import open_folder
from consiglierd.store.plan import CommitPlan, DocumentWrite, NewParse, StaleWrite, StatWrite
from consiglierd.store.schema import AUTHORED_MIGRATIONS
from consiglierd.text.counts import count_path, count_section, pack, unpack

STAT = FileStat(1, 2, 3, 4, 5)


def document(path: str, *texts: str, line_start: int = 1) -> DocumentWrite:
    sections = tuple(
        Section(
            ordinal=number,
            span=Span(line_start + number, line_start + number, 0, len(text)),
            text=text,
            kind="document",
            heading="",
            heading_path=(),
            date=None,
            status="active",
            tags=(Tag("a", "test"),),
            rooms=(),
            metadata={},
        )
        for number, text in enumerate(texts)
    )
    counts = [count_section(section.text, ()) for section in sections]
    parse = NewParse(
        ParsedDocument("general", "utf-8", sections),
        tuple(pack(each) for each in counts),
        tuple(each.length for each in counts),
    )
    return DocumentWrite(path, STAT, 9, digest_of("\0".join(texts).encode()), "general/1", parse)


def commit(store: DerivedStore, *documents: DocumentWrite, removed: tuple[str, ...] = ()) -> Revision:
    delta = TermDelta()
    known = store.known_files()
    for path in (*removed, *(each.path for each in documents)):
        if path in known:
            delta.remove(path, store.live_terms_of(path))
    for each in documents:
        assert each.parse is not None
        delta.add(each.path, each.parse.terms)
    return store.commit(CommitPlan(documents, (), (), removed, delta.total()))


@pytest.fixture
def store(tmp_path: Path):
    opened = DerivedStore(tmp_path / "consigliere.db")
    yield opened
    opened.close()


def recount(store: DerivedStore) -> tuple[dict[int, int], int, int]:
    df: dict[int, int] = {}
    _, ids = store.live_ids()
    rows = store.scoring_rows(ids.tolist())
    length = 0
    for row in rows:
        section, path = unpack(row.terms), count_path(row.path)
        length += section.length + path.length
        for key in set(section.keys.tolist()) | set(path.keys.tolist()):
            df[key] = df.get(key, 0) + 1
    return df, len(rows), length


def test_statistics_kept_by_commits_equal_a_recount(store: DerivedStore) -> None:
    commit(store, document("a.md", "보안 결정", "alpha beta"), document("b.md", "alpha gamma"))
    commit(store, document("a.md", "alpha delta"))
    commit(store, document("c.md", "보안"), removed=("b.md",))
    statistics = store.statistics()
    df, chunks, length = recount(store)
    assert dict(zip(statistics.keys.tolist(), statistics.df.tolist(), strict=True)) == df
    assert (statistics.chunks, statistics.length) == (chunks, length)
    assert chunks == 2


def test_ids_are_never_used_again(store: DerivedStore) -> None:
    commit(store, document("a.md", "one", "two"))
    first = store.live_ids()[1].tolist()
    commit(store, removed=("a.md",))
    commit(store, document("a.md", "one", "two"))
    second = store.live_ids()[1].tolist()
    assert min(second) > max(first)


def test_journal_tells_each_revision_and_where_it_no_longer_reaches(store: DerivedStore) -> None:
    commit(store, document("a.md", "one"))
    commit(store, document("b.md", "two"), removed=("a.md",))
    changes = store.changes_after(Revision(0), 10)
    assert changes is not None
    assert [len(each.added) for each in changes] == [1, 1]
    assert changes[1].removed == changes[0].added
    assert np.sum(changes[0].statistics.df) > 0
    assert store.changes_after(Revision(2), 10) == ()
    assert store.changes_after(Revision(3), 10) is None


def test_a_commit_that_fails_leaves_nothing(store: DerivedStore) -> None:
    commit(store, document("a.md", "one"))
    good = document("b.md", "two")
    broken = DocumentWrite("c.md", STAT, 9, digest_of(b"never parsed"), "general/1", None)
    with pytest.raises(ValueError, match="no parse"):
        store.commit(CommitPlan((good, broken), (), (), ("a.md",), TermDelta().total()))
    assert store.head() == 1
    assert set(store.known_files()) == {"a.md"}
    assert store.live_ids()[1].size == 1


def test_same_content_is_parsed_once_and_found_at_both_paths(store: DerivedStore) -> None:
    first = document("a.md", "same text")
    commit(store, first)
    copy = DocumentWrite("b.md", STAT, 9, first.digest, first.recipe, None)
    terms = store.parse_terms(first.digest, first.recipe)
    assert terms is not None
    delta = TermDelta()
    delta.add("b.md", terms)
    store.commit(CommitPlan((copy,), (), (), (), delta.total()))
    rows = store.chunk_rows(store.live_ids()[1].tolist())
    assert sorted((row.scoring.path, row.text) for row in rows) == [("a.md", "same text"), ("b.md", "same text")]


def test_an_unreadable_file_keeps_its_chunks_until_it_is_read_again(store: DerivedStore) -> None:
    commit(store, document("a.md", "one"))
    empty = TermDelta().total()
    store.commit(CommitPlan((), (), (StaleWrite("a.md", "unreadable: permission denied"),), (), empty))
    assert store.overview().stale_files == 1
    assert store.overview().problems == (("a.md", "unreadable: permission denied"),)
    assert store.live_ids()[1].size == 1
    store.commit(CommitPlan((), (StatWrite("a.md", STAT, 10),), (), (), empty))
    assert store.overview().stale_files == 0
    assert store.overview().problems == ()


def test_other_programs_read_the_users_own_tables(store: DerivedStore) -> None:
    commit(store, document("a.md", "보안 결정"))
    other = sqlite3.connect(f"file:{store.path}?mode=ro", uri=True)
    chunk = other.execute(
        "SELECT file, heading, content, content_hash, embedding, file_type, date, tags, status, commit_hash,"
        " line_start, line_end, created_at, updated_at, rooms FROM chunks"
    ).fetchone()
    assert chunk[0] == "a.md"
    assert chunk[2] == "보안 결정"
    assert other.execute("SELECT file, digest, chunk_count, stale FROM metadata").fetchone()[2] == 1
    assert other.execute("SELECT tag, source FROM tags").fetchall() == [("a", "test")]
    assert other.execute("SELECT count(*) FROM snapshots").fetchone() == (0,)
    assert other.execute("SELECT count(*) FROM relations").fetchone() == (0,)
    other.close()


def test_pruning_drops_what_was_removed_up_to_a_revision(store: DerivedStore) -> None:
    for number in range(150):
        commit(store, document("a.md", f"text number {number}"))
    assert not store.prune(Revision(50))
    assert store.prune(Revision(50), at_least_bytes=1000)
    with store.reading() as connection:
        rows = connection.execute("SELECT count(*) FROM chunk_rows").fetchone()[0]
        parses = connection.execute("SELECT count(*) FROM parses").fetchone()[0]
    # Those removed by the 100 revisions that came after, and the one that lives.
    assert rows == 101
    assert parses == 101
    assert store.live_ids()[1].size == 1


def test_while_its_folder_is_away_readers_share_the_connections_that_are_open(tmp_path: Path) -> None:
    """Another reader's connection may be the only one: a second cannot be opened under a name that leads nowhere."""
    here, away = tmp_path / "here", tmp_path / "away"
    here.mkdir()
    store = DerivedStore(here / "consigliere.db")
    is_held, may_end = threading.Event(), threading.Event()

    def hold() -> None:
        with store.reading():
            is_held.set()
            may_end.wait(30)

    with ThreadPoolExecutor() as pool:
        holding = pool.submit(hold)
        assert is_held.wait(30)
        here.rename(away)
        second = pool.submit(store.head)
        with pytest.raises(TimeoutError):
            second.result(0.2)
        may_end.set()
        assert second.result(30) == 0
        holding.result(30)
    away.rename(here)
    store.close()


def test_a_database_that_was_moved_to_the_name_of_another_is_not_read(tmp_path: Path, store: DerivedStore) -> None:
    other = DerivedStore(tmp_path / "other.db")
    commit(other, document("a.md", "a"))
    other.close()
    (tmp_path / "consigliere.db").rename(tmp_path / "mine.db")
    (tmp_path / "other.db").rename(tmp_path / "consigliere.db")
    with pytest.raises(Unavailable, match="was replaced"):
        store.head()


def test_a_file_that_is_no_database_is_called_corrupt(tmp_path: Path) -> None:
    path = tmp_path / "consigliere.db"
    path.write_bytes(b"this is not a database, whatever its name says" * 100)
    with pytest.raises(StoreCorrupt):
        DerivedStore(path)


def test_a_hostile_data_folder_is_left_alone(tmp_path: Path) -> None:
    root, elsewhere, fallback = tmp_path / "root", tmp_path / "elsewhere", tmp_path / "fallback"
    root.mkdir()
    elsewhere.mkdir()
    (root / ".consigliere").symlink_to(elsewhere)
    folder = open_folder(root, fallback, is_tracked=lambda prefix: False, socket="/s")
    assert folder.path == fallback
    assert folder.warning is not None
    assert list(elsewhere.iterdir()) == []
    folder.release()


def test_a_data_folder_that_git_tracks_is_left_alone(tmp_path: Path) -> None:
    folder = open_folder(tmp_path, tmp_path / "state", is_tracked=lambda prefix: prefix == ".consigliere", socket="/s")
    assert folder.path == tmp_path / "state"
    assert not (tmp_path / ".consigliere").exists()
    folder.release()


def test_who_comes_second_is_told_whom_to_stop(tmp_path: Path) -> None:
    first = open_folder(tmp_path, tmp_path / "state", is_tracked=lambda prefix: False, socket="/run/first.sock")
    with pytest.raises(Busy, match="another consiglierd keeps") as caught:
        open_folder(tmp_path, tmp_path / "state", is_tracked=lambda prefix: False, socket="/run/2.sock")
    assert "`CONSIGLIERE_SOCKET=/run/first.sock consigliere stop`" in (caught.value.cure or "")
    first.release()
    open_folder(tmp_path, tmp_path / "state", is_tracked=lambda prefix: False, socket="/run/2.sock").release()
    assert (tmp_path / ".consigliere" / "lock").read_text() == "/run/2.sock"


def test_what_tuning_chose_is_kept_and_taken_back(tmp_path: Path) -> None:
    chosen = Calibration(0.5, 0.02, 60, "d1", "2026-04-01", Gain("now", 0.05, 0.01, 0.09))
    authored = AuthoredStore(tmp_path, "id", "/root")
    assert authored.calibration is None
    authored.calibrate(chosen)
    authored.close()
    authored = AuthoredStore(tmp_path, "id", "/root")
    assert authored.calibration == chosen
    authored.take_calibration_back("2026-04-02")
    assert authored.calibration is None
    authored.close()


def test_an_authored_database_of_the_first_format_is_added_to_and_copied_before(tmp_path: Path) -> None:
    old = sqlite3.connect(tmp_path / "id.db")
    old.executescript("PRAGMA journal_mode=WAL;" + AUTHORED_MIGRATIONS[0] + "PRAGMA user_version=1;")
    old.execute("INSERT INTO meta VALUES ('root', '/mine')")
    old.commit()
    authored = AuthoredStore(tmp_path, "id", "/root")
    assert authored.calibration is None
    authored.close()
    old.close()
    for name in ("id.db", "id.db.format-1"):
        kept = sqlite3.connect(tmp_path / name)
        assert kept.execute("SELECT value FROM meta WHERE key = 'root'").fetchone() == ("/mine",)
        kept.close()
    AuthoredStore(tmp_path, "id", "/root").close()


def test_a_database_of_what_was_written_that_is_damaged_later_stops_nothing(tmp_path: Path) -> None:
    """What was chosen is asked for at every turn of the indexer."""
    authored = AuthoredStore(tmp_path, "id", "/root")
    authored.calibrate(Calibration(0.5, 0.02, 60, "d1", "2026-04-01", Gain("now", 0.05, 0.01, 0.09)))
    other = sqlite3.connect(tmp_path / "id.db")
    other.execute("DROP TABLE calibrations")
    other.close()
    chosen = authored.calibration
    assert chosen is not None
    assert chosen.alpha == 0.5
    authored.close()
