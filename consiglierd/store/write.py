"""The one transaction that makes a revision."""

import json
import sqlite3
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime

import numpy as np

from consiglierd.model.document import Section
from consiglierd.model.ids import ChunkId, Revision, digest_of
from consiglierd.model.stored import StatisticsDelta
from consiglierd.store.connection import transaction
from consiglierd.store.plan import CommitPlan, DocumentWrite, NewParse, StaleWrite, StatWrite


def commit(connection: sqlite3.Connection, plan: CommitPlan) -> Revision:
    """Carry out `plan` whole or not at all; the revision at the head afterwards."""
    now = datetime.now(UTC).isoformat(timespec="milliseconds")
    with transaction(connection):
        head = int(connection.execute("SELECT revision FROM totals").fetchone()[0])
        if plan.makes_revision:
            head = _open_revision(connection, now, plan.statistics)
            removed = _remove_chunks(connection, [*plan.removed, *(d.path for d in plan.documents)], head)
            connection.executemany("DELETE FROM documents WHERE path = ?", [(path,) for path in plan.removed])
            added: list[ChunkId] = []
            for document in plan.documents:
                added.extend(_write_document(connection, document, head, now))
            connection.execute(
                "UPDATE journal SET added = ?, removed = ? WHERE revision = ?",
                (np.asarray(added, dtype=np.int64).tobytes(), np.asarray(removed, dtype=np.int64).tobytes(), head),
            )
            _apply_statistics(connection, plan.statistics, head)
        _write_stats(connection, plan.stats)
        _write_stale(connection, plan.stale)
    return Revision(head)


def _open_revision(connection: sqlite3.Connection, now: str, statistics: StatisticsDelta) -> int:
    cursor = connection.execute(
        "INSERT INTO journal (committed_at, added, removed, keys, df, chunks, length) VALUES (?, x'', x'', ?, ?, ?, ?)",
        (now, statistics.keys.tobytes(), statistics.df.tobytes(), statistics.chunks, statistics.length),
    )
    assert cursor.lastrowid is not None
    return cursor.lastrowid


def _remove_chunks(connection: sqlite3.Connection, paths: Sequence[str], revision: int) -> list[ChunkId]:
    removed: list[ChunkId] = []
    for path in paths:
        rows = connection.execute(
            "UPDATE chunk_rows SET removed_revision = ? WHERE path = ? AND removed_revision IS NULL RETURNING id",
            (revision, path),
        ).fetchall()
        removed.extend(ChunkId(row[0]) for row in rows)
    return sorted(removed)


def _write_document(connection: sqlite3.Connection, document: DocumentWrite, revision: int, now: str) -> list[ChunkId]:
    parse_id, file_type, encoding, problem = _parse_of(connection, document)
    section_ids = [
        row[0] for row in connection.execute("SELECT id FROM sections WHERE parse_id = ? ORDER BY ordinal", (parse_id,))
    ]
    added: list[ChunkId] = []
    for section_id in section_ids:
        cursor = connection.execute(
            "INSERT INTO chunk_rows (path, section_id, added_revision, digest, created_at) VALUES (?, ?, ?, ?, ?)",
            (document.path, section_id, revision, document.digest, now),
        )
        assert cursor.lastrowid is not None
        added.append(ChunkId(cursor.lastrowid))
    stat = document.stat
    connection.execute(
        "INSERT OR REPLACE INTO documents (path, parse_id, recipe, file_type, digest, dev, ino, size, mtime_ns,"
        " ctime_ns, scanned_ns, encoding, chunk_count, indexed_at, stale, problem)"
        " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 0, ?)",
        (
            document.path, parse_id, document.recipe, file_type, document.digest, _signed(stat.dev),
            _signed(stat.ino), stat.size, stat.mtime_ns, stat.ctime_ns, document.scanned_ns, encoding,
            len(added), now, problem,
        ),
    )  # fmt: skip
    return added


def _parse_of(connection: sqlite3.Connection, document: DocumentWrite) -> tuple[int, str, str, str | None]:
    """The id, file type, encoding and first problem of a document's parse, written first if it is new."""
    row = connection.execute(
        "SELECT id, file_type, encoding, problems FROM parses WHERE digest = ? AND recipe = ?",
        (document.digest, document.recipe),
    ).fetchone()
    if row is None:
        if document.parse is None:
            raise ValueError(f"no parse of {document.path} is stored and none was given")
        return _write_parse(connection, document, document.parse)
    problems = json.loads(row[3])
    return row[0], row[1], row[2], _problem_text(problems)


def _problem_text(problems: Sequence[Sequence[str]]) -> str | None:
    return f"{problems[0][0]}: {problems[0][1]}" if problems else None


def _write_parse(
    connection: sqlite3.Connection, document: DocumentWrite, new: NewParse
) -> tuple[int, str, str, str | None]:
    parsed = new.parsed
    problems = [[problem.code, problem.message] for problem in parsed.problems]
    cursor = connection.execute(
        "INSERT INTO parses (digest, recipe, file_type, encoding, problems) VALUES (?, ?, ?, ?, ?)",
        (document.digest, document.recipe, parsed.file_type, parsed.encoding, json.dumps(problems, ensure_ascii=False)),
    )
    assert cursor.lastrowid is not None
    parse_id = cursor.lastrowid
    for section, terms, length in zip(parsed.sections, new.terms, new.lengths, strict=True):
        _write_section(connection, parse_id, section, terms, length)
    return parse_id, parsed.file_type, parsed.encoding, _problem_text(problems)


def _write_section(connection: sqlite3.Connection, parse_id: int, section: Section, terms: bytes, length: int) -> None:
    span = section.span
    tags = sorted({tag.name for tag in section.tags})
    rooms = sorted({mark.room for mark in section.rooms})
    cursor = connection.execute(
        "INSERT INTO sections (parse_id, ordinal, kind, symbol, heading, heading_path, content_hash, date, status,"
        " private_to, tags, rooms, metadata, line_start, line_end, byte_start, byte_end, length)"
        " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (
            parse_id, section.ordinal, section.kind, section.symbol, section.heading,
            json.dumps(section.heading_path, ensure_ascii=False), digest_of(section.text.encode()), section.date,
            section.status, section.private_to, ",".join(tags), ",".join(rooms),
            json.dumps(dict(section.metadata), ensure_ascii=False, sort_keys=True),
            span.line_start, span.line_end, span.byte_start, span.byte_end, length,
        ),
    )  # fmt: skip
    section_id = cursor.lastrowid
    connection.execute("INSERT INTO section_texts VALUES (?, ?)", (section_id, section.text))
    connection.execute("INSERT INTO section_terms VALUES (?, ?)", (section_id, terms))
    connection.executemany(
        "INSERT OR IGNORE INTO section_tags VALUES (?, ?, ?)",
        [(section_id, tag.name, tag.source) for tag in section.tags],
    )
    connection.executemany(
        "INSERT OR IGNORE INTO section_rooms VALUES (?, ?, ?)",
        [(section_id, mark.room, mark.source) for mark in section.rooms],
    )


def _apply_statistics(connection: sqlite3.Connection, delta: StatisticsDelta, revision: int) -> None:
    keys = delta.keys.view(np.int64).tolist()
    changes = delta.df.tolist()
    connection.executemany(
        "INSERT INTO term_statistics (key, df) VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET df = df + excluded.df",
        zip(keys, changes, strict=True),
    )
    falling = [(key,) for key, change in zip(keys, changes, strict=True) if change < 0]
    connection.executemany("DELETE FROM term_statistics WHERE key = ? AND df = 0", falling)
    connection.execute(
        "UPDATE totals SET revision = ?, chunks = chunks + ?, length = length + ?",
        (revision, delta.chunks, delta.length),
    )


def _write_stats(connection: sqlite3.Connection, stats: Iterable[StatWrite]) -> None:
    connection.executemany(
        "UPDATE documents SET dev = ?, ino = ?, size = ?, mtime_ns = ?, ctime_ns = ?, scanned_ns = ?,"
        " stale = 0, stale_reason = NULL WHERE path = ?",
        [
            (
                _signed(write.stat.dev), _signed(write.stat.ino), write.stat.size, write.stat.mtime_ns,
                write.stat.ctime_ns, write.scanned_ns, write.path,
            )
            for write in stats
        ],
    )  # fmt: skip


def _write_stale(connection: sqlite3.Connection, stale: Iterable[StaleWrite]) -> None:
    connection.executemany(
        "UPDATE documents SET stale = 1, stale_reason = ? WHERE path = ?",
        [(write.problem, write.path) for write in stale],
    )


def retire_parses(connection: sqlite3.Connection) -> None:
    """Let no stored parse be used again, so that every file is parsed anew."""
    with transaction(connection):
        connection.execute("UPDATE parses SET recipe = recipe || '#retired-' || id")


def _signed(number: int) -> int:
    """SQLite's integers are signed; device and inode numbers are not."""
    return number - (1 << 64) if number >= 1 << 63 else number


def prune(connection: sqlite3.Connection, *, removed_to: Revision, journal_before: Revision) -> None:
    """Drop chunks removed before a revision, parses nobody has any more, and old journal rows."""
    with transaction(connection):
        connection.execute("DELETE FROM chunk_rows WHERE removed_revision <= ?", (removed_to,))
        connection.execute(
            "DELETE FROM parses WHERE id NOT IN (SELECT parse_id FROM documents WHERE parse_id IS NOT NULL)"
            " AND id NOT IN (SELECT s.parse_id FROM sections s JOIN chunk_rows c ON c.section_id = s.id)"
        )
        connection.execute("DELETE FROM journal WHERE revision < ?", (journal_before,))
