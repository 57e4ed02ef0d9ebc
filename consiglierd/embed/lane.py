"""One embedding process and the queue before it: what is urgent first, one question at a time."""

import itertools
import queue
import threading
from concurrent.futures import Future
from dataclasses import dataclass, field

from consiglierd.child.process import BACKGROUND_NICENESS, ChildProcess
from consiglierd.embed.frames import Answer, Ask
from consiglierd.errors import EmbeddingUnavailable, Unavailable

MODULE = "consiglierd.embed.process_main"
MEMORY_LIMIT_BYTES = 4 * 1024 * 1024 * 1024
ANSWER_WITHIN_S = 120.0
# A question over which the process ended is asked once more, for it may have been ended by others.
TRIES = 2


@dataclass(order=True, slots=True)
class _Job:
    """Of equal priority the first that came is first."""

    priority: int
    serial: int
    ask: Ask | None = field(compare=False)
    answer: "Future[Answer]" = field(compare=False)


class EmbeddingLane:
    """The process is started by the first question, and again after it ended. Thread-safe."""

    def __init__(self, name: str, *, niceness: int = BACKGROUND_NICENESS) -> None:
        self._niceness = niceness
        self._name = name
        self._jobs: queue.PriorityQueue[_Job] = queue.PriorityQueue()
        self._serials = itertools.count()
        self._thread: threading.Thread | None = None
        self._child: ChildProcess | None = None
        self._lock = threading.Lock()
        self._is_closing = False

    @property
    def pid(self) -> int | None:
        child = self._child
        return child.pid if child is not None else None

    def ask(self, ask: Ask, priority: int) -> "Future[Answer]":
        """The answer to come; lower priorities come first. It fails with EmbeddingUnavailable."""
        answer: Future[Answer] = Future()
        with self._lock:
            if self._is_closing:
                raise _ended("the daemon is closing")
            if self._thread is None or not self._thread.is_alive():
                self._thread = threading.Thread(target=self._serve, name=self._name, daemon=True)
                self._thread.start()
            self._jobs.put(_Job(priority, next(self._serials), ask, answer))
        return answer

    def close(self) -> None:
        """Ends the process, in the middle of a question too."""
        with self._lock:
            self._is_closing = True
            thread, child = self._thread, self._child
        if child is not None:
            child.kill()
        if thread is not None:
            self._jobs.put(_Job(-1, 0, None, Future()))
            thread.join()

    def _serve(self) -> None:
        while (job := self._jobs.get()).ask is not None:
            if not job.answer.set_running_or_notify_cancel():
                continue
            try:
                job.answer.set_result(self._answer(job.ask))
            except EmbeddingUnavailable as error:
                job.answer.set_exception(error)
            finally:
                # Whatever ends this thread, nobody may wait for it; the next question starts another.
                if not job.answer.done():
                    job.answer.set_exception(_ended("the embedding failed"))
        self._drop_child()
        while not self._jobs.empty():
            left = self._jobs.get()
            if left.ask is not None and left.answer.set_running_or_notify_cancel():
                left.answer.set_exception(_ended("the daemon is closing"))

    def _answer(self, ask: Ask) -> Answer:
        for _ in range(TRIES):
            if self._is_closing:
                break
            if self._child is None:
                self._child = self._started()
            try:
                answer = self._child.ask(ask, Answer, ANSWER_WITHIN_S)
            except UnicodeEncodeError as error:
                raise EmbeddingUnavailable("the text is no valid Unicode", kind="garbage") from error
            if answer is None:
                self._drop_child()
            elif answer.failure:
                raise EmbeddingUnavailable(answer.failure, kind=answer.kind, cure=answer.cure)
            else:
                return answer
        raise _ended("the embedding process ended over a text")

    def _started(self) -> ChildProcess:
        try:
            return ChildProcess(MODULE, MEMORY_LIMIT_BYTES, "the embedding process", niceness=self._niceness)
        except Unavailable as error:
            raise EmbeddingUnavailable(error.message, kind="model", cure=error.cure) from error

    def _drop_child(self) -> None:
        child, self._child = self._child, None
        if child is not None:
            child.end()


def _ended(message: str) -> EmbeddingUnavailable:
    return EmbeddingUnavailable(message, kind="ended", cure="see `consigliere logs`")
