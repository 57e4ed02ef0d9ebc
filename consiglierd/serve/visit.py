"""What a handler may use while it answers one call."""

from collections.abc import Callable
from dataclasses import dataclass

from consiglierd.model.deadline import Deadline
from consiglierd.serve.services import Workspace, Workspaces


@dataclass(frozen=True, slots=True)
class Daemon:
    """What the daemon knows of itself. `ask_stop` may be called from any thread."""

    version: str
    protocol: int
    pid: int
    started_at: str
    events_endpoint: str
    log_file: str
    state_directory: str
    ask_stop: Callable[[str], None]


@dataclass(slots=True)
class Visit:
    """One call's surroundings; `root` is "" where the call names no workspace."""

    daemon: Daemon
    workspaces: Workspaces
    root: str
    deadline: Deadline
    opened: Workspace | None = None

    def workspace(self) -> Workspace:
        """The workspace that the call names, opened on first use."""
        if self.opened is None:
            self.opened = self.workspaces.open(self.root, self.deadline)
        return self.opened
