"""What an embedder is to the rest of the daemon: texts to vectors, and a name for how."""

from collections.abc import Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray


class Embedder(Protocol):
    """Vectors are float32 rows of unit length (or zero for a text of nothing); equal fingerprints give
    comparable vectors. Raises EmbeddingUnavailable.

    `unrelated` is the model's typical cosine of texts that have nothing to do with each other,
    `identical` that of texts that say the same.
    """

    @property
    def fingerprint(self) -> str: ...

    @property
    def dimensions(self) -> int: ...

    @property
    def unrelated(self) -> float: ...

    @property
    def identical(self) -> float: ...

    @property
    def near(self) -> float:
        """How near a passage must be to answer a question (a share of the way from unrelated to identical), among
        as many windows as the sets have (search/decide.py); 0 where that was not measured, and nothing is judged."""
        ...

    def embed_documents(self, texts: Sequence[str]) -> NDArray[np.float32]: ...

    def embed_queries(self, texts: Sequence[str]) -> NDArray[np.float32]: ...
