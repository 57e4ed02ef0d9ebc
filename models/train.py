"""Contrastive training of the table: a question's vector nearer to its answer than to all others of the batch.

InfoNCE in both directions (van den Oord et al., 2018), Adam that touches only the rows a batch has,
random pieces left out, and long answers seen through another window each time. Half of the batches are drawn
from a few neighbourhoods, where an answer is hard to tell from the others. numpy and scipy, one thread.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix  # type: ignore[import-untyped]  # it comes without stubs

TEMPERATURE = 0.05
BATCH = 1024
LEFT_OUT = 0.25
LONGEST = 96
NEIGHBOURHOOD = 256
_WARM_UP = 20
_AT_ONCE = 4096


@dataclass(frozen=True, slots=True)
class PairSet:
    """Pairs of one kind as piece numbers, and how often an epoch sees them."""

    name: str
    questions: Sequence[NDArray[np.int32]]
    answers: Sequence[NDArray[np.int32]]
    repeats: int


class Adam:
    """Lazy: each row has moments and a step count of its own."""

    def __init__(self, table: NDArray[np.float32]) -> None:
        self._table = table
        self._mean = np.zeros_like(table)
        self._square = np.zeros_like(table)
        self._steps = np.zeros(len(table), dtype=np.int32)

    def step(self, rows: NDArray[np.intp], gradient: NDArray[np.float32], rate: float) -> None:
        self._steps[rows] += 1
        count = self._steps[rows][:, None]
        mean = self._mean[rows] = 0.9 * self._mean[rows] + 0.1 * gradient
        square = self._square[rows] = 0.99 * self._square[rows] + 0.01 * gradient * gradient
        self._table[rows] -= rate * (mean / (1 - 0.9**count)) / (np.sqrt(square / (1 - 0.99**count)) + 1e-8)


def train(
    table: NDArray[np.float32],
    weights: NDArray[np.float32],
    sets: Sequence[PairSet],
    *,
    epochs: int,
    rate: float,
    seed: int,
    report: Callable[[str], None],
) -> NDArray[np.float32]:
    """The trained table; `weights` are of the pieces, and stay."""
    table = table.copy()
    adam, random = Adam(table), np.random.default_rng(seed)
    total = epochs * sum(pairs.repeats * len(_starts(len(pairs.questions))) for pairs in sets)
    losses: dict[str, list[float]] = {}
    batches = (batch for _ in range(epochs) for batch in _shuffled(sets, table, weights, random))
    for number, (pairs, chosen) in enumerate(batches):
        left = _matrix([pairs.questions[at] for at in chosen], weights, random)
        right = _matrix([pairs.answers[at] for at in chosen], weights, random)
        loss, rows, gradient = loss_and_gradient(left, right, table)
        now = rate * min(1.0, (number + 1) / _WARM_UP) * (1 - 0.9 * number / total)
        adam.step(rows, gradient, now)
        losses.setdefault(pairs.name, []).append(loss)
        if (number + 1) % 200 == 0 or number + 1 == total:
            told = ", ".join(f"{name} {np.mean(some):.3f}" for name, some in sorted(losses.items()))
            report(f"batch {number + 1} of {total}: {told}")
            losses = {}
    return table


def _starts(count: int) -> range:
    return range(0, max(1, count - BATCH // 2), BATCH)


def _shuffled(
    sets: Sequence[PairSet], table: NDArray[np.float32], weights: NDArray[np.float32], random: np.random.Generator
) -> list[tuple[PairSet, NDArray[np.intp]]]:
    """Each set in batches, every other time by neighbourhoods of its answers as the table has them now."""
    batches: list[tuple[PairSet, NDArray[np.intp]]] = []
    for pairs in sets:
        for repeat in range(pairs.repeats):
            order = random.permutation(len(pairs.questions))
            if repeat % 2:
                places = _neighbourhoods(pairs.answers, table, weights, random)
                order = order[np.argsort(places[order], kind="stable")]
            batches.extend((pairs, order[start : start + BATCH]) for start in _starts(len(order)))
    return [batches[at] for at in random.permutation(len(batches))]


def _neighbourhoods(
    answers: Sequence[NDArray[np.int32]],
    table: NDArray[np.float32],
    weights: NDArray[np.float32],
    random: np.random.Generator,
) -> NDArray[np.intp]:
    """To which of some answers, drawn by chance, each is nearest."""
    drawn = random.choice(len(answers), size=max(1, len(answers) // NEIGHBOURHOOD), replace=False)
    centres, _ = _unit(_counted([answers[at][:LONGEST] for at in drawn], weights) @ table)
    found = []
    for start in range(0, len(answers), _AT_ONCE):
        some = [answer[:LONGEST] for answer in answers[start : start + _AT_ONCE]]
        found.append((_counted(some, weights) @ table @ centres.T).argmax(axis=1))
    return np.concatenate(found)


def _matrix(
    texts: Sequence[NDArray[np.int32]], weights: NDArray[np.float32], random: np.random.Generator
) -> csr_matrix:
    """Rows of weighted pieces, with some left out, of a window of each text."""
    windows = []
    for text in texts:
        start = int(random.integers(max(1, len(text) - LONGEST + 1)))
        window = text[start : start + LONGEST]
        windows.append(window[random.random(len(window)) >= LEFT_OUT])
    return _counted(windows, weights)


def _counted(windows: Sequence[NDArray[np.int32]], weights: NDArray[np.float32]) -> csr_matrix:
    """As the table adds them up: a piece by the root of how often it stands there."""
    numbers = np.concatenate(windows)
    ends = np.concatenate([[0], np.cumsum([len(window) for window in windows])])
    matrix = csr_matrix((np.ones(len(numbers), dtype=np.float32), numbers, ends), shape=(len(windows), len(weights)))
    matrix.sum_duplicates()
    matrix.data = np.sqrt(matrix.data) * weights[matrix.indices]
    return matrix


def loss_and_gradient(
    left: csr_matrix, right: csr_matrix, table: NDArray[np.float32]
) -> tuple[float, NDArray[np.intp], NDArray[np.float32]]:
    """The mean loss, the rows of the table that the texts have, and its gradient there."""
    rows = np.unique(np.concatenate([left.indices, right.indices]))
    place = np.zeros(table.shape[0], dtype=np.int32)
    place[rows] = np.arange(len(rows))
    left = csr_matrix((left.data, place[left.indices], left.indptr), shape=(left.shape[0], len(rows)))
    right = csr_matrix((right.data, place[right.indices], right.indptr), shape=(right.shape[0], len(rows)))
    part = table[rows]
    ours, our_lengths = _unit(left @ part)
    theirs, their_lengths = _unit(right @ part)
    likeness = ours @ theirs.T / TEMPERATURE
    count = len(likeness)
    by_row, by_column = _softmax(likeness, 1), _softmax(likeness, 0)
    loss = float(-np.log(np.maximum(np.diag(by_row), 1e-12)).mean())
    slope: NDArray[np.float32] = (by_row + by_column) * np.float32(0.5)
    slope[np.arange(count), np.arange(count)] -= 1
    slope *= np.float32(1 / (TEMPERATURE * count))
    gradient = left.T @ _through_unit(slope @ theirs, ours, our_lengths)
    gradient += right.T @ _through_unit(slope.T @ ours, theirs, their_lengths)
    return loss, rows.astype(np.intp), np.asarray(gradient, dtype=np.float32)


def _unit(vectors: NDArray[np.float32]) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True) + 1e-6
    return vectors / lengths, lengths


def _softmax(values: NDArray[np.float32], axis: int) -> NDArray[np.float32]:
    powers = np.exp(values - values.max(axis=axis, keepdims=True))
    result: NDArray[np.float32] = powers / powers.sum(axis=axis, keepdims=True)
    return result


def _through_unit(
    gradient: NDArray[np.float32], unit: NDArray[np.float32], lengths: NDArray[np.float32]
) -> NDArray[np.float32]:
    """The gradient with respect to a vector, from that with respect to its direction."""
    result: NDArray[np.float32] = (gradient - (gradient * unit).sum(axis=1, keepdims=True) * unit) / lengths
    return result
