"""Everything that watching one workspace takes, behind one class: hints in, deliveries out, in order."""

import os
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, Protocol, assert_never

from consiglierd.watch.barrier import Barrier
from consiglierd.watch.coalesce import Batch, Coalescer
from consiglierd.watch.hints import (
    CookieSeen,
    FolderChanged,
    GitChanged,
    Hint,
    PathsChanged,
    RescanNeeded,
    RootGone,
    WatchLost,
)
from consiglierd.watch.places import RULE_FILE_NAMES, Places
from consiglierd.watch.root_guard import LOOK_INTERVAL_S, RootGuard
from consiglierd.watch.watcher import POLL_INTERVAL_S, PollingWatcher, Watcher, WatchMode, open_watcher

Mode = Literal["inotify", "observer", "polling", "off"]
DATA_FOLDER_NAME = ".consigliere"


class WatchIgnore(Protocol):
    """What watching asks of the ignore rules.

    `refresh` says whether the rules are others than when the watch last asked, whoever noticed
    it first; else a scan that reads the rules would hide their change from the watch.
    """

    @property
    def git_dir(self) -> str | None: ...

    @property
    def common_dir(self) -> str | None: ...

    def is_ignored(self, path: str, is_dir: bool) -> bool: ...

    def refresh(self) -> bool: ...


@dataclass(frozen=True, slots=True)
class PathsDelivery:
    """Look at these files, and at these folders with everything below them; relative to the root."""

    paths: frozenset[str]
    folders: frozenset[str]


@dataclass(frozen=True, slots=True)
class RescanDelivery:
    """Look at everything."""

    reason: str


@dataclass(frozen=True, slots=True)
class RootGoneDelivery:
    """The root is not there; nothing may be concluded from that about its files."""


@dataclass(frozen=True, slots=True)
class RootBackDelivery:
    """The root is there again: look at everything."""


@dataclass(frozen=True, slots=True)
class BarrierDelivery:
    """What happened before ask_barrier(token) was called has been delivered before this."""

    token: int


Delivery = PathsDelivery | RescanDelivery | RootGoneDelivery | RootBackDelivery | BarrierDelivery


class FileWatch:
    """Watches `root` from start() to stop(). `deliver` is called from several threads, never two at once.

    Look at everything once after start(): what happened before is not told. `deliver` must not
    block for long. Cookies are dropped in `data_folder`, by default `<root>/.consigliere`.
    """

    def __init__(
        self,
        root: str,
        ignore: WatchIgnore,
        deliver: Callable[[Delivery], None],
        *,
        mode: WatchMode = "auto",
        data_folder: str | None = None,
        poll_interval_s: float = POLL_INTERVAL_S,
        look_interval_s: float = LOOK_INTERVAL_S,
    ) -> None:
        self._root = os.path.abspath(root)
        self._ignore = ignore
        self._deliver = deliver
        self._asked_mode: WatchMode = mode
        self._poll_interval_s = poll_interval_s
        self._barrier = Barrier(data_folder or os.path.join(self._root, DATA_FOLDER_NAME))
        self._places = Places(self._root, self._barrier.folder, self._git_folders)
        self._coalescer = Coalescer(self._deliver_batch, time.monotonic, self._git_is_at_work, _is_rule_file)
        self._guard = RootGuard(self._root, self._on_gone, self._on_back, look_interval_s)
        self._switching = threading.RLock()
        self._watcher: Watcher | None = None
        self._lost_reason: str | None = None
        self._is_stopping = False
        # From the event that says so until the root is watched anew: what happens there is not told.
        self._is_root_lost = False

    @property
    def mode(self) -> Mode:
        """How changes are noticed now; "off" before start() and after stop()."""
        watcher = self._watcher
        return "off" if watcher is None else watcher.mode

    @property
    def watch_count(self) -> int:
        watcher = self._watcher
        return 0 if watcher is None else watcher.watch_count

    @property
    def warnings(self) -> tuple[str, ...]:
        """Sentences for the status: why it polls."""
        watcher = self._watcher
        return () if watcher is None or watcher.reason is None else (f"changes are polled for: {watcher.reason}",)

    def start(self) -> None:
        self._barrier.prepare()
        with self._switching:
            self._watcher = self._opened()
        self._coalescer.start()
        self._guard.start()

    def stop(self) -> None:
        with self._switching:
            self._is_stopping = True
            watcher, self._watcher = self._watcher, None
        self._guard.stop()
        if watcher is not None:
            watcher.stop()
        self._coalescer.stop()

    def resync_ignores(self) -> None:
        watcher = self._watcher
        if watcher is None:
            return
        try:
            watcher.resync_ignores()
        except OSError as error:
            self._fall_back(error.strerror or str(error))

    def ask_barrier(self, token: int, timeout_s: float) -> bool:
        """Deliver a BarrierDelivery after all that happened up to now; blocks for `timeout_s` at most.

        Where events cannot be had in time (polling, a read-only root) a RescanDelivery comes just
        before it instead, and False is returned.
        """
        if self._is_git_unread():
            self._coalescer.add(GitChanged())
        was_seen = self._is_cookie_watched() and self._barrier.wait_until_seen(timeout_s) and not self._is_root_lost

        def mark() -> None:
            if not was_seen:
                self._deliver(RescanDelivery("events could not be waited for"))
            self._deliver(BarrierDelivery(token))

        self._coalescer.flush(mark)
        return was_seen

    def _is_cookie_watched(self) -> bool:
        watcher = self._watcher
        if watcher is None or watcher.mode == "polling" or not self._barrier.prepare():
            return False
        try:
            return watcher.watch_cookies()
        except OSError as error:
            self._on_hint(WatchLost(error.strerror or str(error)))
            return False

    def _on_hint(self, hint: Hint) -> None:
        """On a watcher's thread: only notes, and never waits for that thread."""
        match hint:
            case PathsChanged() | FolderChanged() | GitChanged():
                self._coalescer.add(hint)
            case RescanNeeded():
                self._coalescer.add(hint)
                self._barrier.release()
            case CookieSeen(name):
                self._barrier.seen(name)
            case RootGone():
                self._is_root_lost = True
                self._guard.told_gone()
            case WatchLost(reason):
                self._lost_reason = reason
                self._coalescer.add(RescanNeeded(reason))
                self._barrier.release()
            case _:
                assert_never(hint)

    def _deliver_batch(self, batch: Batch) -> None:
        if self._lost_reason is not None:
            self._fall_back(self._lost_reason)
        rescan_reason = batch.rescan_reason
        if (batch.has_git_change or batch.has_rule_change) and self._ignore.refresh():
            rescan_reason = "the ignore rules changed"
            self.resync_ignores()
        if rescan_reason is not None:
            self._deliver(RescanDelivery(rescan_reason))
        elif batch.paths or batch.folders:
            self._deliver(PathsDelivery(batch.paths, batch.folders))

    def _fall_back(self, reason: str) -> None:
        with self._switching:
            self._lost_reason = None
            before = self._watcher
            if self._is_stopping or before is None or before.mode == "polling":
                return
            self._watcher = PollingWatcher(self._on_hint, f"the system gives no more watches: {reason}")
            self._watcher.start()
        before.stop()

    def _on_gone(self) -> None:
        self._coalescer.flush(lambda: self._deliver(RootGoneDelivery()))

    def _on_back(self) -> None:
        """The old watches belong to folders that are gone; begin anew, and only then say so."""
        self._ignore.refresh()
        self._barrier.prepare()
        with self._switching:
            before = self._watcher
            if self._is_stopping or before is None:
                return
            before.stop()
            self._is_root_lost = False
            self._watcher = self._opened()
        self._coalescer.flush(lambda: self._deliver(RootBackDelivery()))

    def _opened(self) -> Watcher:
        return open_watcher(
            self._places, self._ignore.is_ignored, self._on_hint, self._asked_mode, self._poll_interval_s
        )

    def _git_folders(self) -> tuple[str, str] | None:
        git_dir, common_dir = self._ignore.git_dir, self._ignore.common_dir
        return None if git_dir is None or common_dir is None else (git_dir, common_dir)

    def _is_git_unread(self) -> bool:
        """Whether a repository stands there that was not finished when it was looked at; nothing tells of its end."""
        return self._ignore.git_dir is None and os.path.lexists(os.path.join(self._root, ".git"))

    def _git_is_at_work(self) -> bool:
        git_dir = self._ignore.git_dir
        return git_dir is not None and os.path.lexists(os.path.join(git_dir, "index.lock"))


def _is_rule_file(path: str) -> bool:
    return path.rpartition("/")[2] in RULE_FILE_NAMES
