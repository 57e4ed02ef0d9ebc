"""The vectors of a workspace: one row for each text that was embedded, and which section has which.

They lie in the derived database, so that whoever forgets a section forgets its vectors, and are
written through a connection of their own: a search by words never waits for them. Losing the last
of them with the power costs embedding them again, so these commits need not reach the disk at once.
"""

import json
import sqlite3
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from consiglierd.model.ids import ChunkId, Revision
from consiglierd.store.connection import connect, transaction
from consiglierd.store.derived import DerivedStore

_ACTIVE = "embedding_model"
# Of what is deleted in one transaction: the indexer waits for its turn no longer than that takes.
ROWS_IN_TURN = 5000
VECTOR_TYPE = np.dtype("<f2")


@dataclass(frozen=True, slots=True)
class EmbeddingModel:
    """How vectors were made: equal fingerprints give comparable vectors of `dimensions` numbers."""

    id: int
    fingerprint: str
    dimensions: int
    recipe: str = field(compare=False)


@dataclass(frozen=True, slots=True)
class SectionText:
    """What is embedded of a section: its headings, outermost first, and its text."""

    section_id: int
    headings: tuple[str, ...]
    text: str


@dataclass(frozen=True, slots=True)
class ChunkVectors:
    """Rows in the order of chunks, then of windows: `chunks` (int64) is one a row of `vectors` (float16)."""

    chunks: NDArray[np.int64]
    vectors: NDArray[np.float16]


class VectorStore:
    """One thread writes; everything that only reads may be called from any."""

    def __init__(self, store: DerivedStore) -> None:
        self._store = store
        self._writer = connect(store.path)
        self._writer.execute("PRAGMA synchronous=NORMAL")
        # Nobody knows what was forgotten before.
        self._pruned_at = -1

    def close(self) -> None:
        self._writer.close()

    @contextmanager
    def _writing(self) -> Iterator[None]:
        with self._store.watching_errors(), transaction(self._writer):
            yield

    # -- models -------------------------------------------------------------------------------

    def model(self, fingerprint: str, dimensions: int, recipe: str = "") -> EmbeddingModel:
        """The model of a fingerprint, entered if it is new; `recipe` is how its embedder is had again."""
        with self._writing():
            self._writer.execute(
                "INSERT INTO embedding_models (fingerprint, dimensions, recipe) VALUES (?, ?, ?)"
                " ON CONFLICT (fingerprint) DO UPDATE SET recipe = excluded.recipe",
                (fingerprint, dimensions, recipe),
            )
            row = self._writer.execute(
                "SELECT id, fingerprint, dimensions, recipe FROM embedding_models WHERE fingerprint = ?", (fingerprint,)
            ).fetchone()
        return EmbeddingModel(*row)

    def active_model(self) -> EmbeddingModel | None:
        """The one whose vectors answer."""
        with self._store.reading() as connection:
            row = connection.execute(
                "SELECT m.id, m.fingerprint, m.dimensions, m.recipe FROM meta JOIN embedding_models m"
                " ON m.id = CAST(meta.value AS INTEGER) WHERE meta.key = ?",
                (_ACTIVE,),
            ).fetchone()
        return EmbeddingModel(*row) if row is not None else None

    def activate(self, model: EmbeddingModel) -> None:
        """From now on the vectors of `model` answer."""
        self.keep_note(_ACTIVE, str(model.id))

    def forget_others(self, models: Collection[EmbeddingModel]) -> None:
        """The vectors of all models but these; the indexer may write in between."""
        kept = _listed([model.id for model in models])
        others = self._writer.execute(
            "SELECT id FROM embedding_models WHERE id NOT IN (SELECT value FROM json_each(?))", (kept,)
        ).fetchall()
        for (other,) in others:
            for table, key in (("section_windows", "section_id, model_id, ordinal"), ("window_vectors", "id")):
                self._delete_in_turns(table, key, "model_id = ?", (other,))
            with self._writing():
                self._writer.execute("DELETE FROM embedding_models WHERE id = ?", (other,))

    def _delete_in_turns(self, table: str, key: str, condition: str, values: tuple[int, ...]) -> None:
        statement = (
            f"DELETE FROM {table} WHERE ({key}) IN (SELECT {key} FROM {table} WHERE {condition} LIMIT {ROWS_IN_TURN})"
        )
        is_done = False
        while not is_done:
            with self._writing():
                is_done = self._writer.execute(statement, values).rowcount < ROWS_IN_TURN

    def note(self, name: str) -> str | None:
        """What was kept under a name."""
        with self._store.reading() as connection:
            row = connection.execute("SELECT value FROM meta WHERE key = ?", (name,)).fetchone()
        return str(row[0]) if row is not None else None

    def keep_note(self, name: str, value: str) -> None:
        with self._writing():
            self._writer.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", (name, value))

    # -- writing ------------------------------------------------------------------------------

    def write(
        self,
        model: EmbeddingModel,
        windows: Mapping[int, Sequence[bytes]],
        vectors: Mapping[bytes, NDArray[np.float32]],
    ) -> None:
        """The digests of each section's windows, in order, and the vectors that are not stored yet.

        A section that was forgotten meanwhile is passed over.
        """
        with self._writing():
            self._writer.executemany(
                "INSERT OR IGNORE INTO window_vectors (model_id, digest, vector) VALUES (?, ?, ?)",
                [(model.id, digest, vector.astype(VECTOR_TYPE).tobytes()) for digest, vector in vectors.items()],
            )
            self._writer.executemany(
                "INSERT OR IGNORE INTO section_windows (section_id, model_id, ordinal, window_id)"
                " SELECT s.id, ?, ?, v.id FROM sections s JOIN window_vectors v ON v.model_id = ? AND v.digest = ?"
                " WHERE s.id = ?",
                [
                    (model.id, ordinal, model.id, digest, section_id)
                    for section_id, digests in windows.items()
                    for ordinal, digest in enumerate(digests)
                ],
            )

    def prune(self) -> None:
        """Forget the vectors of texts that no section has any more, if sections were forgotten since the last time."""
        prunings = self._store.prunings
        if prunings == self._pruned_at:
            return
        last = self._writer.execute("SELECT coalesce(max(id), 0) FROM window_vectors").fetchone()[0]
        for start in range(0, last, ROWS_IN_TURN):
            with self._writing():
                self._writer.execute(
                    "DELETE FROM window_vectors WHERE id > ? AND id <= ?"
                    " AND NOT EXISTS (SELECT 1 FROM section_windows w WHERE w.window_id = window_vectors.id)",
                    (start, start + ROWS_IN_TURN),
                )
        self._pruned_at = prunings

    # -- reading, any thread ------------------------------------------------------------------

    def sections_without(self, model: EmbeddingModel, ids: Sequence[ChunkId]) -> list[SectionText]:
        """The sections of some chunks that have no vectors of `model` yet."""
        with self._store.reading() as connection:
            rows = connection.execute(
                "SELECT DISTINCT s.id, s.heading_path, t.content FROM json_each(?) wanted"
                " JOIN chunk_rows c ON c.id = wanted.value JOIN sections s ON s.id = c.section_id"
                " JOIN section_texts t ON t.section_id = s.id WHERE NOT EXISTS"
                " (SELECT 1 FROM section_windows w WHERE w.section_id = s.id AND w.model_id = ?)",
                (_listed(ids), model.id),
            ).fetchall()
        return [SectionText(row[0], tuple(json.loads(row[1])), row[2]) for row in rows]

    def known_digests(self, model: EmbeddingModel, digests: Sequence[bytes]) -> set[bytes]:
        """Those of the digests whose vectors are stored."""
        with self._store.reading() as connection:
            return {
                digest
                for digest in digests
                if connection.execute(
                    "SELECT 1 FROM window_vectors WHERE model_id = ? AND digest = ?", (model.id, digest)
                ).fetchone()
            }

    def vectors_of(self, model: EmbeddingModel, ids: Sequence[ChunkId]) -> ChunkVectors:
        """The vectors of some chunks; a chunk that has none yet is left out."""
        with self._store.reading() as connection:
            rows = connection.execute(
                "SELECT c.id, v.vector FROM json_each(?) wanted JOIN chunk_rows c ON c.id = wanted.value"
                " JOIN section_windows w ON w.section_id = c.section_id AND w.model_id = ?"
                " JOIN window_vectors v ON v.id = w.window_id ORDER BY c.id, w.ordinal",
                (_listed(ids), model.id),
            ).fetchall()
        vectors = np.frombuffer(b"".join(row[1] for row in rows), dtype=VECTOR_TYPE)
        return ChunkVectors(
            np.fromiter((row[0] for row in rows), dtype=np.int64, count=len(rows)),
            vectors.reshape(len(rows), model.dimensions).astype(np.float16, copy=False),
        )

    def live_at(self, ids: Sequence[int], revision: Revision) -> set[int]:
        """Those of the chunks that are live at a revision which somebody still holds."""
        with self._store.reading() as connection:
            return live_at(connection, ids, revision)


def live_at(connection: sqlite3.Connection, ids: Sequence[int], revision: Revision) -> set[int]:
    rows = connection.execute(
        "SELECT c.id FROM json_each(?) wanted JOIN chunk_rows c ON c.id = wanted.value"
        " WHERE c.added_revision <= ? AND (c.removed_revision IS NULL OR c.removed_revision > ?)",
        (_listed(ids), revision, revision),
    )
    return {row[0] for row in rows}


def _listed(ids: Sequence[int]) -> str:
    return json.dumps(list(map(int, ids)))
