"""The score: BM25 in float64 from stored counts and live statistics, as a share of what the query could attain.

Robertson and Zaragoza, "The Probabilistic Relevance Framework: BM25 and Beyond" (2009), with the
idf of Lucene: ln(1 + (N - df + 0.5) / (df + 0.5)), which is never negative.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from consiglierd.model.stored import ScoringRow
from consiglierd.text.analyzer import QueryTerm, term_key
from consiglierd.text.counts import TermCounts, count_path, unpack

K1 = 1.2
B = 0.75


@dataclass(frozen=True, slots=True)
class ScoringModel:
    """A query against the statistics of one revision.

    `keys` and `idf` (times the term's own weight) are one a term. `attainable` is the sum of idf * (K1 + 1), the most that any
    chunk could get; `basis` marks the terms that coverage asks for, `basis_idf` is their sum, and
    `covers` are for each term the keys of what counts as holding it.
    """

    terms: tuple[QueryTerm, ...]
    keys: NDArray[np.uint64]
    idf: NDArray[np.float64]
    attainable: float
    basis: NDArray[np.bool_]
    basis_idf: float
    covers: tuple[NDArray[np.uint64], ...]
    average_length: float


@dataclass(frozen=True, slots=True)
class Match:
    """One chunk against the query: `counts` one a term, `bm25` and `coverage` in 0..1, `length` in terms."""

    counts: NDArray[np.int64]
    bm25: float
    coverage: float
    length: int


def keys_of(terms: Sequence[QueryTerm]) -> NDArray[np.uint64]:
    return np.array([term_key(term.term) for term in terms], dtype=np.uint64)


def scoring_model(
    terms: tuple[QueryTerm, ...], df: NDArray[np.int64], chunks: int, average_length: float
) -> ScoringModel:
    """`df` is one a term, in the live chunks."""
    idf = inverse_frequency(df, chunks) * np.array([term.weight for term in terms], dtype=np.float64)
    basis = np.array([term.is_basis for term in terms], dtype=np.bool_)
    return ScoringModel(
        terms=terms,
        keys=keys_of(terms),
        idf=idf,
        attainable=float(math.fsum(idf.tolist()) * (K1 + 1)),
        basis=basis,
        basis_idf=math.fsum(idf[basis].tolist()),
        covers=tuple(np.array([term_key(each) for each in term.covered_by], dtype=np.uint64) for term in terms),
        average_length=average_length,
    )


def inverse_frequency(df: NDArray[np.int64], chunks: int) -> NDArray[np.float64]:
    frequencies = df.astype(np.float64)
    result: NDArray[np.float64] = np.log1p((chunks - frequencies + 0.5) / (frequencies + 0.5))
    return result


def match_of(model: ScoringModel, row: ScoringRow) -> Match:
    section, path = unpack(row.terms), count_path(row.path)
    counts = _counts_in(section, model.keys) + _counts_in(path, model.keys)
    length = section.length + path.length
    norm = K1 * (1 - B + B * length / model.average_length)
    gained = model.idf * (counts * (K1 + 1)) / (counts + norm)
    bm25 = math.fsum(gained.tolist()) / model.attainable if model.attainable > 0 else 0.0
    return Match(counts, bm25, _coverage(model, counts, section, path), length)


def gains(model: ScoringModel, match: Match) -> NDArray[np.float64]:
    """What each term added to `bm25`."""
    norm = K1 * (1 - B + B * match.length / model.average_length)
    result: NDArray[np.float64] = model.idf * (match.counts * (K1 + 1)) / (match.counts + norm) / model.attainable
    return result


def _coverage(model: ScoringModel, counts: NDArray[np.int64], section: TermCounts, path: TermCounts) -> float:
    if model.basis_idf <= 0:
        return 1.0 if counts.any() else 0.0
    held = counts > 0
    for position in np.flatnonzero(model.basis & ~held):
        covers = model.covers[position]
        if len(covers) and (_counts_in(section, covers).any() or _counts_in(path, covers).any()):
            held[position] = True
    return math.fsum(model.idf[model.basis & held].tolist()) / model.basis_idf


def _counts_in(counts: TermCounts, keys: NDArray[np.uint64]) -> NDArray[np.int64]:
    if not len(counts.keys):
        return np.zeros(len(keys), dtype=np.int64)
    at = np.minimum(np.searchsorted(counts.keys, keys), len(counts.keys) - 1)
    return np.where(counts.keys[at] == keys, counts.counts[at], 0).astype(np.int64)
