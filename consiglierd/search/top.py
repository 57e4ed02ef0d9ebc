"""The certified top K: fetch, score exactly, and stop only when nothing unfetched could be better.

The indexes only propose. What they leave out is bounded: by BM25 score, and, where few candidates
reach the minimum, by coverage, so that every chunk that could be a hit has been scored.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from consiglierd.index.proposals import LexicalQuery
from consiglierd.model.deadline import Deadline
from consiglierd.model.ids import ChunkId
from consiglierd.search.parse import ParsedQuery, comparable
from consiglierd.search.rank import Boosts, Candidate, Folded, ranked
from consiglierd.search.retriever import Chunks, Retriever
from consiglierd.search.score import ScoringModel, matches_of

FIRST_FETCH = 50
GROWTH = 4
COVERAGE_SLACK = 1e-4
ROUNDING = 1e-6


@dataclass(frozen=True, slots=True)
class Ask:
    """One ranking to be made: which terms, which conditions, how many."""

    parsed: ParsedQuery
    model: ScoringModel
    query: LexicalQuery
    boosts: Boosts
    min_score: float
    limit: int


@dataclass(frozen=True, slots=True)
class Top:
    """The best groups (all of them if `is_exhausted`), and the best chunk below the minimum, if any."""

    groups: tuple[Folded, ...]
    best_below: Candidate | None
    is_exhausted: bool
    has_timed_out: bool


class TopK:
    """One ranking in the making; used once."""

    def __init__(self, ask: Ask, retriever: Retriever, chunks: Chunks) -> None:
        self._ask = ask
        self._retriever = retriever
        self._chunks = chunks
        self._seen: set[int] = set()
        self._passing: list[Candidate] = []
        self._best_below: Candidate | None = None
        self._expanded: set[str] = set()

    def find(self, deadline: Deadline) -> Top:
        ask = self._ask
        limit = max(2 * ask.limit, FIRST_FETCH)
        while True:
            proposal = self._retriever.by_score(ask.query, limit)
            self._score(proposal.ids)
            groups = ranked(self._passing)
            if proposal.is_exhausted:
                return self._top(groups, is_exhausted=True)
            if self._is_certain(groups, proposal.bound):
                groups = self._with_all_places(groups)
                if self._is_certain(groups, proposal.bound):
                    return self._top(groups, is_exhausted=False)
            if self._has_all_that_pass(limit * GROWTH):
                return self._top(ranked(self._passing), is_exhausted=True)
            if deadline.is_over:
                return self._top(groups, is_exhausted=False, has_timed_out=True)
            limit *= GROWTH

    def _top(self, groups: list[Folded], *, is_exhausted: bool, has_timed_out: bool = False) -> Top:
        return Top(tuple(groups), self._best_below, is_exhausted, has_timed_out)

    def _is_certain(self, groups: Sequence[Folded], bound: float) -> bool:
        """Whether the K-th score is above whatever an unfetched chunk could reach."""
        ask = self._ask
        if len(groups) < ask.limit:
            return False
        reachable = bound / ask.model.attainable * ask.boosts.greatest_weight + ask.boosts.greatest_bonus
        return groups[ask.limit - 1].best.score > reachable + ROUNDING

    def _has_all_that_pass(self, limit: int) -> bool:
        """Fetch by coverage: true when what is left out holds too little of the query to be a hit."""
        ask = self._ask
        if ask.parsed.phrases or ask.min_score <= 0 or ask.model.basis_idf <= 0:
            return False
        ways: list[NDArray[np.uint64]] = [
            np.concatenate([ask.model.keys[at : at + 1], ask.model.covers[at]])
            for at in np.flatnonzero(ask.model.basis).tolist()
        ]
        proposal = self._retriever.by_coverage(ways, ask.model.asked[ask.model.basis], ask.query, limit)
        self._score(proposal.ids)
        needed = (ask.min_score - ROUNDING) * ask.model.basis_idf * (1 - COVERAGE_SLACK)
        return proposal.is_exhausted or proposal.bound < needed

    def _with_all_places(self, groups: list[Folded]) -> list[Folded]:
        """Score every chunk that has the text of one of the first K, fetched or not, and rank again.

        Which of a group is shown does not depend on its score, so the K-th may fall by this. Groups
        below it need no such care: what was not fetched scores less than the K-th.
        """
        while True:
            texts = [group.best.row.content_hash for group in groups[: self._ask.limit]]
            unknown = [text for text in texts if text not in self._expanded]
            if not unknown:
                return groups
            self._expanded.update(unknown)
            if self._score(self._retriever.holding_content(unknown, self._ask.query)):
                groups = ranked(self._passing)

    def _score(self, proposed: Sequence[int]) -> bool:
        """Score what is new, and keep what passes; whether there was any."""
        ids = [ChunkId(each) for each in proposed if each not in self._seen]
        if not ids:
            return False
        self._seen.update(proposed)
        ask = self._ask
        rows = self._chunks.scoring_rows(ids)
        candidates = list(map(ask.boosts.candidate, rows, matches_of(ask.model, rows)))
        matching = [each for each in candidates if each.base > 0]
        self._passing.extend(self._with_phrases(matching) if ask.parsed.phrases else self._above_minimum(matching))
        return True

    def _above_minimum(self, candidates: Sequence[Candidate]) -> list[Candidate]:
        passing = []
        for candidate in candidates:
            if candidate.match.coverage >= self._ask.min_score:
                passing.append(candidate)
            elif self._best_below is None or _order(candidate) < _order(self._best_below):
                self._best_below = candidate
        return passing

    def _with_phrases(self, candidates: Sequence[Candidate]) -> list[Candidate]:
        """Those whose text holds every phrase; they always pass the minimum."""
        ids = [each.row.chunk_id for each in candidates]
        holding = set(ids_with_phrases(self._chunks, self._ask.parsed.phrases, ids))
        return [each for each in candidates if each.row.chunk_id in holding]


def ids_with_phrases(chunks: Chunks, phrases: Sequence[str], ids: Sequence[ChunkId]) -> list[ChunkId]:
    """Those of the chunks whose text holds every phrase; all of them where there are no phrases."""
    if not phrases:
        return list(ids)
    return [
        row.scoring.chunk_id
        for row in chunks.chunk_rows(ids)
        if all(phrase in text for text in [comparable(row.text)] for phrase in phrases)
    ]


def _order(candidate: Candidate) -> tuple[float, float, str, int]:
    return (-candidate.match.coverage, -candidate.base, candidate.row.path, candidate.row.line_start)
