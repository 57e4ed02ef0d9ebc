"""A query to verified hits: the stages, in their order."""

from collections.abc import Callable
from dataclasses import replace
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from consiglierd.index.proposals import LexicalQuery, Proposer, has_private
from consiglierd.index.snapshot import Snapshot
from consiglierd.model.deadline import Deadline
from consiglierd.model.hit import SearchResult
from consiglierd.model.ids import Revision
from consiglierd.model.query import Filters, Query
from consiglierd.model.roles import Role, RoleTable
from consiglierd.search import reasons
from consiglierd.search.answer import Answer, AnswerParts
from consiglierd.search.bare import bare_candidates
from consiglierd.search.decide import korean_share, nearest_of
from consiglierd.search.fuse import Fusion
from consiglierd.search.parse import MAX_QUERY_CHARACTERS, ParsedQuery, parse_query
from consiglierd.search.rank import Boosts
from consiglierd.search.reasons import Reason
from consiglierd.search.retriever import Chunks, VectorSide
from consiglierd.search.score import ScoringModel, frequencies_of, scoring_model
from consiglierd.search.top import Ask, Top, TopK
from consiglierd.search.verify import Files
from consiglierd.text.analyzer import QueryTerm, term_key

SPARE_HITS = 10
COUNTED_HITS = 50


class SearchOptions(Protocol):
    """The settings that a search reads."""

    @property
    def roles(self) -> RoleTable: ...

    @property
    def beta(self) -> float: ...

    @property
    def alpha(self) -> float: ...

    @property
    def min_score(self) -> float: ...

    @property
    def max_file_bytes(self) -> int: ...


# The vectors for a question at a revision of the words, or what there is to say where they cannot be had.
VectorsOf = Callable[[str, Revision, Deadline], VectorSide | str]


def no_vectors(text: str, revision: Revision, deadline: Deadline) -> str:
    """For a workspace that is searched by words alone."""
    return "vector: off"


class SearchService:
    """Thread-safe. `changed` is told of files that are not as they were indexed; `indexing` gives files done
    and in all while there is such work; `ignored_by` the rule that leaves a path out."""

    def __init__(
        self,
        *,
        snapshot: Callable[[], Snapshot],
        chunks: Chunks,
        files: Files,
        options: Callable[[], SearchOptions],
        changed: Callable[[str], None],
        ignored_by: Callable[[str], str | None],
        indexing: Callable[[], tuple[int, int] | None],
        vectors: VectorsOf = no_vectors,
    ) -> None:
        self._snapshot = snapshot
        self._chunks = chunks
        self._files = files
        self._options = options
        self._changed = changed
        self._ignored_by = ignored_by
        self._indexing = indexing
        self._vectors = vectors

    def search(self, query: Query, deadline: Deadline) -> SearchResult:
        """At most `query.limit` hits of one revision, each verified against its file."""
        snapshot, options = self._snapshot(), self._options()
        role = options.roles.find(query.role) if query.role is not None else None
        min_score = options.min_score if query.min_score is None else query.min_score
        parsed = parse_query(query.text)
        beta = options.beta if query.beta is None else query.beta
        ask = _ask(parsed, query, snapshot, role, beta, min_score)
        alpha = options.alpha if query.alpha is None else query.alpha
        ask, missing = self._with_vectors(ask, query, snapshot, alpha, deadline)
        # A few more than are wanted, for hits that no longer stand when they are verified.
        top = self._answering(replace(ask, limit=ask.limit + SPARE_HITS), snapshot, deadline)
        partial = [*missing, *_partial_of(parsed, query, role, options.roles, top)]
        answer = Answer(
            AnswerParts(ask.model, role, query, self._chunks, self._files, options.max_file_bytes, self._changed)
        )
        hits = answer.hits(top.groups[: query.limit + SPARE_HITS])
        notes = answer.notes()
        partial.extend(notes)
        reason = None
        if not hits:
            reason = reasons.gone(notes) if top.groups else self._reason(ask, snapshot, query, top, deadline)
        return SearchResult(
            hits=hits,
            revision=snapshot.revision,
            partial=tuple(partial),
            withheld=self._withheld(ask, snapshot, deadline),
            reason_code=reason.code if reason is not None else None,
            reason=reason.text if reason is not None else None,
        )

    def _with_vectors(
        self, ask: Ask, query: Query, snapshot: Snapshot, alpha: float, deadline: Deadline
    ) -> tuple[Ask, list[str]]:
        """The ask with its vector side, where that can be had; and what is missing of it."""
        if ask.parsed.bare is not None:
            return ask, []
        vectors = self._vectors(query.text[:MAX_QUERY_CHARACTERS], snapshot.revision, deadline)
        if isinstance(vectors, str):
            return ask, [vectors]
        missing = [f"vector: {vectors.waiting} sections wait"] if vectors.waiting else []
        return replace(ask, vectors=vectors, fusion=Fusion(alpha, vectors.unrelated, vectors.identical)), missing

    def _ranked(self, ask: Ask, snapshot: Snapshot, deadline: Deadline) -> Top:
        if ask.parsed.bare is not None:
            return bare_candidates(ask, self._chunks, snapshot, deadline)
        return TopK(ask, Proposer(snapshot), self._chunks).find(deadline)

    def _answering(self, ask: Ask, snapshot: Snapshot, deadline: Deadline) -> Top:
        """The ranking, without its groups where nothing answers the question.

        Phrases and `--min-score 0` ask for what there is.
        """
        if ask.parsed.bare is not None or ask.vectors is None or ask.parsed.phrases or ask.min_score <= 0:
            return self._ranked(ask, snapshot, deadline)
        ranking = TopK(ask, Proposer(snapshot), self._chunks)
        top = ranking.find(deadline)
        if not top.groups or ranking.is_answered(deadline):
            return top
        return replace(top, groups=(), best_below=nearest_of(top.groups))

    def _withheld(self, ask: Ask, snapshot: Snapshot, deadline: Deadline) -> int:
        """How many matching chunks are private to another role."""
        if ask.query.hidden_from is None or not has_private(snapshot):
            return 0
        everything = snapshot.corpus.documents + 1
        hidden = replace(ask, query=replace(ask.query, only_hidden=True), limit=everything, boosts=Boosts(None, 0.0))
        found = self._ranked(hidden, snapshot, deadline)
        return sum(1 + len(group.others) for group in found.groups)

    def _reason(self, ask: Ask, snapshot: Snapshot, query: Query, top: Top, deadline: Deadline) -> Reason:
        ignored = reasons.ignored(query.filters, self._ignored_by)
        if ignored is not None:
            return ignored
        if not query.filters.is_empty:
            open_ask = replace(ask, query=replace(ask.query, filters=Filters()), limit=COUNTED_HITS)
            found = self._ranked(open_ask, snapshot, deadline)
            rows = [group.best.row for group in found.groups[:COUNTED_HITS]]
            if rows and top.best_below is None:
                is_all = found.is_exhausted and len(found.groups) <= COUNTED_HITS
                return reasons.filtered_out(query.filters, rows, is_all=is_all)
        progress = self._indexing()
        if progress is not None:
            return reasons.indexing(*progress)
        if top.best_below is not None:
            return reasons.below_minimum(top.best_below, ask.min_score)
        return reasons.no_match(ask.parsed.bare is not None)


def _ask(
    parsed: ParsedQuery, query: Query, snapshot: Snapshot, role: Role | None, beta: float, min_score: float
) -> Ask:
    model = _model(parsed, snapshot)
    hidden_from = None if query.role is None else (role.group if role is not None else "")
    lexical = LexicalQuery(
        keys=model.counted,
        idf=model.counted_idf,
        required=tuple(map(_ways_to_hold, parsed.phrase_terms)),
        filters=query.filters,
        hidden_from=hidden_from,
    )
    return Ask(parsed, model, lexical, Boosts(role, beta), min_score, query.limit)


def _ways_to_hold(term: QueryTerm) -> NDArray[np.uint64]:
    return np.array([term_key(each) for each in (term.term, *term.covered_by)], dtype=np.uint64)


def _model(parsed: ParsedQuery, snapshot: Snapshot) -> ScoringModel:
    statistics = snapshot.statistics
    df = frequencies_of(parsed.terms, statistics.document_frequencies)
    korean = korean_share(statistics.document_frequencies, statistics.chunks)
    return scoring_model(parsed.terms, df, statistics.chunks, statistics.average_length, korean)


def _partial_of(parsed: ParsedQuery, query: Query, role: Role | None, roles: RoleTable, top: Top) -> list[str]:
    partial = []
    if query.role is not None and role is None:
        partial.append(f"unknown role: {query.role} (known: {', '.join(roles.names)})")
    if parsed.is_cut:
        partial.append("query cut")
    if top.has_timed_out:
        partial.append("deadline")
    return partial
