"""An immutable piece of the vector index: exact vectors, and their 8-bit codes in FAISS that propose.

FAISS compares codes of the rows with a code of the question in whole numbers, so what it says is
off by no more than the two roundings. Both are known, hence a bound on what it did not list.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import faiss
import numpy as np
from numpy.typing import NDArray

_HIGHEST_CODE = 127.0
# FAISS adds whole numbers up as 32-bit floats.
_FLOAT_SLACK = 1e-5
_ROWS_AT_A_TIME = 1 << 14

faiss.omp_set_num_threads(1)


@dataclass(frozen=True, slots=True)
class Segment:
    """`chunks` (int64, ascending) is one a row of `vectors` (float16, unit length or zero).

    `scale` turns a vector into codes; no row is further than `residual` from what its code stands for.
    """

    chunks: NDArray[np.int64]
    vectors: NDArray[np.float16]
    codes: faiss.IndexScalarQuantizer
    scale: float
    residual: float


@dataclass(frozen=True, slots=True)
class CodedQuery:
    """A question of unit length as it is asked of every segment; `residual` is its distance from its own code."""

    vector: NDArray[np.float32]
    codes: NDArray[np.float32]
    scale: float
    residual: float


@dataclass(frozen=True, slots=True)
class Nearest:
    """Chunks of the nearest rows, one a row, and what the cosine of each does not exceed; no row that is not
    listed has a cosine above `bound`."""

    chunks: NDArray[np.int64]
    highest: NDArray[np.float64]
    bound: float
    is_exhausted: bool


def segment_of(chunks: NDArray[np.int64], vectors: NDArray[np.float16]) -> Segment:
    """`chunks` must be ascending."""
    highest = max((float(np.abs(part).max(initial=0.0)) for part in _parts(vectors)), default=0.0)
    scale = _HIGHEST_CODE / highest if highest > 0 else 1.0
    codes = _no_codes(vectors.shape[1])
    residual = 0.0
    for part in _parts(vectors):
        rounded = np.rint(part * scale)
        codes.add(rounded)
        residual = max(residual, float(np.linalg.norm(rounded / scale - part, axis=1).max(initial=0.0)))
    return Segment(chunks, vectors, codes, scale, residual)


def _no_codes(dimensions: int) -> faiss.IndexScalarQuantizer:
    return faiss.IndexScalarQuantizer(
        dimensions, faiss.ScalarQuantizer.QT_8bit_direct_signed, faiss.METRIC_INNER_PRODUCT
    )


def _parts(vectors: NDArray[np.float16]) -> Iterator[NDArray[np.float32]]:
    for start in range(0, len(vectors), _ROWS_AT_A_TIME):
        yield vectors[start : start + _ROWS_AT_A_TIME].astype(np.float32)


def codes_of(segment: Segment) -> NDArray[np.uint8]:
    """The codes as they can be kept; `with_codes` takes them up again."""
    found: NDArray[np.uint8] = faiss.vector_to_array(segment.codes.codes)
    return found


def with_codes(
    chunks: NDArray[np.int64], vectors: NDArray[np.float16], codes: NDArray[np.uint8], scale: float, residual: float
) -> Segment:
    """A segment whose codes are known; its vectors are not looked at, so that those of a file stay there."""
    index = _no_codes(vectors.shape[1])
    faiss.copy_array_to_vector(codes, index.codes)
    index.ntotal = len(vectors)
    return Segment(chunks, vectors, index, scale, residual)


def merged(first: Segment, second: Segment) -> Segment:
    """Both in one, in the order of their chunks."""
    chunks = np.concatenate([first.chunks, second.chunks])
    order = np.argsort(chunks, kind="stable")
    return segment_of(chunks[order], np.concatenate([first.vectors, second.vectors])[order])


def without(segment: Segment, dead: NDArray[np.bool_]) -> Segment:
    return segment_of(segment.chunks[~dead], np.asarray(segment.vectors[~dead]))


def rows_of(segment: Segment, chunks: NDArray[np.int64]) -> int:
    """How many rows are of these chunks."""
    ends = np.searchsorted(segment.chunks, chunks, side="right")
    return int((ends - np.searchsorted(segment.chunks, chunks, side="left")).sum())


def coded(vector: NDArray[np.float32]) -> CodedQuery:
    highest = float(np.abs(vector).max(initial=0.0))
    scale = _HIGHEST_CODE / highest if highest > 0 else 1.0
    codes = np.rint(vector * scale).astype(np.float32)
    return CodedQuery(vector, codes, scale, float(np.linalg.norm(codes / scale - vector)))


def nearest(segment: Segment, query: CodedQuery, rows: int, allowed: NDArray[np.bool_] | None) -> Nearest:
    """The chunks of about `rows` nearest rows, among those that `allowed` (one a row) marks."""
    parameters = None
    if allowed is not None:
        selector = faiss.IDSelectorBitmap(np.packbits(allowed, bitorder="little"))  # type: ignore[call-arg, arg-type]  # faiss wraps it to take an array
        parameters = faiss.SearchParameters(sel=selector)  # type: ignore[call-arg]  # attributes by name
    found, at = segment.codes.search(query.codes[None, :], min(rows, len(segment.chunks)), params=parameters)
    at, found = at[0], found[0]
    is_exhausted = rows >= len(segment.chunks) or bool((at < 0).any())
    is_row = at >= 0
    highest = found[is_row].astype(np.float64) / (segment.scale * query.scale) + error_of(segment, query)
    bound = float(highest[-1]) if not is_exhausted else -1.0
    return Nearest(segment.chunks[at[is_row]], highest, bound, is_exhausted)


def error_of(segment: Segment, query: CodedQuery) -> float:
    """How far a cosine may be from what the codes say: |q'v' - qv| <= |q' - q| |v'| + |q| |v' - v|."""
    return query.residual * (1 + segment.residual) + segment.residual + _FLOAT_SLACK


def best_cosines(
    segment: Segment, query: NDArray[np.float32], chunks: NDArray[np.int64]
) -> tuple[NDArray[np.bool_], NDArray[np.float64]]:
    """For each chunk whether it has rows here, and the greatest exact cosine of those."""
    first = np.searchsorted(segment.chunks, chunks, side="left")
    sizes = np.searchsorted(segment.chunks, chunks, side="right") - first
    held = sizes > 0
    best = np.full(len(chunks), -1.0)
    if held.any():
        starts, sizes = first[held], sizes[held]
        ends = np.cumsum(sizes)
        rows = np.repeat(starts - (ends - sizes), sizes) + np.arange(int(ends[-1]))
        cosines = np.asarray(segment.vectors[rows], dtype=np.float64) @ query.astype(np.float64)
        best[held] = np.maximum.reduceat(cosines, ends - sizes)
    return held, best
