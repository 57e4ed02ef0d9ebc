"""What a query lets through: a pure predicate on a chunk, which the retrievers must agree with."""

import unicodedata
from dataclasses import dataclass

from consiglierd.model.query import Filters
from consiglierd.model.roles import Role
from consiglierd.model.stored import ScoringRow
from consiglierd.text.globs import compile_glob


@dataclass(frozen=True, slots=True)
class Sight:
    """Who may see private chunks: everyone where no role is named, else the role's own group alone."""

    is_named: bool
    group: str | None

    @staticmethod
    def of(name: str | None, role: Role | None) -> "Sight":
        return Sight(name is not None, role.group if role is not None else None)

    def may_see(self, row: ScoringRow) -> bool:
        return row.private_to is None or not self.is_named or row.private_to == self.group


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
    if filters.path_globs and not any(compile_glob(glob).fullmatch(path) for glob in filters.path_globs):
        failing.append("path")
    return tuple(failing)


def _folded(name: str) -> str:
    return unicodedata.normalize("NFC", name).casefold()
