"""What a search holds of the vectors: immutable segments, and which of their chunks are gone."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from consiglierd.index.segment import Segment, best_cosines, coded, nearest
from consiglierd.model.ids import Revision

# Rows asked for beyond what is wanted, for chunks that have several windows or are gone.
_ROWS_A_CHUNK = 2


@dataclass(frozen=True, slots=True)
class VectorSnapshot:
    """`revision`: every chunk live at it has its vectors here. `removed` (int64, ascending) are chunks
    whose rows stand in a segment and that are not live any more; `waiting` chunks have no vectors yet."""

    revision: Revision
    fingerprint: str
    segments: tuple[Segment, ...]
    removed: NDArray[np.int64]
    waiting: int


@dataclass(frozen=True, slots=True)
class VectorProposal:
    """Chunk ids in no order. No live, allowed chunk that is not listed has a cosine above `bound`."""

    ids: tuple[int, ...]
    bound: float
    is_exhausted: bool


def propose(
    snapshot: VectorSnapshot, query: NDArray[np.float32], limit: int, allowed: NDArray[np.int64] | None
) -> VectorProposal:
    """About `limit` chunks near `query` (unit length), among `allowed` (ascending) where that is given."""
    question = coded(query)
    ids: set[int] = set()
    bound, is_exhausted = -1.0, True
    for segment in snapshot.segments:
        mask = None if allowed is None else _holds(allowed, segment.chunks)
        found = nearest(segment, question, limit * _ROWS_A_CHUNK, mask)
        ids.update(found.chunks.tolist())
        if not found.is_exhausted:
            bound, is_exhausted = max(bound, found.bound), False
    ids.difference_update(snapshot.removed.tolist())
    return VectorProposal(tuple(sorted(ids)), bound, is_exhausted)


def cosines(snapshot: VectorSnapshot, query: NDArray[np.float32], ids: Sequence[int]) -> NDArray[np.float64]:
    """The greatest exact cosine of each chunk's windows; NaN for one that has no vectors here."""
    wanted = np.asarray(ids, dtype=np.int64)
    result = np.full(len(wanted), np.nan)
    for segment in snapshot.segments:
        held, best = best_cosines(segment, query, wanted)
        result[held] = best[held]
    return result


def _holds(sorted_ids: NDArray[np.int64], ids: NDArray[np.int64]) -> NDArray[np.bool_]:
    if not len(sorted_ids):
        return np.zeros(len(ids), dtype=np.bool_)
    at = np.minimum(np.searchsorted(sorted_ids, ids), len(sorted_ids) - 1)
    result: NDArray[np.bool_] = sorted_ids[at] == ids
    return result
