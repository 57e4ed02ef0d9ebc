"""Opening SQLite files safely, and keeping a pool of readers."""

import os
import sqlite3
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from consiglierd.errors import Poisoned, StorageFull, StoreNewer, Unavailable

BUSY_TIMEOUT_MS = 5000
# The disk, the rights or the number of descriptors stand against it; nothing is wrong with the content.
_NOT_NOW = frozenset({sqlite3.SQLITE_IOERR, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_READONLY, sqlite3.SQLITE_BUSY})
_DAMAGED = frozenset({sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB})


class StoreCorrupt(Poisoned):
    """The file is not a database of ours, or SQLite calls it malformed; derived data is then rebuilt."""


def connect(path: Path, *, read_only: bool = False) -> sqlite3.Connection:
    """A connection in WAL mode; the writer's commits reach the disk before they return (synchronous=FULL)."""
    if not read_only:
        # SQLite would create the file with the umask's mode; ours are the user's alone.
        os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600))
    with sqlite_errors(path.name):
        return _connected(path, read_only=read_only)


def _connected(path: Path, *, read_only: bool) -> sqlite3.Connection:
    connection = sqlite3.connect(
        f"file:{_quoted(path)}{'?mode=ro' if read_only else ''}",
        uri=True,
        isolation_level=None,
        check_same_thread=False,
        cached_statements=256,
    )
    try:
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
    except BaseException:
        connection.close()
        raise
    return connection


@contextmanager
def sqlite_errors(name: str) -> Iterator[None]:
    """Tells a damaged file and a full disk from every other error of SQLite."""
    try:
        yield
    except sqlite3.DatabaseError as error:
        code = getattr(error, "sqlite_errorcode", 0) & 0xFF
        if code == sqlite3.SQLITE_FULL:
            raise StorageFull(f"there is no room on the disk for {name}", cure="make room on the disk") from error
        # Our statements name only tables of ours: where one is missing, the file is not what we made.
        if code in _DAMAGED or str(error).startswith("no such table"):
            raise StoreCorrupt(f"{name} is damaged: {error}", cure="ask again: the index is built anew") from error
        if code in _NOT_NOW:
            raise Unavailable(f"{name} cannot be used: {error}", cure="ask again in a moment") from error
        raise


def _quoted(path: Path) -> str:
    return str(path).replace("%", "%25").replace("?", "%3f").replace("#", "%23")


def ensure_schema(connection: sqlite3.Connection, schema: str, version: int, what: str) -> bool:
    """Create the tables in an empty file; True if it was empty.

    Raises StoreNewer for a file of a newer version and StoreCorrupt for an older or foreign one
    (derived data of another version is rebuilt rather than migrated).
    """
    with sqlite_errors(f"the {what} database"):
        found = int(connection.execute("PRAGMA user_version").fetchone()[0])
        is_empty = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0] == 0
        if found == 0 and is_empty:
            connection.executescript(f"BEGIN IMMEDIATE;{schema}PRAGMA user_version={version};COMMIT;")
            return True
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
        connection.execute("COMMIT")
    except BaseException:
        # A full disk makes SQLite roll back by itself.
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise


class ReaderPool:
    """Read-only connections, at most `limit`; a reader that finds none free waits for one."""

    def __init__(self, path: Path, *, limit: int = 8) -> None:
        self._path = path
        self._limit = limit
        self._identity = file_identity(path)
        self._free: list[sqlite3.Connection] = []
        self._open = 0
        self._change = threading.Condition()
        self._is_closed = False

    @contextmanager
    def read(self) -> Iterator[sqlite3.Connection]:
        """One consistent view of the database for the length of the block."""
        connection = self._taken()
        try:
            connection.execute("BEGIN")
            try:
                yield connection
            finally:
                if connection.in_transaction:
                    connection.execute("COMMIT")
        finally:
            self._give_back(connection)

    def _taken(self) -> sqlite3.Connection:
        with self._change:
            self._change.wait_for(lambda: self._free or self._open < self._limit)
            if self._free:
                return self._free.pop()
            self._open += 1
        try:
            return self._opened()
        except Unavailable:
            # While the folder is away its name leads nowhere, but the connections that are open go on.
            self._count_back()
            with self._change:
                self._change.wait_for(lambda: self._free or self._open == 0)
                if self._free:
                    return self._free.pop()
            raise
        except BaseException:
            self._count_back()
            raise

    def _count_back(self) -> None:
        with self._change:
            self._open -= 1
            # Whoever waits may wait for a free one, or for the last one to be gone.
            self._change.notify_all()

    def _opened(self) -> sqlite3.Connection:
        connection = connect(self._path, read_only=True)
        # Another project may have been moved to this name since.
        if file_identity(self._path) != self._identity:
            connection.close()
            raise Unavailable(f"{self._path.name} was replaced", cure="ask again in a moment")
        return connection

    def _give_back(self, connection: sqlite3.Connection) -> None:
        with self._change:
            if self._is_closed:
                self._open -= 1
                connection.close()
            else:
                self._free.append(connection)
            # Whoever waits may wait for a free one, or for the last one to be gone.
            self._change.notify_all()

    def close(self) -> None:
        with self._change:
            self._is_closed = True
            while self._free:
                self._free.pop().close()
                self._open -= 1


def file_identity(path: Path) -> tuple[int, int] | None:
    """What tells a file from another of the same name; None where there is none."""
    try:
        found = os.lstat(path)
    except OSError:
        return None
    return (found.st_dev, found.st_ino)
