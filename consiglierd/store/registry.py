"""What the daemon remembers of every workspace, open or closed: its nonce, and openings that ended badly."""

import sqlite3
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from threading import Lock

from consiglierd.store.connection import StoreCorrupt, connect, ensure_schema
from consiglierd.store.schema import REGISTRY_SCHEMA, REGISTRY_SCHEMA_VERSION

CRASHES_TO_QUARANTINE = 2


@dataclass(frozen=True, slots=True)
class RegisteredWorkspace:
    """One line of the registry; `crashes` counts openings in a row during which the daemon died."""

    root: str
    nonce: str
    opened_at: str
    crashes: int
    files: int
    chunks: int


class Registry:
    """One file in the state directory; calls are short and may come from any thread."""

    def __init__(self, path: Path) -> None:
        self._lock = Lock()
        self._connection = _open(path)
        # Whoever was being opened when the last daemon died may be what killed it.
        self._connection.execute("UPDATE workspaces SET crashes = crashes + 1, opening = 0 WHERE opening = 1")

    def close(self) -> None:
        with self._lock:
            self._connection.close()

    def find(self, root: str) -> RegisteredWorkspace | None:
        with self._lock:
            row = self._connection.execute(
                "SELECT root, nonce, opened_at, crashes, files, chunks FROM workspaces WHERE root = ?", (root,)
            ).fetchone()
        return None if row is None else RegisteredWorkspace(*row)

    def all(self) -> list[RegisteredWorkspace]:
        with self._lock:
            rows = self._connection.execute(
                "SELECT root, nonce, opened_at, crashes, files, chunks FROM workspaces ORDER BY root"
            ).fetchall()
        return [RegisteredWorkspace(*row) for row in rows]

    def mark_opening(self, root: str) -> None:
        """Before anything native touches the workspace's files."""
        now = datetime.now(UTC).isoformat(timespec="seconds")
        with self._lock:
            self._connection.execute(
                "INSERT INTO workspaces (root, nonce, opened_at, opening) VALUES (?, '', ?, 1)"
                " ON CONFLICT (root) DO UPDATE SET opening = 1, opened_at = excluded.opened_at",
                (root, now),
            )

    def mark_open(self, root: str, nonce: str) -> None:
        """The opening ended well."""
        with self._lock:
            self._connection.execute(
                "UPDATE workspaces SET nonce = ?, opening = 0, crashes = 0 WHERE root = ?", (nonce, root)
            )

    def mark_failed(self, root: str) -> None:
        """The opening ended with an error that we saw: that is no crash."""
        with self._lock:
            self._connection.execute("UPDATE workspaces SET opening = 0 WHERE root = ?", (root,))

    def mark_none_opening(self) -> None:
        """Whoever is being opened is not what ends the daemon."""
        with self._lock:
            self._connection.execute("UPDATE workspaces SET opening = 0 WHERE opening = 1")

    def note_size(self, root: str, files: int, chunks: int) -> None:
        with self._lock:
            self._connection.execute(
                "UPDATE workspaces SET files = ?, chunks = ? WHERE root = ?", (files, chunks, root)
            )

    def forget(self, root: str) -> None:
        with self._lock:
            self._connection.execute("DELETE FROM workspaces WHERE root = ?", (root,))


def _open(path: Path) -> sqlite3.Connection:
    """The registry can be made anew from nothing, so a file that cannot be read is replaced."""
    try:
        connection = connect(path)
        ensure_schema(connection, REGISTRY_SCHEMA, REGISTRY_SCHEMA_VERSION, "registry")
    except StoreCorrupt:
        for suffix in ("", "-wal", "-shm"):
            path.with_name(path.name + suffix).unlink(missing_ok=True)
        connection = connect(path)
        ensure_schema(connection, REGISTRY_SCHEMA, REGISTRY_SCHEMA_VERSION, "registry")
    return connection
