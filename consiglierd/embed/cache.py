"""The per-user cache of document vectors: a copy, by fingerprint and digest of the text, never believed blindly."""

import hashlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from consiglierd.embed.spec import BuiltBackend
from consiglierd.errors import Unavailable
from consiglierd.store.connection import StoreCorrupt
from consiglierd.store.vector_cache import VectorRows

LIMIT_BYTES = 2 * 1024**3

# Reading a row back takes about as long as the bundled table needs to make it; the others are a hundred
# and more times slower.
WORTH_IT: frozenset[BuiltBackend] = frozenset({"ollama", "quality", "sentence-transformers"})

_TOLERANCE = 1e-3


class VectorCache:
    """Rows are kept as float32: rounded to float16 they would differ from fresh ones by more than the 1e-5
    that an index grown change by change may differ from one built at once."""

    def __init__(self, path: Path, *, limit_bytes: int = LIMIT_BYTES) -> None:
        self._problem: str | None = None
        self._rows: VectorRows | None = None
        with self._as_long_as_it_works():
            self._rows = VectorRows(path, limit_bytes=limit_bytes)

    @property
    def problem(self) -> str | None:
        """Why the cache is not used any more until the daemon starts again: it is only a copy, so that
        whatever is wrong with it must not stand against embedding."""
        return self._problem

    def close(self) -> None:
        if self._rows is not None:
            self._rows.close()

    def find(self, fingerprint: str, dimensions: int, texts: Sequence[str]) -> dict[int, NDArray[np.float32]]:
        """The rows that are kept, by the place of their text; what is no unit row of that length is removed."""
        if self._rows is None or self._problem is not None:
            return {}
        digests = [_digest_of(text) for text in texts]
        kept: dict[bytes, bytes] = {}
        with self._as_long_as_it_works():
            kept = self._rows.find(fingerprint, digests)
        rows = {digest: _row_of(blob, dimensions) for digest, blob in kept.items()}
        wrong = [digest for digest, row in rows.items() if row is None]
        if wrong:
            with self._as_long_as_it_works():
                self._rows.remove(fingerprint, wrong)
        return {index: row for index, digest in enumerate(digests) if (row := rows.get(digest)) is not None}

    def keep(self, fingerprint: str, texts: Sequence[str], rows: NDArray[np.float32]) -> None:
        """Keeps the rows of the texts; one that could not be embedded (NaN, or zero) is to be tried again."""
        if self._rows is None or self._problem is not None:
            return
        with self._as_long_as_it_works():
            self._rows.keep(
                fingerprint,
                {
                    _digest_of(text): row.tobytes()
                    for text, row in zip(texts, rows, strict=True)
                    if row.any() and np.isfinite(row).all()
                },
            )

    def size_bytes(self) -> int:
        return self._rows.size_bytes() if self._rows is not None else 0

    @contextmanager
    def _as_long_as_it_works(self) -> Iterator[None]:
        try:
            yield
        except (Unavailable, StoreCorrupt) as error:
            self._problem = error.message
        except OSError as error:
            self._problem = f"the vector cache cannot be used: {error.strerror}"


def _digest_of(text: str) -> bytes:
    return hashlib.blake2b(text.encode(), digest_size=16).digest()


def _row_of(blob: bytes, dimensions: int) -> NDArray[np.float32] | None:
    if not isinstance(blob, bytes) or len(blob) != dimensions * 4:
        return None
    row = np.frombuffer(blob, np.float32)
    with np.errstate(over="ignore", invalid="ignore"):
        length = float(np.dot(row, row))
    # A number that is not finite fails this as well.
    return row if abs(length - 1.0) <= _TOLERANCE else None
