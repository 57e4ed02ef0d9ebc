"""Many hints to few deliveries: waits for quiet, holds while git works, and gives up detail in a storm."""

import os
import threading
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import assert_never

from consiglierd.watch.hints import FolderChanged, GitChanged, PathsChanged, RescanNeeded

QUIET_S = 0.05
LONGEST_S = 0.5
LONGEST_HELD_S = 10.0
HELD_LOOK_S = 0.1
MANY_PATHS = 1000
MANY_FOLDERS = 100

FileHint = PathsChanged | FolderChanged | RescanNeeded | GitChanged


@dataclass(frozen=True, slots=True)
class Batch:
    """What came in since the last one. With a `rescan_reason` there are no paths: everything is to be looked at."""

    paths: frozenset[str]
    folders: frozenset[str]
    rescan_reason: str | None
    has_git_change: bool
    has_rule_change: bool

    @property
    def is_empty(self) -> bool:
        return not (self.paths or self.folders or self.rescan_reason or self.has_git_change)


@dataclass(slots=True)
class PendingHints:
    """What waits, and until when; pure but for the times that are handed in (monotonic seconds)."""

    is_rule_file: Callable[[str], bool]
    paths: set[str] = field(default_factory=set)
    folders: set[str] = field(default_factory=set)
    rescan_reason: str | None = None
    has_git_change: bool = False
    has_rule_change: bool = False
    first_s: float | None = None
    last_s: float = 0.0

    def add(self, hint: FileHint, now_s: float) -> None:
        self.first_s = now_s if self.first_s is None else self.first_s
        self.last_s = now_s
        match hint:
            case PathsChanged(paths):
                self.has_rule_change = self.has_rule_change or any(map(self.is_rule_file, paths))
                if self.rescan_reason is None:
                    self.paths |= paths
            case FolderChanged(folders):
                if self.rescan_reason is None:
                    self.folders |= folders
            case RescanNeeded(reason):
                self._rescan(reason)
            case GitChanged():
                self.has_git_change = True
            case _:
                assert_never(hint)
        if len(self.paths) > MANY_PATHS or len(self.folders) > MANY_FOLDERS:
            self._give_up_detail()

    def wait_s(self, now_s: float, is_held: bool) -> float | None:
        """How long to wait before delivering: 0 or less is now; None while nothing waits."""
        if self.first_s is None:
            return None
        if is_held and now_s - self.first_s < LONGEST_HELD_S:
            return HELD_LOOK_S
        return min(self.last_s + QUIET_S, self.first_s + LONGEST_S) - now_s

    def take(self) -> Batch:
        """Everything that waits, without what a folder covers; afterwards nothing waits."""
        folders = {folder for folder in self.folders if not _is_covered(folder, self.folders)}
        paths = {path for path in self.paths if path not in folders and not _is_covered(path, folders)}
        batch = Batch(
            frozenset(paths), frozenset(folders), self.rescan_reason, self.has_git_change, self.has_rule_change
        )
        self.paths, self.folders = set(), set()
        self.rescan_reason, self.first_s = None, None
        self.has_git_change = self.has_rule_change = False
        return batch

    def _give_up_detail(self) -> None:
        """Name the folders that most of the paths lie in instead of the paths; if that is not enough, the root."""
        self.paths = {path for path in self.paths if not _is_covered(path, self.folders)}
        if len(self.paths) > MANY_PATHS:
            tops = Counter(path.partition("/")[0] for path in self.paths if "/" in path)
            for top, count in tops.most_common():
                if count * 10 < MANY_PATHS:
                    break
                inside = [path for path in self.paths if path.startswith(top + "/")]
                self.folders.add(os.path.commonpath([path.rpartition("/")[0] for path in inside]))
                self.paths.difference_update(inside)
        if len(self.paths) > MANY_PATHS or len(self.folders) > MANY_FOLDERS:
            self._rescan("a storm of changes")

    def _rescan(self, reason: str) -> None:
        self.rescan_reason = reason
        self.paths.clear()
        self.folders.clear()


class Coalescer:
    """Collects hints from any thread and hands batches to `sink`, one at a time, on its own thread.

    `lock_is_held` says whether git is rewriting the tree right now.
    """

    def __init__(
        self,
        sink: Callable[[Batch], None],
        clock: Callable[[], float],
        lock_is_held: Callable[[], bool],
        is_rule_file: Callable[[str], bool],
    ) -> None:
        self._sink = sink
        self._clock = clock
        self._lock_is_held = lock_is_held
        self._pending = PendingHints(is_rule_file)
        self._changed = threading.Condition()
        # Held from taking a batch to the end of its delivery, so that deliveries keep their order.
        self._delivering = threading.RLock()
        self._is_stopping = False
        self._thread = threading.Thread(target=self._run, name="watch-coalesce", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        with self._changed:
            self._is_stopping = True
            self._changed.notify()
        if self._thread.is_alive() and self._thread is not threading.current_thread():
            self._thread.join()

    def add(self, hint: FileHint) -> None:
        with self._changed:
            was_waiting = self._pending.first_s is not None
            self._pending.add(hint, self._clock())
            if not was_waiting:
                self._changed.notify()

    def flush(self, then: Callable[[], None] | None = None) -> None:
        """Deliver at once what waits, and then, before anything newer, do `then`."""
        with self._delivering:
            with self._changed:
                batch = self._pending.take()
            if not batch.is_empty:
                self._sink(batch)
            if then is not None:
                then()

    def _run(self) -> None:
        while self._wait_until_due():
            self.flush()

    def _wait_until_due(self) -> bool:
        """True when a batch is due, False when stopping."""
        with self._changed:
            while not self._is_stopping:
                is_waiting = self._pending.first_s is not None
                wait_s = self._pending.wait_s(self._clock(), is_waiting and self._lock_is_held())
                if wait_s is not None and wait_s <= 0:
                    return True
                self._changed.wait(wait_s)
            return False


def _is_covered(path: str, folders: set[str]) -> bool:
    end = path.rfind("/")
    while end > 0:
        if path[:end] in folders:
            return True
        end = path.rfind("/", 0, end)
    return False
