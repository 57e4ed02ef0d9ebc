"""Labelled questions, and how well the search does on them."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class AnswerLines:
    """Lines of a file that answer a question; 1-based, both included."""

    file: str
    line_start: int
    line_end: int


@dataclass(frozen=True, slots=True)
class LabelledQuestion:
    """A question and all that answers it; without answers it is one that nothing here answers."""

    text: str
    answers: tuple[AnswerLines, ...]
    role: str | None
    language: str


@dataclass(frozen=True, slots=True)
class SideMeasures:
    """Means over questions that have an answer: nDCG@10 with its 95 % interval, recall@5, MRR@10."""

    side: str
    ndcg: float
    ndcg_low: float
    ndcg_high: float
    recall: float
    mrr: float


@dataclass(frozen=True, slots=True)
class Gain:
    """What both sides together gain over one of them in nDCG@10, with its 95 % interval (paired bootstrap)."""

    over: str
    mean: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class GroupMeasures:
    """Of some of the questions, `name` says which. `lost`: the share of the answered ones whose answer is among the
    first ten and is kept back by the minimum or the decision after it; `false_answers`: the share of the others that
    get hits. None where there is no such question."""

    name: str
    answerable: int
    unanswerable: int
    sides: tuple[SideMeasures, ...]
    gains: tuple[Gain, ...]
    lost: float | None
    false_answers: float | None


@dataclass(frozen=True, slots=True)
class Evaluation:
    """`groups` begins with all questions, then each language and each role; `notes` say what is missing."""

    groups: tuple[GroupMeasures, ...]
    alpha: float
    beta: float
    min_score: float
    notes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class HistoryQuestions:
    """Questions out of the history of `files_read` of `files_total` documents; the others are not as they were
    committed, unknown to git, or were not reached in the time."""

    questions: tuple[LabelledQuestion, ...]
    files_read: int
    files_total: int
