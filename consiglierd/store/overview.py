"""Counts and problems for `status`, and single documents for `show`."""

import sqlite3
from dataclasses import dataclass

from consiglierd.model.ids import Digest


@dataclass(frozen=True, slots=True)
class Overview:
    """What is in the store; `types` counts documents by type."""

    files: int
    chunks: int
    stale_files: int
    last_indexed_at: str | None
    types: dict[str, int]
    problems: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class DocumentRow:
    """One document as it was last indexed."""

    path: str
    file_type: str
    digest: Digest
    encoding: str
    chunk_count: int
    problem: str | None
    is_stale: bool


def overview(connection: sqlite3.Connection, *, problem_limit: int = 50) -> Overview:
    files, stale, last = connection.execute(
        "SELECT count(*), coalesce(sum(stale), 0), max(indexed_at) FROM documents"
    ).fetchone()
    chunks = connection.execute("SELECT chunks FROM totals").fetchone()[0]
    types = dict(connection.execute("SELECT file_type, count(*) FROM documents GROUP BY file_type ORDER BY 1"))
    problems = connection.execute(
        "SELECT file, problem FROM metadata WHERE problem IS NOT NULL ORDER BY file LIMIT ?", (problem_limit,)
    ).fetchall()
    return Overview(files, chunks, stale, last, types, tuple((row[0], row[1]) for row in problems))


def document_at(connection: sqlite3.Connection, path: str) -> DocumentRow | None:
    row = connection.execute(
        "SELECT path, file_type, digest, encoding, chunk_count, problem, stale FROM documents WHERE path = ?", (path,)
    ).fetchone()
    return None if row is None else DocumentRow(row[0], row[1], Digest(row[2]), row[3], row[4], row[5], bool(row[6]))


def document_paths(connection: sqlite3.Connection) -> list[str]:
    """All documents, by path."""
    return [row[0] for row in connection.execute("SELECT path FROM documents ORDER BY path")]


def sections_of(connection: sqlite3.Connection, path: str) -> list[tuple[int, int]]:
    """The line ranges of the live sections of a document, in their order."""
    return connection.execute(
        "SELECT DISTINCT s.line_start, s.line_end FROM chunk_rows c JOIN sections s ON s.id = c.section_id"
        " WHERE c.path = ? AND c.removed_revision IS NULL ORDER BY s.line_start, s.line_end",
        (path,),
    ).fetchall()


def section_lines_at(connection: sqlite3.Connection, path: str, line: int) -> tuple[int, int] | None:
    """The line range of the live section of `path` that holds `line`."""
    row = connection.execute(
        "SELECT s.line_start, s.line_end FROM chunk_rows c JOIN sections s ON s.id = c.section_id"
        " WHERE c.path = ? AND c.removed_revision IS NULL AND s.line_start <= ? AND s.line_end >= ?"
        " ORDER BY s.line_end - s.line_start LIMIT 1",
        (path, line, line),
    ).fetchone()
    return None if row is None else (row[0], row[1])


def paths_like(connection: sqlite3.Connection, path: str, limit: int = 3) -> list[str]:
    """Documents whose path ends like `path`, for an error that names what exists."""
    name = path.rsplit("/", 1)[-1]
    rows = connection.execute(
        "SELECT path FROM documents WHERE instr(path, ?) > 0 ORDER BY length(path) LIMIT ?", (name, limit)
    )
    return [row[0] for row in rows]
