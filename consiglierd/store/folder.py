"""The folder that holds a workspace's derived data: only a real one of ours is opened."""

import fcntl
import os
import shutil
import stat
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from consiglierd.errors import Busy, Unavailable

FOLDER_NAME = ".consigliere"
DATABASE_NAME = "consigliere.db"
_ASIDE = "aside"
_MAX_SOCKET_BYTES = 200
_KEPT = frozenset({"lock", ".gitignore", _ASIDE})


@dataclass(frozen=True, slots=True)
class DataFolder:
    """Where a workspace's derived data lies, the lock that is held on it, and why it is not in the root, if so."""

    path: Path
    lock_fd: int
    warning: str | None

    @property
    def database(self) -> Path:
        return self.path / DATABASE_NAME

    @property
    def is_standing(self) -> bool:
        """Whether the folder whose lock is held still lies in its place."""
        try:
            there, held = os.lstat(self.path / "lock"), os.fstat(self.lock_fd)
        except OSError:
            return False
        return (there.st_dev, there.st_ino) == (held.st_dev, held.st_ino)

    def release(self) -> None:
        os.close(self.lock_fd)


def open_folder(root: Path, fallback: Path, *, is_tracked: Callable[[str], bool], socket: str) -> DataFolder:
    """Make and lock the data folder of `root`; `socket` is where its holder is spoken with, for whoever comes second.

    A clone can bring a hostile `.consigliere`: a link, a file, another user's folder, or one that
    git tracks is left alone, and the data goes to `fallback`, as it does where the root cannot be
    written to. Raises Busy where another daemon holds the folder.
    """
    folder = root / FOLDER_NAME
    warning = _objection(folder, is_tracked)
    if warning is None:
        try:
            folder.mkdir(mode=0o700, exist_ok=True)
            _write_ignore_file(folder)
            return DataFolder(folder, _lock(folder, socket), None)
        except OSError as error:
            warning = f"{FOLDER_NAME} cannot be written to ({error.strerror})"
    try:
        fallback.mkdir(mode=0o700, parents=True, exist_ok=True)
        return DataFolder(fallback, _lock(fallback, socket), f"{warning}: the index is kept in {fallback}")
    except OSError as error:
        raise Unavailable(f"no folder for the index of {root} can be made: {error}") from error


def _objection(folder: Path, is_tracked: Callable[[str], bool]) -> str | None:
    try:
        found = os.lstat(folder)
    except FileNotFoundError:
        return f"git tracks files under {FOLDER_NAME}" if is_tracked(FOLDER_NAME) else None
    if not stat.S_ISDIR(found.st_mode):
        return f"{FOLDER_NAME} is not a real folder"
    if found.st_uid != os.geteuid():
        return f"{FOLDER_NAME} belongs to another user"
    if is_tracked(FOLDER_NAME):
        return f"git tracks files under {FOLDER_NAME}"
    return None


def _write_ignore_file(folder: Path) -> None:
    try:
        fd = os.open(folder / ".gitignore", os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
    except FileExistsError:
        return
    with os.fdopen(fd, "w") as file:
        file.write("*\n")


def _lock(folder: Path, socket: str) -> int:
    fd = os.open(folder / "lock", os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError as error:
        holder = os.pread(fd, _MAX_SOCKET_BYTES, 0).decode("utf-8", "replace")
        os.close(fd)
        raise Busy(f"another consiglierd keeps {folder}", cure=_cure_of(holder), retry_after_ms=1000) from error
    os.ftruncate(fd, 0)
    os.pwrite(fd, os.fsencode(socket), 0)
    return fd


def _cure_of(holder: str) -> str:
    if holder and holder.isprintable():
        return f"use it, by CONSIGLIERE_SOCKET={holder}, or stop it: `CONSIGLIERE_SOCKET={holder} consigliere stop`"
    return "stop the other daemon, or use its socket"


def holds_only_ours(folder: Path) -> bool:
    """Whether all that lies in the folder is as we would have made it.

    A link, a device, a second name of a file elsewhere, or what belongs to another user was put
    there to lead us out of it: SQLite and the indexes would write, read or delete through it.
    """
    waiting = [folder]
    while waiting:
        with os.scandir(waiting.pop()) as entries:
            for entry in entries:
                found = entry.stat(follow_symlinks=False)
                if found.st_uid != os.geteuid():
                    return False
                if stat.S_ISDIR(found.st_mode):
                    waiting.append(Path(entry.path))
                elif not stat.S_ISREG(found.st_mode) or found.st_nlink != 1:
                    return False
    return True


def is_empty(folder: Path) -> bool:
    """Whether nothing derived lies in the folder."""
    return all(entry.name in _KEPT for entry in folder.iterdir())


def set_aside(folder: Path) -> None:
    """Put what lies in the folder under `aside/` in it, replacing what was put there before."""
    aside = folder / _ASIDE
    _remove(aside)
    aside.mkdir(mode=0o700)
    for entry in sorted(folder.iterdir()):
        if entry.name not in _KEPT:
            entry.rename(aside / entry.name)


def _remove(place: Path) -> None:
    if place.is_dir() and not place.is_symlink():
        shutil.rmtree(place)
    else:
        place.unlink(missing_ok=True)


def remove_folder(folder: Path) -> bool:
    """Remove the whole folder; False where it was not there."""
    if not folder.is_dir() or folder.is_symlink():
        return False
    shutil.rmtree(folder)
    return True
