"""A text that cannot be embedded is left out alone; where nothing can be embedded, no text is blamed."""

import os
import signal

import numpy as np
import pytest

from consiglierd.embed.service import EmbeddingService, ServedEmbedder
from consiglierd.embed.spec import EmbedderSpec
from consiglierd.errors import EmbeddingUnavailable
from tests.support.ollama_server import DIMENSIONS, MODEL, OllamaServer

TEXTS = [f"text {number}" for number in range(150)]


@pytest.fixture
def embedder(server: OllamaServer, service: EmbeddingService) -> ServedEmbedder:
    return service.embedder(EmbedderSpec("ollama", MODEL, server.endpoint, DIMENSIONS))


def test_the_others_of_its_batch_have_their_vectors(server: OllamaServer, embedder: ServedEmbedder) -> None:
    expected = embedder.embed_documents(TEXTS, is_urgent=False)
    server.poison = "text 77"
    rows = embedder.embed_documents(TEXTS, is_urgent=False)
    assert np.isnan(rows[77]).all()
    np.testing.assert_allclose(np.delete(rows, 77, axis=0), np.delete(expected, 77, axis=0), atol=1e-6)


def test_a_text_that_ends_the_process_is_found_too(
    server: OllamaServer, service: EmbeddingService, embedder: ServedEmbedder
) -> None:
    def kill() -> None:
        for pid in service.pids():
            os.kill(pid, signal.SIGKILL)

    server.poison, server.on_poison = "text 2", kill
    rows = embedder.embed_documents(TEXTS[:4], is_urgent=False)
    assert np.isfinite(rows).all(axis=1).tolist() == [True, True, False, True]


def test_a_text_that_is_no_unicode_is_left_out_alone(embedder: ServedEmbedder) -> None:
    """It cannot be sent to the process at all."""
    rows = embedder.embed_documents(["one", "\ud800", "two"], is_urgent=False)
    assert np.isfinite(rows).all(axis=1).tolist() == [True, False, True]
    assert embedder.embed_query("\ud800", 20.0) is None
    assert embedder.embed_query("one", 20.0) is not None


def test_where_nothing_can_be_embedded_no_text_is_blamed(server: OllamaServer, embedder: ServedEmbedder) -> None:
    server.failure = "garbage"
    with pytest.raises(EmbeddingUnavailable):
        embedder.embed_documents(TEXTS, is_urgent=False)
    server.failure = ""
    assert embedder.embed_documents(TEXTS, is_urgent=False).any(axis=1).all()
