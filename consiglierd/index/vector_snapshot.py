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
    whose rows stand in a segment and that are not live any more, and `windows` how many rows are of
    others; `waiting` chunks have no vectors yet."""

    revision: Revision
    fingerprint: str
    segments: tuple[Segment, ...]
    removed: NDArray[np.int64]
    windows: int
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
    question, rows = coded(query), limit * _ROWS_A_CHUNK
    found = [
        nearest(segment, question, rows, None if allowed is None else _holds(allowed, segment.chunks))
        for segment in snapshot.segments
    ]
    if not found:
        return VectorProposal((), -1.0, True)
    chunks, highest = np.concatenate([each.chunks for each in found]), np.concatenate([each.highest for each in found])
    bound = max(each.bound for each in found)
    if len(chunks) > rows:
        # The nearest of all segments together; what is left out is bounded by the first of it.
        order = np.argsort(-highest, kind="stable")
        bound = max(bound, float(highest[order[rows]]))
        chunks = chunks[order[:rows]]
    is_exhausted = len(chunks) == sum(len(each.chunks) for each in found) and all(each.is_exhausted for each in found)
    ids = np.setdiff1d(chunks, snapshot.removed)
    return VectorProposal(tuple(ids.tolist()), bound, is_exhausted)


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
