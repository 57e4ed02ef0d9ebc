"""A thread that does one small thing every so often, or at once when poked."""

import threading
from collections.abc import Callable


class Pulse:
    """Calls `beat` every `interval_s` seconds between start() and stop()."""

    def __init__(self, name: str, interval_s: float, beat: Callable[[], None]) -> None:
        self._interval_s = interval_s
        self._beat = beat
        self._poked = threading.Event()
        self._is_stopping = False
        self._thread = threading.Thread(target=self._run, name=name, daemon=True)

    def start(self) -> None:
        self._thread.start()

    def poke(self) -> None:
        self._poked.set()

    def stop(self) -> None:
        self._is_stopping = True
        self._poked.set()
        if self._thread.is_alive() and self._thread is not threading.current_thread():
            self._thread.join()

    def _run(self) -> None:
        while not self._is_stopping:
            self._poked.wait(self._interval_s)
            self._poked.clear()
            if not self._is_stopping:
                self._beat()
