"""An embedder for unit tests: vectors of hashed character pairs, the same on every machine."""

import hashlib
from collections.abc import Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray


class HashedEmbedder:
    """Texts with common pairs of characters are near. Counts the texts that it embedded."""

    unrelated = 0.1
    identical = 0.9
    # A quarter, among the few windows that a test has.
    near = 0.45

    def __init__(self, dimensions: int = 64, salt: str = "a") -> None:
        self.dimensions = dimensions
        self.fingerprint = f"hashed-{salt}-{dimensions}"
        self.embedded: list[str] = []
        self.urgent: list[bool] = []
        self.failure: Exception | None = None
        self._salt = salt

    def windows_of(self, title: str, text: str) -> list[str]:
        """One window a paragraph: what cuts windows in earnest is tested elsewhere."""
        return [f"{title}\n{part}" for part in text.split("\n\n")]

    def embed_documents(self, texts: Sequence[str], *, is_urgent: bool = False) -> NDArray[np.float32]:
        if self.failure is not None:
            raise self.failure
        self.embedded.extend(texts)
        self.urgent.extend([is_urgent] * len(texts))
        return self.embed_queries(texts)

    def embed_queries(self, texts: Sequence[str]) -> NDArray[np.float32]:
        rows = np.zeros((len(texts), self.dimensions), dtype=np.float32)
        for row, text in zip(rows, texts, strict=True):
            for first, second in pairwise(text):
                row += self._direction(first + second)
            length = float(np.linalg.norm(row))
            if length > 0:
                row /= length
        return rows

    def _direction(self, pair: str) -> NDArray[np.float32]:
        seed = int.from_bytes(hashlib.blake2b((self._salt + pair).encode(), digest_size=8).digest(), "big")
        return np.random.default_rng(seed).standard_normal(self.dimensions).astype(np.float32)
