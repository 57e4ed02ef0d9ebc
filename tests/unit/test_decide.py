"""What an answer must reach: by the number of windows, the words of the question, and their language."""

import math

import numpy as np
import pytest
from numpy.typing import NDArray

from consiglierd.search.decide import MEASURED_WINDOWS, Decision, decision_of, korean_share
from consiglierd.search.score import ScoringModel, scoring_model
from consiglierd.text.analyzer import analyze_query
from consiglierd.text.counts import count_section

NEAR = 0.4


def model(question: str, known: str = "", korean: float = 0.0) -> ScoringModel:
    """The question among a hundred chunks; terms of `known` stand in ten of them, others in none."""
    terms = analyze_query(question)
    held = {term.term for term in analyze_query(known)}
    return scoring_model(terms, np.array([10 if term.term in held else 0 for term in terms]), 100, 20.0, korean)


def needed(question: str, known: str = "", windows: int = MEASURED_WINDOWS) -> float:
    found = decision_of(NEAR, windows, model(question, known)).needed
    assert found is not None
    return found


def test_words_count_as_much_as_nearness() -> None:
    assert needed("alpha beta", "alpha") == pytest.approx(NEAR * 2)
    decision = decision_of(NEAR, MEASURED_WINDOWS, model("alpha beta", "alpha"))
    assert decision.is_out_of_reach(NEAR * 2 - 0.21, 0.2)
    assert not decision.is_out_of_reach(NEAR * 2 - 0.2, 0.2)


def test_what_is_needed_grows_as_the_greatest_of_so_many_draws() -> None:
    limits = [needed("alpha", windows=windows) for windows in (0, 500, 1_000, MEASURED_WINDOWS, 1_000_000)]
    assert limits == sorted(limits)
    expected = NEAR + 0.2 * (math.sqrt(2 * math.log(1_000)) - math.sqrt(2 * math.log(MEASURED_WINDOWS)))
    assert limits[2] == pytest.approx(2 * expected)
    assert limits[0] == limits[1] < limits[2], "of fewer nothing is known"


def test_words_of_another_language_are_not_asked_for() -> None:
    assert needed("다른 나라", "alpha") == pytest.approx(NEAR), "by nearness alone"
    assert needed("다른 나라", "나라") > NEAR * 1.2, "one of two words is known"
    assert NEAR < needed("다른나라", "나라") < NEAR * 2, "a word that is known in part"
    assert needed("unknown words", "alpha") == pytest.approx(NEAR * 2), "they could stand there"
    assert NEAR < needed("alpha 다른 나라", "alpha") < NEAR * 2


def test_in_korean_documents_korean_words_are_asked_for() -> None:
    for korean, expected in ((0.0, NEAR), (0.5, NEAR * 1.5), (1.0, NEAR * 2)):
        asked = decision_of(NEAR, MEASURED_WINDOWS, model("다른 나라", "alpha", korean)).needed
        assert asked == pytest.approx(expected)


@pytest.mark.parametrize(
    ("texts", "share"), [(["모든 것을 한다", "text"], 1.0), (["모든 것을 한다"] + ["text"] * 19, 0.5), (["text"], 0.0)]
)
def test_documents_are_korean_by_their_endings(texts: list[str], share: float) -> None:
    counted = [set(count_section(each, ()).keys.tolist()) for each in texts]

    def frequencies(keys: NDArray[np.uint64]) -> NDArray[np.int64]:
        return np.array([sum(key in each for each in counted) for key in keys.tolist()])

    assert korean_share(frequencies, len(texts)) == pytest.approx(share)
    assert korean_share(frequencies, 0) == 0.0


def test_without_words_or_a_limit() -> None:
    assert needed("!?") == pytest.approx(NEAR * 2)
    assert decision_of(0.0, 10, model("alpha", "alpha")) == Decision(None, 0.9)
    assert not Decision(None, 0.9).is_out_of_reach(0.0, 0.0)


def test_whatever_no_chunk_holds_counts_whole_for_coverage() -> None:
    assert decision_of(NEAR, 10, model("alpha beta", "alpha beta")).coverage == pytest.approx(0.9)
    # By coverage `alpha` alone reaches nearly all of it.
    assert decision_of(NEAR, 10, model("alpha beta", "alpha")).coverage > 1.0
