"""What is asked."""

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Filters:
    """Conditions on chunks: values of one filter are OR, different filters AND.

    Dates are inclusive ISO days; a chunk without a date fails a date filter. Statuses and tags
    ignore case. Path globs are git-style, relative to the root (`docs/**/*.md`, `*.md`, a folder).
    """

    types: tuple[str, ...] = ()
    after: str | None = None
    before: str | None = None
    tags: tuple[str, ...] = ()
    statuses: tuple[str, ...] = ()
    path_globs: tuple[str, ...] = ()

    @property
    def is_empty(self) -> bool:
        return self == Filters()


@dataclass(frozen=True, slots=True)
class Query:
    """One search. `limit` is the number of hits wanted (1..1000); `min_score` None means the setting, and so does
    `alpha`, the share of the vectors in the score, and `beta`, the bonus of the role's rooms."""

    text: str
    limit: int
    filters: Filters = field(default_factory=Filters)
    role: str | None = None
    min_score: float | None = None
    explain: bool = False
    full: bool = False
    alpha: float | None = None
    beta: float | None = None
