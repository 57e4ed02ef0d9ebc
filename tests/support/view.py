"""What an index holds, in a form that two indexes of the same tree must share."""

import json
import sqlite3
from dataclasses import dataclass
from pathlib import Path
from typing import Any


@dataclass(frozen=True)
class View:
    """Chunks, documents and statistics, without ids, times and places on the disk."""

    chunks: list[tuple[Any, ...]]
    documents: list[tuple[Any, ...]]
    terms: dict[int, int]
    totals: tuple[int, int]


def view_of(database: Path) -> View:
    """Read as any other program may read it."""
    connection = sqlite3.connect(f"file:{database}?mode=ro", uri=True)
    try:
        chunks = connection.execute(
            "SELECT c.file, c.line_start, c.line_end, c.heading, c.content, c.content_hash, c.file_type, c.date,"
            " c.tags, c.status, c.rooms, s.heading_path, s.metadata, s.byte_start, s.byte_end, s.private_to, s.length"
            " FROM chunks c JOIN chunk_rows r ON r.id = c.id JOIN sections s ON s.id = r.section_id"
        ).fetchall()
        documents = connection.execute(
            "SELECT file, file_type, digest, size, encoding, chunk_count, stale, problem FROM metadata"
        ).fetchall()
        terms = dict(connection.execute("SELECT key, df FROM term_statistics WHERE df != 0"))
        totals = connection.execute("SELECT chunks, length FROM totals").fetchone()
    finally:
        connection.close()
    return View(sorted(chunks, key=json.dumps), sorted(documents, key=json.dumps), terms, totals)


def places(reply: dict[str, Any]) -> list[tuple[Any, ...]]:
    """Hits as (file, first line, last line, score, other places)."""
    return [
        (
            hit["file"],
            hit["line_start"],
            hit["line_end"],
            round(hit["score"], 6),
            tuple((also["file"], also["line_start"]) for also in hit["also"]),
        )
        for hit in reply["hits"]
    ]
