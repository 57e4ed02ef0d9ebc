"""Knowing that every event up to now has been seen: a cookie file is dropped, and its own event awaited."""

import itertools
import os
import secrets
import threading

_FOLDER_FLAGS = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_COOKIE_FLAGS = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC


class Barrier:
    """Cookies in `data_folder`/cookies; the folders are made if they are missing, and are never links."""

    def __init__(self, data_folder: str) -> None:
        self._base, self._name = os.path.split(os.path.abspath(data_folder))
        self._serial = itertools.count()
        self._prefix = secrets.token_hex(4)
        self._lock = threading.Lock()
        self._awaited: dict[str, threading.Event] = {}

    @property
    def folder(self) -> str:
        return os.path.join(self._base, self._name, "cookies")

    def prepare(self) -> bool:
        """Make the folder; False if that cannot be done (read-only, a link stands in its place)."""
        try:
            os.close(self._open_folder())
        except OSError:
            return False
        return True

    def wait_until_seen(self, timeout_s: float) -> bool:
        """Drop a cookie and wait for seen(); False on a timeout or when it cannot be dropped."""
        name = f"{self._prefix}-{next(self._serial)}"
        arrived = threading.Event()
        with self._lock:
            self._awaited[name] = arrived
        try:
            folder = self._open_folder()
        except OSError:
            return self._is_over(name, False)
        try:
            os.close(os.open(name, _COOKIE_FLAGS, 0o600, dir_fd=folder))
            was_seen = arrived.wait(timeout_s)
            os.unlink(name, dir_fd=folder)
        except OSError:
            return self._is_over(name, arrived.is_set())
        finally:
            os.close(folder)
        return self._is_over(name, was_seen)

    def seen(self, name: str) -> None:
        with self._lock:
            arrived = self._awaited.get(name)
        if arrived is not None:
            arrived.set()

    def release(self) -> None:
        """A look at everything is due, which stands for every event so far, lost cookies included."""
        with self._lock:
            for arrived in self._awaited.values():
                arrived.set()

    def _is_over(self, name: str, was_seen: bool) -> bool:
        with self._lock:
            del self._awaited[name]
        return was_seen

    def _open_folder(self) -> int:
        descriptor = os.open(self._base, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        for name in (self._name, "cookies"):
            parent = descriptor
            try:
                descriptor = _open_or_make(name, parent)
            finally:
                os.close(parent)
        return descriptor


def _open_or_make(name: str, parent: int) -> int:
    try:
        return os.open(name, _FOLDER_FLAGS, dir_fd=parent)
    except FileNotFoundError:
        os.mkdir(name, 0o700, dir_fd=parent)
        return os.open(name, _FOLDER_FLAGS, dir_fd=parent)
