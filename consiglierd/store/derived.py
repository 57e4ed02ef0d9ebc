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
from consiglierd.store.connection import ReaderPool, StoreCorrupt, connect, ensure_schema, file_identity, sqlite_errors
from consiglierd.store.plan import CommitPlan
from consiglierd.store.schema import DERIVED_SCHEMA, SCHEMA_VERSION

JOURNAL_ROWS_KEPT = 1000
# Looking for what nobody has any more costs a look at everything: it must be worth it.
GARBAGE_BYTES = 4_000_000


class DerivedStore:
    """`commit` and `prune` belong to one thread; everything else may be called from any.

    `nonce` is drawn when the file is made: an index that carries another is of another database.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._writer = connect(path)
        try:
            with sqlite_errors(path.name):
                ensure_schema(self._writer, DERIVED_SCHEMA, SCHEMA_VERSION, "derived")
                self.nonce = self._ensure_nonce()
        except BaseException:
            self._writer.close()
            raise
        self._readers = ReaderPool(path)
        self._identity = file_identity(path)
        self._is_damaged = False
        # How often sections were forgotten since it was opened.
        self.prunings = 0

    def _ensure_nonce(self) -> str:
        self._writer.execute("INSERT OR IGNORE INTO meta VALUES ('nonce', ?)", (secrets.token_hex(8),))
        return str(self._writer.execute("SELECT value FROM meta WHERE key = 'nonce'").fetchone()[0])

    @property
    def is_in_place(self) -> bool:
        """Whether the file that was opened still lies where it was."""
        return self._identity is not None and file_identity(self._path) == self._identity

    @property
    def is_damaged(self) -> bool:
        """Whether something was read from it that SQLite cannot have written."""
        return self._is_damaged

    @contextlib.contextmanager
    def watching_errors(self) -> Iterator[None]:
        """SQLite's errors as ours, for whoever has a connection of his own; what is damaged is remembered."""
        try:
            with sqlite_errors(self._path.name):
                yield
        except StoreCorrupt:
            self._is_damaged = True
            raise

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
        with self.watching_errors():
            return write.commit(self._writer, plan)

    def known_files(self) -> dict[str, tuple[KnownFile, Digest, str]]:
        with self.watching_errors():
            return read.known_files(self._writer)

    def live_terms_of(self, path: str) -> list[bytes]:
        with self.watching_errors():
            return read.live_terms_of(self._writer, path)

    def parse_terms(self, digest: Digest, recipe: str) -> list[bytes] | None:
        with self.watching_errors():
            return read.parse_terms(self._writer, digest, recipe)

    def retire_parses(self) -> None:
        with self.watching_errors():
            write.retire_parses(self._writer)

    def prune(self, revision: Revision, *, at_least_bytes: int = GARBAGE_BYTES) -> bool:
        """Forget what was removed up to `revision`, if that is much: no follower and no reader may need it any more."""
        with self.watching_errors():
            if read.removed_bytes(self._writer, revision) < at_least_bytes:
                return False
            journal = Revision(max(0, revision - JOURNAL_ROWS_KEPT))
            write.prune(self._writer, removed_to=revision, journal_before=journal)
            self.prunings += 1
            return True

    # -- any thread ---------------------------------------------------------------------------

    @contextlib.contextmanager
    def reading(self) -> Iterator[sqlite3.Connection]:
        with self.watching_errors(), self._readers.read() as connection:
            yield connection

    def head(self) -> Revision:
        with self.reading() as connection:
            return read.head_revision(connection)

    def changes_after(self, revision: Revision, limit: int) -> tuple[RevisionChanges, ...] | None:
        with self.reading() as connection:
            return read.changes_after(connection, revision, limit)

    def scoring_rows(self, ids: Sequence[ChunkId]) -> list[ScoringRow]:
        with self.reading() as connection:
            return read.scoring_rows(connection, ids)

    def chunk_rows(self, ids: Sequence[ChunkId]) -> list[ChunkRow]:
        with self.reading() as connection:
            return read.chunk_rows(connection, ids)

    def live_ids(self) -> tuple[Revision, NDArray[np.int64]]:
        with self.reading() as connection:
            return read.live_ids(connection)

    def statistics(self) -> Statistics:
        with self.reading() as connection:
            return read.statistics(connection)

    def ids_whose_text_contains(self, needle: str, limit: int) -> list[ChunkId]:
        with self.reading() as connection:
            return read.ids_whose_text_contains(connection, needle, limit)

    def check(self) -> str | None:
        """What SQLite finds wrong with the file, None if nothing."""
        with self.reading() as connection:
            found = str(connection.execute("PRAGMA quick_check(1)").fetchone()[0])
        return None if found == "ok" else found

    def overview(self) -> overviews.Overview:
        with self.reading() as connection:
            return overviews.overview(connection)

    def document_at(self, path: str) -> overviews.DocumentRow | None:
        with self.reading() as connection:
            return overviews.document_at(connection, path)

    def document_paths(self) -> list[str]:
        with self.reading() as connection:
            return overviews.document_paths(connection)

    def sections_of(self, path: str) -> list[tuple[int, int]]:
        with self.reading() as connection:
            return overviews.sections_of(connection, path)

    def section_lines_at(self, path: str, line: int) -> tuple[int, int] | None:
        with self.reading() as connection:
            return overviews.section_lines_at(connection, path, line)

    def paths_like(self, path: str) -> list[str]:
        with self.reading() as connection:
            return overviews.paths_like(connection, path)
