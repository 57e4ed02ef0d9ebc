"""The vectors of one model, made where they are missing and kept in the store by the digest of their text."""

import hashlib
from collections.abc import Callable, Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from consiglierd.model.ids import ChunkId
from consiglierd.store.vectors import EmbeddingModel, SectionText, VectorStore

_TEXTS_AT_ONCE = 256
_HEADING_SEPARATOR = " / "


class DocumentEmbedder(Protocol):
    """Rows are float32 of unit length or zero, one a text, and NaN for a text that could not be embedded; raises
    EmbeddingUnavailable."""

    def embed_documents(self, texts: Sequence[str], *, is_urgent: bool) -> NDArray[np.float32]: ...


class StoredVectors:
    """Satisfies index.vector.Vectors. `windows_of` cuts a title and a text into what is embedded."""

    def __init__(
        self,
        store: VectorStore,
        model: EmbeddingModel,
        embedder: DocumentEmbedder,
        windows_of: Callable[[str, str], list[str]],
    ) -> None:
        self._store = store
        self._model = model
        self._embedder = embedder
        self._windows_of = windows_of

    @property
    def fingerprint(self) -> str:
        return self._model.fingerprint

    @property
    def dimensions(self) -> int:
        return self._model.dimensions

    def embed(self, ids: Sequence[ChunkId], *, is_urgent: bool) -> None:
        """Give every section of these chunks its vectors; what was embedded before is not embedded again.

        A section with a text that could not be embedded gets none: it is as if it had not been asked for.
        """
        sections = self._store.sections_without(self._model, ids)
        texts: dict[bytes, str] = {}
        windows: dict[int, list[bytes]] = {}
        for section in sections:
            of_section = self._texts_of(section)
            digests = [_digest(text) for text in of_section]
            windows[section.section_id] = digests
            texts.update(zip(digests, of_section, strict=True))
        for digest in self._store.known_digests(self._model, list(texts)):
            del texts[digest]
        vectors: dict[bytes, NDArray[np.float32]] = {}
        missing = list(texts.items())
        for start in range(0, len(missing), _TEXTS_AT_ONCE):
            some = missing[start : start + _TEXTS_AT_ONCE]
            rows = self._embedder.embed_documents([text for _, text in some], is_urgent=is_urgent)
            vectors.update(zip([digest for digest, _ in some], rows, strict=True))
        spoilt = {digest for digest, row in vectors.items() if np.isnan(row).any()}
        whole = {section: digests for section, digests in windows.items() if spoilt.isdisjoint(digests)}
        needed = {digest for digests in whole.values() for digest in digests}
        if whole:
            self._store.write(self._model, whole, {digest: row for digest, row in vectors.items() if digest in needed})

    def of(self, ids: Sequence[ChunkId]) -> tuple[NDArray[np.int64], NDArray[np.float16]]:
        found = self._store.vectors_of(self._model, ids)
        return found.chunks, found.vectors

    def _texts_of(self, section: SectionText) -> list[str]:
        """A section that has nothing to embed has one window all the same, so that it is not asked for again."""
        return self._windows_of(_HEADING_SEPARATOR.join(section.headings), section.text) or [""]


def _digest(text: str) -> bytes:
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=20).digest()
