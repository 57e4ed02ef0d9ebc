"""On a large corpus the certified top K is what brute force over every chunk gives, by both sides."""

import random
from collections.abc import Iterator
from pathlib import Path

import pytest

from benchmarks.corpus import questions, sections
from consiglierd.model.rules import DocumentRules
from tests.oracle import Asked, Judge, chunks_of
from tests.support.bundled_embedder import BundledEmbedder
from tests.support.held_index import HeldIndex, Options
from tests.support.judged_corpora import JudgedVectors

SECTIONS_A_FILE = 10


def project(count: int) -> dict[str, str]:
    texts: dict[str, list[str]] = {}
    for number, section in enumerate(sections(count)):
        path = f"docs/{number // 1000:02}/note-{number // SECTIONS_A_FILE:04}.md"
        texts.setdefault(path, []).append(f"## {section.heading}\n\n{section.body}\n")
    return {path: "\n".join(parts) for path, parts in texts.items()}


@pytest.fixture
def index(tmp_path: Path) -> Iterator[HeldIndex]:
    opened = HeldIndex(tmp_path, embedder=BundledEmbedder.bundled())
    yield opened
    opened.close()


def check(index: HeldIndex, count: int, asked_count: int) -> None:
    texts = project(count)
    paths = sorted(texts)
    for start in range(0, len(paths), 200):
        index.write({path: texts[path] for path in paths[start : start + 200]})
    index.fill()
    chunks = chunks_of(sorted(index.contents.items()), DocumentRules())
    assert len(chunks) >= count
    judge = Judge(chunks, JudgedVectors(BundledEmbedder.bundled()))
    rng = random.Random(4)
    answered = 0
    for text in questions(asked_count, count):
        asked = Asked(text, rng.choice((5, 10, 20)), min_score=rng.choice((0.0, 0.3)), alpha=rng.choice((0.35, 0.7)))
        index.options = Options(alpha=asked.alpha)
        hits = index.search(text, asked.limit, min_score=asked.min_score, full=True).hits
        expected = judge.expected(asked)
        assert [(hit.file, hit.line_start) for hit in hits] == [
            (hit.chunk.path, hit.chunk.section.span.line_start) for hit in expected
        ], asked
        assert [hit.score for hit in hits] == pytest.approx([hit.score for hit in expected], abs=1e-5)
        answered += bool(hits)
    assert answered > asked_count / 2


def test_the_certified_top_k_equals_brute_force(index: HeldIndex) -> None:
    check(index, 600, 40)


@pytest.mark.slow
def test_the_certified_top_k_equals_brute_force_on_a_large_corpus(index: HeldIndex) -> None:
    check(index, 20_000, 1_000)
