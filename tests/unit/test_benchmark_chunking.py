"""Plain windows, and the judge of a ranking by lines: worked out by hand."""

import itertools
import math
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks import sample
from benchmarks.chunking import fewest, gained, read_until
from benchmarks.plain_windows import line_windows, windowed
from consiglierd.model.evaluation import AnswerLines
from consiglierd.model.hit import Hit, Place, Scores
from consiglierd.model.ids import ChunkId, digest_of

A, B, C = (AnswerLines("a.md", line, line) for line in (2, 5, 9))


def hit(file: str, start: int, text: str, also: tuple[Place, ...] = ()) -> Hit:
    scores = Scores(base=0.5, vector=None, bm25=0.5, role=1.0, room=0.0)
    return Hit(
        chunk_id=ChunkId(1),
        file=file,
        line_start=start,
        line_end=start + text.count("\n"),
        heading="",
        text=text,
        truncated=False,
        kind="document",
        symbol=None,
        file_type="general",
        date=None,
        tags=(),
        status="active",
        rooms=(),
        score=0.5,
        scores=scores,
        digest=digest_of(text.encode()),
        also=also,
        metadata={},
    )


@pytest.mark.parametrize(
    ("costs", "size", "overlap", "expected"),
    [
        ([3, 3, 3, 3], 6, 0, [(0, 2), (2, 4)]),
        ([3, 3, 3, 3], 6, 3, [(0, 2), (1, 3), (2, 4)]),
        ([3, 3, 3, 3], 6, 2, [(0, 2), (2, 4)]),
        ([2, 9, 2], 6, 0, [(0, 1), (1, 2), (2, 3)]),
        ([2, 9, 2], 6, 3, [(0, 1), (1, 2), (2, 3)]),
        ([1, 1, 1, 5], 6, 3, [(0, 3), (2, 4)]),
        ([], 6, 3, []),
        ([0, 0], 6, 3, [(0, 2)]),
    ],
)
def test_windows_of_lines(costs: list[float], size: float, overlap: float, expected: list[tuple[int, int]]) -> None:
    assert line_windows(costs, size, overlap) == expected


@given(st.lists(st.integers(0, 20), max_size=60), st.integers(1, 30), st.integers(0, 30))
def test_windows_hold_every_line_and_no_more_than_they_may(costs: list[int], size: int, overlap: int) -> None:
    windows = line_windows(costs, size, overlap)
    assert {line for start, end in windows for line in range(start, end)} == set(range(len(costs)))
    for start, end in windows:
        assert end - start == 1 or sum(costs[start:end]) <= size
    for (_, before), (start, end) in itertools.pairwise(windows):
        assert start <= before < end, "each says something new"
        assert sum(costs[start:before]) <= overlap


def test_windows_are_exact_lines_of_the_file() -> None:
    content = "\n# 제목\n\n하나 둘\n\n\nthree four\n\n".encode("cp949")
    document = windowed(content, 3, 0)
    assert document.encoding == "cp949"
    found = [(each.span.line_start, each.span.line_end, each.text) for each in document.sections]
    assert found == [(2, 4, "# 제목\n\n하나 둘"), (7, 7, "three four")]
    for section in document.sections:
        span = section.span
        assert content[span.byte_start : span.byte_end].decode("cp949").rstrip("\n") == section.text
        assert section.heading_path == ()


def test_a_headed_window_has_the_headings_of_its_first_line() -> None:
    path, (content, typed) = next(each for each in sample.parsed(sample.rules()).items() if "0007-offline" in each[0])
    by_line = {each.span.line_start: each.heading_path for each in windowed(content, 1, 0, typed).sections}
    assert by_line[1] == (), f"the front matter of {path} is in no section"
    assert by_line[17][0].startswith("오프라인 다운로드의 DRM")


def test_a_hit_holds_the_answers_of_which_it_has_a_line() -> None:
    wide = AnswerLines("a.md", 4, 6)
    assert sample.answers_in(hit("a.md", 1, "x\ny\nz\nv"), (A, B, wide)) == {A, wide}
    assert sample.answers_in(hit("b.md", 1, "x\ny"), (A,)) == frozenset()
    assert sample.answers_in(hit("b.md", 7, "x\ny", (Place("a.md", 1),)), (A, B)) == {A}
    assert sample.answers_in(hit("a.md", 3, "x\ny"), (A, B)) == frozenset()


def test_a_chunk_with_two_answers_is_no_disadvantage() -> None:
    assert fewest([frozenset({A, B}), frozenset()]) == 1
    assert gained([frozenset({A, B})], 1) == 1.0
    assert fewest([frozenset({A}), frozenset({B})]) == 2
    assert gained([frozenset({A})], 2) == pytest.approx(1 / (1 + 1 / math.log2(3)))
    assert gained([frozenset(), frozenset({A}), frozenset({A})], 1) == pytest.approx(1 / math.log2(3))
    assert gained([frozenset({A}), frozenset({B})], 1) == 1.0, "never above 1"
    assert fewest([]) == 1
    assert gained([], 1) == 0.0


def test_what_is_read_ends_with_the_line_of_the_answer() -> None:
    hits = [hit("b.md", 1, "abc\n\nde"), hit("a.md", 1, "fgh\nij\nkl")]
    assert read_until(hits, (A,)) == (4, 10)
    assert read_until(hits, (B, C)) == (math.inf, math.inf)
    assert read_until([hits[0], replace(hits[0], also=(Place("a.md", 2),))], (A,)) == (3, 8)


def test_the_answers_of_the_questions_stand_in_the_sample() -> None:
    documents = sample.parsed(sample.rules())
    questions = sample.answered_questions(sample.GENERAL_QUESTIONS, sample.ROLE_QUESTIONS)
    assert len({each.text for each in questions}) == len(questions)
    roles = sample.roles()
    for question in questions:
        assert question.role is None or roles.find(question.role) is not None, question.role
        for answer in question.answers:
            spans = [each.span for each in documents[answer.file][1].sections]
            assert any(each.line_start <= answer.line_end and each.line_end >= answer.line_start for each in spans)
