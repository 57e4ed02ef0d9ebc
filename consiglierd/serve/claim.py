"""The right to be the one daemon of an endpoint: a locked file first, the sockets second."""

import contextlib
import errno
import fcntl
import json
import os
import socket
import stat
import sys
import tempfile
from pathlib import Path

from consiglierd.errors import Busy, Refused, Unavailable
from consiglierd.serve.endpoint import Endpoint, prepare_folders

FileIdentity = tuple[int, int]
_ATTEMPTS = 10
_BACKLOG = 128


class AlreadyRunning(Busy):
    """Another daemon holds the lock; `pid` is what it wrote there, None if that is not readable."""

    def __init__(self, endpoint: Endpoint, pid: int | None) -> None:
        holder = f"process {pid}" if pid is not None else "another process"
        super().__init__(f"{holder} already holds {endpoint.lock_file}", cure="use that daemon, or stop it first")
        self.pid = pid


class Claim:
    """A held lock, and the sockets made under it; made by `claim`.

    The lock file itself is never unlinked: a lock on an unlinked file can have two holders.
    """

    def __init__(self, endpoint: Endpoint, lock: int) -> None:
        self.endpoint = endpoint
        self._lock: int | None = lock
        self._lock_identity = _identity(os.fstat(lock))
        self._sockets: dict[Path, FileIdentity] = {}

    def listen(self, path: Path) -> int:
        """Makes the socket at `path` and listens on it; the descriptor, to be closed by the caller.

        A socket that a daemon which died left there is removed; anything else there is refused. The
        socket library would take a name from whoever has it, and unlink it when it closes, whose
        ever it is by then: so it gets a descriptor, and names are our affair.
        """
        with contextlib.suppress(FileNotFoundError):
            found = os.lstat(path)
            if not stat.S_ISSOCK(found.st_mode) or found.st_uid != os.getuid():
                raise Refused(f"{path} is not a socket of ours", cure="move it away, or name another socket")
            os.unlink(path)
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as listener:
            listener.bind(os.fsencode(path))
            self._sockets[path] = _identity(os.lstat(path))
            listener.listen(_BACKLOG)
            listener.setblocking(False)
            return listener.detach()

    def lost(self) -> str | None:
        """What was taken from us, or None: a lock or a socket that was removed or replaced.

        Asked while the descriptors are open: until then no other file can have their inodes.
        """
        for path, known in ((self.endpoint.lock_file, self._lock_identity), *self._sockets.items()):
            if _identity_of(path) != known:
                return f"{path} was removed or replaced"
        return None

    def write_record(self, version: str) -> None:
        """Notes for clients how to start a daemon of this endpoint, and who runs now."""
        self._put_record({"python": sys.executable, "version": version, "pid": os.getpid()})

    def remove_sockets(self) -> None:
        """Unlinks the sockets that are still ours, and takes our process id from the record.

        Called before the descriptors are closed, for the same reason.
        """
        for path, known in self._sockets.items():
            if _identity_of(path) == known:
                os.unlink(path)
        self._sockets.clear()
        # The record belongs to whoever holds the lock file that has that name now.
        if _identity_of(self.endpoint.lock_file) == self._lock_identity:
            self._forget_pid()

    def release(self) -> None:
        """Gives the lock up; the last thing a daemon does."""
        if self._lock is None:
            return
        os.ftruncate(self._lock, 0)
        os.close(self._lock)
        self._lock = None

    def _forget_pid(self) -> None:
        try:
            record = json.loads(self.endpoint.record_file.read_bytes())
        except (FileNotFoundError, ValueError):
            return
        if isinstance(record, dict) and record.get("pid") == os.getpid():
            self._put_record({**record, "pid": None})

    def _put_record(self, record: dict[str, object]) -> None:
        target = self.endpoint.record_file
        text = json.dumps({**record, "socket": str(self.endpoint.socket)}, ensure_ascii=False, indent=1) + "\n"
        descriptor, temporary = tempfile.mkstemp(prefix=".daemon.json.", dir=target.parent)
        with os.fdopen(descriptor, "wb") as file:
            file.write(os.fsencode(text))
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, target)


def claim(endpoint: Endpoint) -> Claim:
    """Takes the lock of `endpoint`, making its folders; raises AlreadyRunning if another daemon has it.

    From here on the process creates files for its user only (umask 077).
    """
    os.umask(0o077)
    prepare_folders(endpoint)
    for _ in range(_ATTEMPTS):
        lock = _open_lock(endpoint.lock_file)
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            pid = _pid_in(lock)
            os.close(lock)
            raise AlreadyRunning(endpoint, pid) from None
        # Between opening and locking, the name may have been given to another file.
        if _identity_of(endpoint.lock_file) == _identity(os.fstat(lock)):
            os.ftruncate(lock, 0)
            os.pwrite(lock, f"{os.getpid()}\n".encode(), 0)
            return Claim(endpoint, lock)
        os.close(lock)
    raise Unavailable(f"{endpoint.lock_file} is replaced again and again", cure="find out who removes it")


def _open_lock(path: Path) -> int:
    try:
        lock = os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK, 0o600)
    except OSError as problem:
        if problem.errno in (errno.ELOOP, errno.EISDIR, errno.ENXIO):
            raise Refused(f"{path} is not a plain file", cure="remove it") from problem
        raise
    found = os.fstat(lock)
    if not stat.S_ISREG(found.st_mode) or found.st_uid != os.getuid():
        os.close(lock)
        raise Refused(f"{path} is not a plain file of ours", cure="remove it")
    return lock


def _pid_in(lock: int) -> int | None:
    text = os.pread(lock, 32, 0).strip()
    return int(text) if text.isdigit() else None


def _identity(found: os.stat_result) -> FileIdentity:
    return found.st_dev, found.st_ino


def _identity_of(path: Path) -> FileIdentity | None:
    try:
        return _identity(os.lstat(path))
    except FileNotFoundError:
        return None
