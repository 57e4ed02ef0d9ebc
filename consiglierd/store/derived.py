"""The derived database of one workspace: one writer, pooled readers, a journal."""

import contextlib
import secrets
import sqlite3
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from consiglierd.model.files import KnownFile
from consiglierd.model.ids import ChunkId, Digest, Revision
from consiglierd.model.stored import ChunkRow, RevisionChanges, ScoringRow, Statistics
from consiglierd.store import overview as overviews
from consiglierd.store import read, write
from consiglierd.store.connection import ReaderPool, StoreCorrupt, connect, ensure_schema
from consiglierd.store.plan import CommitPlan
from consiglierd.store.schema import DERIVED_SCHEMA, SCHEMA_VERSION

JOURNAL_ROWS_KEPT = 5000
REMOVED_ROWS_KEPT = 100


class DerivedStore:
    """`commit` and `prune` belong to one thread; everything else may be called from any.

    `nonce` is drawn when the file is made: an index that carries another is of another database.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._writer = connect(path)
        try:
            ensure_schema(self._writer, DERIVED_SCHEMA, SCHEMA_VERSION, "derived")
            self.nonce = self._ensure_nonce()
        except sqlite3.DatabaseError as error:
            self._writer.close()
            raise StoreCorrupt(f"{path.name} cannot be read: {error}") from error
        except BaseException:
            self._writer.close()
            raise
        self._readers = ReaderPool(path)

    def _ensure_nonce(self) -> str:
        self._writer.execute("INSERT OR IGNORE INTO meta VALUES ('nonce', ?)", (secrets.token_hex(8),))
        return str(self._writer.execute("SELECT value FROM meta WHERE key = 'nonce'").fetchone()[0])

    @property
    def path(self) -> Path:
        return self._path

    def close(self) -> None:
        self._readers.close()
        # Without a checkpoint the log would be replayed at the next start; a failure here loses nothing.
        with contextlib.suppress(sqlite3.OperationalError):
            self._writer.execute("PRAGMA wal_checkpoint(PASSIVE)")
        self._writer.close()

    # -- the writer's thread ------------------------------------------------------------------

    def commit(self, plan: CommitPlan) -> Revision:
        return write.commit(self._writer, plan)

    def known_files(self) -> dict[str, tuple[KnownFile, Digest, str]]:
        return read.known_files(self._writer)

    def live_terms_of(self, path: str) -> list[bytes]:
        return read.live_terms_of(self._writer, path)

    def parse_terms(self, digest: Digest, recipe: str) -> list[bytes] | None:
        return read.parse_terms(self._writer, digest, recipe)

    def retire_parses(self) -> None:
        write.retire_parses(self._writer)

    def prune(self, *, follower_at: Revision) -> None:
        """Forget what every follower has passed; what was removed lately stays for readers that began before."""
        kept = Revision(max(0, follower_at - JOURNAL_ROWS_KEPT))
        write.prune(self._writer, removed_before=Revision(max(0, follower_at - REMOVED_ROWS_KEPT)), journal_before=kept)

    # -- any thread ---------------------------------------------------------------------------

    @contextlib.contextmanager
    def reading(self) -> Iterator[sqlite3.Connection]:
        with self._readers.read() as connection:
            yield connection

    def head(self) -> Revision:
        with self._readers.read() as connection:
            return read.head_revision(connection)

    def changes_after(self, revision: Revision, limit: int) -> tuple[RevisionChanges, ...] | None:
        with self._readers.read() as connection:
            return read.changes_after(connection, revision, limit)

    def scoring_rows(self, ids: Sequence[ChunkId]) -> list[ScoringRow]:
        with self._readers.read() as connection:
            return read.scoring_rows(connection, ids)

    def chunk_rows(self, ids: Sequence[ChunkId]) -> list[ChunkRow]:
        with self._readers.read() as connection:
            return read.chunk_rows(connection, ids)

    def live_ids(self) -> tuple[Revision, NDArray[np.int64]]:
        with self._readers.read() as connection:
            return read.live_ids(connection)

    def statistics(self) -> Statistics:
        with self._readers.read() as connection:
            return read.statistics(connection)

    def ids_whose_text_contains(self, needle: str, limit: int) -> list[ChunkId]:
        with self._readers.read() as connection:
            return read.ids_whose_text_contains(connection, needle, limit)

    def check(self) -> str | None:
        """What SQLite finds wrong with the file, None if nothing."""
        with self._readers.read() as connection:
            found = str(connection.execute("PRAGMA quick_check(1)").fetchone()[0])
        return None if found == "ok" else found

    def overview(self) -> overviews.Overview:
        with self._readers.read() as connection:
            return overviews.overview(connection)

    def document_at(self, path: str) -> overviews.DocumentRow | None:
        with self._readers.read() as connection:
            return overviews.document_at(connection, path)

    def section_lines_at(self, path: str, line: int) -> tuple[int, int] | None:
        with self._readers.read() as connection:
            return overviews.section_lines_at(connection, path, line)

    def paths_like(self, path: str) -> list[str]:
        with self._readers.read() as connection:
            return overviews.paths_like(connection, path)

    def has_private(self) -> bool:
        with self._readers.read() as connection:
            return overviews.has_private(connection)
