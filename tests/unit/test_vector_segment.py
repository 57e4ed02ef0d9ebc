"""A segment of vectors: what FAISS proposes is bounded by what it leaves out, and cosines are exact."""

import numpy as np
import pytest
from numpy.typing import NDArray

from consiglierd.index.segment import Segment, best_cosines, coded, error_of, merged, nearest, segment_of, without


def unit_rows(rows: int, dimensions: int, seed: int = 1) -> NDArray[np.float16]:
    found = np.random.default_rng(seed).standard_normal((rows, dimensions))
    return (found / np.linalg.norm(found, axis=1, keepdims=True)).astype(np.float16)


def a_query(dimensions: int, seed: int = 9) -> NDArray[np.float32]:
    return unit_rows(1, dimensions, seed)[0].astype(np.float32)


def a_segment(rows: int = 3000, dimensions: int = 64, seed: int = 1) -> Segment:
    return segment_of(np.repeat(np.arange(rows // 3) + 10, 3).astype(np.int64), unit_rows(rows, dimensions, seed))


def exact(segment: Segment, query: NDArray[np.float32]) -> NDArray[np.float64]:
    return segment.vectors.astype(np.float64) @ query.astype(np.float64)


@pytest.mark.parametrize("dimensions", [3, 64, 100, 256, 384, 768])
def test_no_chunk_that_is_not_listed_has_a_cosine_above_the_bound(dimensions: int) -> None:
    segment, query = a_segment(dimensions=dimensions), a_query(dimensions)
    cosines = exact(segment, query)
    for rows in (1, 10, 200):
        found = nearest(segment, coded(query), rows, None)
        unlisted = ~np.isin(segment.chunks, found.chunks)
        assert not found.is_exhausted
        assert cosines[unlisted].max() <= found.bound
        # The bound is of use: not far above what is really left out.
        assert found.bound - cosines[unlisted].max() < 0.15


@pytest.mark.parametrize("dimensions", [64, 100, 768])
def test_codes_are_as_near_to_the_cosines_as_they_say(dimensions: int) -> None:
    segment, query = a_segment(dimensions=dimensions), coded(a_query(dimensions))
    found, at = segment.codes.search(query.codes[None, :], len(segment.chunks))
    proposed = found[0] / (segment.scale * query.scale)
    assert np.abs(proposed - exact(segment, query.vector)[at[0]]).max() <= error_of(segment, query)


def test_all_rows_exhaust_a_segment() -> None:
    segment = a_segment(rows=30)
    found = nearest(segment, coded(a_query(64)), 30, None)
    assert found.is_exhausted
    assert sorted(set(found.chunks.tolist())) == list(range(10, 20))


def test_only_allowed_rows_are_proposed() -> None:
    segment, query = a_segment(), a_query(64)
    allowed = segment.chunks % 7 == 0
    found = nearest(segment, coded(query), 50, allowed)
    assert len(found.chunks) > 10
    assert set((found.chunks % 7).tolist()) == {0}
    unlisted = allowed & ~np.isin(segment.chunks, found.chunks)
    assert exact(segment, query)[unlisted].max() <= found.bound
    assert nearest(segment, coded(query), 2000, allowed).is_exhausted


def test_the_best_window_of_a_chunk_counts() -> None:
    segment, query = a_segment(rows=300), a_query(64)
    wanted = np.array([5, 10, 50, 109, 110], dtype=np.int64)
    held, best = best_cosines(segment, query, wanted)
    assert held.tolist() == [False, True, True, True, False]
    cosines = exact(segment, query)
    for chunk, cosine in zip(wanted[held], best[held], strict=True):
        assert cosine == pytest.approx(cosines[segment.chunks == chunk].max(), abs=1e-12)


def test_merging_and_dropping_keep_every_other_row_in_the_order_of_chunks() -> None:
    first = segment_of(np.array([1, 1, 5], dtype=np.int64), unit_rows(3, 16, 1))
    second = segment_of(np.array([2, 7], dtype=np.int64), unit_rows(2, 16, 2))
    both = merged(first, second)
    assert both.chunks.tolist() == [1, 1, 2, 5, 7]
    assert np.array_equal(both.vectors[[0, 1, 3]], first.vectors)
    assert np.array_equal(both.vectors[[2, 4]], second.vectors)
    kept = without(both, both.chunks == 1)
    assert kept.chunks.tolist() == [2, 5, 7]
    assert nearest(kept, coded(kept.vectors[1].astype(np.float32)), 1, None).chunks.tolist() == [5]


def test_vectors_of_nothing_are_near_to_nothing() -> None:
    segment = segment_of(np.array([1, 2], dtype=np.int64), np.zeros((2, 16), dtype=np.float16))
    held, best = best_cosines(segment, a_query(16), np.array([1, 2], dtype=np.int64))
    assert held.all()
    assert best.tolist() == [0.0, 0.0]
    assert nearest(segment, coded(np.zeros(16, dtype=np.float32)), 1, None).bound >= 0
