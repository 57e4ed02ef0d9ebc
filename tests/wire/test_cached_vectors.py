"""What a slow model made once is read from the user's cache, by all workspaces and after a restart."""

from pathlib import Path

import numpy as np

from consiglierd.embed.cache import VectorCache
from consiglierd.embed.service import EmbeddingService
from consiglierd.embed.spec import EmbedderSpec
from tests.support.ollama_server import DIMENSIONS, MODEL, OllamaServer


def embedded(path: Path, server: OllamaServer, *texts: str) -> np.ndarray[tuple[int, ...], np.dtype[np.float32]]:
    """By a service of its own each time."""
    cache = VectorCache(path)
    service = EmbeddingService(cache)
    try:
        spec = EmbedderSpec("ollama", MODEL, server.endpoint, DIMENSIONS)
        return service.embedder(spec).embed_documents(texts, is_urgent=False)
    finally:
        service.close()
        cache.close()


def test_only_what_is_new_is_asked_for(server: OllamaServer, tmp_path: Path) -> None:
    first = embedded(tmp_path / "vectors.db", server, "one", "two")
    server.asked.clear()
    again = embedded(tmp_path / "vectors.db", server, "two", "three", "one", "two")
    assert server.asked == ["search_document: three"]
    np.testing.assert_array_equal(again[[2, 0, 3]], first[[0, 1, 1]])


def test_a_text_that_was_left_out_is_tried_again(server: OllamaServer, tmp_path: Path) -> None:
    server.poison = "two"
    assert np.isnan(embedded(tmp_path / "vectors.db", server, "one", "two")[1]).all()
    server.poison = ""
    assert embedded(tmp_path / "vectors.db", server, "one", "two").any(axis=1).all()


def test_another_model_under_the_name_finds_nothing_of_the_first(server: OllamaServer, tmp_path: Path) -> None:
    embedded(tmp_path / "vectors.db", server, "one")
    server.digest = "sha-2"
    server.asked.clear()
    embedded(tmp_path / "vectors.db", server, "one")
    assert server.asked == ["search_document: one"]
