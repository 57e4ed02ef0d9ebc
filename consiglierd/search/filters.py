"""What a query lets through: a pure predicate on a chunk, which the retrievers must agree with."""

import unicodedata

from consiglierd.model.query import Filters
from consiglierd.model.stored import ScoringRow
from consiglierd.text.globs import compiled_glob


def may_see(row: ScoringRow, hidden_from: str | None) -> bool:
    """`hidden_from` as in LexicalQuery: None sees all, a group its own private chunks alone, "" none of them."""
    return row.private_to is None or hidden_from is None or row.private_to == hidden_from


def failing_filters(filters: Filters, row: ScoringRow) -> tuple[str, ...]:
    """The names of the filters that keep the chunk out; none where it passes."""
    failing: list[str] = []
    if filters.types and _folded(row.file_type) not in {_folded(each) for each in filters.types}:
        failing.append("type")
    if filters.after is not None and (row.date is None or row.date < filters.after):
        failing.append("after")
    if filters.before is not None and (row.date is None or row.date > filters.before):
        failing.append("before")
    if filters.tags and not {_folded(tag) for tag in row.tags} & {_folded(each) for each in filters.tags}:
        failing.append("tag")
    if filters.statuses and _folded(row.status) not in {_folded(each) for each in filters.statuses}:
        failing.append("status")
    path = unicodedata.normalize("NFC", row.path)
    if filters.path_globs and not any(compiled_glob(glob).matches(path) for glob in filters.path_globs):
        failing.append("path")
    return tuple(failing)


def _folded(name: str) -> str:
    return unicodedata.normalize("NFC", name).casefold()
