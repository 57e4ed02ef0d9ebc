"""The authored database: what people and agents wrote, never rebuilt, outside the project's folder."""

import hashlib
import shutil
import sqlite3
from pathlib import Path

from consiglierd.store.connection import connect, ensure_schema
from consiglierd.store.schema import AUTHORED_SCHEMA, AUTHORED_SCHEMA_VERSION


def repository_id(root: str, git_common_directory: str | None) -> str:
    """Names the authored database: one for all worktrees of a repository; without git, by the folder."""
    identity = f"git:{git_common_directory}" if git_common_directory else f"root:{root}"
    return hashlib.blake2b(identity.encode("utf-8", "surrogateescape"), digest_size=10).hexdigest()


class AuthoredStore:
    """One file a repository in the state directory. A copy is kept before its format is ever changed."""

    def __init__(self, directory: Path, identity: str, root: str) -> None:
        directory.mkdir(mode=0o700, parents=True, exist_ok=True)
        self.path = directory / f"{identity}.db"
        _copy_before_migration(self.path)
        self._connection = connect(self.path)
        ensure_schema(self._connection, AUTHORED_SCHEMA, AUTHORED_SCHEMA_VERSION, "authored")
        self._connection.execute("INSERT OR IGNORE INTO meta VALUES ('root', ?)", (root,))

    def close(self) -> None:
        self._connection.close()


def _copy_before_migration(path: Path) -> None:
    if not path.exists():
        return
    connection = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
    try:
        found = int(connection.execute("PRAGMA user_version").fetchone()[0])
    finally:
        connection.close()
    if 0 < found < AUTHORED_SCHEMA_VERSION:
        shutil.copy2(path, path.with_name(f"{path.name}.format-{found}"))
