"""Asks labelled questions by words, by meaning and by both, and judges what comes first."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from consiglierd.errors import BadRequest, DeadlineExceeded
from consiglierd.evaluation.measures import DEPTH, Floats, interval, ndcg, recall, reciprocal_rank
from consiglierd.model.deadline import Deadline
from consiglierd.model.evaluation import AnswerLines, Evaluation, Gain, GroupMeasures, LabelledQuestion, SideMeasures
from consiglierd.model.hit import Hit, SearchResult
from consiglierd.model.query import Query

# The share of the vectors in the score; None is what the settings say.
SIDES: dict[str, float | None] = {"words": 0.0, "meaning": 1.0, "both": None}
BOTH = "both"
Place = tuple[str, int]

Ask = Callable[[Query, Deadline], SearchResult]
# The line ranges of the sections of a file; none for one that is not indexed.
SectionsOf = Callable[[str], Sequence[tuple[int, int]]]


@dataclass(frozen=True, slots=True)
class _Judged:
    """One question, asked."""

    question: LabelledQuestion
    relevant: frozenset[Place]
    ranks: dict[str, list[frozenset[Place]]]
    shown: frozenset[Place]


class Evaluator:
    """`settings` are alpha, beta and the minimum score in force."""

    def __init__(self, ask: Ask, sections_of: SectionsOf, settings: tuple[float, float, float]) -> None:
        self._ask = ask
        self._sections_of = sections_of
        self._settings = settings

    def evaluate(self, questions: Sequence[LabelledQuestion], deadline: Deadline) -> Evaluation:
        """Raises BadRequest for an answer that is not in the index, DeadlineExceeded where the time is not enough."""
        if not questions:
            raise BadRequest("there is no question", cure="give at least one")
        relevant = self.relevant(questions)
        notes: dict[str, None] = {}
        judged: list[_Judged] = []
        for question, places in zip(questions, relevant, strict=True):
            if deadline.is_over:
                raise DeadlineExceeded(f"{len(judged)} of {len(questions)} questions were asked in the time")
            judged.append(self._judged(question, places, deadline, notes))
        alpha, beta, min_score = self._settings
        return Evaluation(tuple(_groups(judged)), alpha, beta, min_score, tuple(notes))

    def relevant(self, questions: Sequence[LabelledQuestion]) -> list[frozenset[Place]]:
        """The sections that answer each question; raises BadRequest for an answer that is not in the index."""
        sections: dict[str, Sequence[tuple[int, int]]] = {}
        found = []
        for number, question in enumerate(questions, start=1):
            for file in {answer.file for answer in question.answers} - sections.keys():
                sections[file] = self._sections_of(file)
            found.append(frozenset().union(*(_places_in(number, each, sections) for each in question.answers)))
        return found

    def _judged(
        self, question: LabelledQuestion, relevant: frozenset[Place], deadline: Deadline, notes: dict[str, None]
    ) -> _Judged:
        ranks = {}
        for side, alpha in SIDES.items() if relevant else ():
            query = Query(question.text, DEPTH, role=question.role, min_score=0.0, full=True, alpha=alpha)
            found = self._ask(query, deadline)
            notes.update(dict.fromkeys(found.partial))
            ranks[side] = [places_of(hit) for hit in found.hits]
        shown = self._ask(Query(question.text, DEPTH, role=question.role, full=True), deadline)
        notes.update(dict.fromkeys(shown.partial))
        return _Judged(question, relevant, ranks, frozenset().union(*map(places_of, shown.hits)))


def _places_in(number: int, answer: AnswerLines, sections: Mapping[str, Sequence[tuple[int, int]]]) -> frozenset[Place]:
    """The sections that hold lines of an answer."""
    found = [
        (answer.file, start)
        for start, end in sections[answer.file]
        if start <= answer.line_end and end >= answer.line_start
    ]
    if not found:
        raise BadRequest(
            f"question {number}: no section holds {answer.file}:{answer.line_start}-{answer.line_end}",
            cure="name lines of an indexed document, by its path from the root",
        )
    return frozenset(found)


def places_of(hit: Hit) -> frozenset[Place]:
    """A hit stands for every place that has its text."""
    return frozenset([(hit.file, hit.line_start), *((also.file, also.line_start) for also in hit.also)])


def _groups(judged: Sequence[_Judged]) -> Iterable[GroupMeasures]:
    yield _group("all", judged)
    languages = sorted({each.question.language for each in judged})
    if len(languages) > 1:
        for language in languages:
            yield _group(f"language {language}", [each for each in judged if each.question.language == language])
    for role in sorted({each.question.role for each in judged if each.question.role is not None}):
        yield _group(f"role {role}", [each for each in judged if each.question.role == role])


def _group(name: str, judged: Sequence[_Judged]) -> GroupMeasures:
    answerable = [each for each in judged if each.relevant]
    others = [each for each in judged if not each.relevant]
    gained = {side: _by_question(ndcg, side, answerable) for side in SIDES}
    found = [each for each in answerable if not each.relevant.isdisjoint(*[set().union(*each.ranks[BOTH])])]
    return GroupMeasures(
        name=name,
        answerable=len(answerable),
        unanswerable=len(others),
        sides=tuple(_side(side, gained[side], answerable) for side in SIDES) if answerable else (),
        gains=tuple(_gain(side, gained) for side in SIDES if side != BOTH) if answerable else (),
        lost=sum(each.relevant.isdisjoint(each.shown) for each in found) / len(answerable) if answerable else None,
        false_answers=sum(bool(each.shown) for each in others) / len(others) if others else None,
    )


def _by_question(measure: Callable[..., float], side: str, judged: Sequence[_Judged]) -> Floats:
    return np.array([measure(each.ranks[side], each.relevant) for each in judged], dtype=np.float64)


def _side(side: str, gained: Floats, judged: Sequence[_Judged]) -> SideMeasures:
    low, high = interval(gained)
    return SideMeasures(
        side=side,
        ndcg=float(gained.mean()),
        ndcg_low=low,
        ndcg_high=high,
        recall=float(_by_question(recall, side, judged).mean()),
        mrr=float(_by_question(reciprocal_rank, side, judged).mean()),
    )


def _gain(side: str, gained: dict[str, Floats]) -> Gain:
    differences = gained[BOTH] - gained[side]
    low, high = interval(differences)
    return Gain(side, float(differences.mean()), low, high)
