"""Search and show: the hot calls."""

from typing import ClassVar

import msgspec

from consigliere.protocol.call import Call, Lane, Reply


class Filters(msgspec.Struct, frozen=True, kw_only=True):
    """Values of one filter are OR, different filters AND; dates are inclusive ISO days."""

    types: tuple[str, ...] = ()
    after: str | None = None
    before: str | None = None
    tags: tuple[str, ...] = ()
    statuses: tuple[str, ...] = ()
    path_globs: tuple[str, ...] = ()


class Scores(msgspec.Struct, frozen=True, kw_only=True):
    base: float
    vector: float | None = None
    bm25: float | None = None
    role: float = 1.0
    room: float = 0.0


class Place(msgspec.Struct, frozen=True, kw_only=True):
    file: str
    line_start: int


class Annotation(msgspec.Struct, frozen=True, kw_only=True):
    kind: str
    text: str
    file: str
    line: int


class TermMatch(msgspec.Struct, frozen=True, kw_only=True):
    term: str
    idf: float
    count: int
    weight: float


class Explanation(msgspec.Struct, frozen=True, kw_only=True):
    terms: tuple[TermMatch, ...]
    coverage: float
    length: int
    average_length: float
    role: str
    room: str
    next_lower: str


class Hit(msgspec.Struct, frozen=True, kw_only=True):
    """`text` is exactly lines `line_start..line_end` of `file`, 1-based, inclusive."""

    file: str
    line_start: int
    line_end: int
    heading: str
    text: str
    truncated: bool
    kind: str
    symbol: str | None
    file_type: str
    date: str | None
    tags: tuple[str, ...]
    status: str | None
    rooms: tuple[str, ...]
    score: float
    scores: Scores
    digest: str
    commit: str | None = None
    also: tuple[Place, ...] = ()
    annotations: tuple[Annotation, ...] = ()
    metadata: dict[str, str] = {}
    explanation: Explanation | None = None


class SearchReply(Reply, frozen=True, kw_only=True):
    """The object that `search --json` prints; `reason` is set exactly when `hits` is empty."""

    query: str
    workspace: str
    revision: int
    at: str | None = None
    pinned: str | None = None
    took_ms: float
    lag: dict[str, int]
    partial: tuple[str, ...] = ()
    withheld: int = 0
    reason: str | None = None
    reason_code: str | None = None
    hits: tuple[Hit, ...] = ()


class Search(Call[SearchReply], frozen=True, kw_only=True):
    """`limit` None means the setting `default_top_k`; `fresh` waits for the present first;
    `after_revision` waits until the index has come that far."""

    call_name: ClassVar[str] = "search"
    lane: ClassVar[Lane] = "interactive"
    reply_type: ClassVar[type[Reply]] = SearchReply

    query: str
    limit: int | None = None
    filters: Filters = Filters()
    role: str | None = None
    min_score: float | None = None
    explain: bool = False
    full: bool = False
    fresh: bool = False
    after_revision: int | None = None


class ShowReply(Reply, frozen=True, kw_only=True):
    """`text` is exactly lines `line_start..line_end` of `file` as it stands on the disk now."""

    file: str
    line_start: int
    line_end: int
    line_count: int
    text: str
    digest: str
    encoding: str
    file_type: str
    is_current: bool
    revision: int


class Show(Call[ShowReply], frozen=True, kw_only=True):
    """Lines of an indexed document. Without lines the whole document; `section` widens to the
    whole section that holds `line_start`."""

    call_name: ClassVar[str] = "show"
    lane: ClassVar[Lane] = "interactive"
    reply_type: ClassVar[type[Reply]] = ShowReply

    file: str
    line_start: int | None = None
    line_end: int | None = None
    section: bool = False
