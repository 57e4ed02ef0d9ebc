"""Queries without a single word (`->`, `***`): looked for as they stand, in every live chunk."""

from collections.abc import Collection

from consiglierd.model.query import Query
from consiglierd.search.filters import Sight, failing_filters
from consiglierd.search.rank import Candidate, ranked
from consiglierd.search.retriever import Chunks
from consiglierd.search.score import match_of
from consiglierd.search.top import Ask, Top

SCAN_LIMIT = 1000


def bare_candidates(ask: Ask, query: Query, sight: Sight, chunks: Chunks, removed: Collection[int]) -> Top:
    """All have base score 1: the text stands there, and there is nothing else to compare."""
    ids = chunks.ids_whose_text_contains(ask.parsed.bare or "", SCAN_LIMIT)
    rows = [
        row
        for row in chunks.scoring_rows([each for each in ids if each not in removed])
        if sight.may_see(row) and not failing_filters(query.filters, row)
    ]
    candidates = []
    for row in rows:
        weight, bonus = ask.boosts.weight_of(row.file_type), ask.boosts.bonus_of(row)
        candidates.append(Candidate(row, match_of(ask.model, row), 1.0, weight, bonus, round(weight + bonus, 6)))
    return Top(tuple(ranked(candidates)), None, len(ids) < SCAN_LIMIT, False)
