"""Every search answers what the judge computes by brute force: hits, order, scores and `also`."""

import random
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import pytest

from consiglierd.model.deadline import Deadline
from consiglierd.model.hit import SearchResult
from consiglierd.model.query import Filters, Query
from tests.oracle import Asked, Expected
from tests.support.held_index import TIMEOUT_S, Options
from tests.support.judged_corpora import MAKERS, ROLES, Corpus, corpus
from tests.support.written_tree import WORDS

QUERIES = 300
SEEDS = (1, 2)
MAX_ALSO = 50
# A glob, and the regular expression that says the same.
GLOBS = {
    "docs/**": r"docs/.+",
    "docs": r"(.+/)?docs(/.+)?",
    "*.md": r"(.+/)?[^/]+\.md",
    "/note-[0-4]*.md": r"note-[0-4][^/]*\.md",
    "**/specs/cfo-*": r"(.+/)?specs/cfo-[^/]*(/.+)?",
    "docs/회의/메모-?.md": r"docs/회의/메모-[^/]\.md",
    "none/such": r"none/such",
}
IDENTIFIERS = (
    "getUserName", "user_name", "parse_config", "parseConfig", "config parse", "release-notes", "releaseNotes",
    "v1.0.21", "1.0.21", "1.0", "2.4.0", "SwiftUI", "swift ui", "RLS", "src/api/auth.ts", "note-7", "auth를",
)  # fmt: skip
BARE = ("##", "- ", "[", "---", '"##" "- "', '"-   -"', '"#  #"', "→", "%%%")
PARTICLES = ("", "", "을", "를", "에서", "으로", "하는 방법은?")


@dataclass(frozen=True)
class Case:
    """The same question for both sides."""

    query: Query
    asked: Asked
    beta: float
    alpha: float


MADE = [(name, seed, "words") for name in MAKERS for seed in SEEDS]
MADE += [(name, 3, sides) for name in MAKERS for sides in ("both", "waiting")]


@pytest.fixture(scope="module", params=MADE, ids=str)
def searched(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Corpus]:
    name, seed, sides = request.param
    made = corpus(tmp_path_factory.mktemp(name), name, seed, sides)
    yield made
    made.index.close()


def test_every_random_search_answers_what_the_judge_computes(searched: Corpus) -> None:
    for number in range(QUERIES):
        case = _case(searched)
        result = _search(searched, case)
        expected = searched.judge.expected(case.asked)
        assert _places(result) == _expected_places(expected), f"query {number}: {case}"
        for hit, judged in zip(result.hits, expected, strict=True):
            assert hit.score == pytest.approx(judged.score, abs=1e-6), f"query {number}: {case}"
        assert result.withheld == searched.judge.withheld(case.asked), f"query {number}: {case}"


def test_the_random_searches_find_and_miss_and_fold_and_withhold(searched: Corpus) -> None:
    """What the comparison is worth: every kind of answer is among those that were compared."""
    results = [_search(searched, _case(searched)) for _ in range(120)]
    assert any(result.hits for result in results)
    assert any(not result.hits for result in results)
    assert any(result.withheld for result in results)
    assert searched.name in ("random", "sample") or any(hit.also for result in results for hit in result.hits)


def test_the_comparison_notices_that_tombstones_are_off(tmp_path: Path) -> None:
    made = corpus(tmp_path, "random", 1, honour_tombstones=False)
    differences = 0
    for _ in range(50):
        case = _case(made)
        differences += _places(_search(made, case)) != _expected_places(made.judge.expected(case.asked))
    made.index.close()
    assert differences > 0


def _search(searched: Corpus, case: Case) -> SearchResult:
    searched.index.options = Options(ROLES, beta=case.beta, alpha=case.alpha)
    return searched.index.service.search(case.query, Deadline.after(TIMEOUT_S))


def _places(result: SearchResult) -> list[tuple[Any, ...]]:
    return [
        (hit.file, hit.line_start, hit.line_end, [(also.file, also.line_start) for also in hit.also])
        for hit in result.hits
    ]


def _expected_places(hits: list[Expected]) -> list[tuple[Any, ...]]:
    return [
        (
            hit.chunk.path,
            hit.chunk.section.span.line_start,
            hit.chunk.section.span.line_end,
            [(also.path, also.section.span.line_start) for also in hit.also[:MAX_ALSO]],
        )
        for hit in hits
    ]


def _case(searched: Corpus) -> Case:
    rng = searched.rng
    text = _text(searched)
    limit = rng.choice((1, 2, 5, 10, 40, 200))
    min_score = rng.choice((0.0, 0.3, 0.3, 0.8))
    role = rng.choice((None, None, "cfo", "cmo", "cto", "pm", "nobody"))
    beta = rng.choice((0.0, 0.0, 0.12, 0.3)) if role else 0.0
    alpha = rng.choice((0.7, 0.7, 0.3, 0.0, 1.0))
    filters, pattern = _filters(searched)
    values = {name: value for name, value in asdict(filters).items() if name != "path_globs"}
    return Case(
        Query(text, limit, filters, role=role, min_score=min_score, full=True),
        Asked(
            text=text,
            limit=limit,
            min_score=min_score,
            role=ROLES.find(role) if role else None,
            names_role=role is not None,
            beta=beta,
            alpha=alpha,
            path_pattern=pattern,
            **values,
        ),
        beta,
        alpha,
    )


def _text(searched: Corpus) -> str:
    rng = searched.rng
    kind = rng.random()
    if kind < 0.3:
        return " ".join(rng.choice(WORDS) + rng.choice(PARTICLES) for _ in range(rng.randint(1, 4)))
    if kind < 0.45:
        return " ".join(rng.choice(searched.words) for _ in range(rng.randint(1, 3)))
    if kind < 0.6:
        return " ".join(rng.sample(IDENTIFIERS, rng.randint(1, 2)))
    if kind < 0.7:
        return rng.choice((f"zzqx{rng.randint(0, 99)}", "큐플럼", "ΩÅ")) + rng.choice(("", " " + rng.choice(WORDS)))
    if kind < 0.72:
        return rng.choice(BARE)
    if kind < 0.85:
        return " ".join(rng.choice(WORDS if rng.random() < 0.7 else searched.words) for _ in range(18))
    return _quoted(searched, rng)


def _quoted(searched: Corpus, rng: random.Random) -> str:
    """Some words that stand together in a file (or nearly), in quotes, with or without others."""
    content = searched.index.contents[rng.choice(sorted(searched.index.contents))].decode(errors="ignore")
    start = rng.randrange(len(content))
    phrase = content[start : start + rng.randint(3, 30)].replace('"', "")
    if not any(character.isalnum() for character in phrase):
        phrase = "로그인 오류"
    marks = rng.choice(('"{}"', "“{}”"))
    return marks.format(phrase.upper() if rng.random() < 0.2 else phrase) + rng.choice(("", " server", " 배포를"))


def _filters(searched: Corpus) -> tuple[Filters, str | None]:
    """None, one or several at once; and the path's as a regular expression."""
    rng = searched.rng
    share = rng.choice((0.0, 0.0, 0.25, 0.6))
    globs = tuple(rng.sample(sorted(GLOBS), rng.randint(1, 2))) if rng.random() < share else ()
    types = ("budget", "gtm", "ADR", "tasks", "general", "memory", "risk", "unheard-of")
    filters = Filters(
        types=tuple(rng.sample(types, rng.randint(1, 3))) if rng.random() < share else (),
        after=_day(searched) if rng.random() < share / 2 else None,
        before=_day(searched) if rng.random() < share / 2 else None,
        tags=tuple(tag.upper() for tag in rng.sample(searched.tags, 3)) if rng.random() < share else (),
        statuses=tuple(rng.sample(("active", "DRAFT", "Superseded"), 2)) if rng.random() < share else (),
        path_globs=globs,
    )
    return filters, "|".join(f"(?:{GLOBS[glob]})" for glob in globs) if globs else None


def _day(searched: Corpus) -> str:
    """Any day, or one of a chunk: the first and the last day of a range belong to it."""
    rng = searched.rng
    any_day = f"2026-{rng.randint(1, 12):02}-{rng.randint(1, 28):02}"
    return rng.choice(searched.days) if searched.days and rng.random() < 0.6 else any_day
