"""Measures of a ranking, worked out by hand."""

import math

import numpy as np
import pytest

from consiglierd.evaluation.measures import interval, ndcg, recall, reciprocal_rank


def ranks(*names: str) -> list[frozenset[str]]:
    return [frozenset(each) for each in names]


@pytest.mark.parametrize(
    ("found", "relevant", "expected"),
    [
        (ranks("a", "b"), "a", 1.0),
        (ranks("b", "a"), "a", 1 / math.log2(3)),
        (ranks("a", "b", "c"), "ac", (1 + 0.5) / (1 + 1 / math.log2(3))),
        (ranks("b"), "a", 0.0),
        ([], "a", 0.0),
        (ranks("a"), "", 0.0),
        (ranks(*"bcdefghijk", "a"), "a", 0.0),
        (ranks("xa", "a"), "a", 1.0),
        (ranks("ab"), "ab", 1 / (1 + 1 / math.log2(3))),
    ],
    ids=["first", "second", "two of three", "none", "empty", "nothing wanted", "too deep", "also at", "both in one"],
)
def test_ndcg(found: list[frozenset[str]], relevant: str, expected: float) -> None:
    assert ndcg(found, relevant) == pytest.approx(expected)


def test_recall_looks_at_five_and_reciprocal_rank_at_ten() -> None:
    found = ranks(*"bcdefa")
    assert recall(found, "ab") == 0.5
    assert recall(found, "xyz") == 0.0
    assert recall([], "a") == 0.0
    assert reciprocal_rank(found, "a") == pytest.approx(1 / 6)
    assert reciprocal_rank(ranks(*"bcdefghijk", "a"), "a") == 0.0


def test_the_interval_holds_the_mean_and_narrows_with_more_questions() -> None:
    values = np.array([0.0, 1.0] * 10)
    low, high = interval(values)
    assert 0.2 < low < 0.5 < high < 0.8
    narrow = interval(np.tile(values, 100))
    assert low < narrow[0] < 0.5 < narrow[1] < high
    assert interval(np.full(5, 0.25)) == (0.25, 0.25)
    assert interval(values) == (low, high), "the same each time"
    assert interval(np.array([])) == (0.0, 0.0)
