"""How well the search of a workspace does, and what tuning has chosen for it."""

import datetime
from collections.abc import Callable, Sequence

from consiglierd.catalog.files import FileUnavailable
from consiglierd.evaluation.evaluate import Ask, Evaluator
from consiglierd.evaluation.history import questions_from_history
from consiglierd.evaluation.tune import Tuner
from consiglierd.model.calibration import Tuning
from consiglierd.model.deadline import Deadline
from consiglierd.model.evaluation import Evaluation, HistoryQuestions, LabelledQuestion
from consiglierd.model.ids import Revision
from consiglierd.workspaces.parts import WorkspaceParts

ALL_VECTORS_S = 60.0


class SearchEvaluation:
    """Satisfies serve.services.SearchEvaluation; thread-safe. `has_changed` is called when something else is chosen.

    What is saved is waited for: half an index is not what is to be measured.
    """

    def __init__(
        self,
        ask: Ask,
        settle: Callable[[Deadline], Revision],
        has_changed: Callable[[], None],
        parts: WorkspaceParts,
    ) -> None:
        self._ask = ask
        self._settle = settle
        self._has_changed = has_changed
        self._store, self._disk, self._vectors = parts.store, parts.disk, parts.vectors
        self._files, self._git, self._authored = parts.files, parts.git, parts.authored

    def _settle_all(self, deadline: Deadline) -> None:
        self._settle(deadline)
        if self._vectors.state().failure is None:
            self._vectors.wait_for(self._store.head(), min(ALL_VECTORS_S, deadline.remaining_s / 2))

    def evaluate(self, questions: Sequence[LabelledQuestion], deadline: Deadline) -> Evaluation:
        self._settle_all(deadline)
        return self._evaluator().evaluate(questions, deadline)

    def tune(self, questions: Sequence[LabelledQuestion], deadline: Deadline) -> Tuning:
        self._settle_all(deadline)
        options = self._disk.options
        tuner = Tuner(self._ask, self._evaluator(), self._rooms_of, (options.alpha, options.beta))
        tuning = tuner.tune(questions, _today(), deadline)
        if tuning.is_adopted:
            self._authored.calibrate(tuning.calibration)
            self._has_changed()
        return tuning

    def take_tuning_back(self) -> None:
        self._authored.take_calibration_back(_today().isoformat())
        self._has_changed()

    def from_history(self, deadline: Deadline) -> HistoryQuestions:
        self._settle_all(deadline)
        paths = self._store.document_paths()
        questions, read = questions_from_history(
            paths, self._git.blamed, self._content_of, self._store.sections_of, deadline
        )
        return HistoryQuestions(tuple(questions), read, len(paths))

    def _content_of(self, path: str) -> bytes | None:
        try:
            return self._files.read(path, self._disk.options.max_file_bytes)
        except FileUnavailable:
            return None

    def _evaluator(self) -> Evaluator:
        options = self._disk.options
        return Evaluator(self._ask, self._store.sections_of, (options.alpha, options.beta, options.min_score))

    def _rooms_of(self, name: str) -> tuple[str, ...]:
        role = self._disk.options.roles.find(name)
        return role.rooms if role is not None else ()


def _today() -> datetime.date:
    return datetime.datetime.now(datetime.UTC).date()
