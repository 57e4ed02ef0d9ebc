"""What proposes candidates to a search, by words and by vectors."""

from collections.abc import Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from consiglierd.index.proposals import LexicalQuery, Proposal, Scope
from consiglierd.index.vector_snapshot import VectorProposal
from consiglierd.model.ids import ChunkId
from consiglierd.model.stored import ChunkRow, ScoringRow


class Retriever(Protocol):
    """Live chunks of one snapshot, filtered, each list with a bound on what it leaves out."""

    def by_score(self, query: LexicalQuery, limit: int) -> Proposal: ...

    def by_coverage(
        self, keys: Sequence[NDArray[np.uint64]], idf: NDArray[np.float64], query: LexicalQuery, limit: int
    ) -> Proposal: ...

    def holding_content(self, hashes: Sequence[str], query: LexicalQuery) -> list[int]: ...

    def scope(self, query: LexicalQuery) -> Scope: ...


class VectorSide(Protocol):
    """The vector index as one question sees it, pinned to one state of it.

    `unrelated` and `identical` are what the model's cosines typically are for texts that have nothing
    to do with each other, and for texts that say the same. `waiting` chunks have no vectors yet.
    """

    @property
    def unrelated(self) -> float: ...

    @property
    def identical(self) -> float: ...

    @property
    def near(self) -> float:
        """What an answer must reach among as many windows as the model was measured on; 0 where it was not."""
        ...

    @property
    def windows(self) -> int:
        """How many windows of live chunks there are."""
        ...

    @property
    def waiting(self) -> int: ...

    def propose(self, limit: int, scope: Scope) -> VectorProposal:
        """Chunks of the vector index, not all of which need be live at the searched revision."""
        ...

    def live(self, ids: Sequence[int]) -> list[int]:
        """Those that are live at the searched revision, in their order."""
        ...

    def cosines(self, ids: Sequence[int]) -> NDArray[np.float64]:
        """The greatest exact cosine of each chunk's windows; NaN for one that has no vectors."""
        ...


class Chunks(Protocol):
    """Ids to chunks, in one read; removed chunks may still be there, unknown ids are left out."""

    def scoring_rows(self, ids: Sequence[ChunkId]) -> list[ScoringRow]: ...

    def chunk_rows(self, ids: Sequence[ChunkId]) -> list[ChunkRow]: ...

    def ids_whose_text_contains(self, needle: str, limit: int) -> list[ChunkId]: ...
