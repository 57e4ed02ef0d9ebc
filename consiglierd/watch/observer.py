"""Watching a tree where inotify is not to be had: watchdog's Observer, filtered."""

import logging
import os
from collections.abc import Callable
from typing import Literal

from watchdog.events import FileSystemEvent, FileSystemEventHandler
from watchdog.observers import Observer

from consiglierd.watch.hints import CookieSeen, FolderChanged, GitChanged, Hint, PathsChanged, RescanNeeded, RootGone
from consiglierd.watch.places import Places, is_always_told

# Opening and reading are left out: we do both ourselves.
_TOLD_EVENTS = frozenset({"created", "modified", "attrib", "moved", "deleted", "closed"})
_LOGGER_NAME = "watchdog.observers"


class _OverflowLog(logging.Handler):
    """The Observer tells its handlers nothing of lost events; it only logs them."""

    def __init__(self, on_overflow: Callable[[str], None]) -> None:
        super().__init__(logging.WARNING)
        self._on_overflow = on_overflow

    def emit(self, record: logging.LogRecord) -> None:
        if "overflow" in record.getMessage().lower():
            self._on_overflow(record.getMessage())


class ObserverWatcher(FileSystemEventHandler):
    """Hints come on the Observer's thread. What is ignored is watched too, but not told."""

    mode: Literal["observer"] = "observer"
    reason: str | None = None

    def __init__(self, places: Places, is_ignored: Callable[[str, bool], bool], sink: Callable[[Hint], None]) -> None:
        self._places = places
        self._root = os.path.realpath(places.root)
        self._cookies = os.path.realpath(places.cookies)
        self._is_ignored = is_ignored
        self._sink = sink
        self._observer = Observer()
        self._log = _OverflowLog(lambda message: sink(RescanNeeded(message)))
        self._git_names: dict[str, frozenset[str]] = {}

    @property
    def watch_count(self) -> int:
        return len(self._observer.emitters)

    def start(self) -> None:
        self._observer.schedule(self, self._root, recursive=True)
        self.resync_ignores()
        logging.getLogger(_LOGGER_NAME).addHandler(self._log)
        self._observer.start()

    def stop(self) -> None:
        logging.getLogger(_LOGGER_NAME).removeHandler(self._log)
        if self._observer.is_alive():
            self._observer.stop()
            self._observer.join()

    def resync_ignores(self) -> None:
        """Nothing is watched by rule here; only git's folders may have come or gone."""
        for folder, names in self._places.git_names().items():
            real = os.path.realpath(folder)
            is_inside = real.startswith(self._root + os.sep)
            if real not in self._git_names and not is_inside and os.path.isdir(real):
                self._observer.schedule(self, real, recursive=False)
            self._git_names[real] = names

    def watch_cookies(self) -> bool:
        """Cookies are seen where their folder lies below the root, which is watched whole."""
        return self._cookies.startswith(self._root + os.sep)

    def on_any_event(self, event: FileSystemEvent) -> None:
        if event.event_type not in _TOLD_EVENTS:
            return
        for raw in (event.src_path, event.dest_path):
            if raw:
                self._on_path(os.fsdecode(raw), event)

    def _on_path(self, absolute: str, event: FileSystemEvent) -> None:
        folder, name = os.path.split(absolute)
        if folder == self._cookies:
            if event.event_type in ("created", "moved"):
                self._sink(CookieSeen(name))
        elif name in self._git_names.get(folder, ()):
            self._sink(GitChanged())
        elif absolute == self._root:
            if event.event_type in ("deleted", "moved"):
                self._sink(RootGone())
        elif absolute.startswith(self._root + os.sep):
            self._on_tree_path(absolute[len(self._root) + 1 :], event)

    def _on_tree_path(self, path: str, event: FileSystemEvent) -> None:
        if path == ".git" and event.event_type != "modified":
            self._sink(GitChanged())
        if event.is_directory:
            # A folder is "modified" by each change inside, which is told for itself.
            if event.event_type != "modified" and not self._is_ignored(path, True):
                self._sink(FolderChanged(frozenset({path})))
        elif is_always_told(path) or not self._is_ignored(path, False):
            self._sink(PathsChanged(frozenset({path})))
