"""Searches equal the judge on larger trees, and an index that is opened again answers as before."""

import random
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from consiglierd.model.query import Filters
from consiglierd.model.roles import Role, RoleTable
from consiglierd.model.rules import DocumentRules
from tests.oracle import Asked, JudgedChunk, chunks_of, expected
from tests.support.held_index import HeldIndex, Options
from tests.support.written_tree import WORDS, document, paragraph

ARCHITECT = Role("system architect", "architect", {"changelog": 1.5, "rules": 1.4, "memory": 0.8}, ("security",))
CFO = Role("cfo", "cfo", {"budget": 1.5}, ())
ROLES = RoleTable({"architect": ARCHITECT, "cfo": CFO})
TYPED_NAMES = ("CHANGELOG.md", "rules.md", "memory/note.md", "docs/adr/0001-a.md", "specs/app-budget.md", "notes.md")

Place = tuple[str, int, float, tuple[tuple[str, int], ...]]


@pytest.fixture
def index(tmp_path: Path) -> Iterator[HeldIndex]:
    opened = HeldIndex(tmp_path, options=Options(roles=ROLES))
    yield opened
    opened.close()


def grown(index: HeldIndex, rng: random.Random, files: int) -> None:
    """A tree in several revisions, with edits, deletions and the same text in several places."""
    texts = {f"part-{number % 5}/note-{number}.md": document(rng, rng.randint(1, 6)) for number in range(files)}
    for folder in ("a", "b"):
        for name in TYPED_NAMES:
            texts[f"{folder}/{name}"] = document(rng, 3)
    same = f"## {paragraph(rng, 4)}\n\n{paragraph(rng, 12)}\n"
    for number in range(4):
        texts[f"copies/{number}.md"] = f"# {paragraph(rng, 3)}\n\n{same}\n{document(rng, 1)}"
    index.write(texts)
    for _ in range(4):
        index.write({path: document(rng, rng.randint(1, 6)) for path in rng.sample(sorted(texts), files // 4)})
        index.remove([path for path in rng.sample(sorted(texts), files // 20) if path in index.contents])


def query_of(rng: random.Random) -> str:
    words = rng.sample(WORDS, rng.randint(1, 7))
    if rng.random() < 0.2:
        words.append(rng.choice(["없는말", "zq77unknown"]))
    if rng.random() < 0.2:
        words.append(rng.choice(WORDS) + "를")
    return " ".join(words)


def judged(chunks: Sequence[JudgedChunk], asked: Asked) -> list[Place]:
    return [
        (
            hit.chunk.path,
            hit.chunk.section.span.line_start,
            hit.score,
            tuple((other.path, other.section.span.line_start) for other in hit.also),
        )
        for hit in expected(chunks, asked)
    ]


def searched(index: HeldIndex, asked: Asked, **more: Any) -> list[Place]:
    result = index.search(asked.text, asked.limit, min_score=asked.min_score, full=True, **more)
    assert result.revision == index.store.head()
    return [
        (hit.file, hit.line_start, hit.score, tuple((also.file, also.line_start) for also in hit.also))
        for hit in result.hits
    ]


def check_many(index: HeldIndex, rng: random.Random, count: int) -> int:
    """Compares random queries of every kind; returns how many had hits."""
    chunks = chunks_of(index.contents.items(), DocumentRules())
    answered = 0
    for _ in range(count):
        asked = Asked(
            query_of(rng), rng.choice([1, 3, 5, 10, 40]), min_score=rng.choice([0.0, 0.3, 0.3, 0.6, 0.9]), beta=0.0
        )
        kind = rng.randrange(6)
        more: dict[str, Any] = {}
        if kind == 1:
            asked, more = replace(asked, role=ARCHITECT, names_role=True), {"role": "architect"}
        elif kind == 2:
            asked, more = replace(asked, role=CFO, names_role=True), {"role": "cfo"}
        elif kind == 3:
            types = ("changelog", "ADR")
            asked, more = replace(asked, types=types), {"filters": Filters(types=types)}
        elif kind == 4:
            pattern = "part-[12]/.*|a/.*"
            more = {"filters": Filters(path_globs=("part-[12]/**/*.md", "a"))}
            asked = replace(asked, path_pattern=pattern)
        elif kind == 5:
            asked, more = replace(asked, names_role=True), {"role": "nobody"}
        found = searched(index, asked, **more)
        assert found == judged(chunks, asked), asked
        answered += bool(found)
    return answered


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(10, 20))
def test_hits_scores_and_order_equal_the_judge_on_larger_trees(index: HeldIndex, seed: int) -> None:
    rng = random.Random(seed)
    grown(index, rng, 400)
    assert check_many(index, rng, 400) > 200


def test_room_bonus_is_added_after_the_role(tmp_path: Path) -> None:
    rng = random.Random(5)
    rules = DocumentRules(rooms=(("security", ("auth", "rls")),))
    index = HeldIndex(tmp_path, options=Options(roles=ROLES, beta=0.2), rules=rules)
    grown(index, rng, 40)
    chunks = chunks_of(index.contents.items(), rules)
    bonuses = set()
    for _ in range(60):
        asked = Asked(query_of(rng), 8, role=ARCHITECT, names_role=True, beta=0.2)
        assert searched(index, asked, role="architect") == judged(chunks, asked)
        bonuses |= {hit.scores.room for hit in index.search(asked.text, 8, role="architect").hits}
    index.close()
    assert bonuses == {0.0, 0.2}


def test_a_reopened_index_answers_the_same(tmp_path: Path) -> None:
    rng = random.Random(7)
    index = HeldIndex(tmp_path)
    grown(index, rng, 60)
    queries = [query_of(rng) for _ in range(20)]
    before = [searched(index, Asked(query, 5)) for query in queries]
    contents = index.contents
    index.close()
    again = HeldIndex(tmp_path)
    again.contents = contents
    assert [searched(again, Asked(query, 5)) for query in queries] == before
    again.close()
