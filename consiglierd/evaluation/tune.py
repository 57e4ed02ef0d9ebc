"""Chooses the share of the vectors and the bonus of rooms on labelled questions, if they earn it.

Five-fold cross-validation: what a fold is judged by was not chosen on it. The grid is searched on the parts of
the scores of whatever can stand among the first, so that each question is asked a few times only.
"""

import datetime
import hashlib
import itertools
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from consiglierd.errors import BadRequest, DeadlineExceeded, Unavailable
from consiglierd.evaluation.evaluate import Ask, Evaluator, Place, places_of
from consiglierd.evaluation.measures import DEPTH, Floats, interval
from consiglierd.model.calibration import Calibration, Tuning
from consiglierd.model.deadline import Deadline
from consiglierd.model.evaluation import Gain, LabelledQuestion
from consiglierd.model.hit import UNKNOWN_WORDS, Hit
from consiglierd.model.query import Query

FEWEST_QUESTIONS = 50
FOLDS = 5
CANDIDATES = 100
ALPHAS = tuple(round(0.05 * step, 2) for step in range(21))
BETAS = tuple(round(0.02 * step, 2) for step in range(16))
GRID = tuple(itertools.product(ALPHAS, BETAS))
# No role may lose more than this in nDCG@10.
ROLE_LOSS = 0.01
DIGITS = 6

# The main rooms of a role; none for a name that is unknown.
RoomsOf = Callable[[str], tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class _Parts:
    """What can stand among the first for one question, by path and line: a row each."""

    words: Floats
    meaning: Floats  # NaN where there are no vectors
    weight: Floats
    in_room: NDArray[np.bool_]
    places: tuple[frozenset[Place], ...]


class Tuner:
    """`settings` are the alpha and beta in force."""

    def __init__(self, ask: Ask, evaluator: Evaluator, rooms_of: RoomsOf, settings: tuple[float, float]) -> None:
        self._ask = ask
        self._evaluator = evaluator
        self._rooms_of = rooms_of
        self._settings = settings

    def tune(self, questions: Sequence[LabelledQuestion], today: datetime.date, deadline: Deadline) -> Tuning:
        """Raises BadRequest for too few questions, Unavailable where an answer lacks vectors, DeadlineExceeded."""
        relevant = self._evaluator.relevant(questions)
        asked = [(each, places) for each, places in zip(questions, relevant, strict=True) if places]
        if len(asked) < FEWEST_QUESTIONS:
            raise BadRequest(
                f"{len(asked)} questions with an answer are too few to tune by",
                cure=f"label at least {FEWEST_QUESTIONS}; `consigliere eval` measures with fewer",
            )
        gained = np.empty((len(asked), len(GRID)))
        now = np.empty(len(asked))
        for number, (question, places) in enumerate(asked):
            if deadline.is_over:
                raise DeadlineExceeded(f"{number} of {len(asked)} questions were asked in the time")
            parts = self._parts(question, deadline)
            gained[number] = [_ndcg(parts, places, alpha, beta) for alpha, beta in GRID]
            now[number] = _ndcg(parts, places, *self._settings)
        return self._decided([question for question, _ in asked], gained, now, today)

    def _parts(self, question: LabelledQuestion, deadline: Deadline) -> _Parts:
        hits: dict[Place, Hit] = {}
        for alpha, beta in ((0.0, 0.0), (1.0, 0.0), (0.5, BETAS[-1])):
            query = Query(
                question.text, CANDIDATES, role=question.role, min_score=0.0, full=True, alpha=alpha, beta=beta
            )
            found = self._ask(query, deadline)
            missing = [note for note in found.partial if note.startswith("vector:") and note != UNKNOWN_WORDS]
            if missing:
                raise Unavailable(
                    f"there is nothing to weigh: {missing[0]}", cure="wait with `consigliere index --wait`"
                )
            hits.update({(hit.file, hit.line_start): hit for hit in found.hits})
        rooms = set(self._rooms_of(question.role)) if question.role is not None else set()
        ordered = [hits[place] for place in sorted(hits)]
        return _Parts(
            words=_floats([hit.scores.bm25 for hit in ordered]),
            meaning=_floats([hit.scores.vector for hit in ordered]),
            weight=_floats([hit.scores.role for hit in ordered]),
            in_room=np.array([bool(rooms & set(hit.rooms)) for hit in ordered], dtype=np.bool_),
            places=tuple(places_of(hit) for hit in ordered),
        )

    def _decided(
        self, questions: Sequence[LabelledQuestion], gained: Floats, now: Floats, today: datetime.date
    ) -> Tuning:
        folds = np.array([_fold_of(each) for each in questions])
        differences = np.concatenate(
            [gained[folds == fold][:, _best(gained[folds != fold])] - now[folds == fold] for fold in range(FOLDS)]
        )
        low, high = interval(differences)
        chosen = _best(gained)
        alpha, beta = GRID[chosen]
        gain = Gain("now", float(differences.mean()), low, high)
        calibration = Calibration(alpha, beta, len(questions), _digest_of(questions), today.isoformat(), gain)
        losses = _losing_roles(questions, gained[:, chosen] - now)
        told = f"the gain on questions that it was not chosen by is {gain.mean:+.3f} [{low:+.3f}, {high:+.3f}]"
        if (alpha, beta) == self._settings:
            return Tuning(calibration, *self._settings, False, "what is in force is the best")
        if low <= 0:
            return Tuning(calibration, *self._settings, False, f"nothing is certain to be gained: {told}")
        if losses:
            return Tuning(calibration, *self._settings, False, f"{', '.join(losses)} would lose by it; {told}")
        return Tuning(calibration, *self._settings, True, told)


def _floats(values: Sequence[float | None]) -> Floats:
    return np.array([math.nan if value is None else value for value in values], dtype=np.float64)


def _ndcg(parts: _Parts, relevant: frozenset[Place], alpha: float, beta: float) -> float:
    fused = np.where(np.isnan(parts.meaning), parts.words, alpha * parts.meaning + (1 - alpha) * parts.words)
    scores = np.round(fused * parts.weight + beta * parts.in_room, DIGITS)
    scores[fused <= 0] = -1.0
    # Stable: equal scores stay by path and line.
    first = np.argsort(-scores, kind="stable")[:DEPTH]
    left, gain = set(relevant), 0.0
    for rank, at in enumerate(first.tolist()):
        if scores[at] >= 0 and not left.isdisjoint(parts.places[at]):
            left.difference_update(parts.places[at])
            gain += 1 / math.log2(rank + 2)
    return gain / sum(1 / math.log2(rank + 2) for rank in range(min(DEPTH, len(relevant))))


def _best(gained: Floats) -> int:
    """The point of the grid with the best mean among those with the smallest beta that is within one standard error
    of the best of all; equal ones by the smaller alpha."""
    means = gained.mean(axis=0)
    best = int(np.argmax(means))
    error = float(gained[:, best].std(ddof=1) / math.sqrt(len(gained))) if len(gained) > 1 else 0.0
    beta = min(GRID[at][1] for at in np.flatnonzero(means >= means[best] - error).tolist())
    return max((at for at in range(len(GRID)) if GRID[at][1] == beta), key=lambda at: (means[at], -GRID[at][0]))


def _fold_of(question: LabelledQuestion) -> int:
    """By the question alone, so that another question moves no other."""
    return hashlib.blake2b(question.text.encode("utf-8", "surrogatepass"), digest_size=4).digest()[0] % FOLDS


def _losing_roles(questions: Sequence[LabelledQuestion], differences: Floats) -> list[str]:
    losing = []
    for role in sorted({each.role for each in questions if each.role is not None}):
        of_role = differences[[each.role == role for each in questions]]
        if of_role.mean() < -ROLE_LOSS:
            losing.append(f"{role} ({of_role.mean():+.3f})")
    return losing


def _digest_of(questions: Sequence[LabelledQuestion]) -> str:
    digest = hashlib.blake2b(digest_size=8)
    for each in sorted(questions, key=repr):
        digest.update(repr(each).encode("utf-8", "surrogatepass"))
    return digest.hexdigest()
