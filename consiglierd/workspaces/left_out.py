"""What a status says of files that are not indexed, or not as they should be."""

from collections import Counter
from collections.abc import Sequence

from consiglierd.model.files import LeftOut
from consiglierd.model.status import FileProblem, LeftOutCount

EXAMPLES = 3


def left_out_counts(left_out: Sequence[LeftOut]) -> tuple[LeftOutCount, ...]:
    """By reason, with the first few of each."""
    counts = Counter(entry.reason for entry in left_out)
    return tuple(
        LeftOutCount(
            reason=reason,
            count=count,
            examples=tuple(sorted(entry.path for entry in left_out if entry.reason == reason)[:EXAMPLES]),
        )
        for reason, count in sorted(counts.items())
    )


def file_problem(path: str, problem: str) -> FileProblem:
    """`problem` as it is stored: a code, and mostly a message after a colon."""
    code, _, message = problem.partition(": ")
    return FileProblem(path, code, message or problem)
