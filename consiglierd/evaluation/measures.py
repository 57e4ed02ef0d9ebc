"""Measures of a ranking whose relevant places are known, and how sure one can be of their mean."""

import math
from collections.abc import Collection, Hashable, Sequence

import numpy as np
from numpy.typing import NDArray

DEPTH = 10
RECALL_DEPTH = 5
RESAMPLES = 2000
SEED = 1
Floats = NDArray[np.float64]
# What stands at one rank: a hit may stand for several places of the same text.
Rank = Collection[Hashable]


def ndcg(ranks: Sequence[Rank], relevant: Collection[Hashable]) -> float:
    """nDCG@10 with relevance 0 or 1; a place counts where it is found first."""
    left = set(relevant)
    gained = 0.0
    for position, places in enumerate(ranks[:DEPTH]):
        if not left.isdisjoint(places):
            left.difference_update(places)
            gained += 1 / math.log2(position + 2)
    best = sum(1 / math.log2(position + 2) for position in range(min(DEPTH, len(set(relevant)))))
    return gained / best if best else 0.0


def recall(ranks: Sequence[Rank], relevant: Collection[Hashable]) -> float:
    """Recall@5: the share of the relevant places among the first five."""
    found = set(relevant).intersection(*[set().union(*ranks[:RECALL_DEPTH])]) if ranks else set()
    return len(found) / len(set(relevant)) if relevant else 0.0


def reciprocal_rank(ranks: Sequence[Rank], relevant: Collection[Hashable]) -> float:
    """1 / the rank of the first relevant place among the first ten, 0 where there is none."""
    wanted = set(relevant)
    return next(
        (1 / (position + 1) for position, places in enumerate(ranks[:DEPTH]) if not wanted.isdisjoint(places)), 0.0
    )


def interval(values: Floats) -> tuple[float, float]:
    """The 95 % interval of a mean, by the bootstrap; of paired differences, that of the gain."""
    if not len(values):
        return (0.0, 0.0)
    drawn = np.random.default_rng(SEED).integers(0, len(values), (RESAMPLES, len(values)))
    low, high = np.quantile(values[drawn].mean(axis=1), (0.025, 0.975))
    return (float(low), float(high))
