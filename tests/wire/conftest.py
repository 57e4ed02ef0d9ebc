"""What the tests of the embedding share: a server, and the daemon's side of it."""

import os
from collections.abc import Iterator

import pytest

from consiglierd.embed.service import EmbeddingService
from tests.support.ollama_server import OllamaServer, ollama_server


@pytest.fixture
def server() -> Iterator[OllamaServer]:
    with ollama_server() as started:
        yield started


@pytest.fixture
def service() -> Iterator[EmbeddingService]:
    """No process of it is left when it is closed."""
    opened = EmbeddingService()
    yield opened
    pids = opened.pids()
    opened.close()
    for pid in pids:
        with pytest.raises(ProcessLookupError):
            os.kill(pid, 0)
