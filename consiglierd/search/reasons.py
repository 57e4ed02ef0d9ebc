"""Why there are no results, told so that one knows what to do."""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from consiglierd.model.hit import ReasonCode
from consiglierd.model.query import Filters
from consiglierd.model.stored import ScoringRow
from consiglierd.search.filters import failing_filters
from consiglierd.search.rank import Candidate

FILTER_NAMES = {
    "type": "--type",
    "after": "--after",
    "before": "--before",
    "tag": "--tag",
    "status": "--status",
    "path": "--path",
}


# Of these a name may be wrong, and the right one is among what was found.
_VALUES: dict[str, Callable[[ScoringRow], str]] = {
    "type": lambda row: row.file_type,
    "status": lambda row: row.status,
}


@dataclass(frozen=True, slots=True)
class Reason:
    code: ReasonCode
    text: str


def no_match(is_bare: bool) -> Reason:
    if is_bare:
        return Reason("no_match", "the query holds no word, and nothing holds it as it stands")
    return Reason("no_match", "nothing in the indexed documents matches")


def gone(notes: Sequence[str]) -> Reason:
    """What matched has changed, vanished or cannot be read, and is not shown from memory."""
    return Reason("no_match", f"what matched no longer stands in its file ({', '.join(notes)})")


def below_minimum(best: Candidate, min_score: float) -> Reason:
    place = f"{best.row.path}:{best.row.line_start}"
    reached = f"holds {best.match.coverage:.2f} of the query"
    if best.vector is not None:
        reached += f" and is {best.vector:.2f} near to it"
        if max(best.match.coverage, best.vector) >= min_score:
            return Reason(
                "below_min_score",
                f"the best match, {place}, {reached}: too little to be an answer (--min-score 0 shows what there is)",
            )
    return Reason(
        "below_min_score", f"the best match, {place}, {reached}, below the minimum {min_score:.2f} (--min-score)"
    )


def filtered_out(filters: Filters, rows: Sequence[ScoringRow], *, is_all: bool) -> Reason:
    """`rows` are what matches without the filters; `is_all` where there are no more of them."""
    failing = [failing_filters(filters, row) for row in rows]
    by_filter = Counter(name for names in failing for name in names)
    told = [", ".join(f"{count} by {FILTER_NAMES[name]}" for name, count in by_filter.most_common())]
    for name, value_of in _VALUES.items():
        if name in by_filter:
            found = Counter(value_of(row) for row, names in zip(rows, failing, strict=True) if name in names)
            told.append(f"they have {FILTER_NAMES[name]} {', '.join(value for value, _ in found.most_common(5))}")
    count = f"{'' if is_all else 'at least '}{len(rows)}"
    matches = "match was" if count == "1" else "matches were"
    return Reason("filtered_out", f"{count} {matches} filtered out: {'; '.join(told)}")


def indexing(done: int, total: int) -> Reason:
    if total == 0:
        return Reason("indexing", "the files of the project are still being looked at")
    return Reason("indexing", f"still indexing, {done} of {total} files")


def ignored(filters: Filters, rule_of: Callable[[str], str | None]) -> Reason | None:
    """Where --path names one file that is left out, the rule that leaves it out."""
    for glob in filters.path_globs:
        if not set(glob) & set("*?["):
            rule = rule_of(glob.removeprefix("./").strip("/"))
            if rule is not None:
                return Reason("ignored", f"{glob} is left out by {rule}")
    return None
