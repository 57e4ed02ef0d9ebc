"""The live statistics of a workspace, as an immutable value that changes by cheap deltas."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from consiglierd.model.ids import Revision
from consiglierd.model.stored import Statistics, StatisticsDelta

_Level = tuple[NDArray[np.uint64], NDArray[np.int64]]


@dataclass(frozen=True, slots=True)
class LiveStatistics:
    """How many live chunks there are, how long they are together, and in how many a term stands.

    The document frequencies are the sum over `levels`, each sorted by key and much smaller than the
    one before, so that applying a revision costs as much as the revision, not as the vocabulary.
    """

    revision: Revision
    levels: tuple[_Level, ...]
    chunks: int
    length: int

    @staticmethod
    def of(statistics: Statistics) -> "LiveStatistics":
        level = (statistics.keys, statistics.df.astype(np.int64))
        return LiveStatistics(statistics.revision, (level,), statistics.chunks, statistics.length)

    def apply(self, revision: Revision, delta: StatisticsDelta) -> "LiveStatistics":
        levels = list(self.levels)
        if len(delta.keys):
            levels.append((delta.keys, delta.df.astype(np.int64)))
        while len(levels) > 1 and len(levels[-1][0]) * 4 >= len(levels[-2][0]):
            newer = levels.pop()
            levels[-1] = _sum_of(levels[-1], newer)
        return LiveStatistics(revision, tuple(levels), self.chunks + delta.chunks, self.length + delta.length)

    def document_frequencies(self, keys: NDArray[np.uint64]) -> NDArray[np.int64]:
        """In how many live chunks each term stands; 0 for one that is unknown."""
        total = np.zeros(len(keys), dtype=np.int64)
        for level_keys, df in self.levels:
            if len(level_keys):
                at = np.minimum(np.searchsorted(level_keys, keys), len(level_keys) - 1)
                total += np.where(level_keys[at] == keys, df[at], 0)
        return total

    @property
    def average_length(self) -> float:
        """In weighted terms; 1 where there is no text, so that it may divide."""
        return self.length / self.chunks if self.chunks and self.length else 1.0


def _sum_of(first: _Level, second: _Level) -> _Level:
    keys = np.concatenate([first[0], second[0]])
    df = np.concatenate([first[1], second[1]])
    order = np.argsort(keys, kind="stable")
    keys = keys[order]
    starts = np.flatnonzero(np.concatenate([[True], keys[1:] != keys[:-1]]))
    sums = np.add.reduceat(df[order], starts)
    known = sums != 0
    return keys[starts][known], sums[known]
