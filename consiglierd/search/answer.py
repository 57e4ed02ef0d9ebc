"""From ranked groups to hits: read whole, verified against the files, cut to passages."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from consiglierd.model.hit import Hit, Place, Scores
from consiglierd.model.ids import ChunkId
from consiglierd.model.query import Query
from consiglierd.model.roles import Role
from consiglierd.model.stored import ChunkRow
from consiglierd.search.explain import explanation_of
from consiglierd.search.passage import passage_of
from consiglierd.search.rank import Candidate, Folded
from consiglierd.search.retriever import Chunks
from consiglierd.search.score import ScoringModel
from consiglierd.search.verify import Files, Verifier


@dataclass(frozen=True, slots=True)
class AnswerParts:
    """What making hits needs; `changed` is told of each file that is not as it was indexed."""

    model: ScoringModel
    role: Role | None
    query: Query
    chunks: Chunks
    files: Files
    max_file_bytes: int
    changed: Callable[[str], None]


def answer(groups: Sequence[Folded], parts: AnswerParts) -> tuple[tuple[Hit, ...], tuple[str, ...]]:
    """At most `limit` hits that stand in their files now, and notes on files that have changed."""
    wanted = groups[: parts.query.limit * 2 + 10]
    ids: list[ChunkId] = [each.row.chunk_id for group in wanted for each in (group.best, *group.others)]
    rows = {row.scoring.chunk_id: row for row in parts.chunks.chunk_rows(ids)}
    verifier = Verifier(parts.files, parts.max_file_bytes)
    hits: list[Hit] = []
    changed: dict[str, None] = {}
    for position, group in enumerate(wanted):
        if len(hits) == parts.query.limit:
            break
        after = wanted[position + 1] if position + 1 < len(wanted) else None
        hit = _hit(group, after, parts, rows, verifier, changed)
        if hit is not None:
            hits.append(hit)
    for path in changed:
        parts.changed(path)
    return tuple(hits), tuple(f"changed: {path}" for path in changed)


def _hit(
    group: Folded,
    after: Folded | None,
    parts: AnswerParts,
    rows: dict[ChunkId, ChunkRow],
    verifier: Verifier,
    changed: dict[str, None],
) -> Hit | None:
    """The first of the group that still stands; the others that stand become its `also`."""
    standing: list[tuple[Candidate, ChunkRow, int]] = []
    for candidate in (group.best, *group.others):
        row = rows.get(candidate.row.chunk_id)
        if row is None:
            continue
        found = verifier.standing(row)
        if found is None or found.is_changed:
            changed[row.scoring.path] = None
        if found is not None:
            standing.append((candidate, row, found.line_start))
    if not standing:
        return None
    candidate, row, line_start = standing[0]
    lines = row.text.split("\n")
    passage = passage_of(parts.model, row.scoring.file_type, lines, full=parts.query.full)
    return Hit(
        chunk_id=row.scoring.chunk_id,
        file=row.scoring.path,
        line_start=line_start + passage.start,
        line_end=line_start + passage.end - 1,
        heading=row.heading,
        text="\n".join(lines[passage.start : passage.end]),
        truncated=passage.is_part,
        kind=row.kind,
        symbol=row.symbol,
        file_type=row.scoring.file_type,
        date=row.scoring.date,
        tags=row.scoring.tags,
        status=row.scoring.status,
        rooms=row.scoring.rooms,
        score=candidate.score,
        scores=Scores(candidate.base, None, candidate.base, candidate.role_weight, candidate.room_bonus),
        digest=row.digest,
        also=tuple(Place(other.scoring.path, start) for _, other, start in standing[1:]),
        metadata=row.metadata,
        explanation=explanation_of(parts.model, candidate, parts.role, after) if parts.query.explain else None,
    )
