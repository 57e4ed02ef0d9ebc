"""Watching a tree on Linux: one inotify instance, one thread, a watch for each folder that is not ignored."""

import itertools
import os
import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from watchdog.observers.inotify_c import CallbackId, InotifyConstants, InotifyEvent, InotifyFD, Mask, WatchDescriptor

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
from consiglierd.watch.places import Places, is_always_told

# Reading and opening are left out: we do both ourselves.
_NAMED_EVENTS = (
    InotifyConstants.IN_CREATE
    | InotifyConstants.IN_MODIFY
    | InotifyConstants.IN_CLOSE_WRITE
    | InotifyConstants.IN_ATTRIB
    | InotifyConstants.IN_MOVED_FROM
    | InotifyConstants.IN_MOVED_TO
    | InotifyConstants.IN_DELETE
)
_SELF_EVENTS = InotifyConstants.IN_DELETE_SELF | InotifyConstants.IN_MOVE_SELF
_FLAGS = InotifyConstants.IN_ONLYDIR | InotifyConstants.IN_DONT_FOLLOW | InotifyConstants.IN_EXCL_UNLINK
_ROOT_GONE = _SELF_EVENTS | InotifyConstants.IN_UNMOUNT
_NO_WATCH = WatchDescriptor(-1)


@dataclass(frozen=True, slots=True)
class _Watched:
    """A folder under watch: `path` is relative to the root for "tree", absolute otherwise."""

    kind: Literal["tree", "git", "cookies"]
    path: str
    callback_id: CallbackId
    names: frozenset[str] = frozenset()


class InotifyWatcher:
    """Hints come on the reading thread, in the order of the events; a hint may come twice.

    A new folder is watched before it is listed, and listed before its hint is given: whatever
    was created in it meanwhile is either found by the listing or reported by the watch.
    """

    mode: Literal["inotify"] = "inotify"
    reason: str | None = None

    def __init__(self, places: Places, is_ignored: Callable[[str, bool], bool], sink: Callable[[Hint], None]) -> None:
        self._places = places
        self._is_ignored = is_ignored
        self._sink = sink
        self._lock = threading.RLock()
        self._next_id = itertools.count()
        self._watched: dict[WatchDescriptor, _Watched] = {}
        self._descriptors: dict[str, WatchDescriptor] = {}
        self._is_stopped = False
        self._notify = InotifyFD()
        self._notify.name = "watch-inotify"
        self._notify.start()

    @property
    def watch_count(self) -> int:
        with self._lock:
            return len(self._watched)

    def start(self) -> None:
        """Watch everything. OSError when the system gives no more watches."""
        self.resync_ignores()

    def stop(self) -> None:
        with self._lock:
            self._is_stopped = True
        self._notify.stop()
        if self._notify is not threading.current_thread():
            self._notify.join()

    def resync_ignores(self) -> None:
        """Drop the watches of what is ignored by now; add those of what is not. OSError as for start()."""
        with self._lock:
            kept = self._add_tree("")
            for folder in [path for path in self._descriptors if path not in kept]:
                self._drop(folder)
            for folder, names in self._places.git_names().items():
                self._add("git", folder, folder, names)
            self.watch_cookies()

    def watch_cookies(self) -> bool:
        """See to it that the folder of the cookies is watched, if it exists; whether it is."""
        with self._lock:
            return self._add("cookies", self._places.cookies, self._places.cookies)

    def on_event(self, event: InotifyEvent) -> None:
        with self._lock:
            watched = self._watched.get(event.wd)
            if watched is None or self._is_stopped:
                return
            name = os.fsdecode(event.name)
            match watched.kind:
                case "cookies":
                    if event.is_create or event.is_moved_to:
                        self._sink(CookieSeen(name))
                case "git":
                    if name in watched.names:
                        self._sink(GitChanged())
                case "tree":
                    self._on_tree_event(watched.path, name, event)

    def on_watch_deleted(self, wd: WatchDescriptor) -> None:
        with self._lock:
            self._forget(wd)

    def on_queue_overflow(self) -> None:
        """Events were lost: watches of new folders may be missing, and everything must be looked at."""
        with self._lock:
            if not self._is_stopped:
                self._guarded(self.resync_ignores)
                self._sink(RescanNeeded("the event queue overflowed"))

    def _on_tree_event(self, folder: str, name: str, event: InotifyEvent) -> None:
        if not name:
            if folder == "" and event.mask & _ROOT_GONE:
                self._sink(RootGone())
            return
        path = f"{folder}/{name}" if folder else name
        if path == ".git" and (event.is_create or event.is_moved_to or event.is_delete or event.is_moved_from):
            self._sink(GitChanged())
        if event.mask & InotifyConstants.IN_ISDIR:
            self._on_folder_event(path, event)
        elif is_always_told(path) or not self._is_ignored(path, False):
            self._sink(PathsChanged(frozenset({path})))

    def _on_folder_event(self, path: str, event: InotifyEvent) -> None:
        if self._is_ignored(path, True):
            return
        if event.is_moved_from or event.is_delete:
            self._drop_tree(path)
        else:
            self._guarded(lambda: self._add_tree(path))
        self._sink(FolderChanged(frozenset({path})))

    def _guarded(self, watch: Callable[[], object]) -> None:
        """On the reading thread there is nobody to raise to: the loss itself becomes a hint."""
        try:
            watch()
        except OSError as error:
            self._sink(WatchLost(f"{error.strerror} ({len(self._watched)} watches held)"))

    def _add_tree(self, top: str) -> set[str]:
        """Watch a folder and what is below; the folders that are watched, relative to the root."""
        added: set[str] = set()
        waiting = [top]
        while waiting:
            path = waiting.pop()
            absolute = os.path.join(self._places.root, path) if path else self._places.root
            if not self._add("tree", path, absolute):
                continue
            added.add(path)
            try:
                with os.scandir(absolute) as entries:
                    names = [entry.name for entry in entries if entry.is_dir(follow_symlinks=False)]
            except (FileNotFoundError, NotADirectoryError, PermissionError):
                # It went while we looked, or may not be listed; its own event, or a scan, tells the rest.
                continue
            below = (f"{path}/{name}" if path else name for name in names)
            waiting.extend(folder for folder in below if not self._is_ignored(folder, True))
        return added

    def _add(
        self, kind: Literal["tree", "git", "cookies"], path: str, absolute: str, names: frozenset[str] = frozenset()
    ) -> bool:
        callback_id = CallbackId(next(self._next_id))
        mask = Mask(_NAMED_EVENTS | _FLAGS | (_SELF_EVENTS if path == "" else 0))
        try:
            wd = self._notify.add_callback(os.fsencode(absolute), mask, self, callback_id)
        except (FileNotFoundError, NotADirectoryError):
            return False
        if wd == _NO_WATCH:
            # The library keeps a watch under -1 when a folder may not be read.
            self._notify.remove_callbacks([(wd, callback_id)])
            return False
        before = self._watched.get(wd)
        if before is not None:
            # A folder that was moved keeps its descriptor; the callback of its old path goes.
            self._notify.remove_callbacks([(wd, before.callback_id)])
            self._forget(wd)
        if kind == "tree":
            self._drop(path)
            self._descriptors[path] = wd
        self._watched[wd] = _Watched(kind, path, callback_id, names)
        return True

    def _drop_tree(self, top: str) -> None:
        below = top + "/"
        for path in [path for path in self._descriptors if path == top or path.startswith(below)]:
            self._drop(path)

    def _drop(self, path: str) -> None:
        wd = self._descriptors.get(path)
        if wd is not None:
            watched = self._watched[wd]
            self._forget(wd)
            self._notify.remove_callbacks([(wd, watched.callback_id)])

    def _forget(self, wd: WatchDescriptor) -> None:
        watched = self._watched.pop(wd, None)
        if watched is not None and watched.kind == "tree" and self._descriptors.get(watched.path) == wd:
            del self._descriptors[watched.path]
