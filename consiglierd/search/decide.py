"""Whether what was found answers the question at all: the nearest passages are not always an answer.

What is near enough depends on the model and is measured for each: what loses less than one answer in ten on the
development half of every set, for an answer that is not found is worse than a passage that is none
(benchmarks/QUALITY.md). It is asked of everything that the conditions let through, whatever the order: neither a role
nor another document can take an answer away.
"""

from collections.abc import Sequence

from consiglierd.search.rank import Candidate, Folded

# A passage answers that is near enough, or holds as much of the question as this.
COVERAGE = 0.9


def is_answer(candidate: Candidate, near: float) -> bool:
    """A passage without vectors is judged by the minimum alone."""
    return candidate.vector is None or candidate.vector >= near or candidate.match.coverage >= COVERAGE


def nearest_of(groups: Sequence[Folded]) -> Candidate:
    """The one that came nearest to being an answer, to be told."""
    return max((group.best for group in groups), key=lambda each: max(each.vector or 0.0, each.match.coverage))
