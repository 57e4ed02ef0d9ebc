"""Whether there is an answer at all: asked of everything that may be seen, whatever the order."""

from collections.abc import Iterator
from itertools import combinations
from pathlib import Path

import pytest

from consiglierd.model.roles import Role, RoleTable
from tests.support.hashed_embedder import HashedEmbedder
from tests.support.held_index import HeldIndex, Options

QUESTION = "alpha beta gamma delta"
WORDS = QUESTION.split()
ANSWER = f"{'filler words of a long text ' * 100}\n{QUESTION}\n"
ROLES = RoleTable({name: Role(name, name, {"adr": 1.8, "risk": 0.2}, ()) for name in ("dev", "cfo")})


class FarEmbedder(HashedEmbedder):
    """Nothing is near to anything, and no words make up for it."""

    unrelated = 0.999
    identical = 1.0
    near = 2.0


class WordsEmbedder(FarEmbedder):
    """Everything depends on the words."""

    near = 0.25


@pytest.fixture
def index(tmp_path: Path) -> Iterator[HeldIndex]:
    opened = HeldIndex(tmp_path, options=Options(ROLES), embedder=FarEmbedder())
    opened.write({"docs/answer.md": ANSWER})
    yield opened
    opened.close()


def files(index: HeldIndex, **more: object) -> list[str]:
    index.fill()
    return [hit.file for hit in index.search(QUESTION, 50, **more).hits]


def write_pieces(index: HeldIndex, times: int) -> None:
    """Short texts with half of the question each: they stand before the answer, and are none."""
    pairs = list(combinations(WORDS, 2)) * times
    index.write({f"docs/adr/{number:03}-{a}.md": f"{a} {b} {number}\n" for number, (a, b) in enumerate(pairs)})


@pytest.mark.parametrize("times", [0, 3, 20])
def test_other_documents_take_no_answer_away(index: HeldIndex, times: int) -> None:
    write_pieces(index, times)
    found = files(index)
    assert len(found) == min(50, 6 * times + 1)
    assert ("docs/answer.md" in found) == (times < 9), "it is the last of all"
    index.remove(["docs/answer.md"])
    assert files(index) == []
    assert len(files(index, min_score=0.0)) == min(50, 6 * times)


def test_a_role_takes_no_answer_away(index: HeldIndex) -> None:
    write_pieces(index, 20)
    everything = set(files(index, min_score=0.0))
    assert everything
    for role in (None, "dev", "cfo", "unknown"):
        assert files(index, role=role), role


def test_the_reason_says_what_came_nearest_and_how_it_is_seen(index: HeldIndex) -> None:
    write_pieces(index, 2)
    index.remove(["docs/answer.md"])
    index.fill()
    result = index.search(QUESTION)
    assert (result.hits, result.reason_code) == ((), "below_min_score")
    assert "too little to be an answer (--min-score 0 shows what there is)" in (result.reason or "")


def answers(folder: Path, texts: int) -> bool:
    """Whether one text with a word of the question answers it, among so many others."""
    folder.mkdir()
    index = HeldIndex(folder, embedder=WordsEmbedder())
    try:
        index.write({"docs/answer.md": "alpha in a text of its own\n"})
        index.write({f"docs/{number:04}.md": f"others{number} say gamma{number % 7}\n" for number in range(texts)})
        index.fill()
        return bool(index.search(QUESTION).hits)
    finally:
        index.close()


def test_among_more_texts_more_is_needed(tmp_path: Path) -> None:
    assert answers(tmp_path / "few", 20)
    assert not answers(tmp_path / "many", 3000)


def test_a_model_that_was_not_measured_judges_nothing(tmp_path: Path) -> None:
    class Unmeasured(FarEmbedder):
        near = 0.0

    index = HeldIndex(tmp_path, embedder=Unmeasured())
    write_pieces(index, 1)
    assert len(files(index)) == 6
    index.close()
