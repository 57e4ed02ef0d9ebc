"""What the daemon asks of the embedding process, and what it answers."""

import msgspec

from consiglierd.embed.spec import EmbedderSpec


class Ask(msgspec.Struct, frozen=True, array_like=True):
    """Texts to embed by an embedder; without texts, only what the embedder is."""

    spec: EmbedderSpec
    texts: tuple[str, ...]
    is_query: bool


class Answer(msgspec.Struct, frozen=True, array_like=True):
    """`rows` are float32, texts x dimensions; where `failure` is not empty there are none."""

    fingerprint: str = ""
    dimensions: int = 0
    unrelated: float = 0.0
    identical: float = 1.0
    near: float = 0.0
    rows: bytes = b""
    failure: str = ""
    kind: str = ""
    cure: str | None = None
