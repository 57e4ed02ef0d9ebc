"""How far the work in hand has come, readable from any thread."""

import threading


class Progress:
    """Files of the current round: done, and found to need reading."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._done = 0
        self._total = 0
        self._is_working = False

    def begin(self, total: int) -> None:
        with self._lock:
            self._done, self._total, self._is_working = 0, total, True

    def advance(self) -> None:
        with self._lock:
            self._done += 1

    def end(self) -> None:
        with self._lock:
            self._is_working = False

    @property
    def counts(self) -> tuple[int, int]:
        """Done and total of the round in hand, or of the last one."""
        with self._lock:
            return self._done, self._total

    @property
    def pending(self) -> int:
        """Files found to need reading and not read yet."""
        with self._lock:
            return self._total - self._done if self._is_working else 0
