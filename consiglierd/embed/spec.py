"""Which embedder is meant, as plain values that travel to the embedding process; and the embedder of one."""

import importlib
from collections.abc import Callable
from typing import Literal, cast

import msgspec

from consiglierd.embed.embedder import Embedder
from consiglierd.errors import EmbeddingUnavailable

BuiltBackend = Literal["bundled", "ollama", "quality", "sentence-transformers"]


class EmbedderSpec(msgspec.Struct, frozen=True):
    """`endpoint`, `dimensions` and `timeout_s` bind the Ollama backend only, and `model` that and
    sentence-transformers; they are empty for the others."""

    backend: BuiltBackend
    model: str = ""
    endpoint: str = ""
    dimensions: int = 0
    timeout_s: float = 60.0


def recipe_of(spec: EmbedderSpec) -> str:
    """A spec as a line that can be kept."""
    return msgspec.json.encode(spec).decode()


def spec_of(recipe: str) -> EmbedderSpec:
    """The spec of a line that was kept. Raises ValueError where it is none."""
    return msgspec.json.decode(recipe, type=EmbedderSpec)


# Found by name: a process loads the libraries of the backends that it is asked for, and of no other.
_MODULES: dict[BuiltBackend, str] = {
    "bundled": "consiglierd.embed.static_table",
    "ollama": "consiglierd.embed.ollama",
    "quality": "consiglierd.embed.quality",
    "sentence-transformers": "consiglierd.embed.sentence_transformers",
}
# Optional extras of the same name; what they bring is not installed with the daemon.
_EXTRAS: tuple[BuiltBackend, ...] = ("quality", "sentence-transformers")


def build(spec: EmbedderSpec) -> Embedder:
    """Loads the model, by its module's `embedder_of`. Raises EmbeddingUnavailable."""
    try:
        module = importlib.import_module(_MODULES[spec.backend])
    except ImportError as error:
        raise EmbeddingUnavailable(
            f"the embedding backend `{spec.backend}` cannot be loaded: {error}",
            kind="model",
            cure=f"pip install 'consigliere[{spec.backend}]'" if spec.backend in _EXTRAS else "reinstall consigliere",
        ) from error
    embedder_of = cast(Callable[[EmbedderSpec], Embedder], module.embedder_of)
    return embedder_of(spec)
