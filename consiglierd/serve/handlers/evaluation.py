"""Handles the evaluation of the search by labelled questions."""

from consiglierd.errors import BadRequest
from consiglierd.model import evaluation as model
from consiglierd.serve.visit import Visit
from consigliere.protocol.evaluation import (
    Evaluate,
    EvaluateReply,
    Gain,
    GroupMeasures,
    LabelledQuestion,
    SideMeasures,
)

MAX_QUESTIONS = 5000
MAX_ANSWER_LINES = 10_000


def evaluate(call: Evaluate, visit: Visit) -> EvaluateReply:
    if len(call.questions) > MAX_QUESTIONS:
        raise BadRequest(f"at most {MAX_QUESTIONS} questions are asked at once, not {len(call.questions)}")
    questions = tuple(_question(number, each) for number, each in enumerate(call.questions, start=1))
    found = visit.workspace().evaluate(questions, visit.deadline)
    return EvaluateReply(
        groups=tuple(_group(group) for group in found.groups),
        alpha=found.alpha,
        beta=found.beta,
        min_score=found.min_score,
        notes=found.notes,
    )


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
