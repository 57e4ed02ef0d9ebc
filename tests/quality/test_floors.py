"""The ranking is at or above a plain BM25 on every labelled set, and the minimum score loses few answers."""

from pathlib import Path

import pytest

from benchmarks.quality import is_below_floor, judge
from benchmarks.question_sets import SETS, QuestionSet

DATA = Path(__file__).resolve().parents[3] / "shared" / "data"
MOST_LOST = 0.1

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not DATA.is_dir(), reason="the labelled question sets are not beside this checkout"),
]


@pytest.mark.parametrize("questions", SETS, ids=lambda each: f"{each.name}-{each.sample or 'all'}")
def test_the_ranking_is_at_or_above_its_floor(questions: QuestionSet) -> None:
    result = judge(DATA, questions, ("words",))
    assert not is_below_floor(result, questions), f"{result.words_ndcg:.4f}, plain {result.plain_ndcg:.4f}"
    assert result.lost["words"].mean() <= MOST_LOST
