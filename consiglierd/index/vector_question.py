"""One question against the vector index, as a search uses it."""

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from consiglierd.index.proposals import Scope
from consiglierd.index.vector_snapshot import VectorProposal, VectorSnapshot, cosines, propose


class VectorQuestion:
    """Satisfies search.retriever.VectorSide. `vector` is float32 of unit length, or zero.

    The vectors may be ahead of the words or behind them: `live` tells which of some chunks the
    searched revision holds.
    """

    def __init__(
        self,
        snapshot: VectorSnapshot,
        vector: NDArray[np.float32],
        live: Callable[[Sequence[int]], set[int]],
        *,
        unrelated: float,
        identical: float,
        near: float,
    ) -> None:
        self._snapshot = snapshot
        self._vector = vector
        self._live = live
        self.unrelated = unrelated
        self.identical = identical
        self.near = near

    @property
    def waiting(self) -> int:
        return self._snapshot.waiting

    @property
    def windows(self) -> int:
        return self._snapshot.windows

    def propose(self, limit: int, scope: Scope) -> VectorProposal:
        found = propose(self._snapshot, self._vector, limit, scope.allowed)
        if not scope.hidden:
            return found
        ids = tuple(number for number in found.ids if number not in scope.hidden)
        return VectorProposal(ids, found.bound, found.is_exhausted)

    def live(self, ids: Sequence[int]) -> list[int]:
        live = self._live(ids) if ids else set()
        return [number for number in ids if number in live]

    def cosines(self, ids: Sequence[int]) -> NDArray[np.float64]:
        return cosines(self._snapshot, self._vector, ids)
