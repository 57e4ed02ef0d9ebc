"""Which calls run, which wait, and which are turned away."""

import asyncio
import contextlib
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial

from consiglierd.errors import Busy, DaemonError, DeadlineExceeded, InternalError, Unavailable
from consiglierd.model.deadline import Deadline
from consiglierd.serve.call_threads import CallThreads

QUEUE_BOUND = 64


@dataclass(frozen=True, slots=True)
class LaneSize:
    """`slots` calls run at a time, of one root at most `slots_per_root`; `queue` calls wait.

    The slots that one root may not take keep the lane open for the others: a root whose calls
    all hang stops only itself.
    """

    slots: int
    slots_per_root: int
    queue: int = QUEUE_BOUND


LANE_SIZES = {
    "control": LaneSize(slots=4, slots_per_root=3),
    "interactive": LaneSize(slots=4, slots_per_root=3),
    "batch": LaneSize(slots=2, slots_per_root=1),
    # Calls that mostly wait for something to happen: their threads sleep.
    "waiting": LaneSize(slots=16, slots_per_root=12),
}


@dataclass(slots=True, eq=False)
class Job:
    """One admitted call. `settle` is called once, on the loop: with the encoded answer or why there is none.

    `work` runs on a thread of the lane and answers every failure itself.
    """

    root: str
    deadline: Deadline
    work: Callable[[], bytes]
    settle: Callable[[bytes | DaemonError], None]
    is_settled: bool = False
    timer: asyncio.TimerHandle | None = None
    started_s: float = 0.0


@dataclass(frozen=True, slots=True)
class LaneLoad:
    """How full a lane is, for people and tests."""

    running: int
    queued: int
    refused: int
    expired: int
    late: int


@dataclass(slots=True)
class _Counts:
    refused: int = 0
    expired: int = 0
    late: int = 0
    mean_s: float = 0.05
    running_of: dict[str, int] = field(default_factory=dict)


class Lane:
    """A bounded, fair queue before a few threads; used from the event loop only.

    Waiting calls are taken root by root, in turns. When the queue is full, the root that has the
    most calls in it gives way: its newest call is refused, so that one root cannot crowd out another.
    """

    def __init__(self, name: str, size: LaneSize) -> None:
        self._name = name
        self._size = size
        self._loop = asyncio.get_running_loop()
        self._threads = CallThreads(f"call-{name}", size.slots)
        # The order of the keys is the order of the turns.
        self._waiting: dict[str, deque[Job]] = {}
        self._running: set[Job] = set()
        self._counts = _Counts()
        self._is_closed = False
        self._idle = asyncio.Event()
        self._idle.set()

    def submit(self, job: Job) -> None:
        if self._is_closed:
            return self._settle(job, Unavailable("the daemon is closing", cure="ask again in a moment"))
        if job.deadline.is_over:
            return self._expire(job)
        if self._queued() >= self._size.queue and not self._make_room(job.root):
            return self._refuse(job)
        self._waiting.setdefault(job.root, deque()).append(job)
        job.timer = self._loop.call_later(job.deadline.remaining_s, self._expire, job)
        self._idle.clear()
        return self._start_next()

    def load(self) -> LaneLoad:
        counts = self._counts
        return LaneLoad(len(self._running), self._queued(), counts.refused, counts.expired, counts.late)

    def refuse_waiting(self) -> None:
        """Takes no more calls and turns the waiting ones away; what runs goes on."""
        self._is_closed = True
        for job in [job for waiting in self._waiting.values() for job in waiting]:
            self._settle(job, Unavailable("the daemon is closing", cure="ask again in a moment"))
        self._waiting.clear()
        self._note_if_idle()

    async def wait_idle(self) -> None:
        await self._idle.wait()

    def close(self) -> None:
        """Answers what still runs with Unavailable and lets the threads end by themselves."""
        self.refuse_waiting()
        for job in self._running:
            self._settle(job, Unavailable("the daemon closed before the call was done", cure="ask again in a moment"))
        self._threads.close()

    def _queued(self) -> int:
        return sum(len(waiting) for waiting in self._waiting.values())

    def _make_room(self, root: str) -> bool:
        longest = max(self._waiting, key=lambda other: len(self._waiting[other]))
        if len(self._waiting[longest]) <= len(self._waiting.get(root, ())) + 1:
            return False
        # The root keeps its place in the turns: its queue is longer than one.
        self._refuse(self._waiting[longest].pop())
        return True

    def _refuse(self, job: Job) -> None:
        self._counts.refused += 1
        wait_ms = int(1000 * self._counts.mean_s * (self._queued() + 1) / self._size.slots)
        self._settle(
            job,
            Busy(
                f"{self._queued()} {self._name} calls wait already",
                cure="ask again later, or ask less at a time",
                retry_after_ms=min(5000, max(50, wait_ms)),
            ),
        )

    def _expire(self, job: Job) -> None:
        """A waiting call never runs; a running one keeps its slot, and its result will be dropped."""
        self._counts.expired += 1
        waiting = self._waiting.get(job.root)
        was_waiting = waiting is not None and job in waiting
        if waiting is not None and was_waiting:
            waiting.remove(job)
            if not waiting:
                del self._waiting[job.root]
        where = f"waiting in the {self._name} lane" if was_waiting else "the call ran"
        self._settle(job, DeadlineExceeded(f"the deadline passed while {where}", cure="ask again with more time"))
        self._note_if_idle()

    def _start_next(self) -> None:
        while len(self._running) < self._size.slots and (root := self._next_root()) is not None:
            waiting = self._waiting.pop(root)
            job = waiting.popleft()
            if waiting:
                # Put back at the end: the other roots have their turns first.
                self._waiting[root] = waiting
            self._running.add(job)
            self._counts.running_of[root] = self._counts.running_of.get(root, 0) + 1
            job.started_s = self._loop.time()
            self._threads.run(job.work, partial(self._finish, job))

    def _next_root(self) -> str | None:
        running_of = self._counts.running_of
        return next((root for root in self._waiting if running_of.get(root, 0) < self._size.slots_per_root), None)

    def _finish(self, job: Job, result: bytes | None) -> None:
        self._running.discard(job)
        running_of = self._counts.running_of
        running_of[job.root] -= 1
        if running_of[job.root] == 0:
            del running_of[job.root]
        self._counts.mean_s += 0.1 * (self._loop.time() - job.started_s - self._counts.mean_s)
        if job.is_settled:
            self._counts.late += 1
        self._settle(job, result if result is not None else InternalError("the call ended without an answer"))
        self._start_next()
        self._note_if_idle()

    def _settle(self, job: Job, outcome: bytes | DaemonError) -> None:
        if job.is_settled:
            return
        job.is_settled = True
        if job.timer is not None:
            job.timer.cancel()
        job.settle(outcome)

    def _note_if_idle(self) -> None:
        if not self._running and not self._waiting:
            self._idle.set()


class Lanes:
    """All lanes of the daemon."""

    def __init__(self, sizes: dict[str, LaneSize] | None = None) -> None:
        self._lanes = {name: Lane(name, size) for name, size in (sizes or LANE_SIZES).items()}

    def submit(self, lane: str, job: Job) -> None:
        self._lanes[lane].submit(job)

    def load(self) -> dict[str, LaneLoad]:
        return {name: lane.load() for name, lane in self._lanes.items()}

    async def drain(self, grace_s: float) -> None:
        """Turns waiting calls away, gives running ones `grace_s` to finish, answers the rest, and closes."""
        for lane in self._lanes.values():
            lane.refuse_waiting()
        idle = asyncio.gather(*(lane.wait_idle() for lane in self._lanes.values()))
        # What still runs after that is told so by close.
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(idle, grace_s)
        for lane in self._lanes.values():
            lane.close()
