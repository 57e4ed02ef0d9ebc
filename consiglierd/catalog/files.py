"""Reading a user's files without being led out of the root, made to wait, or given more than was asked for."""

import os
import pwd
import stat
import threading
from collections.abc import Callable
from typing import Literal, TypeVar

from consiglierd.errors import NotFound, Refused
from consiglierd.model.files import FileStat

UnavailableReason = Literal["missing", "unreadable", "special", "link", "too_large"]

_FOLDER_FLAGS = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC
_FILE_FLAGS = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
_PIECE_BYTES = 1 << 20
_READ_ATTEMPTS = 5
_REASONS: dict[type[OSError], UnavailableReason] = {
    FileNotFoundError: "missing",
    NotADirectoryError: "missing",
    PermissionError: "unreadable",
}
_WORDS: dict[UnavailableReason, str] = {
    "missing": "is not there",
    "unreadable": "cannot be read",
    "special": "is not a regular file",
    "link": "is, or lies behind, a symbolic link",
    "too_large": "is larger than the limit",
}

T = TypeVar("T")


class FileUnavailable(NotFound):
    """A file cannot be read, and why: `reason` decides what follows, the message is for people."""

    def __init__(self, path: str, reason: UnavailableReason, detail: str = "") -> None:
        super().__init__(f"{path} {_WORDS[reason]}" + (f": {detail}" if detail else ""))
        self.path = path
        self.reason: UnavailableReason = reason


class SafeRoot:
    """Reads below one root folder, component by component under its descriptor, following no link.

    Safe to use from several threads. Paths are relative and "/"-separated. When the folder at
    `root` has been replaced by another, the new one is opened.
    """

    def __init__(self, root: str) -> None:
        self._root = os.path.abspath(root)
        self._lock = threading.Lock()
        self._descriptor: int | None = None
        self._identity: tuple[int, int] | None = None

    def read(self, path: str, max_bytes: int) -> bytes:
        """The whole content. FileUnavailable if it is not a readable regular file of at most `max_bytes`."""
        return self.read_with_stat(path, max_bytes)[0]

    def read_with_stat(self, path: str, max_bytes: int) -> tuple[bytes, FileStat]:
        """The content and the stat that belongs to it: taken before and after, and equal.

        A file that keeps changing while it is read is "unreadable" after a few attempts.
        """

        def attempt(descriptor: int) -> tuple[bytes, FileStat] | None:
            before = _regular_stat(path, descriptor)
            if before.size > max_bytes:
                raise FileUnavailable(path, "too_large", f"{before.size} bytes, the limit is {max_bytes}")
            content = _read_at_most(path, descriptor, max_bytes + 1)
            after = _regular_stat(path, descriptor)
            if before != after or len(content) != after.size:
                return None
            return content, after

        for _ in range(_READ_ATTEMPTS):
            found = self._with_file(path, attempt)
            if found is not None:
                return found
        raise FileUnavailable(path, "unreadable", "it keeps changing while it is read")

    def stat(self, path: str) -> FileStat:
        """The stat of a regular file, which need not be readable."""
        parent, _, name = _checked(path).rpartition("/")

        def look(folder: int) -> FileStat:
            found = os.stat(name, dir_fd=folder, follow_symlinks=False)
            if stat.S_ISLNK(found.st_mode):
                raise FileUnavailable(path, "link")
            if not stat.S_ISREG(found.st_mode):
                raise FileUnavailable(path, "special")
            return _file_stat(found)

        return self._with_folder(path, parent, look)

    def close(self) -> None:
        with self._lock:
            self._close_locked()

    def _with_file(self, path: str, use: Callable[[int], T]) -> T:
        parent, _, name = _checked(path).rpartition("/")

        def open_and_use(folder: int) -> T:
            try:
                descriptor = os.open(name, _FILE_FLAGS, dir_fd=folder)
            except OSError:
                # Opening a socket or a device fails with errors that say little; the mode says what it is.
                mode = os.stat(name, dir_fd=folder, follow_symlinks=False).st_mode
                if stat.S_ISLNK(mode):
                    raise FileUnavailable(path, "link") from None
                if not stat.S_ISREG(mode):
                    raise FileUnavailable(path, "special") from None
                raise
            try:
                return use(descriptor)
            finally:
                os.close(descriptor)

        return self._with_folder(path, parent, open_and_use)

    def _with_folder(self, path: str, folder: str, use: Callable[[int], T]) -> T:
        """Open the folders on the way to `path` and call `use` with the last one's descriptor."""
        descriptor = -1
        try:
            descriptor = self._duplicate_root()
            for part in folder.split("/") if folder else ():
                child = _open_folder(path, part, descriptor)
                os.close(descriptor)
                descriptor = child
            return use(descriptor)
        except OSError as error:
            raise FileUnavailable(path, _REASONS.get(type(error), "unreadable"), error.strerror or "") from error
        finally:
            if descriptor >= 0:
                os.close(descriptor)

    def _duplicate_root(self) -> int:
        with self._lock:
            found = os.stat(self._root)
            if self._descriptor is None or self._identity != (found.st_dev, found.st_ino):
                self._close_locked()
                self._descriptor = os.open(self._root, _FOLDER_FLAGS)
                opened = os.fstat(self._descriptor)
                self._identity = (opened.st_dev, opened.st_ino)
            return os.dup(self._descriptor)

    def _close_locked(self) -> None:
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None
            self._identity = None


# What the kernel shows there are no files.
_NO_FILES = ("proc", "sys")


def check_owner(root: str, user_id: int) -> None:
    """Refused, with a cure, unless `root` is a folder that `user_id` owns, and neither "/" nor their home."""
    real = os.path.realpath(root)
    try:
        found = os.stat(real)
    except OSError as error:
        raise NotFound(f"the folder {root} cannot be opened: {error.strerror}") from error
    if not stat.S_ISDIR(found.st_mode):
        raise Refused(f"{root} is not a folder", cure="Name the project's folder with --root DIR.")
    if real == "/":
        raise Refused("the whole file system is never a workspace", cure="Name a project's folder with --root DIR.")
    if real.split("/")[1] in _NO_FILES:
        raise Refused(f"{root} holds no files of a project", cure="Name a project's folder with --root DIR.")
    if real == _home_of(user_id):
        raise Refused("the home folder is never a workspace", cure="Name a project's folder with --root DIR.")
    if found.st_uid != user_id:
        owner = _name_of(found.st_uid)
        raise Refused(
            f"{root} belongs to {owner}, and this daemon runs as {_name_of(user_id)}",
            cure=f"Run it as {owner}, or give yourself a copy of the folder.",
        )


def _checked(path: str) -> str:
    if not path or "\0" in path or any(part in ("", ".", "..") for part in path.split("/")):
        raise FileUnavailable(path or "the empty path", "missing", "not a path below the root")
    return path


def _open_folder(path: str, part: str, parent: int) -> int:
    try:
        return os.open(part, _FOLDER_FLAGS | os.O_NOFOLLOW, dir_fd=parent)
    except OSError:
        # A link fails as "not a directory"; tell it from a file that stands where a folder was.
        if stat.S_ISLNK(os.stat(part, dir_fd=parent, follow_symlinks=False).st_mode):
            raise FileUnavailable(path, "link") from None
        raise


def _regular_stat(path: str, descriptor: int) -> FileStat:
    found = os.fstat(descriptor)
    if not stat.S_ISREG(found.st_mode):
        raise FileUnavailable(path, "special")
    return _file_stat(found)


def _file_stat(found: os.stat_result) -> FileStat:
    return FileStat(found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns)


def _read_at_most(path: str, descriptor: int, limit: int) -> bytes:
    pieces: list[bytes] = []
    left = limit
    while left > 0:
        try:
            piece = os.read(descriptor, min(left, _PIECE_BYTES))
        except BlockingIOError as error:
            raise FileUnavailable(path, "special", "it gives no content") from error
        if not piece:
            break
        pieces.append(piece)
        left -= len(piece)
    return b"".join(pieces)


def _home_of(user_id: int) -> str | None:
    try:
        return os.path.realpath(pwd.getpwuid(user_id).pw_dir)
    except KeyError:
        return None


def _name_of(user_id: int) -> str:
    try:
        return pwd.getpwuid(user_id).pw_name
    except KeyError:
        return f"user {user_id}"
