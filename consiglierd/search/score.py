"""The score: BM25 in float64 from stored counts and live statistics, as a share of what the query could attain.

Robertson and Zaragoza, "The Probabilistic Relevance Framework: BM25 and Beyond" (2009), with the
idf of Lucene: ln(1 + (N - df + 0.5) / (df + 0.5)), which is never negative.
"""

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from consiglierd.model.stored import ScoringRow
from consiglierd.text.analyzer import QueryTerm, term_key
from consiglierd.text.counts import path_terms, unpack_many

K1 = 1.2
B = 0.75
# Measured on the sets of benchmarks/quality.py: from 0.15 on more than a tenth of the answers of one is lost.
UNKNOWN_WORD_SHARE = 0.1
# Coverage is rounded, so that four of five equal terms are four fifths, whatever floats make of it.
COVERAGE_DIGITS = 6
_ROWS_AT_A_TIME = 500


@dataclass(frozen=True, slots=True)
class ScoringModel:
    """A query against the statistics of one revision.

    What is counted together as one term are the `counted` keys from its place in `starts` to the next; the first of
    them is the term itself. `keys` and `idf` (times the term's own weight) are one a term. `attainable` is the sum of
    idf * (K1 + 1), the most that any chunk could get but for extra terms; `most` is the most that it could with them,
    as a share of that. `basis` marks the terms that coverage asks
    for; of each it asks `asked`, and `basis_idf` is the sum of that. `covers` are for each term the
    keys of what counts as holding it. `is_held` marks the terms that some chunk holds;
    `korean` is how much of the chunks is Korean, in 0..1.
    """

    terms: tuple[QueryTerm, ...]
    keys: NDArray[np.uint64]
    counted: NDArray[np.uint64]
    starts: NDArray[np.intp]
    idf: NDArray[np.float64]
    attainable: float
    most: float
    basis: NDArray[np.bool_]
    asked: NDArray[np.float64]
    basis_idf: float
    covers: tuple[NDArray[np.uint64], ...]
    is_held: NDArray[np.bool_]
    korean: float
    average_length: float

    @property
    def counted_idf(self) -> NDArray[np.float64]:
        """One of each counted key: that of its term."""
        return np.repeat(self.idf, np.diff(np.append(self.starts, len(self.counted))))


@dataclass(frozen=True, slots=True)
class Match:
    """One chunk against the query: `counts` one a term, `bm25` in 0..1 but for extra terms, `of_words` the same
    without those, `coverage` in 0..1, `length` in terms."""

    counts: NDArray[np.int64]
    bm25: float
    of_words: float
    coverage: float
    length: int


def frequencies_of(
    terms: Sequence[QueryTerm], frequencies: Callable[[NDArray[np.uint64]], NDArray[np.int64]]
) -> NDArray[np.int64]:
    """In how many chunks each term stands; of a term with other forms, the commonest of them."""
    counted, starts = _counted_of(terms)
    return np.maximum.reduceat(frequencies(counted), starts) if len(starts) else np.zeros(0, dtype=np.int64)


def _counted_of(terms: Sequence[QueryTerm]) -> tuple[NDArray[np.uint64], NDArray[np.intp]]:
    sizes = [len(term.counted) for term in terms]
    keys = np.array([term_key(each) for term in terms for each in term.counted], dtype=np.uint64)
    return keys, np.cumsum([0, *sizes[:-1]], dtype=np.intp)[: len(sizes)]


def scoring_model(
    terms: tuple[QueryTerm, ...], df: NDArray[np.int64], chunks: int, average_length: float, korean: float = 0.0
) -> ScoringModel:
    """`df` is one a term, in the live chunks.

    Coverage asks of a term its idf. Of the terms of a word that no chunk holds any part of, it asks
    a small share only: such words are mostly of another language than the documents, and would
    otherwise hide what the rest of the question finds. A word that is known in part counts whole.
    """
    idf = inverse_frequency(df, chunks) * np.array([term.weight for term in terms], dtype=np.float64)
    basis = np.array([term.is_basis for term in terms], dtype=np.bool_)
    known_words = {term.word for term, frequency in zip(terms, df.tolist(), strict=True) if frequency > 0}
    is_known = np.array([term.word in known_words for term in terms], dtype=np.bool_)
    asked = idf * np.where(is_known, 1.0, UNKNOWN_WORD_SHARE) * basis
    counted, starts = _counted_of(terms)
    attainable = math.fsum(each for each, term in zip(idf.tolist(), terms, strict=True) if not term.is_extra)
    return ScoringModel(
        terms=terms,
        keys=counted[starts],
        counted=counted,
        starts=starts,
        idf=idf,
        attainable=attainable * (K1 + 1),
        most=math.fsum(idf.tolist()) / attainable if attainable > 0 else 0.0,
        basis=basis,
        asked=asked,
        basis_idf=math.fsum(asked.tolist()),
        covers=tuple(np.array([term_key(each) for each in term.covered_by], dtype=np.uint64) for term in terms),
        is_held=df > 0,
        korean=korean,
        average_length=average_length,
    )


def inverse_frequency(df: NDArray[np.int64], chunks: int) -> NDArray[np.float64]:
    frequencies = df.astype(np.float64)
    result: NDArray[np.float64] = np.log1p((chunks - frequencies + 0.5) / (frequencies + 0.5))
    return result


def matches_of(model: ScoringModel, rows: Sequence[ScoringRow]) -> list[Match]:
    """One a row, in order. Sums are correctly rounded, so that no score depends on what it is computed with."""
    return [
        match
        for start in range(0, len(rows), _ROWS_AT_A_TIME)
        for match in _matches(model, rows[start : start + _ROWS_AT_A_TIME])
    ]


def _matches(model: ScoringModel, rows: Sequence[ScoringRow]) -> Iterator[Match]:
    wanted, place = np.unique(np.concatenate([model.counted, *model.covers]), return_inverse=True)
    found, lengths = _counts_in(rows, wanted)
    counts = found[:, place[: len(model.counted)]]
    if len(model.counted) > len(model.keys):
        counts = np.add.reduceat(counts, model.starts, axis=1)
    norm = K1 * (1 - B + B * lengths / model.average_length)
    gained = model.idf * (counts * (K1 + 1)) / (counts + norm[:, None])
    covered = np.where(_held(model, counts, found, place), model.asked, 0.0)
    # Extra terms are the last.
    words = sum(not term.is_extra for term in model.terms)
    for row, gains_of_row, covered_of_row, length in zip(
        counts, gained.tolist(), covered.tolist(), lengths.tolist(), strict=True
    ):
        bm25 = of_words = 0.0
        if model.attainable > 0:
            bm25, of_words = (math.fsum(each) / model.attainable for each in (gains_of_row, gains_of_row[:words]))
        if model.basis_idf > 0:
            coverage = round(math.fsum(covered_of_row) / model.basis_idf, COVERAGE_DIGITS)
        else:
            coverage = 1.0 if row.any() else 0.0
        yield Match(row, bm25, of_words, coverage, length)


def gains(model: ScoringModel, match: Match) -> NDArray[np.float64]:
    """What each term added to `bm25`."""
    norm = K1 * (1 - B + B * match.length / model.average_length)
    result: NDArray[np.float64] = model.idf * (match.counts * (K1 + 1)) / (match.counts + norm) / model.attainable
    return result


def _held(
    model: ScoringModel, counts: NDArray[np.int64], found: NDArray[np.int64], place: NDArray[np.intp]
) -> NDArray[np.bool_]:
    """Which terms each row counts as holding."""
    held = counts > 0
    start = len(model.counted)
    for position, covers in enumerate(model.covers):
        if len(covers):
            held[:, position] |= found[:, place[start : start + len(covers)]].any(axis=1)
            start += len(covers)
    return held


def _counts_in(rows: Sequence[ScoringRow], wanted: NDArray[np.uint64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """How often each of the wanted terms (sorted) stands in each row, and the rows' lengths."""
    counts = np.zeros((len(rows), len(wanted)), dtype=np.int64)
    sections = unpack_many([row.terms for row in rows])
    at_key, of_term = _places_of(wanted, sections.keys)
    # The keys of one row are unique, so that no cell is added to twice.
    of_row = np.searchsorted(np.cumsum(sections.sizes), at_key, side="right")
    counts[of_row, of_term] = sections.counts[at_key]
    place = {key: position for position, key in enumerate(wanted.tolist())}
    lengths = sections.lengths
    for number, row in enumerate(rows):
        of_path = path_terms(row.path)
        lengths[number] += sum(of_path.values())
        for key in place.keys() & of_path.keys():
            counts[number, place[key]] += of_path[key]
    return counts, np.array(lengths, dtype=np.int64)


def _places_of(wanted: NDArray[np.uint64], keys: NDArray[np.uint64]) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Which of the keys are wanted, and as which: nearly none are, which their first two bytes tell cheaply."""
    is_likely = np.zeros(1 << 16, dtype=np.bool_)
    is_likely[wanted >> np.uint64(48)] = True
    likely = np.flatnonzero(is_likely[keys.astype("<u8", copy=False).view("<u2")[3::4]])
    at = np.searchsorted(wanted, keys[likely])
    found = np.zeros(len(likely), dtype=np.bool_)
    inside = at < len(wanted)
    found[inside] = wanted[at[inside]] == keys[likely[inside]]
    return likely[found], at[found]
