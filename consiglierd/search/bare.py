"""Queries without a single word (`->`, `***`): looked for as they stand, in every live chunk."""

from consiglierd.index.snapshot import Snapshot
from consiglierd.model.deadline import Deadline
from consiglierd.search.filters import failing_filters, may_see
from consiglierd.search.rank import Candidate, ranked
from consiglierd.search.retriever import Chunks
from consiglierd.search.score import matches_of
from consiglierd.search.top import Ask, Top, ids_with_phrases

SCAN_LIMIT = 50_000
_ROWS_AT_A_TIME = 1000


def bare_candidates(ask: Ask, chunks: Chunks, snapshot: Snapshot, deadline: Deadline) -> Top:
    """All have base score 1: the text stands there, and there is nothing else to compare."""
    ids = chunks.ids_whose_text_contains(ask.parsed.bare or "", SCAN_LIMIT)
    is_all = len(ids) < SCAN_LIMIT
    ids = [each for each in ids if each not in snapshot.removed]
    candidates: list[Candidate] = []
    for start in range(0, len(ids), _ROWS_AT_A_TIME):
        if deadline.is_over:
            return Top(tuple(ranked(candidates)), None, False, True)
        some = ids_with_phrases(chunks, ask.parsed.phrases, ids[start : start + _ROWS_AT_A_TIME])
        rows = [
            row
            for row in chunks.scoring_rows(some)
            if may_see(row, ask.query.hidden_from) != ask.query.only_hidden
            and not failing_filters(ask.query.filters, row)
        ]
        for row, match in zip(rows, matches_of(ask.model, rows), strict=True):
            candidates.append(ask.boosts.candidate(row, match, None, 1.0))
    return Top(tuple(ranked(candidates)), None, is_all, False)
