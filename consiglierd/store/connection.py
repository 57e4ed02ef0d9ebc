"""Opening SQLite files safely, and keeping a pool of readers."""

import os
import queue
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from consiglierd.errors import Poisoned, StoreNewer

BUSY_TIMEOUT_MS = 5000


class StoreCorrupt(Poisoned):
    """The file is not a database of ours, or SQLite calls it malformed; derived data is then rebuilt."""


def connect(path: Path, *, read_only: bool = False) -> sqlite3.Connection:
    """A connection in WAL mode; the writer's commits reach the disk before they return (synchronous=FULL)."""
    if not read_only:
        # SQLite would create the file with the umask's mode; ours are the user's alone.
        os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600))
    try:
        connection = sqlite3.connect(
            f"file:{_quoted(path)}{'?mode=ro' if read_only else ''}",
            uri=True,
            isolation_level=None,
            check_same_thread=False,
            cached_statements=256,
        )
        connection.execute(f"PRAGMA busy_timeout={BUSY_TIMEOUT_MS}")
        connection.execute("PRAGMA foreign_keys=ON")
        connection.execute("PRAGMA trusted_schema=OFF")
        if read_only:
            connection.execute("PRAGMA query_only=ON")
        else:
            connection.execute("PRAGMA journal_mode=WAL")
            connection.execute("PRAGMA synchronous=FULL")
            connection.execute("PRAGMA journal_size_limit=67108864")
        connection.execute("PRAGMA cache_size=-8192")
    except sqlite3.DatabaseError as error:
        raise StoreCorrupt(f"{path.name} cannot be opened: {error}") from error
    return connection


def _quoted(path: Path) -> str:
    return str(path).replace("%", "%25").replace("?", "%3f").replace("#", "%23")


def ensure_schema(connection: sqlite3.Connection, schema: str, version: int, what: str) -> bool:
    """Create the tables in an empty file; True if it was empty.

    Raises StoreNewer for a file of a newer version and StoreCorrupt for an older or foreign one
    (derived data of another version is rebuilt rather than migrated).
    """
    try:
        found = int(connection.execute("PRAGMA user_version").fetchone()[0])
        is_empty = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0] == 0
        if found == 0 and is_empty:
            connection.executescript(f"BEGIN IMMEDIATE;{schema}PRAGMA user_version={version};COMMIT;")
            return True
    except sqlite3.DatabaseError as error:
        raise StoreCorrupt(f"the {what} database cannot be read: {error}") from error
    if found > version:
        raise StoreNewer(
            f"the {what} database was written by a newer consigliere (format {found}, this one knows {version})",
            cure="update consigliere, or remove the .consigliere folder to index anew",
        )
    if found != version:
        raise StoreCorrupt(f"the {what} database has format {found}, not {version}")
    return False


@contextmanager
def transaction(connection: sqlite3.Connection) -> Iterator[None]:
    """One immediate transaction; rolled back if the body raises."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
    except BaseException:
        connection.execute("ROLLBACK")
        raise
    connection.execute("COMMIT")


class ReaderPool:
    """Read-only connections, at most `limit`; a reader that finds none free waits for one."""

    def __init__(self, path: Path, *, limit: int = 8) -> None:
        self._path = path
        self._free: queue.LifoQueue[sqlite3.Connection | None] = queue.LifoQueue()
        for _ in range(limit):
            self._free.put(None)
        self._is_closed = False

    @contextmanager
    def read(self) -> Iterator[sqlite3.Connection]:
        """One consistent view of the database for the length of the block."""
        connection = self._free.get()
        try:
            if connection is None:
                connection = connect(self._path, read_only=True)
            connection.execute("BEGIN")
            try:
                yield connection
            finally:
                if connection.in_transaction:
                    connection.execute("COMMIT")
        finally:
            if self._is_closed and connection is not None:
                connection.close()
                connection = None
            self._free.put(connection)

    def close(self) -> None:
        self._is_closed = True
        free: list[sqlite3.Connection | None] = []
        while not self._free.empty():
            free.append(self._free.get())
        for connection in free:
            if connection is not None:
                connection.close()
            self._free.put(None)
