"""Tuning by labelled questions: adopted where it earns it, refused with the reason where it does not."""

import datetime
import re
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from consiglierd.errors import BadRequest, DeadlineExceeded, Unavailable
from consiglierd.evaluation.evaluate import Evaluator
from consiglierd.evaluation.tune import FEWEST_QUESTIONS, Tuner
from consiglierd.model.calibration import Tuning
from consiglierd.model.deadline import Deadline
from consiglierd.model.evaluation import AnswerLines, LabelledQuestion
from consiglierd.model.roles import Role, RoleTable
from consiglierd.model.rules import DocumentRules
from tests.support.held_index import HeldIndex, Options

TODAY = datetime.date(2026, 4, 1)
COUNT = 60
# With so little of the vectors in the score the words decide; with more than 0.3 the vectors do.
WORDY = 0.1
SECURITY = Role("dev", "dev", {}, ("security",))
RULES = DocumentRules(rooms=(("security", ("보안",)),))
ROLES = RoleTable({"dev": SECURITY, "cfo": Role("cfo", "cfo", {}, ())})


class KeyedEmbedder:
    """A text is its key, `k7key` in the documents and `q7key` in the questions, and near to nothing else."""

    unrelated, identical, near = 0.0, 1.0, 0.33
    fingerprint, dimensions = "keyed", 128

    def windows_of(self, title: str, text: str) -> list[str]:
        return [text]

    def embed_documents(self, texts: Sequence[str]) -> NDArray[np.float32]:
        return self.embed_queries(texts)

    def embed_queries(self, texts: Sequence[str]) -> NDArray[np.float32]:
        rows = np.zeros((len(texts), self.dimensions), dtype=np.float32)
        for row, text in zip(rows, texts, strict=True):
            if key := re.search(r"[kq](\d+)key", text):
                row[int(key[1])] = 1.0
        return rows


def words(number: int) -> str:
    return f"aa{number}a bb{number}b cc{number}c dd{number}d"


def question(number: int, role: str | None = None) -> LabelledQuestion:
    """The answer has its key; its words stand in the document of the next number."""
    answer = AnswerLines(f"docs/{number:02}.md", 1, 1)
    return LabelledQuestion(f"{words(number + 1)} q{number}key", (answer,), role, "en")


def by_words(number: int, role: str | None = None) -> LabelledQuestion:
    """The answer has its words, and another document the key."""
    answer = AnswerLines(f"docs/{number:02}.md", 1, 1)
    return LabelledQuestion(f"{words(number)} q{number + 1}key", (answer,), role, "en")


@pytest.fixture
def index(tmp_path: Path) -> Iterator[HeldIndex]:
    opened = HeldIndex(tmp_path, options=Options(ROLES), embedder=KeyedEmbedder(), rules=RULES)
    opened.write({f"docs/{number:02}.md": f"{words(number)} k{number}key\n" for number in range(COUNT + 1)})
    opened.fill()
    yield opened
    opened.close()


def tune(
    index: HeldIndex,
    questions: Sequence[LabelledQuestion],
    settings: tuple[float, float] = (WORDY, 0.0),
    time_s: float = 300,
) -> Tuning:
    def rooms_of(name: str) -> tuple[str, ...]:
        role = ROLES.find(name)
        return role.rooms if role is not None else ()

    evaluator = Evaluator(index.service.search, index.store.sections_of, (*settings, 0.3))
    return Tuner(index.service.search, evaluator, rooms_of, settings).tune(questions, TODAY, Deadline.after(time_s))


def test_a_certain_gain_is_adopted_and_is_what_a_search_then_gives(index: HeldIndex) -> None:
    questions = [question(number) for number in range(COUNT)]
    tuning = tune(index, questions)
    assert tuning.is_adopted
    calibration = tuning.calibration
    assert calibration.alpha > WORDY
    assert calibration.beta == 0.0, "the smallest that is as good"
    assert (calibration.questions, calibration.day) == (COUNT, "2026-04-01")
    assert 0 < calibration.gain.low <= calibration.gain.mean <= calibration.gain.high
    index.options = Options(ROLES, alpha=WORDY)
    before = [index.search(each.text, min_score=0.0).hits[0].file == each.answers[0].file for each in questions]
    index.options = Options(ROLES, alpha=calibration.alpha)
    after = [index.search(each.text, min_score=0.0).hits[0].file == each.answers[0].file for each in questions]
    assert (any(before), all(after)) == (False, True)
    again = tune(index, questions, (calibration.alpha, 0.0))
    assert (again.is_adopted, again.reason) == (False, "what is in force is the best")
    assert again.calibration.digest == calibration.digest == tune(index, questions[::-1]).calibration.digest


def test_what_is_not_certain_is_not_adopted(index: HeldIndex) -> None:
    """One question gains much, the others nothing: that may be chance."""
    indifferent = [
        LabelledQuestion(f"{words(number)} q{number}key", (AnswerLines(f"docs/{number:02}.md", 1, 1),), None, "en")
        for number in range(2, COUNT)
    ]
    tuning = tune(index, [question(0), *indifferent])
    assert not tuning.is_adopted
    assert tuning.calibration.gain.low <= 0
    assert tuning.reason.startswith("nothing is certain to be gained: the gain on questions that it was not chosen by")


def test_no_role_may_lose(index: HeldIndex) -> None:
    gaining = [question(number, "dev") for number in range(50)]
    questions = [*gaining, *(by_words(number, "cfo") for number in range(50, 58))]
    tuning = tune(index, questions)
    assert not tuning.is_adopted
    assert tuning.reason.startswith("cfo (-")
    assert "would lose by it" in tuning.reason


def test_rooms_earn_a_bonus_no_larger_than_needed(index: HeldIndex) -> None:
    """The answers of the role stand in its room, and another text says just the same."""
    texts = {}
    for number in range(COUNT):
        texts[f"a/{number:02}.md"] = f"{words(number)} plain text of {number}\n"
        texts[f"b/{number:02}-security-audit.md"] = f"# 보안\n\n{words(number)} plain text of {number} security\n"
    index.remove([f"docs/{number:02}.md" for number in range(COUNT + 1)])
    index.write(texts)
    index.fill()
    answers = [AnswerLines(f"b/{number:02}-security-audit.md", 3, 3) for number in range(COUNT)]
    questions = [
        LabelledQuestion(f"{words(number)} plain", (answer,), "dev", "en") for number, answer in enumerate(answers)
    ]
    tuning = tune(index, questions)
    assert tuning.is_adopted, tuning.reason
    assert 0 < tuning.calibration.beta <= 0.1


def test_too_few_questions_are_refused(index: HeldIndex) -> None:
    unanswered = [LabelledQuestion(f"zz{number}", (), None, "en") for number in range(100)]
    with pytest.raises(BadRequest, match=f"{FEWEST_QUESTIONS - 1} questions with an answer are too few"):
        tune(index, [*(question(number) for number in range(FEWEST_QUESTIONS - 1)), *unanswered])


def test_without_vectors_there_is_nothing_to_weigh(tmp_path: Path) -> None:
    (tmp_path / "light").mkdir()
    light = HeldIndex(tmp_path / "light", options=Options(ROLES))
    light.write({f"docs/{number:02}.md": f"{words(number)}\n" for number in range(COUNT + 1)})
    with pytest.raises(Unavailable, match="nothing to weigh: vector: off"):
        tune(light, [question(number) for number in range(COUNT)])
    light.close()


def test_time_that_is_not_enough_is_said(index: HeldIndex) -> None:
    with pytest.raises(DeadlineExceeded, match=f"of {COUNT} questions were asked"):
        tune(index, [question(number) for number in range(COUNT)], time_s=0.0)
