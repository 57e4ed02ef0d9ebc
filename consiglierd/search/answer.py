"""From ranked groups to hits: read whole, verified against the files, cut to passages."""

import heapq
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from consiglierd.model.hit import Hit, Place, Scores
from consiglierd.model.ids import ChunkId
from consiglierd.model.query import Query
from consiglierd.model.roles import Role
from consiglierd.model.stored import ChunkRow
from consiglierd.search.explain import explanation_of
from consiglierd.search.passage import passage_of
from consiglierd.search.rank import Candidate, Folded, rank_of
from consiglierd.search.retriever import Chunks
from consiglierd.search.score import ScoringModel
from consiglierd.search.verify import Files, Standing, Verifier

# How many other places of an identical text are read and named.
MAX_ALSO = 50


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


class Answer:
    """One answer in the making; `notes` say which files were not as they were indexed."""

    def __init__(self, parts: AnswerParts) -> None:
        self._parts = parts
        self._rows: dict[ChunkId, ChunkRow] = {}
        self._verifier = Verifier(parts.files, parts.max_file_bytes)
        self._notes: dict[str, str] = {}

    def hits(self, groups: Sequence[Folded]) -> tuple[Hit, ...]:
        """At most `limit` hits that stand in their files now, best first.

        Where the best of a group no longer stands, the next of it takes its place, at its own rank.
        """
        limit = self._parts.query.limit
        waiting = [(rank_of(group.best), group) for group in groups]
        heapq.heapify(waiting)
        hits: list[Hit] = []
        while waiting and len(hits) < limit:
            group = heapq.heappop(waiting)[1]
            if group.best.row.chunk_id not in self._rows:
                self._fetch([group, *(each for _, each in heapq.nsmallest(limit - len(hits) - 1, waiting))])
            standing = self._standing(group.best)
            if standing is not None:
                hits.append(self._hit(group, standing, min(waiting)[1] if waiting else None))
            elif group.others:
                rest = Folded(group.others[0], group.others[1:])
                heapq.heappush(waiting, (rank_of(rest.best), rest))
        return tuple(hits)

    def notes(self) -> tuple[str, ...]:
        for path in self._notes:
            self._parts.changed(path)
        return tuple(f"{word}: {path}" for path, word in self._notes.items())

    def _fetch(self, groups: Sequence[Folded]) -> None:
        """One read for all hits that are about to be made."""
        wanted = [
            candidate.row.chunk_id
            for group in groups
            for candidate in (group.best, *group.others[:MAX_ALSO])
            if candidate.row.chunk_id not in self._rows
        ]
        self._rows.update((row.scoring.chunk_id, row) for row in self._parts.chunks.chunk_rows(wanted))

    def _standing(self, candidate: Candidate) -> tuple[ChunkRow, Standing] | None:
        """The chunk, and where it stands now."""
        row = self._rows.get(candidate.row.chunk_id)
        if row is None:
            return None
        found = self._verifier.standing(row)
        if found is None or found.is_changed:
            path = row.scoring.path
            self._notes[path] = "unreadable" if self._verifier.is_unreadable(path) else "changed"
        return (row, found) if found is not None else None

    def _hit(self, group: Folded, standing: tuple[ChunkRow, Standing], after: Folded | None) -> Hit:
        """The others of the group that stand are its `also`."""
        parts, candidate, (row, stands) = self._parts, group.best, standing
        others = [found for each in group.others[:MAX_ALSO] if (found := self._standing(each)) is not None]
        lines = row.text.split("\n")
        passage = passage_of(parts.model, row.scoring.file_type, lines, full=parts.query.full)
        return Hit(
            chunk_id=row.scoring.chunk_id,
            file=row.scoring.path,
            line_start=stands.line_start + passage.start,
            line_end=stands.line_start + passage.end - 1,
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
            scores=Scores(
                candidate.base, candidate.vector, candidate.match.bm25, candidate.role_weight, candidate.room_bonus
            ),
            digest=stands.digest,
            also=tuple(Place(other.scoring.path, there.line_start) for other, there in others),
            metadata=row.metadata,
            explanation=explanation_of(parts.model, candidate, parts.role, after) if parts.query.explain else None,
        )
