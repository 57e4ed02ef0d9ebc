"""A look at the disk: which documents there are, with their stats, and what is left out and why."""

import errno
import os
import stat
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Protocol

from consiglierd.model.files import FileStat, LeftOut, LeftOutReason, Scan
from consiglierd.watch.secrets import secret_rule

MAX_DEPTH = 256
_FOLDER_FLAGS = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC
_GONE = frozenset({errno.ENOENT, errno.ENOTDIR, errno.ELOOP})


class Ignore(Protocol):
    """What a scan asks of the ignore rules."""

    def rule_for(self, path: str, is_dir: bool) -> str | None: ...

    def refresh(self) -> bool: ...


def scan_root(root: str, ignore: Ignore, wanted: Callable[[str], bool], max_bytes: int) -> Scan:
    """Look at everything below `root`. `wanted` says whether a path is named like a document."""
    return scan_paths(root, ("",), ignore, wanted, max_bytes)


def scan_paths(root: str, paths: Iterable[str], ignore: Ignore, wanted: Callable[[str], bool], max_bytes: int) -> Scan:
    """Look at files, and at folders with everything below them; "" is the whole root.

    A path that is not there is in the scope and in nothing else, and so counts as vanished. No
    link is followed. What cannot be looked into is in `unreadable`.
    """
    scope = _without_nested(paths)
    ignore.refresh()
    try:
        descriptor = os.open(root, _FOLDER_FLAGS)
    except OSError:
        return Scan(scope, {}, root_missing=True)
    try:
        walk = _Walk(ignore, wanted, max_bytes)
        for path in scope:
            walk.look_at(path, descriptor)
        # A root that is removed during the walk looks like an empty one.
        is_missing = not _is_same_folder(root, descriptor)
    finally:
        os.close(descriptor)
    if is_missing:
        return Scan(scope, {}, root_missing=True)
    return Scan(scope, walk.files, tuple(walk.left_out), tuple(sorted(walk.unreadable)))


@dataclass(slots=True)
class _Level:
    """One open folder of the walk, and the subfolders that are still to be opened."""

    path: str
    descriptor: int
    identity: tuple[int, int]
    subfolders: Iterator[str]


@dataclass(slots=True)
class _Walk:
    """The walk's findings. Folders are opened under their parent's descriptor, never by a path."""

    ignore: Ignore
    wanted: Callable[[str], bool]
    max_bytes: int
    files: dict[str, FileStat] = field(default_factory=dict)
    left_out: list[LeftOut] = field(default_factory=list)
    unreadable: set[str] = field(default_factory=set)

    def look_at(self, path: str, root: int) -> None:
        if not path:
            self._walk_tree("", os.dup(root))
            return
        if not _is_text(path):
            self._leave_out(_shown(path), "name", "not UTF-8")
            return
        folder = os.dup(root)
        parts = path.split("/")
        try:
            for depth, part in enumerate(parts[:-1]):
                child = self._open(folder, part, "/".join(parts[: depth + 1]), unjudged=path)
                if child is None:
                    return
                os.close(folder)
                folder = child
            subfolder = self._look_at_name(path, parts[-1], folder)
            if subfolder is not None:
                self._walk_tree(path, subfolder)
        finally:
            os.close(folder)

    def _look_at_name(self, path: str, name: str, folder: int) -> int | None:
        """Judge one named path; the descriptor of the folder that it is, if it is to be walked."""
        try:
            found = os.stat(name, dir_fd=folder, follow_symlinks=False)
        except OSError as error:
            self._note_failure(path, error)
            return None
        if stat.S_ISDIR(found.st_mode):
            return self._open(folder, name, path, unjudged=path) if self._is_walked(path) else None
        if self._is_in(path, found.st_mode):
            self._add_file(path, found)
        return None

    def _walk_tree(self, top: str, descriptor: int) -> None:
        """Takes the descriptor over."""
        stack = [self._enter(top, descriptor)]
        try:
            while stack:
                level = stack[-1]
                name = next(level.subfolders, None)
                if name is None:
                    os.close(stack.pop().descriptor)
                    continue
                path = f"{level.path}/{name}" if level.path else name
                if len(stack) >= MAX_DEPTH:
                    self._note_unreadable(path, f"deeper than {MAX_DEPTH} folders")
                    continue
                child = self._open(level.descriptor, name, path, unjudged=path)
                if child is None:
                    continue
                found = os.fstat(child)
                if any(above.identity == (found.st_dev, found.st_ino) for above in stack):
                    os.close(child)
                    self._leave_out(path, "link", "a mount that leads back into itself")
                    continue
                stack.append(self._enter(path, child))
        finally:
            for level in stack:
                os.close(level.descriptor)

    def _enter(self, path: str, descriptor: int) -> _Level:
        """List a folder: its files are judged at once, its subfolders kept for later."""
        found = os.fstat(descriptor)
        subfolders: list[str] = []
        try:
            with os.scandir(descriptor) as entries:
                for entry in entries:
                    below = f"{path}/{entry.name}" if path else entry.name
                    if not _is_text(entry.name):
                        self._leave_out(_shown(below), "name", "not UTF-8")
                    elif entry.is_dir(follow_symlinks=False):
                        if self._is_walked(below):
                            subfolders.append(entry.name)
                    else:
                        self._look_at_entry(below, entry)
        except OSError as error:
            self._note_unreadable(path, error.strerror or "")
        return _Level(path, descriptor, (found.st_dev, found.st_ino), iter(sorted(subfolders)))

    def _look_at_entry(self, path: str, entry: "os.DirEntry[str]") -> None:
        # Most names are not documents' names, and for those nothing more needs to be asked.
        if entry.is_file(follow_symlinks=False) and not self.wanted(path) and secret_rule(entry.name) is None:
            return
        try:
            found = entry.stat(follow_symlinks=False)
        except OSError as error:
            self._note_failure(path, error)
            return
        if self._is_in(path, found.st_mode):
            self._add_file(path, found)

    def _is_walked(self, path: str) -> bool:
        rule = self.ignore.rule_for(path, True)
        if rule is not None:
            self._leave_out(path, "ignored", rule)
        return rule is None

    def _is_in(self, path: str, mode: int) -> bool:
        """Whether a path that is no folder is a document; what is left out is noted."""
        rule = self.ignore.rule_for(path, False)
        secret = secret_rule(path)
        if stat.S_ISLNK(mode):
            if rule is None:
                self._leave_out(path, "link")
            return False
        if not stat.S_ISREG(mode):
            if rule is None:
                self._leave_out(path, "special")
            return False
        if secret is not None:
            self._leave_out(path, "secret", secret)
            return False
        if not self.wanted(path):
            return False
        if rule is not None:
            self._leave_out(path, "ignored", rule)
            return False
        return True

    def _add_file(self, path: str, found: os.stat_result) -> None:
        if found.st_size > self.max_bytes:
            self._leave_out(path, "too_large", f"{found.st_size} bytes, the limit is {self.max_bytes}")
            return
        self.files[path] = FileStat(found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns)

    def _open(self, parent: int, name: str, path: str, *, unjudged: str) -> int | None:
        """Open a folder; None if it is gone, a link, ignored on the way, or cannot be looked into."""
        if path != unjudged and not self._is_walked(path):
            return None
        try:
            return os.open(name, _FOLDER_FLAGS | os.O_NOFOLLOW, dir_fd=parent)
        except OSError as error:
            self._note_failure(unjudged, error)
            return None

    def _note_failure(self, path: str, error: OSError) -> None:
        if error.errno not in _GONE:
            self._note_unreadable(path, error.strerror or "")

    def _note_unreadable(self, path: str, detail: str) -> None:
        self.unreadable.add(path)
        self._leave_out(path, "unreadable", detail)

    def _leave_out(self, path: str, reason: LeftOutReason, detail: str = "") -> None:
        self.left_out.append(LeftOut(path, reason, detail))


def _without_nested(paths: Iterable[str]) -> tuple[str, ...]:
    """Sorted, without duplicates and without what another one covers."""
    kept: list[str] = []
    for path in sorted({path.strip("/") for path in paths}, key=lambda path: path.split("/")):
        if kept and (kept[-1] == "" or path.startswith(kept[-1] + "/")):
            continue
        kept.append(path)
    return tuple(kept)


def _is_same_folder(root: str, descriptor: int) -> bool:
    try:
        now, opened = os.stat(root), os.fstat(descriptor)
    except OSError:
        return False
    return (now.st_dev, now.st_ino) == (opened.st_dev, opened.st_ino)


def _shown(path: str) -> str:
    return os.fsencode(path).decode("utf-8", "backslashreplace")


def _is_text(name: str) -> bool:
    if name.isascii():
        return True
    try:
        name.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True
