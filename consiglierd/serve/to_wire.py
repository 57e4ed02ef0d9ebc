"""The daemon's nouns as the wire has them."""

from collections.abc import Sequence

import msgspec

from consiglierd.model.hit import Explanation, Hit, SearchResult
from consiglierd.model.query import Filters
from consiglierd.model.status import IndexProgress, ShownLines, WorkspaceStatus
from consigliere.protocol import daemon as daemon_messages
from consigliere.protocol import indexing as indexing_messages
from consigliere.protocol import search as search_messages
from consigliere.protocol.envelope import MAX_MESSAGE_BYTES

# For the query, the notes and the names of the fields.
_ROOM_FOR_THE_REST = 512 * 1024


def filters_from_wire(filters: search_messages.Filters) -> Filters:
    return Filters(
        types=filters.types,
        after=filters.after,
        before=filters.before,
        tags=filters.tags,
        statuses=filters.statuses,
        path_globs=filters.path_globs,
    )


def search_reply(
    query_text: str, root: str, result: SearchResult, lag: dict[str, int], took_ms: float
) -> search_messages.SearchReply:
    hits, too_long = _fitting(result.hits)
    reason, code = result.reason, str(result.reason_code) if result.reason_code is not None else None
    if too_long and not hits:
        reason, code = f"what matches is too long for one message: {', '.join(too_long[:3])}", "too_long"
    return search_messages.SearchReply(
        query=query_text,
        workspace=root,
        revision=result.revision,
        took_ms=round(took_ms, 3),
        lag=lag,
        partial=(*result.partial, *(f"too long: {place}" for place in too_long)),
        withheld=result.withheld,
        reason=reason,
        reason_code=code,
        hits=hits,
    )


def _fitting(hits: Sequence[Hit]) -> tuple[tuple[search_messages.Hit, ...], list[str]]:
    """The hits that one message can hold, and the places of those that it cannot: a line is never cut."""
    fitting: list[search_messages.Hit] = []
    too_long: list[str] = []
    left = MAX_MESSAGE_BYTES - _ROOM_FOR_THE_REST
    for hit in hits:
        message = _hit(hit)
        # As JSON it is at its longest.
        size = len(msgspec.json.encode(message)) + 1
        if size <= left:
            fitting.append(message)
            left -= size
        else:
            too_long.append(f"{hit.file}:{hit.line_start}")
    return tuple(fitting), too_long


def _hit(hit: Hit) -> search_messages.Hit:
    return search_messages.Hit(
        file=hit.file,
        line_start=hit.line_start,
        line_end=hit.line_end,
        heading=hit.heading,
        text=hit.text,
        truncated=hit.truncated,
        kind=hit.kind,
        symbol=hit.symbol,
        file_type=hit.file_type,
        date=hit.date,
        tags=hit.tags,
        status=hit.status,
        rooms=hit.rooms,
        score=hit.score,
        scores=search_messages.Scores(
            base=hit.scores.base,
            vector=hit.scores.vector,
            bm25=hit.scores.bm25,
            role=hit.scores.role,
            room=hit.scores.room,
        ),
        digest=hit.digest,
        also=tuple(search_messages.Place(file=place.file, line_start=place.line_start) for place in hit.also),
        annotations=tuple(
            search_messages.Annotation(kind=note.kind, text=note.text, file=note.file, line=note.line)
            for note in hit.annotations
        ),
        metadata=dict(hit.metadata),
        explanation=_explanation(hit.explanation) if hit.explanation is not None else None,
    )


def _explanation(explanation: Explanation) -> search_messages.Explanation:
    return search_messages.Explanation(
        terms=tuple(
            search_messages.TermMatch(term=match.term, idf=match.idf, count=match.count, weight=match.weight)
            for match in explanation.terms
        ),
        coverage=explanation.coverage,
        length=explanation.length,
        average_length=explanation.average_length,
        role=explanation.role,
        room=explanation.room,
        next_lower=explanation.next_lower,
    )


def show_reply(shown: ShownLines) -> search_messages.ShowReply:
    return search_messages.ShowReply(
        file=shown.file,
        line_start=shown.line_start,
        line_end=shown.line_end,
        line_count=shown.line_count,
        text=shown.text,
        digest=shown.digest,
        encoding=shown.encoding,
        file_type=shown.file_type,
        is_current=shown.is_current,
        revision=shown.revision,
    )


def progress_reply(progress: IndexProgress) -> indexing_messages.IndexProgressReply:
    return indexing_messages.IndexProgressReply(
        is_done=progress.is_done,
        files_done=progress.files_done,
        files_total=progress.files_total,
        revision=progress.revision,
        lag=dict(progress.lag),
        problems=progress.problems,
        obstacle=progress.obstacle,
    )


def status_reply(status: WorkspaceStatus, version: str, pid: int) -> daemon_messages.StatusReply:
    return daemon_messages.StatusReply(
        root=status.root,
        state=status.state,
        watching=status.watching,
        revision=status.revision,
        lag=dict(status.lag),
        files=status.files,
        chunks=status.chunks,
        stale_files=status.stale_files,
        pending_files=status.pending_files,
        size_bytes=status.size_bytes,
        last_indexed_at=status.last_indexed_at,
        models=dict(status.models),
        pinned=status.pinned,
        types=dict(status.types),
        left_out=tuple(
            daemon_messages.LeftOutCount(reason=left_out.reason, count=left_out.count, examples=left_out.examples)
            for left_out in status.left_out
        ),
        problems=tuple(
            daemon_messages.FileProblem(file=problem.file, code=problem.code, message=problem.message)
            for problem in status.problems
        ),
        warnings=status.warnings,
        version=version,
        pid=pid,
    )
