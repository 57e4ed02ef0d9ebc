"""Which embedder is meant, as plain values that travel to the embedding process; and the embedder of one."""

import importlib
from collections.abc import Callable
from typing import Literal, cast

import msgspec

from consiglierd.embed.embedder import Embedder

BuiltBackend = Literal["bundled", "ollama"]


class EmbedderSpec(msgspec.Struct, frozen=True):
    """`model`, `endpoint`, `dimensions` and `timeout_s` bind the Ollama backend only, and are empty for the others."""

    backend: BuiltBackend
    model: str = ""
    endpoint: str = ""
    dimensions: int = 0
    timeout_s: float = 60.0


# Found by name: a process loads the libraries of the backends that it is asked for, and of no other.
_MODULES = {"bundled": "consiglierd.embed.static_table", "ollama": "consiglierd.embed.ollama"}


def build(spec: EmbedderSpec) -> Embedder:
    """Loads the model, by its module's `embedder_of`. Raises EmbeddingUnavailable."""
    module = importlib.import_module(_MODULES[spec.backend])
    embedder_of = cast(Callable[[EmbedderSpec], Embedder], module.embedder_of)
    return embedder_of(spec)
