"""A thread that works for one workspace, from its start to its end."""

import threading
from collections.abc import Callable

from consiglierd.supervisor import Supervisor


class BackgroundThread:
    """A thread under the supervisor, by name."""

    def __init__(self, name: str, supervisor: Supervisor) -> None:
        self._name = name
        self._supervisor = supervisor
        self._thread: threading.Thread | None = None

    def start(self, work: Callable[[], None], on_poisoned: Callable[[str], None]) -> None:
        self._thread = self._supervisor.start_thread(self._name, work, on_poisoned=on_poisoned)

    def failure(self) -> str | None:
        """Why it was given up, if it was."""
        state = self._supervisor.state(self._name)
        return state.failure if state is not None and state.status == "poisoned" else None

    def join(self, timeout_s: float) -> None:
        """Wait for its end, after it was told to stop, and forget it."""
        if self._thread is not None:
            self._thread.join(timeout_s)
            if not self._thread.is_alive():
                self._supervisor.forget(self._name)
