"""The lexical index follows the store: it takes up what can be trusted and builds the rest anew."""

import random
import shutil
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

import consiglierd.index.lexical as lexical
from consiglierd.index.cursor import read_cursor, write_cursor
from consiglierd.index.lexical import LexicalIndex
from consiglierd.model.ids import Revision
from consiglierd.model.stored import RevisionChanges
from tests.support.held_index import HeldIndex, one_section
from tests.support.written_tree import paragraph


@pytest.fixture
def index(tmp_path: Path) -> Iterator[HeldIndex]:
    opened = HeldIndex(tmp_path)
    yield opened
    opened.close()


def written(index: HeldIndex, rng: random.Random, count: int, folder: str = "a") -> None:
    texts = {f"{folder}/{number}.md": f"{paragraph(rng, 12)} {folder}{number}" for number in range(count)}
    index.put({path: (text.encode(), one_section(text)) for path, text in texts.items()})


def answers(index: HeldIndex) -> list[tuple[str, float]]:
    return [(hit.file, hit.score) for hit in index.search("로그인 token 보안 a3", 50, min_score=0.0).hits]


def reopened(index: HeldIndex) -> LexicalIndex:
    """A second index object on the same folder, the first one closed."""
    index.lexical.close()
    index.lexical = LexicalIndex(index.folder / "lexical", index.store)
    index.lexical.open()
    return index.lexical


def generation(index: HeldIndex) -> int:
    cursor = read_cursor(index.folder / "lexical")
    assert cursor is not None
    return cursor.generation


def test_what_is_on_the_disk_is_taken_up(index: HeldIndex) -> None:
    written(index, random.Random(1), 40)
    before, number = answers(index), generation(index)
    assert len(before) > 10
    reopened(index)
    assert (answers(index), generation(index)) == (before, number)


def test_revisions_made_while_it_was_closed_are_caught_up_with(index: HeldIndex) -> None:
    rng = random.Random(2)
    written(index, rng, 40)
    number = generation(index)
    index.lexical.close()
    index.follows = False
    written(index, rng, 20)
    index.remove(["a/30.md", "a/31.md"])
    opened = reopened(index)
    assert opened.revision == index.store.head()
    assert generation(index) == number
    assert not {"a/30.md", "a/31.md"} & {file for file, _ in answers(index)}
    after = answers(index)
    shutil.rmtree(index.folder / "lexical")
    reopened(index)
    assert answers(index) == after


def test_a_chunk_that_came_and_went_between_two_follows_is_never_added(index: HeldIndex) -> None:
    index.follows = False
    many = " ".join(f"only{number:04}x" for number in range(400))
    index.put({"gone.md": (b"gone", one_section("gone qq")), "stays.md": (b"stays", one_section(many))})
    index.remove(["gone.md"])
    assert index.lexical.follow() == index.store.head()
    assert index.lexical.snapshot().corpus.documents == 1
    assert [hit.file for hit in index.search("only0007x").hits] == ["stays.md"]
    assert index.search("qq").reason_code == "no_match"


def test_a_probe_is_a_term_that_some_live_chunk_holds(index: HeldIndex) -> None:
    index.follows = False
    for start in range(0, 2500, 100):
        gone, stays = (
            " ".join(f"{word}{number:04}x" for number in range(start, start + count))
            for word, count in (("gone", 20), ("only", 100))
        )
        texts = {"gone.md": gone, f"stays{start}.md": stays}
        index.put({path: (text.encode(), one_section(text)) for path, text in texts.items()})
        index.remove(["gone.md"])
        assert index.lexical.follow() == index.store.head()


@pytest.mark.parametrize("change", ["nonce", "fingerprint", "revision", "missing", "garbage"])
def test_an_index_that_is_not_of_this_store_is_built_anew(index: HeldIndex, change: str) -> None:
    written(index, random.Random(3), 30)
    before, number = answers(index), generation(index)
    folder = index.folder / "lexical"
    cursor = read_cursor(folder)
    assert cursor is not None
    index.lexical.close()
    if change == "missing":
        (folder / "cursor.json").unlink()
    elif change == "garbage":
        (folder / "cursor.json").write_bytes(b'{"nonce": [')
    else:
        wrong = {
            "nonce": replace(cursor, nonce="other"),
            "fingerprint": replace(cursor, fingerprint="other"),
            "revision": replace(cursor, revision=cursor.revision + 7),
        }
        write_cursor(folder, wrong[change])
    reopened(index)
    assert answers(index) == before
    assert generation(index) > number


def test_a_crash_between_the_two_commits_leaves_nothing_out_and_nothing_twice(index: HeldIndex) -> None:
    rng = random.Random(4)
    written(index, rng, 20)
    earlier = read_cursor(index.folder / "lexical")
    assert earlier is not None
    written(index, rng, 20, folder="b")
    index.remove(["a/5.md"])
    before = answers(index)
    index.lexical.close()
    write_cursor(index.folder / "lexical", earlier)
    reopened(index)
    assert answers(index) == before
    assert index.lexical.snapshot().corpus.documents == 40


@pytest.mark.parametrize("suffix", [".idx", ".fast", "meta.json"])
@pytest.mark.parametrize("damage", ["cut", "flip", "remove"])
def test_a_damaged_index_is_built_anew(index: HeldIndex, suffix: str, damage: str) -> None:
    written(index, random.Random(5), 30)
    before = answers(index)
    index.lexical.close()
    for path in (index.folder / "lexical").rglob(f"*{suffix}"):
        content = path.read_bytes()
        if damage == "cut":
            path.write_bytes(content[: len(content) // 2])
        elif damage == "flip":
            middle = len(content) // 3
            path.write_bytes(content[:middle] + bytes([content[middle] ^ 0xFF]) + content[middle + 1 :])
        else:
            path.unlink()
    reopened(index)
    assert answers(index) == before


def test_many_dead_chunks_make_a_new_generation(index: HeldIndex, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lexical, "COMPACT_AT_LEAST", 10)
    rng = random.Random(6)
    written(index, rng, 40)
    assert not index.lexical.compact_if_needed()
    index.remove([f"a/{number}.md" for number in range(20, 31)])
    pinned, before = index.lexical.snapshot(), answers(index)
    documents = pinned.corpus.documents
    assert index.lexical.compact_if_needed()
    assert answers(index) == before
    assert index.lexical.snapshot().corpus.documents == documents - 11
    assert len(list((index.folder / "lexical").glob("generation-*"))) == 1
    # A search that began before goes on with the files that it has mapped.
    assert pinned.searcher.num_docs == documents
    assert pinned.searcher.doc_freq("type", "general") == documents


class ForgetfulJournal:
    """A store whose journal does not reach back any more."""

    def __init__(self, index: HeldIndex) -> None:
        self._store = index.store
        self.nonce = index.store.nonce
        self.head = index.store.head
        self.scoring_rows = index.store.scoring_rows
        self.live_ids = index.store.live_ids
        self.statistics = index.store.statistics

    def changes_after(self, revision: Revision, limit: int) -> tuple[RevisionChanges, ...] | None:
        return None if revision < self.head() else ()


def test_a_journal_that_does_not_reach_back_is_replaced_by_the_live_chunks(index: HeldIndex) -> None:
    rng = random.Random(7)
    written(index, rng, 30)
    index.lexical.close()
    index.lexical = LexicalIndex(index.folder / "other", ForgetfulJournal(index))
    index.lexical.open()
    written(index, rng, 30)
    index.remove(["a/3.md"])
    after = answers(index)
    assert index.lexical.revision == index.store.head()
    index.lexical.close()
    index.lexical = LexicalIndex(index.folder / "third", index.store)
    index.lexical.open()
    assert answers(index) == after


def test_snapshots_are_not_changed_by_later_revisions(index: HeldIndex) -> None:
    written(index, random.Random(8), 20)
    pinned = index.lexical.snapshot()
    held = (pinned.revision, pinned.removed, pinned.statistics, pinned.searcher.num_docs)
    index.remove(["a/1.md", "a/2.md"])
    written(index, random.Random(9), 5, folder="c")
    assert (pinned.revision, pinned.removed, pinned.statistics, pinned.searcher.num_docs) == held
    assert index.lexical.snapshot().revision > pinned.revision
