"""The table of the per-user vector cache: bytes by (fingerprint, digest), the least recently used out first."""

import sqlite3
from collections.abc import Iterable, Mapping
from pathlib import Path
from threading import Lock

from consiglierd.errors import StoreNewer
from consiglierd.store.connection import StoreCorrupt, connect, ensure_schema, sqlite_errors, transaction

SCHEMA_VERSION = 1
# Below this share of the limit is what a removal leaves, so that not every addition removes.
KEPT_SHARE = 0.9
_ROWS_A_QUESTION = 500
_REMOVED_AT_ONCE = 1000

_SCHEMA = """
CREATE TABLE embed_fingerprints (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE);
CREATE TABLE embed_vectors (
  id INTEGER PRIMARY KEY,
  fingerprint INTEGER NOT NULL REFERENCES embed_fingerprints (id),
  digest BLOB NOT NULL,
  row BLOB NOT NULL,
  used INTEGER NOT NULL,
  UNIQUE (fingerprint, digest)
);
CREATE INDEX embed_vectors_by_use ON embed_vectors (used);
"""


class VectorRows:
    """One file; calls come from any thread and take turns. `limit_bytes` bounds the pages in use.

    It is a copy of what can be computed again: a file that is damaged, or of another version, is replaced.
    """

    def __init__(self, path: Path, *, limit_bytes: int) -> None:
        self._lock = Lock()
        self._limit_bytes = limit_bytes
        try:
            self._connection, self._used = _opened(path)
        except (StoreCorrupt, StoreNewer):
            for file in (path, path.with_name(path.name + "-wal"), path.with_name(path.name + "-shm")):
                file.unlink(missing_ok=True)
            self._connection, self._used = _opened(path)

    def close(self) -> None:
        with self._lock:
            self._connection.close()

    def find(self, fingerprint: str, digests: Iterable[bytes]) -> dict[bytes, bytes]:
        """The rows that are there; they count as used now."""
        wanted = list(dict.fromkeys(digests))
        found: dict[bytes, bytes] = {}
        with self._lock, sqlite_errors("the vector cache"):
            number = self._number_of(fingerprint)
            if number is None:
                return {}
            for start in range(0, len(wanted), _ROWS_A_QUESTION):
                part = wanted[start : start + _ROWS_A_QUESTION]
                marks = ",".join("?" * len(part))
                found.update(
                    self._connection.execute(
                        f"SELECT digest, row FROM embed_vectors WHERE fingerprint = ? AND digest IN ({marks})",
                        (number, *part),
                    )
                )
            self._touch(number, found)
        return found

    def keep(self, fingerprint: str, rows: Mapping[bytes, bytes]) -> None:
        with self._lock, sqlite_errors("the vector cache"), transaction(self._connection):
            self._used += 1
            self._connection.execute("INSERT OR IGNORE INTO embed_fingerprints (name) VALUES (?)", (fingerprint,))
            number = self._number_of(fingerprint)
            self._connection.executemany(
                "INSERT OR REPLACE INTO embed_vectors (fingerprint, digest, row, used) VALUES (?, ?, ?, ?)",
                [(number, digest, row, self._used) for digest, row in rows.items()],
            )
            if self._bytes_in_use() > self._limit_bytes:
                self._remove_oldest(self._limit_bytes * KEPT_SHARE)

    def remove(self, fingerprint: str, digests: Iterable[bytes]) -> None:
        """Takes out rows that are not what they should be."""
        with self._lock, sqlite_errors("the vector cache"), transaction(self._connection):
            number = self._number_of(fingerprint)
            self._connection.executemany(
                "DELETE FROM embed_vectors WHERE fingerprint = ? AND digest = ?",
                [(number, digest) for digest in digests],
            )

    def size_bytes(self) -> int:
        with self._lock:
            return self._bytes_in_use()

    def _number_of(self, fingerprint: str) -> int | None:
        row = self._connection.execute("SELECT id FROM embed_fingerprints WHERE name = ?", (fingerprint,)).fetchone()
        return None if row is None else int(row[0])

    def _touch(self, number: int, digests: Iterable[bytes]) -> None:
        with transaction(self._connection):
            self._used += 1
            self._connection.executemany(
                "UPDATE embed_vectors SET used = ? WHERE fingerprint = ? AND digest = ?",
                [(self._used, number, digest) for digest in digests],
            )

    def _remove_oldest(self, wanted_bytes: float) -> None:
        while self._bytes_in_use() > wanted_bytes:
            removed = self._connection.execute(
                "DELETE FROM embed_vectors WHERE id IN (SELECT id FROM embed_vectors ORDER BY used LIMIT ?)",
                (_REMOVED_AT_ONCE,),
            ).rowcount
            if removed <= 0:
                return

    def _bytes_in_use(self) -> int:
        pages, free, size = (
            self._connection.execute(f"PRAGMA {name}").fetchone()[0]
            for name in ("page_count", "freelist_count", "page_size")
        )
        return int((pages - free) * size)


def _opened(path: Path) -> tuple[sqlite3.Connection, int]:
    """The database and the number of its last use; reads enough to notice most damage."""
    connection = connect(path)
    try:
        # What a power cut takes is computed again; waiting for the disk at each batch would cost more.
        connection.execute("PRAGMA synchronous=NORMAL")
        ensure_schema(connection, _SCHEMA, SCHEMA_VERSION, "vector cache")
        with sqlite_errors(path.name):
            connection.execute("SELECT count(*) FROM embed_fingerprints").fetchone()
            used = connection.execute("SELECT coalesce(max(used), 0) FROM embed_vectors").fetchone()[0]
    except BaseException:
        connection.close()
        raise
    return connection, int(used)
