"""Background work by name: restarted when it fails, given up as poisoned when it keeps failing."""

import asyncio
import threading
import time
import traceback
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from typing import Literal

import structlog

TaskStatus = Literal["running", "waiting", "done", "poisoned"]

_log = structlog.get_logger("supervisor")


@dataclass(frozen=True, slots=True)
class RestartPolicy:
    """How failures are met.

    The pause doubles from `first_pause_s` to `longest_pause_s`. `failures_allowed` failures in a row
    are followed by a restart, the next one poisons; a run of `healthy_after_s` starts the count anew.
    """

    first_pause_s: float = 0.1
    longest_pause_s: float = 30.0
    failures_allowed: int = 5
    healthy_after_s: float = 60.0


NEVER_RESTART = RestartPolicy(failures_allowed=0)


@dataclass(frozen=True, slots=True)
class TaskState:
    """How one piece of background work does; `failure` names the last error's type and place."""

    name: str
    status: TaskStatus
    failures: int
    failure: str | None


def place_of(error: BaseException) -> str:
    """The error's type and the innermost lines of code it came through, without its message.

    Messages of errors may quote the text of documents, which is never logged.
    """
    frames = traceback.extract_tb(error.__traceback__)[-6:]
    where = " < ".join(f"{frame.filename}:{frame.lineno} {frame.name}" for frame in reversed(frames))
    return f"{type(error).__module__}.{type(error).__qualname__} at {where or 'an unknown place'}"


class Supervisor:
    """Runs named work on threads and on the event loop; thread-safe.

    Work returns when it is done, or when it was told to stop; how it is told is its owner's affair.
    `on_poisoned` is called with the last failure on the thread (or loop) of the work.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._closing = threading.Event()
        self._states: dict[str, TaskState] = {}
        self._threads: dict[str, threading.Thread] = {}
        self._tasks: dict[str, asyncio.Task[None]] = {}

    def start_thread(
        self,
        name: str,
        work: Callable[[], None],
        *,
        policy: RestartPolicy | None = None,
        on_poisoned: Callable[[str], None] | None = None,
    ) -> threading.Thread:
        """Runs `work` on a thread of that name; a name can be used again once its work has ended."""
        thread = threading.Thread(
            target=self._run_thread, args=(name, work, policy or RestartPolicy(), on_poisoned), name=name, daemon=True
        )
        self._enter(name)
        with self._lock:
            self._threads[name] = thread
        thread.start()
        return thread

    def start_task(
        self,
        name: str,
        work: Callable[[], Awaitable[None]],
        *,
        policy: RestartPolicy | None = None,
        on_poisoned: Callable[[str], None] | None = None,
    ) -> asyncio.Task[None]:
        """Runs `work` on the running event loop; cancelling the task ends it."""
        self._enter(name)
        task = asyncio.get_running_loop().create_task(
            self._run_task(name, work, policy or RestartPolicy(), on_poisoned), name=name
        )
        self._tasks[name] = task
        return task

    def states(self) -> tuple[TaskState, ...]:
        with self._lock:
            return tuple(self._states[name] for name in sorted(self._states))

    def state(self, name: str) -> TaskState | None:
        with self._lock:
            return self._states.get(name)

    def forget(self, name: str) -> None:
        """Drops the state of work that has ended, so that closed workspaces leave nothing behind."""
        with self._lock:
            if self._states[name].status in ("done", "poisoned"):
                self._states.pop(name)
                self._threads.pop(name, None)
                self._tasks.pop(name, None)

    async def close_tasks(self) -> None:
        """Cancels the work on this event loop and waits until it has ended."""
        tasks = [task for task in self._tasks.values() if not task.done()]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    def close_threads(self, timeout_s: float) -> tuple[str, ...]:
        """Starts nothing again and joins the threads, whose owners have told them to stop.

        The names of those that still run after `timeout_s`.
        """
        self._closing.set()
        end = time.monotonic() + timeout_s
        with self._lock:
            threads = dict(self._threads)
        for thread in threads.values():
            if thread is not threading.current_thread():
                thread.join(max(0.0, end - time.monotonic()))
        return tuple(sorted(name for name, thread in threads.items() if thread.is_alive()))

    def _enter(self, name: str) -> None:
        with self._lock:
            known = self._states.get(name)
            if known is not None and known.status in ("running", "waiting"):
                raise ValueError(f"background work named {name!r} already runs")
            self._states[name] = TaskState(name, "running", 0, None)

    def _note(self, name: str, status: TaskStatus) -> None:
        with self._lock:
            self._states[name] = replace(self._states[name], status=status)

    def _run_thread(
        self,
        name: str,
        work: Callable[[], None],
        policy: RestartPolicy,
        on_poisoned: Callable[[str], None] | None,
    ) -> None:
        while not self._closing.is_set():
            started = time.monotonic()
            try:
                work()
            # Native libraries raise panics that are no Exception; on a thread of ours nothing else is expected.
            except BaseException as error:
                pause_s = self._meet_failure(name, error, time.monotonic() - started, policy, on_poisoned)
            else:
                break
            if pause_s is None:
                return
            self._closing.wait(pause_s)
            self._note(name, "running")
        self._note(name, "done")

    async def _run_task(
        self,
        name: str,
        work: Callable[[], Awaitable[None]],
        policy: RestartPolicy,
        on_poisoned: Callable[[str], None] | None,
    ) -> None:
        try:
            while True:
                started = time.monotonic()
                try:
                    await work()
                except Exception as error:
                    pause_s = self._meet_failure(name, error, time.monotonic() - started, policy, on_poisoned)
                else:
                    break
                if pause_s is None:
                    return
                await asyncio.sleep(pause_s)
                self._note(name, "running")
        except asyncio.CancelledError:
            self._note(name, "done")
            raise
        self._note(name, "done")

    def _meet_failure(
        self,
        name: str,
        error: BaseException,
        ran_s: float,
        policy: RestartPolicy,
        on_poisoned: Callable[[str], None] | None,
    ) -> float | None:
        """Notes the failure; the pause before the next start, or None if there will be none."""
        failure = place_of(error)
        with self._lock:
            before = self._states[name]
            failures = 1 if ran_s >= policy.healthy_after_s else before.failures + 1
            is_poisoned = failures > policy.failures_allowed
            status: TaskStatus = "poisoned" if is_poisoned else "waiting"
            self._states[name] = TaskState(name, status, failures, failure)
        if is_poisoned:
            _log.error("background work is poisoned", work=name, failures=failures, failure=failure)
            if on_poisoned is not None:
                on_poisoned(failure)
            return None
        pause_s = min(policy.longest_pause_s, policy.first_pause_s * 2.0 ** (failures - 1))
        _log.warning("background work failed", work=name, failures=failures, failure=failure, pause_s=pause_s)
        return pause_s
