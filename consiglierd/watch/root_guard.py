"""Noticing that the root folder went away, came back, or was replaced by another of the same name."""

import os
import threading
from collections.abc import Callable

from consiglierd.watch.pulse import Pulse

LOOK_INTERVAL_S = 1.0


class RootGuard:
    """Looks at the root every second, or at once when told; calls back on its own thread.

    A replaced root is told as gone and then as back.
    """

    def __init__(
        self,
        root: str,
        on_gone: Callable[[], None],
        on_back: Callable[[], None],
        interval_s: float = LOOK_INTERVAL_S,
    ) -> None:
        self._root = root
        self._on_gone = on_gone
        self._on_back = on_back
        self._lock = threading.Lock()
        self._identity = _identity_of(root)
        self._was_told_gone = False
        self._pulse = Pulse("watch-root", interval_s, self._look)

    def start(self) -> None:
        self._pulse.start()

    def stop(self) -> None:
        self._pulse.stop()

    def told_gone(self) -> None:
        """An event said so. The folder that stands there by now may have the same inode number."""
        with self._lock:
            self._was_told_gone = True
        self._pulse.poke()

    def _look(self) -> None:
        with self._lock:
            before, self._identity = self._identity, _identity_of(self._root)
            now = self._identity
            was_told_gone, self._was_told_gone = self._was_told_gone, False
        if before == now and not was_told_gone:
            return
        if before is not None:
            self._on_gone()
        if now is not None:
            self._on_back()


def _identity_of(root: str) -> tuple[int, int] | None:
    try:
        found = os.stat(root)
    except OSError:
        return None
    return found.st_dev, found.st_ino
