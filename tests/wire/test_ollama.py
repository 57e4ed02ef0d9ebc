"""The Ollama backend through the real client library, against a server of ours that fails on command."""

import numpy as np
import pytest

from consiglierd.embed.ollama import OllamaEmbedder
from consiglierd.errors import EmbeddingUnavailable
from tests.support.ollama_server import DIMENSIONS, MODEL, OllamaServer

TEXTS = [f"text {number}" for number in range(70)]


def embedder(server: OllamaServer, model: str = MODEL, dimensions: int = DIMENSIONS) -> OllamaEmbedder:
    return OllamaEmbedder(model, server.endpoint, dimensions, timeout_s=2.0)


def test_texts_become_unit_rows_in_order_with_the_prefixes_of_the_model(server: OllamaServer) -> None:
    opened = embedder(server)
    rows = opened.embed_documents(TEXTS)
    assert rows.shape == (70, DIMENSIONS)
    assert rows.dtype == np.float32
    assert np.linalg.norm(rows, axis=1) == pytest.approx(np.ones(70), abs=1e-6)
    assert server.asked == [f"search_document: {text}" for text in TEXTS]
    assert np.array_equal(opened.embed_documents(TEXTS[3:4])[0], rows[3])
    opened.embed_queries(["question"])
    assert server.asked[-1] == "search_query: question"
    assert opened.embed_documents([]).shape == (0, DIMENSIONS)


def test_a_model_that_was_pulled_anew_has_another_fingerprint(server: OllamaServer) -> None:
    before = embedder(server).fingerprint
    assert embedder(server).fingerprint == before
    server.digest = "sha-2"
    assert embedder(server).fingerprint != before


@pytest.mark.parametrize(
    ("failure", "kind", "word"),
    [
        ("unknown model", "model", "nomic-embed-text"),
        ("wrong dimensions", "dimensions", "10 numbers"),
        ("500 in the middle", "garbage", "500"),
        ("too few", "garbage", "vectors for"),
        ("zero", "garbage", "no direction"),
        ("not a number", "garbage", ""),
        ("garbage", "garbage", ""),
        ("other JSON", "garbage", ""),
        ("truncated", "down", ""),
        ("a list", "garbage", ""),
        ("an error as a list", "garbage", ""),
        ("a number for an error", "garbage", ""),
        ("elsewhere", "garbage", "307"),
    ],
)
def test_every_failure_is_told_as_what_it_is(server: OllamaServer, failure: str, kind: str, word: str) -> None:
    opened = embedder(server)
    server.failure = failure
    with pytest.raises(EmbeddingUnavailable) as caught:
        opened.embed_documents(TEXTS)
    assert caught.value.kind == kind
    assert word in caught.value.message
    server.failure = ""
    assert len(opened.embed_documents(TEXTS)) == 70


def test_a_redirect_and_a_proxy_of_the_environment_are_not_followed(
    server: OllamaServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")
    monkeypatch.setenv("ALL_PROXY", "http://127.0.0.1:9")
    for name in ("NO_PROXY", "no_proxy"):
        monkeypatch.delenv(name, raising=False)
    opened = embedder(server)
    server.failure = "elsewhere"
    with pytest.raises(EmbeddingUnavailable):
        opened.embed_documents(["text"])
    assert not [path for path in server.paths if path.startswith("/moved")]


@pytest.mark.parametrize("endpoint", ["http://127.0.0.1:99999", "ftp://127.0.0.1:1", "http://[::1"])
def test_an_endpoint_that_is_no_address_is_down(endpoint: str) -> None:
    with pytest.raises(EmbeddingUnavailable) as caught:
        OllamaEmbedder(MODEL, endpoint, DIMENSIONS, timeout_s=2.0)
    assert caught.value.kind == "down"


def test_cures_say_what_to_type(server: OllamaServer) -> None:
    with pytest.raises(EmbeddingUnavailable) as caught:
        embedder(server, "other-model")
    assert (caught.value.kind, caught.value.cure) == ("model", "ollama pull other-model")
    with pytest.raises(EmbeddingUnavailable) as caught:
        embedder(server, dimensions=768).embed_queries(["x"])
    assert caught.value.cure == f"set [embedding] dimensions = {DIMENSIONS}"


def test_a_server_that_is_not_there_is_down(server: OllamaServer) -> None:
    endpoint = server.endpoint
    server.close()
    with pytest.raises(EmbeddingUnavailable) as caught:
        OllamaEmbedder(MODEL, endpoint, DIMENSIONS, timeout_s=2.0)
    assert caught.value.kind == "down"
    assert "ollama serve" in (caught.value.cure or "")


def test_a_server_that_takes_too_long_is_slow(server: OllamaServer) -> None:
    opened = OllamaEmbedder(MODEL, server.endpoint, DIMENSIONS, timeout_s=0.3)
    server.may_answer.clear()
    with pytest.raises(EmbeddingUnavailable) as caught:
        opened.embed_queries(["x"])
    assert caught.value.kind == "slow"
