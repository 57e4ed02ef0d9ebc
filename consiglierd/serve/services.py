"""What the calls need of the daemon's services; the workspaces satisfy it."""

from collections.abc import Sequence
from typing import Protocol

from consiglierd.model.calibration import Tuning
from consiglierd.model.deadline import Deadline
from consiglierd.model.evaluation import Evaluation, HistoryQuestions, LabelledQuestion
from consiglierd.model.hit import SearchResult
from consiglierd.model.ids import Revision
from consiglierd.model.query import Query
from consiglierd.model.status import (
    Finding,
    IndexProgress,
    SearchDefaults,
    SettingValue,
    ShownLines,
    WorkspaceLine,
    WorkspaceStatus,
)


class SearchEvaluation(Protocol):
    """How well the search does on labelled questions; BadRequest for an answer that is not in the index."""

    def evaluate(self, questions: Sequence[LabelledQuestion], deadline: Deadline) -> Evaluation: ...

    def tune(self, questions: Sequence[LabelledQuestion], deadline: Deadline) -> Tuning:
        """Chooses alpha and beta, and adopts them if they earn it."""
        ...

    def take_tuning_back(self) -> None: ...

    def from_history(self, deadline: Deadline) -> HistoryQuestions: ...


class Workspace(Protocol):
    """One open root directory. Every method is thread-safe, may block, and raises DaemonError only."""

    @property
    def root(self) -> str: ...

    def search(self, query: Query, deadline: Deadline) -> SearchResult: ...

    def defaults(self) -> SearchDefaults: ...

    def show(
        self, file: str, line_start: int | None, line_end: int | None, *, section: bool, deadline: Deadline
    ) -> ShownLines: ...

    def start_index(self, paths: tuple[str, ...], *, rebuild: bool) -> int:
        """Returns at once with a ticket for `index_progress`."""
        ...

    def index_progress(self, ticket: int, wait_s: float) -> IndexProgress:
        """Waits until the work is done or `wait_s` is over; an unknown ticket raises NotFound."""
        ...

    def settle(self, deadline: Deadline) -> Revision:
        """Waits until everything saved before this call is searchable; else raises DeadlineExceeded."""
        ...

    def wait_for_revision(self, revision: Revision, deadline: Deadline) -> None:
        """Waits until searches see `revision` or a later one; else raises DeadlineExceeded."""
        ...

    def status(self) -> WorkspaceStatus: ...

    def lag(self) -> dict[str, int]:
        """By index, how many revisions it is behind; must be cheap."""
        ...

    def revision(self) -> Revision:
        """The newest committed revision; must be cheap."""
        ...

    def settings(self) -> tuple[SettingValue, ...]: ...

    def settings_problems(self) -> tuple[str, ...]: ...

    def doctor(self) -> tuple[Finding, ...]: ...

    @property
    def evaluation(self) -> SearchEvaluation: ...


class Workspaces(Protocol):
    """All workspaces of the daemon; thread-safe."""

    def open(self, root: str, deadline: Deadline) -> Workspace:
        """The workspace of an absolute, normalised directory, opened if need be.

        Called once a request, from several threads at a time, also for one root: it must give
        all of them the same workspace. Raises Refused, NotFound, Busy, Unavailable, ...
        """
        ...

    def lines(self) -> tuple[WorkspaceLine, ...]: ...

    def forget(self, root: str) -> tuple[str, ...]:
        """Closes the workspace and removes its derived data; the folders and files removed."""
        ...
