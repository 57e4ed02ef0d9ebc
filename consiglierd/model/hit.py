"""What is answered."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from consiglierd.model.ids import ChunkId, Digest, Revision

ReasonCode = Literal["no_match", "below_min_score", "filtered_out", "indexing", "ignored"]


# What an answer says whose question the model of the vectors cannot read: the words say it all.
UNKNOWN_WORDS = "vector: the model knows no word of the question"


@dataclass(frozen=True, slots=True)
class Scores:
    """The parts of a score: `base` before boosts, in 0..1 but for words side by side, which may lift it a little above;
    `role` the multiplier; `room` the bonus added."""

    base: float
    vector: float | None
    bm25: float | None
    role: float
    room: float


@dataclass(frozen=True, slots=True)
class TermMatch:
    """One query term in one hit: its idf, its weighted count there, and what it added to `bm25`."""

    term: str
    idf: float
    count: int
    weight: float


@dataclass(frozen=True, slots=True)
class Explanation:
    """Why a hit stands where it stands; `coverage` is the idf-weighted share of the query's terms."""

    terms: tuple[TermMatch, ...]
    coverage: float
    length: int
    average_length: float
    role: str
    room: str
    next_lower: str


@dataclass(frozen=True, slots=True)
class Place:
    """A place where the same text stands too."""

    file: str
    line_start: int


@dataclass(frozen=True, slots=True)
class Annotation:
    """A note that another package attaches to a hit."""

    kind: str
    text: str
    file: str
    line: int


@dataclass(frozen=True, slots=True)
class Hit:
    """One result. `text` is exactly lines `line_start..line_end` of `file` when it was answered."""

    chunk_id: ChunkId
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
    status: str
    rooms: tuple[str, ...]
    score: float
    scores: Scores
    digest: Digest
    also: tuple[Place, ...]
    metadata: Mapping[str, str]
    annotations: tuple[Annotation, ...] = ()
    explanation: Explanation | None = None


@dataclass(frozen=True, slots=True)
class SearchResult:
    """The answer to a Query at one revision. `reason` is set exactly when `hits` is empty.

    `partial` names what is missing (`vector`, `reconciling`, `changed: a.md`, `deadline`, ...).
    `withheld` counts chunks that matched but are private to another role.
    """

    hits: tuple[Hit, ...]
    revision: Revision
    partial: tuple[str, ...]
    withheld: int
    reason_code: ReasonCode | None
    reason: str | None
