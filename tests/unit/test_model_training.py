"""Training the bundled table: the gradient is the slope of the loss, and pairs come to lie near each other."""

import numpy as np
import pytest

pytest.importorskip("scipy", reason="the recipe of the table needs scipy, the product does not")

from models.train import PairSet, _counted, loss_and_gradient, train

WEIGHTS = np.ones(12, dtype=np.float32)


def arrays(*texts: list[int]) -> list[np.ndarray]:
    return [np.array(text, dtype=np.int32) for text in texts]


def test_the_gradient_is_the_slope_of_the_loss_in_both_directions() -> None:
    random = np.random.default_rng(0)
    # All near to each other, for the loss is cut off where an answer is out of sight.
    table = random.normal(scale=0.3, size=(12, 5)) + 1.0
    left = _counted(arrays([0, 1, 1], [2, 3], [4]), WEIGHTS)
    right = _counted(arrays([5, 6], [7, 3], [8, 9]), WEIGHTS)

    def both(values: np.ndarray) -> float:
        return (loss_and_gradient(left, right, values)[0] + loss_and_gradient(right, left, values)[0]) / 2

    _, rows, gradient = loss_and_gradient(left, right, table)
    for row, column in ((0, 0), (3, 2), (9, 4)):
        moved = table.copy()
        moved[row, column] += 1e-5
        slope = (both(moved) - both(table)) / 1e-5
        assert gradient[rows.tolist().index(row), column] == pytest.approx(slope, abs=1e-3)


def test_training_brings_pairs_together_and_repeats_itself() -> None:
    random = np.random.default_rng(1)
    table = random.normal(size=(12, 4)).astype(np.float32)
    questions, answers = arrays(*([number] for number in range(6))), arrays(*([number + 6] for number in range(6)))
    pairs = PairSet("translation", questions, answers, repeats=2)
    told: list[str] = []
    first, second = (
        train(table, WEIGHTS, [pairs], epochs=150, rate=2e-2, seed=5, report=told.append) for _ in range(2)
    )
    near = first[:6] @ first[6:].T / np.outer(np.linalg.norm(first[:6], axis=1), np.linalg.norm(first[6:], axis=1))
    assert near.argmax(axis=1).tolist() == [0, 1, 2, 3, 4, 5]
    assert np.array_equal(first, second)
    assert told[-1].startswith("batch 300 of 300")
