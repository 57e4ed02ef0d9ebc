"""Whether what was found answers the question at all: the nearest passages are not always an answer.

How near the best of many unrelated passages comes grows with their number, as the greatest of so many draws of a
normal distribution does, sqrt(2 ln n); what an answer must reach grows with it. An answer is near, or has the words
of the question, or some of both: `V` and the BM25 of single words, each in 0..1, together. Less of the words is asked
for where the documents hold nothing of a question's CJK terms because they are not Korean. What is enough depends on
the model; all limits were chosen on the development half of the sets (benchmarks/QUALITY.md).

It is asked of everything that the conditions let through, whatever the order: neither a role nor another document
can take an answer away.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from consiglierd.search.rank import DIGITS, Candidate, Folded
from consiglierd.search.score import COVERAGE_DIGITS, ScoringModel
from consiglierd.text.analyzer import is_cjk, term_key

# A passage answers that holds as much of the question as this, words that no chunk holds included, however near it is.
COVERAGE = 0.9
# How much nearer an answer must be for each standard deviation that the greatest of so many draws lies further out.
GROWTH = 0.2
# So many windows had the sets, about, that a model's `near` was measured on; below so few nothing was measured.
MEASURED_WINDOWS = 25_000
FEWEST_WINDOWS = 500
# A limit is never nothing.
LEAST = 0.01
# Of Korean documents the commonest of these endings stands in so many of the chunks at least.
KOREAN_CHUNKS = 0.1
_KOREAN_ENDINGS = np.array(
    [term_key(each) for each in ("니다", "한다", "는다", "에서", "으로", "하는")], dtype=np.uint64
)


@dataclass(frozen=True, slots=True)
class Decision:
    """What an answer to one question must reach by nearness and words, or by coverage alone; `needed` is None where
    the model was not measured, and everything answers."""

    needed: float | None
    coverage: float

    def is_answer(self, candidate: Candidate) -> bool:
        """A passage without vectors is judged by the minimum alone."""
        if self.needed is None or candidate.vector is None or candidate.match.coverage >= self.coverage:
            return True
        return round(_reached(candidate), DIGITS) >= self.needed

    def is_out_of_reach(self, vector: float, bm25: float) -> bool:
        """Whether no passage that is no nearer and has no more of the words can be an answer, but for coverage."""
        return self.needed is not None and vector + bm25 < self.needed - 10.0**-DIGITS


def decision_of(near: float, windows: int, model: ScoringModel) -> Decision:
    """`near` is the model's limit among MEASURED_WINDOWS, 0 where it has none; `windows` so many there are."""
    asked = math.fsum(model.idf[model.basis].tolist())
    # For coverage, words that no chunk holds ask for little; here they count whole.
    coverage = round(COVERAGE * asked / model.basis_idf, COVERAGE_DIGITS) if model.basis_idf > 0 else COVERAGE
    if near <= 0:
        return Decision(None, coverage)
    draws = max(windows, FEWEST_WINDOWS)
    limit = max(LEAST, near + GROWTH * (_greatest_of(draws) - _greatest_of(MEASURED_WINDOWS)))
    is_foreign = np.array([is_cjk(term.term) for term in model.terms], dtype=np.bool_) & model.basis & ~model.is_held
    foreign = (1 - model.korean) * math.fsum(model.idf[is_foreign].tolist()) / asked if asked > 0 else 0.0
    return Decision(round(limit * (2 - foreign), DIGITS), coverage)


def korean_share(frequencies: Callable[[NDArray[np.uint64]], NDArray[np.int64]], chunks: int) -> float:
    """How much of the chunks is Korean, in 0..1, by the commonest of its endings; `frequencies` are in chunks."""
    found = int(frequencies(_KOREAN_ENDINGS).max())
    return min(1.0, found / (KOREAN_CHUNKS * chunks)) if chunks else 0.0


def nearest_of(groups: Sequence[Folded]) -> Candidate:
    """The one that came nearest to being an answer, to be told."""
    return max((group.best for group in groups), key=_reached)


def _reached(candidate: Candidate) -> float:
    return (candidate.vector or 0.0) + candidate.match.of_words


def _greatest_of(draws: int) -> float:
    """About the greatest of so many draws of a standard normal distribution."""
    return math.sqrt(2 * math.log(draws))
