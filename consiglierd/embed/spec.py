"""Which embedder is meant, as plain values that travel to the embedding process; and the embedder of one."""

from typing import Literal

import msgspec

from consiglierd.embed.embedder import Embedder
from consiglierd.errors import EmbeddingUnavailable

BuiltBackend = Literal["bundled", "ollama"]


class EmbedderSpec(msgspec.Struct, frozen=True):
    """`model`, `endpoint`, `dimensions` and `timeout_s` bind the Ollama backend only, and are empty for the others."""

    backend: BuiltBackend
    model: str = ""
    endpoint: str = ""
    dimensions: int = 0
    timeout_s: float = 60.0


def build(spec: EmbedderSpec) -> Embedder:
    """Loads the model; its libraries are imported only here. Raises EmbeddingUnavailable."""
    match spec.backend:
        case "bundled":
            from consiglierd.embed.static_table import StaticTable

            try:
                return StaticTable.bundled()
            except (OSError, ValueError, KeyError) as error:
                raise EmbeddingUnavailable(
                    f"the bundled model cannot be read: {error}", kind="model", cure="reinstall consigliere"
                ) from error
        case "ollama":
            from consiglierd.embed.ollama import OllamaEmbedder

            return OllamaEmbedder(spec.model, spec.endpoint, spec.dimensions, timeout_s=spec.timeout_s)
