"""The threads on which calls block, so that the event loop never does."""

import asyncio
import queue
import threading
from collections.abc import Callable


class CallThreads:
    """At most `count` daemon threads, started as they are needed.

    Not a ThreadPoolExecutor: the interpreter joins that one's threads at exit, so that a single
    native call that hangs would keep a stopped daemon alive.
    """

    def __init__(self, name: str, count: int) -> None:
        self._name = name
        self._count = count
        self._loop = asyncio.get_running_loop()
        self._work: queue.SimpleQueue[tuple[Callable[[], bytes], Callable[[bytes | None], None]] | None] = (
            queue.SimpleQueue()
        )
        self._started = 0
        self._busy = 0

    def run(self, work: Callable[[], bytes], done: Callable[[bytes | None], None]) -> None:
        """Runs `work` on a thread, then `done` on the loop; None stands for work that ended without a result."""
        self._busy += 1
        if self._busy > self._started and self._started < self._count:
            self._started += 1
            threading.Thread(target=self._serve, name=f"{self._name}-{self._started}", daemon=True).start()
        self._work.put((work, done))

    def close(self) -> None:
        """Ends each thread after the work it is at; waits for none."""
        for _ in range(self._started):
            self._work.put(None)

    def _serve(self) -> None:
        while (item := self._work.get()) is not None:
            work, done = item
            result: bytes | None = None
            try:
                result = work()
            finally:
                self._hand_over(done, result)
            # A kept reference would keep the answer alive until the next call.
            del item, work, done, result

    def _hand_over(self, done: Callable[[bytes | None], None], result: bytes | None) -> None:
        try:
            self._loop.call_soon_threadsafe(self._finish, done, result)
        except RuntimeError:
            # The loop was closed while the call ran on: nobody waits for this result any more.
            if not self._loop.is_closed():
                raise

    def _finish(self, done: Callable[[bytes | None], None], result: bytes | None) -> None:
        self._busy -= 1
        done(result)
