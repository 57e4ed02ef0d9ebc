"""Reading chunks, documents, statistics and the journal back."""

import json
import sqlite3
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from consiglierd.model.document import Span
from consiglierd.model.files import FileStat, KnownFile
from consiglierd.model.ids import ChunkId, Digest, Revision
from consiglierd.model.stored import ChunkRow, RevisionChanges, ScoringRow, Statistics, StatisticsDelta

_SCORING = """
SELECT c.id, c.path, s.line_start, p.file_type, s.content_hash, s.date, s.status, s.private_to, s.tags, s.rooms, x.terms
FROM json_each(?) wanted
JOIN chunk_rows c ON c.id = wanted.value
JOIN sections s ON s.id = c.section_id
JOIN section_terms x ON x.section_id = s.id
JOIN parses p ON p.id = s.parse_id
"""

# What a removed chunk takes beside its text: rows in several tables, terms, index entries.
_ROW_BYTES = 1000

_CHUNKS = """
SELECT c.id, c.path, s.line_start, p.file_type, s.content_hash, s.date, s.status, s.private_to, s.tags, s.rooms,
       x.terms,
       t.content, s.heading, s.heading_path, s.line_end, s.byte_start, s.byte_end, s.kind, s.symbol, s.metadata,
       c.digest, p.encoding
FROM json_each(?) wanted
JOIN chunk_rows c ON c.id = wanted.value
JOIN sections s ON s.id = c.section_id
JOIN section_terms x ON x.section_id = s.id
JOIN section_texts t ON t.section_id = s.id
JOIN parses p ON p.id = s.parse_id
"""


def scoring_rows(connection: sqlite3.Connection, ids: Sequence[ChunkId]) -> list[ScoringRow]:
    return [_scoring_row(*row) for row in connection.execute(_SCORING, (json.dumps(list(map(int, ids))),))]


def chunk_rows(connection: sqlite3.Connection, ids: Sequence[ChunkId]) -> list[ChunkRow]:
    rows = connection.execute(_CHUNKS, (json.dumps(list(map(int, ids))),))
    return [
        ChunkRow(
            scoring=_scoring_row(*row[:11]),
            text=row[11],
            heading=row[12],
            heading_path=tuple(json.loads(row[13])),
            span=Span(row[2], row[14], row[15], row[16]),
            kind=row[17],
            symbol=row[18],
            metadata=json.loads(row[19]),
            digest=Digest(row[20]),
            encoding=row[21],
        )
        for row in rows
    ]


def _scoring_row(
    chunk_id: int,
    path: str,
    line_start: int,
    file_type: str,
    content_hash: str,
    date: str | None,
    status: str,
    private_to: str | None,
    tags: str,
    rooms: str,
    terms: bytes,
) -> ScoringRow:
    return ScoringRow(
        chunk_id=ChunkId(chunk_id),
        path=path,
        line_start=line_start,
        file_type=file_type,
        content_hash=content_hash,
        date=date,
        status=status,
        private_to=private_to,
        tags=tuple(tags.split(",")) if tags else (),
        rooms=tuple(rooms.split(",")) if rooms else (),
        terms=terms,
    )


def live_ids(connection: sqlite3.Connection) -> tuple[Revision, NDArray[np.int64]]:
    head = head_revision(connection)
    rows = connection.execute("SELECT id FROM chunk_rows WHERE removed_revision IS NULL ORDER BY id").fetchall()
    return head, np.fromiter((row[0] for row in rows), dtype=np.int64, count=len(rows))


def live_chunk_ids_of(connection: sqlite3.Connection, path: str) -> list[ChunkId]:
    rows = connection.execute(
        "SELECT id FROM chunk_rows WHERE path = ? AND removed_revision IS NULL ORDER BY id", (path,)
    )
    return [ChunkId(row[0]) for row in rows]


def head_revision(connection: sqlite3.Connection) -> Revision:
    return Revision(int(connection.execute("SELECT revision FROM totals").fetchone()[0]))


def statistics(connection: sqlite3.Connection) -> Statistics:
    revision, chunks, length = connection.execute("SELECT revision, chunks, length FROM totals").fetchone()
    rows = connection.execute("SELECT key, df FROM term_statistics WHERE df > 0").fetchall()
    keys = np.fromiter((row[0] for row in rows), dtype=np.int64, count=len(rows)).view(np.uint64)
    df = np.fromiter((row[1] for row in rows), dtype=np.int32, count=len(rows))
    order = np.argsort(keys)
    return Statistics(Revision(revision), keys[order], df[order], chunks, length)


def changes_after(connection: sqlite3.Connection, revision: Revision, limit: int) -> tuple[RevisionChanges, ...] | None:
    """The journal after `revision`, oldest first; None where it does not reach back that far (or not that far yet)."""
    head = head_revision(connection)
    if revision > head:
        return None
    rows = connection.execute(
        "SELECT revision, added, removed, keys, df, chunks, length FROM journal WHERE revision > ?"
        " ORDER BY revision LIMIT ?",
        (revision, limit),
    ).fetchall()
    if revision < head and (not rows or rows[0][0] != revision + 1):
        return None
    return tuple(
        RevisionChanges(
            revision=Revision(row[0]),
            added=_ids(row[1]),
            removed=_ids(row[2]),
            statistics=StatisticsDelta(
                np.frombuffer(row[3], dtype=np.uint64), np.frombuffer(row[4], dtype=np.int32), row[5], row[6]
            ),
        )
        for row in rows
    )


def _ids(packed: bytes) -> tuple[ChunkId, ...]:
    return tuple(ChunkId(number) for number in np.frombuffer(packed, dtype=np.int64).tolist())


def known_files(connection: sqlite3.Connection) -> dict[str, tuple[KnownFile, Digest, str]]:
    """Every document by path: its stat, its digest and its recipe."""
    rows = connection.execute(
        "SELECT path, dev, ino, size, mtime_ns, ctime_ns, scanned_ns, stale, digest, recipe FROM documents"
    )
    return {
        row[0]: (
            KnownFile(
                FileStat(_unsigned(row[1]), _unsigned(row[2]), row[3], row[4], row[5]),
                scanned_ns=row[6],
                is_stale=bool(row[7]),
            ),
            Digest(row[8]),
            row[9],
        )
        for row in rows
    }


def _unsigned(number: int) -> int:
    return number + (1 << 64) if number < 0 else number


def removed_bytes(connection: sqlite3.Connection, revision: Revision) -> int:
    """About how much the chunks take that were removed up to a revision and are still kept."""
    row = connection.execute(
        "SELECT count(*), coalesce(sum(s.byte_end - s.byte_start), 0)"
        " FROM chunk_rows c JOIN sections s ON s.id = c.section_id WHERE c.removed_revision <= ?",
        (revision,),
    ).fetchone()
    return int(row[0]) * _ROW_BYTES + int(row[1])


def parse_terms(connection: sqlite3.Connection, digest: Digest, recipe: str) -> list[bytes] | None:
    """The packed terms of each section of a stored parse, in order; None where there is no such parse."""
    row = connection.execute("SELECT id FROM parses WHERE digest = ? AND recipe = ?", (digest, recipe)).fetchone()
    if row is None:
        return None
    return [
        terms
        for (terms,) in connection.execute(
            "SELECT x.terms FROM sections s JOIN section_terms x ON x.section_id = s.id WHERE s.parse_id = ?"
            " ORDER BY s.ordinal",
            row,
        )
    ]


def live_terms_of(connection: sqlite3.Connection, path: str) -> list[bytes]:
    """The packed terms of each live chunk at a path."""
    return [
        terms
        for (terms,) in connection.execute(
            "SELECT x.terms FROM chunk_rows c JOIN section_terms x ON x.section_id = c.section_id"
            " WHERE c.path = ? AND c.removed_revision IS NULL ORDER BY c.id",
            (path,),
        )
    ]


def ids_whose_text_contains(connection: sqlite3.Connection, needle: str, limit: int) -> list[ChunkId]:
    """Live chunks whose text holds `needle` as it stands; the slow way, for texts without any term."""
    rows = connection.execute(
        "SELECT c.id FROM chunk_rows c JOIN section_texts t ON t.section_id = c.section_id"
        " WHERE c.removed_revision IS NULL AND instr(t.content, ?) > 0 ORDER BY c.path, c.id LIMIT ?",
        (needle, limit),
    )
    return [ChunkId(row[0]) for row in rows]
