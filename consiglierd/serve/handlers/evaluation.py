"""Handles the evaluation of the search by labelled questions, and its tuning."""

from collections.abc import Sequence

from consiglierd.errors import BadRequest
from consiglierd.model import evaluation as model
from consiglierd.serve.visit import Visit
from consigliere.protocol.evaluation import (
    AnswerLines,
    Evaluate,
    EvaluateReply,
    ForgetTuning,
    ForgetTuningReply,
    Gain,
    GroupMeasures,
    HistoryQuestions,
    HistoryQuestionsReply,
    LabelledQuestion,
    SideMeasures,
    Tune,
    TuneReply,
)

MAX_QUESTIONS = 5000
MAX_ANSWER_LINES = 10_000


def evaluate(call: Evaluate, visit: Visit) -> EvaluateReply:
    found = visit.workspace().evaluation.evaluate(_questions(call.questions), visit.deadline)
    return EvaluateReply(
        groups=tuple(_group(group) for group in found.groups),
        alpha=found.alpha,
        beta=found.beta,
        min_score=found.min_score,
        notes=found.notes,
    )


def tune(call: Tune, visit: Visit) -> TuneReply:
    found = visit.workspace().evaluation.tune(_questions(call.questions), visit.deadline)
    chosen, gain = found.calibration, found.calibration.gain
    return TuneReply(
        alpha=chosen.alpha,
        beta=chosen.beta,
        alpha_before=found.alpha_before,
        beta_before=found.beta_before,
        questions=chosen.questions,
        gain=Gain(over=gain.over, mean=gain.mean, low=gain.low, high=gain.high),
        is_adopted=found.is_adopted,
        reason=found.reason,
    )


def forget_tuning(call: ForgetTuning, visit: Visit) -> ForgetTuningReply:
    visit.workspace().evaluation.take_tuning_back()
    return ForgetTuningReply()


def history_questions(call: HistoryQuestions, visit: Visit) -> HistoryQuestionsReply:
    found = visit.workspace().evaluation.from_history(visit.deadline)
    return HistoryQuestionsReply(
        questions=tuple(
            LabelledQuestion(
                question=each.text,
                answers=tuple(
                    AnswerLines(file=answer.file, line_start=answer.line_start, line_end=answer.line_end)
                    for answer in each.answers
                ),
                role=each.role,
                language=each.language,
            )
            for each in found.questions
        ),
        files_read=found.files_read,
        files_total=found.files_total,
    )


def _questions(asked: Sequence[LabelledQuestion]) -> tuple[model.LabelledQuestion, ...]:
    if len(asked) > MAX_QUESTIONS:
        raise BadRequest(f"at most {MAX_QUESTIONS} questions are asked at once, not {len(asked)}")
    return tuple(_question(number, each) for number, each in enumerate(asked, start=1))


def _question(number: int, asked: LabelledQuestion) -> model.LabelledQuestion:
    if not asked.question.strip():
        raise BadRequest(f"question {number} is empty")
    for answer in asked.answers:
        if not 1 <= answer.line_start <= answer.line_end < answer.line_start + MAX_ANSWER_LINES:
            raise BadRequest(f"question {number}: {answer.line_start}-{answer.line_end} are no lines of {answer.file}")
    answers = tuple(model.AnswerLines(each.file, each.line_start, each.line_end) for each in asked.answers)
    return model.LabelledQuestion(asked.question, answers, asked.role, asked.language)


def _group(group: model.GroupMeasures) -> GroupMeasures:
    return GroupMeasures(
        name=group.name,
        answerable=group.answerable,
        unanswerable=group.unanswerable,
        sides=tuple(
            SideMeasures(
                side=each.side,
                ndcg=each.ndcg,
                ndcg_low=each.ndcg_low,
                ndcg_high=each.ndcg_high,
                recall=each.recall,
                mrr=each.mrr,
            )
            for each in group.sides
        ),
        gains=tuple(Gain(over=each.over, mean=each.mean, low=each.low, high=each.high) for each in group.gains),
        lost=group.lost,
        false_answers=group.false_answers,
    )
