"""Rows as the store gives them to the indexes and to the search."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from consiglierd.model.document import SectionKind, Span
from consiglierd.model.ids import ChunkId, Digest, Revision


@dataclass(frozen=True, slots=True)
class ScoringRow:
    """What scoring and filtering need of one chunk.

    `terms` is a packed text.counts.TermCounts of heading and body (the path's terms are counted
    from `path`). `content_hash` is equal for equal text. `tags` and `rooms` are sorted names.
    """

    chunk_id: ChunkId
    path: str
    line_start: int
    file_type: str
    content_hash: str
    date: str | None
    status: str
    private_to: str | None
    tags: tuple[str, ...]
    rooms: tuple[str, ...]
    terms: bytes


@dataclass(frozen=True, slots=True)
class ChunkRow:
    """One chunk whole: the scoring row, its text and where it stands; `digest` is the whole file's."""

    scoring: ScoringRow
    text: str
    heading: str
    heading_path: tuple[str, ...]
    span: Span
    kind: SectionKind
    symbol: str | None
    metadata: Mapping[str, str]
    digest: Digest
    encoding: str


@dataclass(frozen=True, slots=True)
class StatisticsDelta:
    """How one revision changed the live statistics.

    `keys` (uint64, sorted, unique) are term keys; `df` (int32, same shape) the change of each
    term's document frequency; `chunks` and `length` the change of the number of live chunks and
    of their total weighted length, in terms.
    """

    keys: NDArray[np.uint64]
    df: NDArray[np.int32]
    chunks: int
    length: int


@dataclass(frozen=True, slots=True)
class Statistics:
    """The live statistics whole, at `revision`; the same shapes as StatisticsDelta."""

    revision: Revision
    keys: NDArray[np.uint64]
    df: NDArray[np.int32]
    chunks: int
    length: int


@dataclass(frozen=True, slots=True)
class RevisionChanges:
    """One row of the journal."""

    revision: Revision
    added: tuple[ChunkId, ...]
    removed: tuple[ChunkId, ...]
    statistics: StatisticsDelta
