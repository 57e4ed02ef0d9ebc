"""The certified top K: fetch, score exactly, and stop only when nothing unfetched could be better.

The indexes only propose. What they leave out is bounded: by BM25 and by cosine, and, where few
candidates reach the minimum, by coverage, so that every chunk that could be a hit has been scored.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from consiglierd.index.proposals import LexicalQuery, Proposal, Scope
from consiglierd.model.deadline import Deadline
from consiglierd.model.ids import ChunkId
from consiglierd.search.decide import decision_of
from consiglierd.search.fuse import WORDS_ALONE, Fusion
from consiglierd.search.parse import ParsedQuery, comparable
from consiglierd.search.rank import DIGITS, Boosts, Candidate, Folded, ranked
from consiglierd.search.retriever import Chunks, Retriever, VectorSide
from consiglierd.search.score import ScoringModel, matches_of

FIRST_FETCH = 50
GROWTH = 4
COVERAGE_SLACK = 1e-4
ROUNDING = 1e-6


@dataclass(frozen=True, slots=True)
class Ask:
    """One ranking to be made: which terms, which conditions, how many. `vectors` is None for words alone."""

    parsed: ParsedQuery
    model: ScoringModel
    query: LexicalQuery
    boosts: Boosts
    min_score: float
    limit: int
    vectors: VectorSide | None = None
    fusion: Fusion = WORDS_ALONE


@dataclass(frozen=True, slots=True)
class Top:
    """The best groups (all of them if `is_exhausted`), and the best chunk below the minimum, if any."""

    groups: tuple[Folded, ...]
    best_below: Candidate | None
    is_exhausted: bool
    has_timed_out: bool


@dataclass(frozen=True, slots=True)
class _Unfetched:
    """What no chunk that was not proposed can exceed: `base` if it has vectors, `words` (a BM25 in 0..1) if not;
    `vector` is the most of its vector part."""

    base: float
    words: float
    vector: float
    is_nothing: bool


class TopK:
    """One ranking in the making; used once."""

    def __init__(self, ask: Ask, retriever: Retriever, chunks: Chunks) -> None:
        self._ask = ask
        self._retriever = retriever
        self._chunks = chunks
        self._scope: Scope | None = None
        self._seen: set[int] = set()
        self._passing: list[Candidate] = []
        self._groups: list[Folded] | None = []
        self._best_below: Candidate | None = None
        self._expanded: set[str] = set()
        # What no chunk can exceed in BM25 that the words proposed in no earlier round.
        self._words_bound = ask.model.most

    def find(self, deadline: Deadline) -> Top:
        ask = self._ask
        limit = max(2 * ask.limit, FIRST_FETCH)
        while True:
            unfetched = self._propose(limit)
            groups = self._ranked()
            if unfetched.is_nothing:
                return self._top(groups, is_exhausted=True)
            if self._is_certain(groups, unfetched):
                groups = self._with_all_places(groups)
                if self._is_certain(groups, unfetched):
                    return self._top(groups, is_exhausted=False)
            if self._has_all_that_pass(limit * GROWTH, unfetched):
                return self._top(self._ranked(), is_exhausted=True)
            if deadline.is_over:
                return self._top(groups, is_exhausted=False, has_timed_out=True)
            limit *= GROWTH

    def is_answered(self, deadline: Deadline) -> bool:
        """Whether any chunk that the conditions let through answers the question; after `find`."""
        ask = self._ask
        assert ask.vectors is not None
        limit = FIRST_FETCH
        decision = decision_of(ask.vectors.near, ask.vectors.windows, ask.model)
        while not any(map(decision.is_answer, self._passing)):
            by_words, by_vector = self._retriever.by_score(ask.query, limit), ask.vectors.propose(limit, self._in_scope)
            self._score(by_words.ids)
            self._score(ask.vectors.live(by_vector.ids))
            nearness = 0.0 if by_vector.is_exhausted else ask.fusion.vector_part(by_vector.bound) or 0.0
            # What has no vectors answers as soon as it holds what the minimum asks for.
            is_all = self._score_by_coverage(limit, ask.min_score if ask.vectors.waiting else decision.coverage)
            if any(map(decision.is_answer, self._passing)):
                break
            if (is_all and decision.is_out_of_reach(nearness, self._most_of(by_words))) or deadline.is_over:
                return False
            limit *= GROWTH
        return True

    def _top(self, groups: list[Folded], *, is_exhausted: bool, has_timed_out: bool = False) -> Top:
        return Top(tuple(groups), self._best_below, is_exhausted, has_timed_out)

    @property
    def _in_scope(self) -> Scope:
        if self._scope is None:
            self._scope = self._retriever.scope(self._ask.query)
        return self._scope

    def _most_of(self, by_words: Proposal) -> float:
        """The BM25, in 0..1, that no chunk exceeds which the words did not propose."""
        return by_words.bound / self._ask.model.attainable if self._ask.model.attainable > 0 else 0.0

    def _propose(self, limit: int) -> _Unfetched:
        """Fetch and score what both sides propose; the bound on what neither does."""
        ask = self._ask
        by_words = self._retriever.by_score(ask.query, limit)
        words = self._most_of(by_words)
        if ask.vectors is None:
            self._score(by_words.ids)
            return _Unfetched(words, words, 0.0, by_words.is_exhausted)
        by_vector = ask.vectors.propose(limit, self._in_scope)
        skipped = self._score_promising(by_words.ids, self._words_bound)
        listed = set(by_words.ids)
        by_vector_alone = [each for each in by_vector.ids if each not in listed]
        skipped = max(skipped, self._score_promising(by_vector_alone, words, are_live=False))
        self._words_bound = words
        vector = 0.0 if by_vector.is_exhausted else ask.fusion.vector_part(by_vector.bound) or 0.0
        return _Unfetched(
            max(ask.fusion.score(words, vector), skipped),
            words if ask.vectors.waiting else 0.0,
            vector,
            by_words.is_exhausted and by_vector.is_exhausted and skipped == 0.0,
        )

    def _score_promising(self, proposed: Sequence[int], words_bound: float, *, are_live: bool = True) -> float:
        """Score those that can still come among the K best, by their vectors and a bound on their words; what the
        others cannot exceed, 0 if there are none.

        A vector is read in a tenth of the time that the words of a chunk take, and most candidates of a
        later round are out of reach.
        """
        ask = self._ask
        new = np.array([each for each in dict.fromkeys(proposed) if each not in self._seen], dtype=np.int64)
        if not len(new):
            return 0.0
        assert ask.vectors is not None
        groups = self._ranked() if len(self._passing) >= ask.limit else []
        skipped = 0.0
        if len(groups) >= ask.limit:
            needed = (groups[ask.limit - 1].best.score - ROUNDING - ask.boosts.greatest_bonus) / (
                ask.boosts.greatest_weight
            )
            most = ask.fusion.most(words_bound, ask.vectors.cosines(new.tolist()))
            is_promising = most >= needed
            skipped = float(most[~is_promising].max(initial=0.0))
            new = new[is_promising]
        self._score(new.tolist() if are_live else ask.vectors.live(new.tolist()))
        return skipped

    def _is_certain(self, groups: Sequence[Folded], unfetched: _Unfetched) -> bool:
        """Whether the K-th score is above whatever an unfetched chunk could reach."""
        ask = self._ask
        if len(groups) < ask.limit:
            return False
        reachable = max(unfetched.base, unfetched.words) * ask.boosts.greatest_weight + ask.boosts.greatest_bonus
        return groups[ask.limit - 1].best.score > reachable + ROUNDING

    def _has_all_that_pass(self, limit: int, unfetched: _Unfetched) -> bool:
        """Fetch by coverage: true when what is left out holds too little of the query, and is too far, to be a hit."""
        ask = self._ask
        if ask.parsed.phrases or ask.min_score <= 0 or ask.model.basis_idf <= 0:
            return False
        if unfetched.vector >= ask.min_score - ROUNDING:
            return False
        return self._score_by_coverage(limit, ask.min_score)

    def _score_by_coverage(self, limit: int, least: float) -> bool:
        """Score what holds most of the question; whether whatever is left out holds less than `least` of it."""
        model = self._ask.model
        if model.basis_idf <= 0:
            return True
        ways: list[NDArray[np.uint64]] = [
            np.concatenate([model.keys[at : at + 1], model.covers[at]]) for at in np.flatnonzero(model.basis).tolist()
        ]
        proposal = self._retriever.by_coverage(ways, model.asked[model.basis], self._ask.query, limit)
        self._score(proposal.ids)
        needed = (least - ROUNDING) * model.basis_idf * (1 - COVERAGE_SLACK)
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
                groups = self._ranked()

    def _score(self, proposed: Sequence[int]) -> bool:
        """Score what is new, and keep what passes; whether there was any."""
        ids = [ChunkId(each) for each in dict.fromkeys(proposed) if each not in self._seen]
        if not ids:
            return False
        self._seen.update(proposed)
        matching = [each for each in self._candidates(ids) if each.base > 0]
        phrases = self._ask.parsed.phrases
        passing = self._with_phrases(matching) if phrases else self._above_minimum(matching)
        if passing:
            self._passing.extend(passing)
            self._groups = None
        return True

    def _ranked(self) -> list[Folded]:
        """Everything that passes, ranked; made anew only when something was added."""
        if self._groups is None:
            self._groups = ranked(self._passing)
        return self._groups

    def _candidates(self, ids: Sequence[ChunkId]) -> list[Candidate]:
        ask = self._ask
        rows = self._chunks.scoring_rows(ids)
        matches = matches_of(ask.model, rows)
        if ask.vectors is None:
            return [
                ask.boosts.candidate(row, match, None, match.bm25) for row, match in zip(rows, matches, strict=True)
            ]
        parts = map(ask.fusion.vector_part, ask.vectors.cosines([row.chunk_id for row in rows]).tolist())
        return [
            ask.boosts.candidate(row, match, part, ask.fusion.score(match.bm25, part))
            for row, match, part in zip(rows, matches, parts, strict=True)
        ]

    def _above_minimum(self, candidates: Sequence[Candidate]) -> list[Candidate]:
        passing = []
        for candidate in candidates:
            if _measure(candidate) >= self._ask.min_score:
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


def _measure(candidate: Candidate) -> float:
    """What is held against the minimum: how much of the query it holds, or how near it is, whichever is more.

    The fused score would not do: what is found by its meaning alone reaches no more of it than the vectors'
    share, so that the minimum would lose four of five answers to questions in another language.
    """
    if candidate.vector is None:
        return candidate.match.coverage
    return max(candidate.match.coverage, round(candidate.vector, DIGITS))


def _order(candidate: Candidate) -> tuple[float, float, str, int]:
    return (-_measure(candidate), -candidate.base, candidate.row.path, candidate.row.line_start)
