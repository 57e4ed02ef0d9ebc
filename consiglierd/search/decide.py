"""Whether what was found answers the question at all: the nearest passages are not always an answer.

Measured on questions of one set asked of another (benchmarks/QUALITY.md): with words alone half to nearly all of
them get a passage, with this one in five, and of the answers between 3 and 15 in a hundred are lost.
"""

from collections.abc import Sequence

from consiglierd.search.rank import Candidate, Folded

# One of the first hits must be as near as this, or hold as much of the question as that.
FIRST_HITS = 10
NEARNESS = 0.4
COVERAGE = 0.8


def is_answered(groups: Sequence[Folded]) -> bool:
    """`groups` are ranked. A hit without vectors is judged by the minimum alone."""
    return any(_is_answer(group.best) for group in groups[:FIRST_HITS])


def _is_answer(candidate: Candidate) -> bool:
    return candidate.vector is None or candidate.vector >= NEARNESS or candidate.match.coverage >= COVERAGE


def nearest_of(groups: Sequence[Folded]) -> Candidate:
    """The one that came nearest to being an answer, to be told."""
    return max((group.best for group in groups[:FIRST_HITS]), key=lambda each: each.vector or 0.0)
