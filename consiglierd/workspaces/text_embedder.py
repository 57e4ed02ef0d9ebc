"""What the vectors of a workspace need of an embedder, and of whoever chooses one."""

from collections.abc import Callable, Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray


class TextEmbedder(Protocol):
    """One model. `fingerprint` covers the cutting into windows too; rows are float32 of unit length."""

    @property
    def fingerprint(self) -> str: ...

    @property
    def dimensions(self) -> int: ...

    @property
    def unrelated(self) -> float: ...

    @property
    def identical(self) -> float: ...

    @property
    def near(self) -> float: ...

    @property
    def recipe(self) -> str:
        """What `EmbedderChoice.again` needs to have it again."""
        ...

    def windows_of(self, title: str, text: str) -> list[str]: ...

    def embed_documents(
        self, texts: Sequence[str], *, is_urgent: bool, is_abandoned: Callable[[], bool]
    ) -> NDArray[np.float32]:
        """Raises EmbeddingUnavailable, soon after it is not wanted any more, too."""
        ...

    def embed_query(self, text: str, timeout_s: float) -> NDArray[np.float32] | None:
        """None where it cannot be had within the time."""
        ...


class EmbedderChoice(Protocol):
    """Which embedder the settings ask for; each is told how to find out whether it is wanted still."""

    def asked(self) -> object:
        """Equal for as long as the settings ask for the same."""
        ...

    def wanted(self, is_abandoned: Callable[[], bool]) -> TextEmbedder | None:
        """The same one while the settings ask for the same; None for the light mode. Raises EmbeddingUnavailable."""
        ...

    def again(self, recipe: str, is_abandoned: Callable[[], bool]) -> TextEmbedder | None:
        """The embedder of an earlier choice; None where it cannot be had any more."""
        ...
