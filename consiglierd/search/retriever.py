"""What proposes candidates to a search: the seam at which a second retriever (vectors) joins."""

from collections.abc import Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from consiglierd.index.proposals import LexicalQuery, Proposal
from consiglierd.model.ids import ChunkId
from consiglierd.model.stored import ChunkRow, ScoringRow


class Retriever(Protocol):
    """Live chunks of one snapshot, filtered, each list with a bound on what it leaves out."""

    def by_score(self, query: LexicalQuery, limit: int) -> Proposal: ...

    def by_coverage(
        self, keys: Sequence[NDArray[np.uint64]], idf: NDArray[np.float64], query: LexicalQuery, limit: int
    ) -> Proposal: ...

    def holding_content(self, hashes: Sequence[str], query: LexicalQuery) -> list[int]: ...


class Chunks(Protocol):
    """Ids to chunks, in one read; removed chunks may still be there, unknown ids are left out."""

    def scoring_rows(self, ids: Sequence[ChunkId]) -> list[ScoringRow]: ...

    def chunk_rows(self, ids: Sequence[ChunkId]) -> list[ChunkRow]: ...

    def ids_whose_text_contains(self, needle: str, limit: int) -> list[ChunkId]: ...
