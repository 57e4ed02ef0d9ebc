"""Labelled questions, and how well the search does on them."""

from typing import ClassVar

import msgspec

from consigliere.protocol.call import Call, Lane, Reply


class AnswerLines(msgspec.Struct, frozen=True, kw_only=True):
    """Lines of a file that answer a question; 1-based, both included."""

    file: str
    line_start: int
    line_end: int


class LabelledQuestion(msgspec.Struct, frozen=True, kw_only=True):
    """Without answers it is one that nothing here answers; `language` is any word, to tell groups apart."""

    question: str
    answers: tuple[AnswerLines, ...] = ()
    role: str | None = None
    language: str = ""


class SideMeasures(msgspec.Struct, frozen=True, kw_only=True):
    """`side` is `words`, `meaning` or `both`; means over the questions that have an answer."""

    side: str
    ndcg: float
    ndcg_low: float
    ndcg_high: float
    recall: float
    mrr: float


class Gain(msgspec.Struct, frozen=True, kw_only=True):
    """What both sides gain over one of them in nDCG@10, with the 95 % interval."""

    over: str
    mean: float
    low: float
    high: float


class GroupMeasures(msgspec.Struct, frozen=True, kw_only=True):
    """`lost` and `false_answers` are null where there is no such question."""

    name: str
    answerable: int
    unanswerable: int
    sides: tuple[SideMeasures, ...]
    gains: tuple[Gain, ...]
    lost: float | None
    false_answers: float | None


class EvaluateReply(Reply, frozen=True, kw_only=True):
    """`groups` begins with all questions, then each language and each role."""

    groups: tuple[GroupMeasures, ...]
    alpha: float
    beta: float
    min_score: float
    notes: tuple[str, ...] = ()


class Evaluate(Call[EvaluateReply], frozen=True, kw_only=True):
    """Ask labelled questions by words, by meaning and by both, and measure what comes first."""

    call_name: ClassVar[str] = "evaluate"
    lane: ClassVar[Lane] = "batch"
    reply_type: ClassVar[type[Reply]] = EvaluateReply

    questions: tuple[LabelledQuestion, ...]


class TuneReply(Reply, frozen=True, kw_only=True):
    """`gain` is that of what was chosen over what was in force, on questions that it was not chosen by; `reason` says
    why it was adopted or why not."""

    alpha: float
    beta: float
    alpha_before: float
    beta_before: float
    questions: int
    gain: Gain
    is_adopted: bool
    reason: str


class Tune(Call[TuneReply], frozen=True, kw_only=True):
    """Choose the share of the vectors and the bonus of rooms by labelled questions, and adopt it if it earns it."""

    call_name: ClassVar[str] = "tune"
    lane: ClassVar[Lane] = "batch"
    reply_type: ClassVar[type[Reply]] = TuneReply

    questions: tuple[LabelledQuestion, ...]


class ForgetTuningReply(Reply, frozen=True, kw_only=True):
    pass


class ForgetTuning(Call[ForgetTuningReply], frozen=True, kw_only=True):
    """What the settings say is in force again."""

    call_name: ClassVar[str] = "forget_tuning"
    lane: ClassVar[Lane] = "control"
    reply_type: ClassVar[type[Reply]] = ForgetTuningReply


class HistoryQuestionsReply(Reply, frozen=True, kw_only=True):
    """`files_read` of `files_total` documents are as they were committed, and were reached in the time."""

    questions: tuple[LabelledQuestion, ...]
    files_read: int
    files_total: int


class HistoryQuestions(Call[HistoryQuestionsReply], frozen=True, kw_only=True):
    """Questions out of the repository's history: what a commit says, answered by the sections whose lines it left."""

    call_name: ClassVar[str] = "history_questions"
    lane: ClassVar[Lane] = "batch"
    reply_type: ClassVar[type[Reply]] = HistoryQuestionsReply
