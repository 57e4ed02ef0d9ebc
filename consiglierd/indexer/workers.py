"""The pool of worker processes: bytes go out, parses come back, and what kills a worker is quarantined."""

import queue
import threading
from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from consiglierd.errors import DaemonError, Unavailable
from consiglierd.indexer.worker_frames import Done, Job
from consiglierd.indexer.worker_process import WorkerProcess
from consiglierd.model.document import ParsedDocument, Problem
from consiglierd.model.ids import Digest
from consiglierd.model.rules import DocumentRules

KILLS_TO_QUARANTINE = 2
LOOK_AHEAD_PER_WORKER = 4


@dataclass(frozen=True, slots=True)
class Work:
    """One file to parse; `digest` is that of `content`."""

    path: str
    content: bytes
    digest: Digest


@dataclass(frozen=True, slots=True)
class Ingested:
    """A file parsed; `terms` and `lengths` are one a section."""

    path: str
    digest: Digest
    parsed: ParsedDocument
    terms: tuple[bytes, ...]
    lengths: tuple[int, ...]


@dataclass(slots=True)
class _Caller:
    """One `ingest_many` in progress: what it wants done, and what has come back."""

    rules: DocumentRules
    waiting: deque[Work]
    finished: queue.SimpleQueue[Ingested | DaemonError]


class WorkerPool:
    """`count` processes, one file in flight each; callers on several threads take turns, file by file.

    `deadline_s` is the processor time that one file may take; by the clock it may be WALL_FACTOR times as long.
    """

    def __init__(self, *, count: int, deadline_s: float, memory_limit_bytes: int) -> None:
        self._count = count
        self._deadline_s = deadline_s
        self._memory_limit_bytes = memory_limit_bytes
        self._kills: dict[Digest, int] = {}
        self._callers: deque[_Caller] = deque()
        self._changed = threading.Condition()
        self._is_closing = False
        self._processes: set[WorkerProcess] = set()
        self._threads: list[threading.Thread] = []

    def start(self) -> None:
        self._threads = [
            threading.Thread(target=self._serve, name=f"worker-{number}", daemon=True) for number in range(self._count)
        ]
        for thread in self._threads:
            thread.start()

    def is_quarantined(self, digest: Digest) -> bool:
        with self._changed:
            return self._kills.get(digest, 0) >= KILLS_TO_QUARANTINE

    def ingest_many(self, works: Iterable[Work], rules: DocumentRules) -> Iterator[Ingested]:
        """Parses in any order; `works` is read on the caller's thread, a few ahead of what is done.

        Content that ended a worker twice comes back without sections, with the problem `quarantined`.
        Raises Unavailable when the pool closes before all is done, or when no worker can be started.
        """
        caller = _Caller(rules, deque(), queue.SimpleQueue())
        source = iter(works)
        is_exhausted = False
        outstanding = 0
        self._register(caller)
        try:
            while True:
                while not is_exhausted and outstanding < self._count * LOOK_AHEAD_PER_WORKER:
                    work = next(source, None)
                    if work is None:
                        is_exhausted = True
                        break
                    outstanding += 1
                    self._hand_over(caller, work)
                if outstanding == 0:
                    return
                finished = caller.finished.get()
                if isinstance(finished, DaemonError):
                    raise finished
                yield finished
                outstanding -= 1
        finally:
            with self._changed:
                self._callers.remove(caller)

    def close(self) -> None:
        """Ends every process at once, in the middle of a file too: nothing is lost that cannot be read again."""
        with self._changed:
            self._is_closing = True
            for process in self._processes:
                process.kill()
            for caller in self._callers:
                caller.finished.put(_closing())
            self._changed.notify_all()
        for thread in self._threads:
            thread.join()

    def _register(self, caller: _Caller) -> None:
        with self._changed:
            if self._is_closing:
                raise _closing()
            self._callers.append(caller)

    def _hand_over(self, caller: _Caller, work: Work) -> None:
        with self._changed:
            caller.waiting.append(work)
            self._changed.notify()

    def _next(self) -> tuple[_Caller, Work] | None:
        """The next file, taking the callers in turn; None when the pool closes."""
        with self._changed:
            while not self._is_closing:
                for _ in range(len(self._callers)):
                    caller = self._callers[0]
                    self._callers.rotate(-1)
                    if caller.waiting:
                        return caller, caller.waiting.popleft()
                self._changed.wait()
        return None

    def _serve(self) -> None:
        """One thread a process: starts it when there is something to do, and again whenever it dies."""
        process: WorkerProcess | None = None
        while (turn := self._next()) is not None:
            caller, work = turn
            done: Done | None = None
            try:
                while done is None and not self.is_quarantined(work.digest):
                    process = process or self._start_process()
                    done = process.parse(self._job(work, caller.rules))
                    if done is None:
                        self._end_process(process)
                        process = None
                        self._count_kill(work.digest)
            except Unavailable as unavailable:
                caller.finished.put(unavailable)
            else:
                caller.finished.put(_ingested(work, done))
        if process is not None:
            self._end_process(process)

    def _job(self, work: Work, rules: DocumentRules) -> Job:
        # A name that is no UTF-8 cannot travel as text; only its readable part says anything of the type.
        path = work.path.encode("utf-8", "backslashreplace").decode()
        return Job(path, work.content, rules, self._deadline_s)

    def _start_process(self) -> WorkerProcess:
        process = WorkerProcess(self._memory_limit_bytes)
        with self._changed:
            if not self._is_closing:
                self._processes.add(process)
                return process
        process.end()
        raise _closing()

    def _end_process(self, process: WorkerProcess) -> None:
        with self._changed:
            self._processes.discard(process)
        process.end()

    def _count_kill(self, digest: Digest) -> None:
        """Holds the end of a process against what it was reading, unless it was this pool that ended it."""
        with self._changed:
            if self._is_closing:
                raise _closing()
            self._kills[digest] = self._kills.get(digest, 0) + 1


def _closing() -> Unavailable:
    return Unavailable("the workers are closing with the daemon", cure="ask again when the daemon runs")


def _ingested(work: Work, done: Done | None) -> Ingested:
    if done is not None:
        return Ingested(work.path, work.digest, done.parsed, done.terms, done.lengths)
    problem = Problem("quarantined", "reading this content ended the worker twice; it is left out until it changes")
    return Ingested(work.path, work.digest, ParsedDocument("general", "", (), (), (problem,)), (), ())
