"""How well the search of a workspace does, and what tuning has chosen for it."""

import datetime
from collections.abc import Callable, Sequence

from consiglierd.catalog.files import FileUnavailable, SafeRoot
from consiglierd.evaluation.evaluate import Ask, Evaluator
from consiglierd.evaluation.history import questions_from_history
from consiglierd.evaluation.tune import Tuner
from consiglierd.git.repository import Git
from consiglierd.model.calibration import Tuning
from consiglierd.model.deadline import Deadline
from consiglierd.model.evaluation import Evaluation, HistoryQuestions, LabelledQuestion
from consiglierd.store.authored import AuthoredStore
from consiglierd.store.derived import DerivedStore
from consiglierd.workspaces.disk import ProjectDisk


class SearchEvaluation:
    """Satisfies serve.services.SearchEvaluation; thread-safe. `has_changed` is called when something else is chosen."""

    def __init__(
        self,
        ask: Ask,
        store: DerivedStore,
        disk: ProjectDisk,
        files: SafeRoot,
        git: Git,
        authored: AuthoredStore,
        has_changed: Callable[[], None],
    ) -> None:
        self._ask = ask
        self._store = store
        self._disk = disk
        self._files = files
        self._git = git
        self._authored = authored
        self._has_changed = has_changed

    def evaluate(self, questions: Sequence[LabelledQuestion], deadline: Deadline) -> Evaluation:
        return self._evaluator().evaluate(questions, deadline)

    def tune(self, questions: Sequence[LabelledQuestion], deadline: Deadline) -> Tuning:
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
        return Evaluator(self._ask, self._section_at, (options.alpha, options.beta, options.min_score))

    def _section_at(self, file: str, line: int) -> int | None:
        found = self._store.section_lines_at(file, line)
        return found[0] if found is not None else None

    def _rooms_of(self, name: str) -> tuple[str, ...]:
        role = self._disk.options.roles.find(name)
        return role.rooms if role is not None else ()


def _today() -> datetime.date:
    return datetime.datetime.now(datetime.UTC).date()
