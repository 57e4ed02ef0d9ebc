"""The pool of worker processes: bytes go out, parses come back, and what kills a worker is quarantined."""

import os
import queue
import subprocess
import sys
import threading
from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from consiglierd.indexer.worker_frames import Done, Job, read_frame, write_frame
from consiglierd.model.document import ParsedDocument, Problem
from consiglierd.model.ids import Digest
from consiglierd.model.rules import DocumentRules

KILLS_TO_QUARANTINE = 2
LOOK_AHEAD_PER_WORKER = 4
# The worker's own alarm rings first; this is for a worker that does not even hear it.
GRACE_S = 2.0


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
    finished: queue.SimpleQueue[Ingested]


class WorkerPool:
    """`count` processes, one file in flight each; callers on several threads take turns, file by file."""

    def __init__(self, *, count: int, deadline_s: float, memory_limit_bytes: int) -> None:
        self._count = count
        self._deadline_s = deadline_s
        self._memory_limit_bytes = memory_limit_bytes
        self._kills: dict[Digest, int] = {}
        self._callers: deque[_Caller] = deque()
        self._changed = threading.Condition()
        self._is_closing = False
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

        Content that killed a worker twice comes back without sections, with the problem `quarantined`.
        """
        caller = _Caller(rules, deque(), queue.SimpleQueue())
        source = iter(works)
        outstanding = 0
        with self._changed:
            self._callers.append(caller)
        try:
            is_exhausted = False
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
                yield caller.finished.get()
                outstanding -= 1
        finally:
            with self._changed:
                self._callers.remove(caller)

    def close(self) -> None:
        with self._changed:
            self._is_closing = True
            self._changed.notify_all()
        for thread in self._threads:
            thread.join()

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
        process: _Process | None = None
        try:
            while (turn := self._next()) is not None:
                caller, work = turn
                done = None
                while done is None and not self.is_quarantined(work.digest) and not self._is_closing:
                    if process is None:
                        process = _Process(self._memory_limit_bytes)
                    done = process.parse(Job(work.path, work.content, caller.rules, self._deadline_s))
                    if done is None:
                        process.end()
                        process = None
                        with self._changed:
                            self._kills[work.digest] = self._kills.get(work.digest, 0) + 1
                caller.finished.put(_ingested(work, done))
        finally:
            if process is not None:
                process.end()


def _ingested(work: Work, done: Done | None) -> Ingested:
    if done is not None:
        return Ingested(work.path, work.digest, done.parsed, done.terms, done.lengths)
    problem = Problem("quarantined", "reading this content ended the worker twice; it is left out until it changes")
    return Ingested(work.path, work.digest, ParsedDocument("general", "", (), (), (problem,)), (), ())


class _Process:
    """One worker process and its two pipes."""

    def __init__(self, memory_limit_bytes: int) -> None:
        start = "import sys; from consiglierd.indexer.worker import main; main(int(sys.argv[1]), int(sys.argv[2]))"
        self._child = subprocess.Popen(
            [sys.executable, "-I", "-c", start, str(memory_limit_bytes), str(os.getpid())],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            cwd="/",
            close_fds=True,
            env={},
        )

    def parse(self, job: Job) -> Done | None:
        """The parse, or None if the process ended or had to be ended."""
        assert self._child.stdin is not None
        assert self._child.stdout is not None
        watchdog = threading.Timer(job.deadline_s + GRACE_S, self._child.kill)
        watchdog.daemon = True
        watchdog.start()
        try:
            write_frame(self._child.stdin, job)
            return read_frame(self._child.stdout, Done)
        except BrokenPipeError:
            return None
        finally:
            watchdog.cancel()

    def end(self) -> None:
        self._child.kill()
        for pipe in (self._child.stdin, self._child.stdout):
            if pipe is not None:
                try:
                    pipe.close()
                except BrokenPipeError:
                    continue
        self._child.wait()
