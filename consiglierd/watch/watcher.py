"""Choosing how a root is watched: by inotify, by the Observer, or by looking again and again."""

import sys
from collections.abc import Callable
from typing import Literal, Protocol

from consiglierd.watch.hints import Hint, RescanNeeded
from consiglierd.watch.mounts import polled_file_system
from consiglierd.watch.observer import ObserverWatcher
from consiglierd.watch.places import Places
from consiglierd.watch.pulse import Pulse

if sys.platform == "linux":
    from consiglierd.watch.inotify import InotifyWatcher

WatchMode = Literal["auto", "inotify", "observer", "polling"]
POLL_INTERVAL_S = 10.0


class Watcher(Protocol):
    """`mode` says how the root is watched, `reason` why not better; hints may come from any thread."""

    @property
    def mode(self) -> Literal["inotify", "observer", "polling"]: ...

    @property
    def reason(self) -> str | None: ...

    @property
    def watch_count(self) -> int: ...

    def start(self) -> None: ...

    def stop(self) -> None: ...

    def resync_ignores(self) -> None: ...

    def watch_cookies(self) -> bool: ...


class PollingWatcher:
    """Asks for a look at everything, from time to time."""

    mode: Literal["polling"] = "polling"
    watch_count = 0

    def __init__(self, sink: Callable[[Hint], None], reason: str, interval_s: float = POLL_INTERVAL_S) -> None:
        self.reason: str | None = reason
        self._pulse = Pulse("watch-polling", interval_s, lambda: sink(RescanNeeded("polling")))

    def start(self) -> None:
        self._pulse.start()

    def stop(self) -> None:
        self._pulse.stop()

    def resync_ignores(self) -> None:
        """Nothing is watched."""

    def watch_cookies(self) -> bool:
        return False


def open_watcher(
    places: Places,
    is_ignored: Callable[[str, bool], bool],
    sink: Callable[[Hint], None],
    mode: WatchMode = "auto",
    poll_interval_s: float = POLL_INTERVAL_S,
) -> Watcher:
    """A started watcher. Where events cannot be had or trusted it polls, and `reason` says why."""
    if mode == "polling":
        reason = "polling was asked for"
    elif mode == "auto" and (kind := polled_file_system(places.root)):
        reason = f"the folder lies on {kind}, which does not report every change"
    else:
        try:
            return _started(_event_watcher(places, is_ignored, sink, mode))
        except OSError as error:
            reason = f"the system gives no more watches: {error.strerror or error}"
    return _started(PollingWatcher(sink, reason, poll_interval_s))


def _event_watcher(
    places: Places, is_ignored: Callable[[str, bool], bool], sink: Callable[[Hint], None], mode: WatchMode
) -> Watcher:
    if sys.platform == "linux" and mode != "observer":
        return InotifyWatcher(places, is_ignored, sink)
    return ObserverWatcher(places, is_ignored, sink)


def _started(watcher: Watcher) -> Watcher:
    try:
        watcher.start()
    except OSError:
        watcher.stop()
        raise
    return watcher
