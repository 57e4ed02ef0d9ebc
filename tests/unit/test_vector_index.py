"""The vector index follows the journal: what is live has its vectors, whatever happens in between."""

from pathlib import Path

import numpy as np
import pytest

from consiglierd.index.stored_vectors import StoredVectors
from consiglierd.index.vector import VectorIndex
from consiglierd.index.vector_snapshot import cosines, propose
from consiglierd.model.ids import ChunkId
from consiglierd.store.vectors import VectorStore
from tests.support.hashed_embedder import HashedEmbedder
from tests.support.held_index import HeldIndex


class OutOfReach(Exception):
    """What the embedding raises in these tests."""


def paragraphs(title: str, text: str) -> list[str]:
    return [f"{title}\n{part}" for part in text.split("\n\n")]


class Vectors:
    """An index of vectors beside a held index, opened anew at will."""

    def __init__(self, held: HeldIndex, embedder: HashedEmbedder | None = None) -> None:
        self.held = held
        self.embedder = embedder if embedder is not None else HashedEmbedder()
        self.store = VectorStore(held.store)
        self.open()

    def open(self) -> VectorIndex:
        model = self.store.model(self.embedder.fingerprint, self.embedder.dimensions)
        stored = StoredVectors(self.store, model, self.embedder, paragraphs)
        self.index = VectorIndex(self.held.folder / "vector", self.held.store, stored)
        self.index.open()
        return self.index

    def fill(self) -> VectorIndex:
        while self.index.step():
            pass
        return self.index

    def check(self) -> None:
        """Every live chunk, and nothing else, is proposed, with the cosines of its own text."""
        snapshot = self.fill().snapshot()
        assert (snapshot.revision, snapshot.waiting) == (self.held.store.head(), 0)
        query = self.embedder.embed_queries(["검색 daemon"])[0]
        live = self.held.store.live_ids()[1].tolist()
        found = propose(snapshot, query, 10_000, None)
        assert found.is_exhausted
        assert found.ids == tuple(live)
        rows = self.held.store.chunk_rows([ChunkId(number) for number in live])
        expected = {
            int(row.scoring.chunk_id): max(
                float(vector.astype(np.float16).astype(np.float64) @ query.astype(np.float64))
                for vector in self.embedder.embed_queries(paragraphs(" / ".join(row.heading_path), row.text))
            )
            for row in rows
        }
        actual = cosines(snapshot, query, live).tolist()
        assert actual == pytest.approx([expected[number] for number in live], abs=1e-9)


@pytest.fixture
def vectors(tmp_path: Path):  # type: ignore[no-untyped-def]  # a generator fixture
    held = HeldIndex(tmp_path)
    made = Vectors(held)
    yield made
    made.store.close()
    held.close()


def text_of(number: int) -> str:
    return f"# 제목 {number}\n\n검색 {number} daemon {number * 7}\n\n둘째 문단 {number * 13} index\n"


def write(vectors: Vectors, *numbers: int) -> None:
    vectors.held.write({f"docs/{number}.md": text_of(number) for number in numbers})


def test_what_is_written_has_vectors_and_what_is_removed_has_none(vectors: Vectors) -> None:
    write(vectors, *range(20))
    vectors.check()
    vectors.held.remove(["docs/3.md", "docs/4.md"])
    vectors.held.write({"docs/5.md": "# 다른 글\n\n전혀 다른 내용\n"})
    vectors.check()


def test_the_same_text_is_embedded_once_wherever_it_stands(vectors: Vectors) -> None:
    write(vectors, 1)
    vectors.check()
    before = len(vectors.embedder.embedded)
    vectors.held.write({"other/place.md": text_of(1), "new.md": text_of(1) + "\n끝\n"})
    vectors.check()
    new = vectors.embedder.embedded[before:]
    assert new
    assert all("끝" in text for text in new)


def test_a_restart_embeds_nothing_again(vectors: Vectors) -> None:
    write(vectors, *range(30))
    vectors.check()
    assert not vectors.index.tidy(), "thirty chunks are not worth a file"
    before = len(vectors.embedder.embedded)
    vectors.open()
    vectors.check()
    assert len(vectors.embedder.embedded) == before


def test_what_was_saved_is_taken_up_and_the_rest_is_caught_up(
    vectors: Vectors, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("consiglierd.index.vector.SAVE_AT_LEAST", 10)
    write(vectors, *range(30))
    vectors.check()
    assert vectors.index.tidy()
    vectors.check()
    vectors.held.remove(["docs/1.md"])
    write(vectors, 2, 99)
    read: list[int] = []
    of = vectors.store.vectors_of
    monkeypatch.setattr(vectors.store, "vectors_of", lambda model, ids: read.extend(ids) or of(model, ids))
    vectors.open()
    vectors.check()
    assert 0 < len(read) < 10, "only what is new is read from the database"


@pytest.mark.parametrize("name", ["vectors.f16", "chunks.i64", "codes.i8"])
@pytest.mark.parametrize("damage", ["cut", "flip", "remove", "garbage", "foreign"])
def test_damaged_files_are_noticed_and_made_anew(
    vectors: Vectors, damage: str, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("consiglierd.index.vector.SAVE_AT_LEAST", 10)
    write(vectors, *range(30))
    vectors.fill().tidy()
    folder = vectors.held.folder / "vector"
    (file,) = folder.glob(f"generation-*/{name}")
    content = file.read_bytes()
    match damage:
        case "cut":
            file.write_bytes(content[:-10])
        case "flip":
            file.write_bytes(content[:99] + bytes([content[99] ^ 64]) + content[100:])
        case "remove":
            file.unlink()
        case "garbage":
            (file.parent / "check.json").write_bytes(b"[" * 100_000)
        case "foreign":
            cursor = folder / "cursor.json"
            cursor.write_text(cursor.read_text().replace(vectors.held.store.nonce, "0" * 16))
    vectors.open()
    vectors.check()


def test_rows_of_removed_chunks_are_dropped_when_they_are_many(
    vectors: Vectors, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("consiglierd.index.vector.SAVE_AT_LEAST", 10)
    write(vectors, *range(30))
    vectors.check()
    vectors.held.remove([f"docs/{number}.md" for number in range(20)])
    vectors.fill()
    assert vectors.index.tidy()
    assert len(vectors.index.snapshot().removed) == 0
    assert sum(len(segment.chunks) for segment in vectors.index.snapshot().segments) < 60
    vectors.check()
    vectors.held.remove([f"docs/{number}.md" for number in range(20, 30)])
    vectors.fill()
    assert vectors.index.tidy()
    vectors.check()


def test_where_it_cannot_be_saved_everything_stays_as_it_was(vectors: Vectors, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("consiglierd.index.vector.SAVE_AT_LEAST", 10)
    write(vectors, *range(30))
    vectors.check()
    vectors.held.remove([f"docs/{number}.md" for number in range(20)])
    vectors.fill()
    (vectors.held.folder / "vector" / "generation-1").write_text("in the way")
    with pytest.raises(FileExistsError):
        vectors.index.tidy()
    vectors.check()
    (vectors.held.folder / "vector" / "generation-1").unlink()
    assert vectors.index.tidy()
    vectors.check()


def test_a_failing_embedding_loses_nothing_and_old_vectors_answer(vectors: Vectors) -> None:
    write(vectors, *range(5))
    vectors.check()
    revision = vectors.index.revision
    vectors.embedder.failure = OutOfReach()
    write(vectors, 50, 51)
    with pytest.raises(OutOfReach):
        vectors.fill()
    snapshot = vectors.index.snapshot()
    assert (snapshot.revision, snapshot.waiting) == (revision, 2)
    vectors.held.remove(["docs/0.md"])
    with pytest.raises(OutOfReach):
        vectors.fill()
    query = vectors.embedder.embed_queries(["검색"])[0]
    assert len(propose(vectors.index.snapshot(), query, 100, None).ids) == 4
    vectors.embedder.failure = None
    vectors.check()


def test_what_was_just_saved_is_embedded_before_the_rest(vectors: Vectors, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("consiglierd.index.vector.URGENT_CHUNKS", 3)
    write(vectors, *range(200))
    vectors.index.step()
    assert not any(vectors.embedder.urgent)
    before = len(vectors.embedder.embedded)
    write(vectors, 1000)
    vectors.index.step()
    assert "1000" in vectors.embedder.embedded[before]
    assert vectors.embedder.urgent[before:] == [True] * (len(vectors.embedder.embedded) - before)
    vectors.check()


def test_another_model_fills_beside_the_old_one_and_then_replaces_it(vectors: Vectors) -> None:
    write(vectors, *range(10))
    vectors.check()
    old = vectors.store.model(vectors.embedder.fingerprint, vectors.embedder.dimensions)
    vectors.store.activate(old)
    vectors.embedder = HashedEmbedder(32, "b")
    vectors.open()
    assert vectors.store.active_model() == old
    vectors.check()
    new = vectors.store.model(vectors.embedder.fingerprint, 32)
    vectors.store.activate(new)
    vectors.store.forget_others([new])
    with vectors.held.store.reading() as connection:
        counts = connection.execute("SELECT model_id, count(*) FROM window_vectors GROUP BY model_id").fetchall()
        assert [row[0] for row in counts] == [new.id]
        embedded = connection.execute("SELECT count(*) FROM chunks WHERE length(embedding) = 64").fetchone()
    assert embedded == (10,)
    vectors.check()


def test_forgotten_sections_take_their_vectors_with_them(vectors: Vectors) -> None:
    write(vectors, *range(10))
    vectors.check()
    model = vectors.store.model(vectors.embedder.fingerprint, vectors.embedder.dimensions)
    vectors.store.activate(model)
    vectors.held.remove([f"docs/{number}.md" for number in range(9)])
    vectors.held.store.prune(vectors.held.store.head(), at_least_bytes=0)
    vectors.store.prune()
    with vectors.held.store.reading() as connection:
        left = connection.execute("SELECT count(*) FROM window_vectors").fetchone()[0]
    assert left == len(paragraphs("", text_of(9)))
    vectors.check()
