"""Two sides to one score: `alpha` of what the vectors say and the rest of what the words say."""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class Fusion:
    """Convex: alpha * V + (1 - alpha) * B. V is 0 at the model's typical cosine of unrelated texts, `unrelated`,
    and 1 at that of texts that say the same, `identical`."""

    alpha: float
    unrelated: float
    identical: float

    def vector_part(self, cosine: float) -> float | None:
        """V of a cosine, in 0..1; None for NaN, which stands for a chunk without vectors."""
        if math.isnan(cosine):
            return None
        span = self.identical - self.unrelated
        return min(1.0, max(0.0, (cosine - self.unrelated) / span))

    def score(self, bm25: float, vector: float | None) -> float:
        """A chunk that has no vectors yet is scored by its words alone."""
        return bm25 if vector is None else self.alpha * vector + (1 - self.alpha) * bm25

    def most(self, bm25: float, cosines: NDArray[np.float64]) -> NDArray[np.float64]:
        """What chunks of these cosines can have at most, if their words give no more than `bm25`."""
        parts = np.clip((cosines - self.unrelated) / (self.identical - self.unrelated), 0.0, 1.0)
        return np.where(np.isnan(cosines), bm25, self.alpha * parts + (1 - self.alpha) * bm25)


WORDS_ALONE = Fusion(0.0, 0.0, 1.0)
