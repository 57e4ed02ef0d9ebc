"""The embedding process: asked by several, ended in the middle, never in the way of a question."""

import os
import signal
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from consiglierd.embed.service import EmbeddingService, ServedEmbedder
from consiglierd.embed.spec import EmbedderSpec
from consiglierd.errors import EmbeddingUnavailable
from tests.support.hashed_embedder import HashedEmbedder
from tests.support.ollama_server import DIMENSIONS, MODEL, OllamaServer


def spec_of(server: OllamaServer) -> EmbedderSpec:
    return EmbedderSpec("ollama", MODEL, server.endpoint, DIMENSIONS, 20.0)


def expected(*texts: str) -> np.ndarray:  # type: ignore[type-arg]  # any rows
    return HashedEmbedder(DIMENSIONS).embed_queries(texts)


def asked(server: OllamaServer, text: str) -> int:
    return sum(text in each for each in server.asked)


def wait_until_asked(server: OllamaServer, text: str, times: int = 1) -> None:
    assert server.wait_until(lambda: asked(server, text) >= times)


def test_documents_and_questions_come_back_as_rows(service: EmbeddingService, server: OllamaServer) -> None:
    embedder = service.embedder(spec_of(server))
    texts = [f"text {number}" for number in range(150)]
    rows = embedder.embed_documents(texts, is_urgent=False)
    assert rows == pytest.approx(expected(*[f"search_document: {text}" for text in texts]), abs=1e-6)
    question = embedder.embed_query("what", 20.0)
    assert question is not None
    assert question == pytest.approx(expected("search_query: what")[0], abs=1e-6)
    assert embedder.embed_documents([], is_urgent=True).shape == (0, DIMENSIONS)


def test_the_same_question_is_asked_once(service: EmbeddingService, server: OllamaServer) -> None:
    embedder = service.embedder(spec_of(server))
    for _ in range(3):
        assert embedder.embed_query("again", 20.0) is not None
    assert asked(server, "again") == 1


def test_a_question_does_not_wait_for_documents(service: EmbeddingService, server: OllamaServer) -> None:
    embedder = service.embedder(spec_of(server))
    server.holds = "search_document"
    server.may_answer.clear()
    with ThreadPoolExecutor(1) as pool:
        documents = pool.submit(embedder.embed_documents, ["slow"] * 3, is_urgent=False)
        wait_until_asked(server, "slow")
        assert embedder.embed_query("quick", 20.0) is not None
        assert not documents.done()
        server.may_answer.set()
        assert len(documents.result(20)) == 3


def test_what_was_just_saved_goes_before_the_rest(service: EmbeddingService, server: OllamaServer) -> None:
    embedder = service.embedder(spec_of(server))
    server.holds = "first"
    server.may_answer.clear()
    with ThreadPoolExecutor(2) as pool:
        rest = pool.submit(embedder.embed_documents, ["first", *["rest"] * 300], is_urgent=False)
        wait_until_asked(server, "first")
        saved = pool.submit(embedder.embed_documents, ["saved"], is_urgent=True)
        # It has joined the queue once a question after it has been answered by the other process.
        embedder.embed_query("anything", 20.0)
        server.may_answer.set()
        saved.result(20)
        rest.result(20)
    assert server.asked.index("search_document: saved") < len(server.asked) - 100


def test_a_question_that_is_not_answered_in_time_is_there_later(
    service: EmbeddingService, server: OllamaServer
) -> None:
    embedder = service.embedder(spec_of(server))
    assert embedder.embed_query("warm", 20.0) is not None
    server.holds = "late"
    server.may_answer.clear()
    assert embedder.embed_query("late", 0.05) is None
    server.may_answer.set()
    assert embedder.embed_query("late", 20.0) is not None


def test_questions_that_nobody_waits_for_any_more_are_not_asked(
    service: EmbeddingService, server: OllamaServer
) -> None:
    embedder = service.embedder(spec_of(server))
    server.holds = "in hand"
    server.may_answer.clear()
    with ThreadPoolExecutor(8) as pool:
        held = pool.submit(embedder.embed_query, "in hand", 30.0)
        wait_until_asked(server, "in hand")
        together = [pool.submit(embedder.embed_query, "the same", 30.0) for _ in range(4)]
        given_up = [pool.submit(embedder.embed_query, f"given up {number}", 0.05) for number in range(3)]
        assert [each.result(30) for each in given_up] == [None] * 3
        # One of those who ask the same may leave without the others losing their answer.
        assert embedder.embed_query("the same", 0.05) is None
        server.may_answer.set()
        assert held.result(30) is not None
        assert all(each.result(30) is not None for each in together)
    assert asked(server, "given up") == 0
    assert asked(server, "the same") == 1


def test_a_process_that_was_killed_is_started_again(service: EmbeddingService, server: OllamaServer) -> None:
    embedder = service.embedder(spec_of(server))
    server.holds = "victim"
    server.may_answer.clear()
    (before,) = service.pids()
    with ThreadPoolExecutor(1) as pool:
        rows = pool.submit(embedder.embed_documents, ["victim"], is_urgent=False)
        wait_until_asked(server, "victim")
        os.kill(before, signal.SIGKILL)
        server.may_answer.set()
        assert len(rows.result(30)) == 1
    assert asked(server, "victim") == 2
    assert service.pids() != (before,)


def test_a_text_that_ends_the_process_every_time_is_left_out(service: EmbeddingService, server: OllamaServer) -> None:
    embedder = service.embedder(spec_of(server))
    server.holds = "deadly"
    server.may_answer.clear()
    with ThreadPoolExecutor(1) as pool:
        rows = pool.submit(embedder.embed_documents, ["deadly"], is_urgent=False)
        for count in (1, 2):
            wait_until_asked(server, "deadly", count)
            os.kill(service.pids()[0], signal.SIGKILL)
        assert np.isnan(rows.result(30)).all()
    server.may_answer.set()
    assert len(embedder.embed_documents(["harmless"], is_urgent=False)) == 1


def test_a_slow_server_is_asked_for_as_much_as_it_can_do(
    service: EmbeddingService, server: OllamaServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each text takes 0.1 s, and no request may take longer than 0.5 s."""
    server.seconds_a_text = 0.1
    embedder = service.embedder(EmbedderSpec("ollama", MODEL, server.endpoint, DIMENSIONS, 0.5))
    monkeypatch.setattr("consiglierd.embed.service.ANSWER_S", 0.3)
    texts = [f"text {number}" for number in range(20)]
    rows = embedder.embed_documents(texts, is_urgent=False)
    assert rows == pytest.approx(expected(*[f"search_document: {text}" for text in texts]), abs=1e-6)
    assert asked(server, "text") <= len(texts) + 16, "little was asked twice"


def test_a_server_that_hangs_is_given_up(service: EmbeddingService, server: OllamaServer) -> None:
    embedder = service.embedder(EmbedderSpec("ollama", MODEL, server.endpoint, DIMENSIONS, 0.2))
    server.holds = "text"
    server.may_answer.clear()
    with pytest.raises(EmbeddingUnavailable) as caught:
        embedder.embed_documents([f"text {number}" for number in range(20)], is_urgent=False)
    assert caught.value.kind == "slow"


@pytest.mark.parametrize("is_killed", [False, True], ids=["process stays", "process lost"])
def test_another_model_under_the_same_name_is_noticed(
    service: EmbeddingService, server: OllamaServer, is_killed: bool
) -> None:
    embedder = service.embedder(spec_of(server))
    embedder.embed_documents(["before"], is_urgent=False)
    assert embedder.embed_query("before", 20.0) is not None
    server.digest = "sha-2"
    if is_killed:
        os.kill(service.pids()[0], signal.SIGKILL)
    with pytest.raises(EmbeddingUnavailable) as caught:
        embedder.embed_documents(["after"], is_urgent=False)
    assert caught.value.kind == "model"
    again = service.embedder(spec_of(server))
    assert isinstance(again, ServedEmbedder)
    assert again.fingerprint != embedder.fingerprint
    rows = again.embed_documents(["after"], is_urgent=False)
    assert rows == pytest.approx(
        HashedEmbedder(DIMENSIONS, "sha-2").embed_queries(["search_document: after"]), abs=1e-6
    )
    # The process of the questions learns it from the first of them.
    again.embed_query("first", 20.0)
    question = again.embed_query("second", 20.0)
    assert question == pytest.approx(
        HashedEmbedder(DIMENSIONS, "sha-2").embed_queries(["search_query: second"])[0], abs=1e-6
    )


def test_a_question_notices_another_model_too(service: EmbeddingService, server: OllamaServer) -> None:
    embedder = service.embedder(spec_of(server))
    assert embedder.embed_query("before", 20.0) is not None
    server.digest = "sha-2"
    assert embedder.embed_query("first", 20.0) is None
    assert embedder.embed_query("second", 20.0) is None
    assert service.embedder(spec_of(server)).fingerprint != embedder.fingerprint
