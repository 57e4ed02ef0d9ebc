"""How a commit changes the live statistics."""

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from consiglierd.model.stored import StatisticsDelta
from consiglierd.text.counts import count_path, unpack


class TermDelta:
    """Adds up chunks that come and chunks that go; a chunk's terms are those of its section and of its path."""

    def __init__(self) -> None:
        self._keys: list[NDArray[np.uint64]] = []
        self._signs: list[tuple[int, int]] = []
        self._chunks = 0
        self._length = 0

    def add(self, path: str, sections: Iterable[bytes]) -> None:
        self._count(path, sections, 1)

    def remove(self, path: str, sections: Iterable[bytes]) -> None:
        self._count(path, sections, -1)

    def _count(self, path: str, sections: Iterable[bytes], sign: int) -> None:
        path_counts = count_path(path)
        for packed in sections:
            counts = unpack(packed)
            only_path = path_counts.keys[~np.isin(path_counts.keys, counts.keys, assume_unique=True)]
            self._keys.append(np.concatenate([counts.keys, only_path]))
            self._signs.append((sign, len(counts.keys) + len(only_path)))
            self._chunks += sign
            self._length += sign * (counts.length + path_counts.length)

    def total(self) -> StatisticsDelta:
        """The sum so far; terms whose document frequency does not change are left out."""
        if not self._keys:
            return StatisticsDelta(np.empty(0, np.uint64), np.empty(0, np.int32), self._chunks, self._length)
        signs = np.concatenate([np.full(count, sign, dtype=np.int32) for sign, count in self._signs])
        keys, inverse = np.unique(np.concatenate(self._keys), return_inverse=True)
        df = np.zeros(len(keys), dtype=np.int32)
        np.add.at(df, inverse, signs)
        changed = df != 0
        return StatisticsDelta(keys[changed].astype(np.uint64), df[changed], self._chunks, self._length)
