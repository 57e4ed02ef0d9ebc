"""Candidates out of Tantivy, each list with a bound on what was not fetched."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import tantivy
from numpy.typing import NDArray

from consiglierd.errors import BadRequest
from consiglierd.index.generation import SCHEMA, day_number, folded, tantivy_errors, term_text
from consiglierd.index.snapshot import Snapshot
from consiglierd.model.query import Filters
from consiglierd.text.globs import glob_source

# Tantivy adds up 32-bit floats; a bound made of its scores is widened by this share.
FLOAT_SLACK = 1e-4
_Clause = tuple[tantivy.Occur, tantivy.Query]


@dataclass(frozen=True, slots=True)
class Proposal:
    """Live chunk ids, best first. No chunk that is not listed scores more than `bound` (unnormalised:
    a sum of idf * saturation); `is_exhausted` where all that match are listed."""

    ids: tuple[int, ...]
    bound: float
    is_exhausted: bool


@dataclass(frozen=True, slots=True)
class LexicalQuery:
    """Terms by key with the idf that scoring uses; of each of `required`, one key must be held.

    `hidden_from` is None where private chunks may be seen, else the group ("" for none) whose own
    private chunks alone may be. `only_private` turns that round: just the chunks that it hides.
    """

    keys: NDArray[np.uint64]
    idf: NDArray[np.float64]
    required: tuple[NDArray[np.uint64], ...]
    filters: Filters
    hidden_from: str | None
    only_hidden: bool = False


@dataclass(frozen=True, slots=True)
class Scope:
    """Which chunks the conditions let through: `allowed` (ascending; None for all) without the few `hidden`."""

    allowed: NDArray[np.int64] | None
    hidden: frozenset[int]


class Proposer:
    """Asks one snapshot; may be used by one search at a time."""

    def __init__(self, snapshot: Snapshot) -> None:
        self._snapshot = snapshot

    def by_score(self, query: LexicalQuery, limit: int) -> Proposal:
        """By BM25 as Tantivy computes it, each term weighted so that its idf is ours.

        Tantivy's saturation differs from ours in the length only: it rounds lengths down and knows
        another average. So no score of ours exceeds Tantivy's by more than the ratio of the
        averages, if that is above 1. Forms that are counted together as one term have its idf each;
        apart they saturate later, so that their sum is no less.
        """
        clauses: list[_Clause] = []
        theirs_of = self._idfs_of(query.keys)
        for key, idf, theirs in zip(query.keys.tolist(), query.idf.tolist(), theirs_of, strict=True):
            text = term_text(key)
            if theirs > 0 and idf > 0:
                term = tantivy.Query.term_query(SCHEMA, "terms", text, "freq")
                clauses.append((tantivy.Occur.Should, tantivy.Query.boost_query(term, idf / theirs)))
        ratio = max(1.0, self._snapshot.statistics.average_length / self._snapshot.corpus.average_length)
        return self._listed(clauses, query, limit, ratio)

    def by_coverage(
        self, keys: Sequence[NDArray[np.uint64]], idf: NDArray[np.float64], query: LexicalQuery, limit: int
    ) -> Proposal:
        """By the sum of the idf of the terms that a chunk holds; `keys` are for each term what counts as it."""
        clauses: list[_Clause] = []
        for ways, weight in zip(keys, idf.tolist(), strict=True):
            queries = [
                (tantivy.Occur.Should, tantivy.Query.term_query(SCHEMA, "terms", term_text(key), "freq"))
                for key in ways.tolist()
                if self._idf_of(term_text(key)) > 0
            ]
            if queries and weight > 0:
                anyhow = tantivy.Query.boolean_query(queries)
                clauses.append((tantivy.Occur.Should, tantivy.Query.const_score_query(anyhow, weight)))
        return self._listed(clauses, query, limit, 1.0)

    def scope(self, query: LexicalQuery) -> Scope:
        """The conditions as ids, for an index that knows nothing but ids."""
        if not query.filters.is_empty or query.required or query.only_hidden:
            conditions = tantivy.Query.boolean_query(self._conditions(query))
            ids = self._fetch(conditions, max(1, self._snapshot.searcher.num_docs))[0]
            return Scope(np.array(sorted(ids), dtype=np.int64), frozenset())
        if query.hidden_from is not None and has_private(self._snapshot):
            ids = self._fetch(_hidden_query(query.hidden_from), max(1, self._snapshot.searcher.num_docs))[0]
            return Scope(None, frozenset(ids))
        return Scope(None, frozenset())

    def holding_content(self, hashes: Sequence[str], query: LexicalQuery) -> list[int]:
        """All live chunks with one of these texts that the filters let through, where there are several."""
        searcher = self._snapshot.searcher
        repeated = [each for each in hashes if searcher.doc_freq("content", each) > 1]
        if not repeated:
            return []
        content = tantivy.Query.term_set_query(SCHEMA, "content", repeated)
        parts = [(tantivy.Occur.Must, content), *self._conditions(query)]
        return self._fetch(tantivy.Query.boolean_query(parts), searcher.num_docs)[0]

    def _idfs_of(self, keys: NDArray[np.uint64]) -> list[float]:
        """What Tantivy takes each term's idf for; 0 for one that no document holds."""
        snapshot = self._snapshot
        if not snapshot.removed and snapshot.corpus.documents == snapshot.statistics.chunks:
            # All documents are live, so that our own counts are Tantivy's.
            return [self._idf_of_frequency(df) for df in snapshot.statistics.document_frequencies(keys).tolist()]
        return [self._idf_of(term_text(key)) for key in keys.tolist()]

    def _idf_of(self, term: str) -> float:
        return self._idf_of_frequency(self._snapshot.searcher.doc_freq("terms", term))

    def _idf_of_frequency(self, df: int) -> float:
        if df == 0:
            return 0.0
        documents = self._snapshot.corpus.documents
        return math.log1p((documents - df + 0.5) / (df + 0.5))

    def _listed(self, clauses: list[_Clause], query: LexicalQuery, limit: int, ratio: float) -> Proposal:
        if not clauses:
            return Proposal((), 0.0, True)
        wanted = tantivy.Query.boolean_query(clauses)
        conditions = self._conditions(query)
        # Only a plain union of terms lets Tantivy skip documents that cannot come among the first.
        if conditions:
            wanted = tantivy.Query.boolean_query([(tantivy.Occur.Must, wanted), *conditions])
        ids, lowest, is_exhausted = self._fetch(wanted, limit)
        bound = 0.0 if is_exhausted else lowest * ratio * (1 + FLOAT_SLACK)
        return Proposal(tuple(ids), bound, is_exhausted)

    def _fetch(self, query: tantivy.Query, limit: int) -> tuple[list[int], float, bool]:
        """Live ids, the lowest score among all that were fetched, and whether there are no more."""
        searcher = self._snapshot.searcher
        with tantivy_errors("search"):
            hits = searcher.search(query, limit=limit, count=False).hits
            values = searcher.fast_field_values("id", [address for _, address in hits]) if hits else []
        removed = self._snapshot.removed
        ids = list(dict.fromkeys(int(value) for value in values if value is not None and int(value) not in removed))
        return ids, float(hits[-1][0]) if hits else 0.0, len(hits) < limit

    def _conditions(self, query: LexicalQuery) -> list[_Clause]:
        """Conditions that add nothing to a score."""
        must = [*_of_filters(query.filters)]
        must.extend(
            _any_of([tantivy.Query.term_query(SCHEMA, "terms", term_text(key), "freq") for key in ways.tolist()])
            for ways in query.required
        )
        clauses: list[_Clause] = [
            (tantivy.Occur.Must, tantivy.Query.const_score_query(condition, 0.0)) for condition in must
        ]
        if query.hidden_from is not None and has_private(self._snapshot):
            hidden = _hidden_query(query.hidden_from)
            if query.only_hidden:
                clauses.append((tantivy.Occur.Must, tantivy.Query.const_score_query(hidden, 0.0)))
            else:
                clauses.append((tantivy.Occur.MustNot, hidden))
        return clauses


def has_private(snapshot: Snapshot) -> bool:
    """Whether any document, live or not, is private to a role."""
    return snapshot.searcher.doc_freq("private", "*") > 0


def _hidden_query(group: str) -> tantivy.Query:
    private = tantivy.Query.term_query(SCHEMA, "private", "*", "basic")
    if not group:
        return private
    own = tantivy.Query.term_query(SCHEMA, "private", "=" + folded(group), "basic")
    return tantivy.Query.boolean_query([(tantivy.Occur.Must, private), (tantivy.Occur.MustNot, own)])


def _of_filters(filters: Filters) -> list[tantivy.Query]:
    conditions: list[tantivy.Query] = []
    for field, values in (("type", filters.types), ("status", filters.statuses), ("tag", filters.tags)):
        if values:
            conditions.append(
                _any_of([tantivy.Query.term_query(SCHEMA, field, folded(value), "basic") for value in values])
            )
    if filters.after is not None or filters.before is not None:
        first = day_number(filters.after) if filters.after is not None else 0
        last = day_number(filters.before) if filters.before is not None else 4_000_000
        conditions.append(
            tantivy.Query.range_query(SCHEMA, "day", tantivy.FieldType.Integer, first, last)
            if first is not None and last is not None and first <= last
            else tantivy.Query.empty_query()
        )
    if filters.path_globs:
        conditions.append(_any_of([_glob_query(glob) for glob in filters.path_globs]))
    return conditions


@lru_cache(maxsize=64)
def _glob_query(glob: str) -> tantivy.Query:
    try:
        return tantivy.Query.regex_query(SCHEMA, "path", glob_source(glob))
    except ValueError as error:
        raise BadRequest(
            f"the path pattern is too complicated: {glob[:60]}", cure="Use fewer wildcards, or name a folder."
        ) from error


def _any_of(queries: list[tantivy.Query]) -> tantivy.Query:
    return tantivy.Query.boolean_query([(tantivy.Occur.Should, query) for query in queries])
