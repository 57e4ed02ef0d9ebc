"""Start the daemon where there is none, and wait until it answers."""

import importlib.util
import os
import select
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from typing import TypeVar

from consigliere.endpoint import Endpoint, home_directory, own_endpoint, prepare_state_directory
from consigliere.errors import DaemonUnreachable
from consigliere.protocol.codec import NotJson, decode_json

START_TIMEOUT_S = 20.0
# A starter that lost the race lets the winner have this long before it tries once more.
PATIENCE_S = 3.0
LOOK_AGAIN_S = 0.02
READY_VARIABLE = "CONSIGLIERE_READY_FD"
KEPT_VARIABLES = ("HOME", "PATH", "LANG", "TZ", "XDG_RUNTIME_DIR", "TMPDIR", "USER", "LOGNAME")
CURE = "install consigliere (`pip install consigliere`), or start `consiglierd` yourself"

Connected = TypeVar("Connected")

# The processes that this one started: kept so that a long-living caller can reap those that ended.
_started: list["subprocess.Popen[bytes]"] = []


def start_and_connect(
    endpoint: Endpoint, connect: Callable[[], Connected], pid_of: Callable[[Connected], int]
) -> Connected:
    """What `connect` gives once a daemon started now answers; several starters at once share one daemon.

    `connect` raises DaemonUnreachable while nobody answers; `pid_of` asks the daemon who it is.
    """
    end_s = time.monotonic() + START_TIMEOUT_S
    prepare_state_directory(endpoint)
    failed = ""
    for command in daemon_commands(endpoint):
        started = _Start(endpoint, command)
        try:
            connected = _wait(started, connect, end_s)
        finally:
            started.close()
        if connected is not None:
            started.keep_only(pid_of(connected))
            return connected
        failed = f"{command[0]} could not start a daemon: {started.last_words()}"
    if failed:
        raise DaemonUnreachable(failed, "unstartable", f"see {_errors_file(endpoint)}, or run `consiglierd` by hand")
    raise DaemonUnreachable("no consiglierd is installed that could be started", "unstartable", CURE)


def _wait(started: "_Start", connect: Callable[[], Connected], end_s: float) -> Connected | None:
    """None where the command could not start a daemon, and another one may be tried."""
    while True:
        try:
            return connect()
        except DaemonUnreachable as error:
            if error.kind == "unsafe" or time.monotonic() > end_s:
                raise
        if not started.go_on():
            return None


class _Start:
    """One attempt: the process, and the pipe that tells when it listens."""

    def __init__(self, endpoint: Endpoint, command: list[str]) -> None:
        self._endpoint = endpoint
        self._command = [*command, "--socket", endpoint.socket]
        self._ready = -1
        self._run()

    def _run(self) -> None:
        self.close()
        self._child, self._ready = _spawn(self._command, self._endpoint)
        self._lost_at_s: float | None = None

    def go_on(self) -> bool:
        """Wait for the next moment worth a look; False where the process failed."""
        if self._ready >= 0:
            if select.select([self._ready], [], [], LOOK_AGAIN_S)[0]:
                # A byte: it listens. The end: it is no more. Either way the pipe has said all.
                self.close()
        else:
            # Another process's daemon may be a moment from listening, and no event tells us.
            select.select([], [], [], LOOK_AGAIN_S)
        status = self._child.poll()
        if status is None:
            return True
        if status != 0:
            return False
        # It found the lock held by another daemon, which starts as well, or is about to end.
        self._lost_at_s = self._lost_at_s or time.monotonic()
        if time.monotonic() - self._lost_at_s > PATIENCE_S:
            self._run()
        return True

    def keep_only(self, daemon_pid: int) -> None:
        """End our own process where another one's daemon answers: it would come up later, when that one has gone."""
        if self._child.pid != daemon_pid and self._child.poll() is None:
            self._child.terminate()

    def last_words(self) -> str:
        try:
            with open(_errors_file(self._endpoint), encoding="utf-8", errors="replace") as file:
                lines = file.read()[-4096:].strip().split("\n")
        except OSError:
            lines = [""]
        return lines[-1] or f"it ended with status {self._child.returncode}"

    def close(self) -> None:
        if self._ready >= 0:
            os.close(self._ready)
            self._ready = -1


def _spawn(command: list[str], endpoint: Endpoint) -> tuple["subprocess.Popen[bytes]", int]:
    """The process, and the read end of a pipe whose other end only the daemon holds."""
    _started[:] = [child for child in _started if child.poll() is None]
    environment = {name: value for name, value in os.environ.items() if _is_kept(name)}
    read_end, write_end = os.pipe()
    errors = os.open(_errors_file(endpoint), os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW, 0o600)
    try:
        child = subprocess.Popen(
            command,
            cwd="/",
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=errors,
            close_fds=True,
            pass_fds=(write_end,),
            start_new_session=True,
            env={**environment, READY_VARIABLE: str(write_end)},
        )
    except OSError as error:
        os.close(read_end)
        raise DaemonUnreachable(f"{command[0]} cannot be started: {error.strerror}", "unstartable", CURE) from error
    finally:
        os.close(errors)
        os.close(write_end)
    _started.append(child)
    return child, read_end


def _errors_file(endpoint: Endpoint) -> str:
    """What a daemon says before it has a log of its own, and when the interpreter itself dies."""
    return os.path.join(endpoint.state_directory, "daemon.err")


def _is_kept(name: str) -> bool:
    return name in KEPT_VARIABLES or name.startswith("LC_")


def daemon_commands(endpoint: Endpoint) -> Iterator[list[str]]:
    """The ways to start a daemon, best first: the interpreter that ran it, our own, the one that ran the user's own
    daemon, the program beside us or on PATH."""
    seen = set()
    for command in _all_commands(endpoint):
        if tuple(command) not in seen:
            seen.add(tuple(command))
            yield command


def _all_commands(endpoint: Endpoint) -> Iterator[list[str]]:
    yield from _recorded(endpoint.record_file)
    # Without `site` (-S) nothing installed can be seen from here, and the interpreter would be started in vain.
    if not sys.flags.no_site and sys.executable and importlib.util.find_spec("consiglierd") is not None:
        yield [sys.executable, "-I", "-m", "consiglierd"]
    # A daemon on a socket of its own may be new, while the user's own one has run before.
    if home_directory():
        yield from _recorded(own_endpoint().record_file)
    beside = os.path.dirname(os.path.realpath(sys.argv[0])) if sys.argv and sys.argv[0] else ""
    for folder in (beside, *os.environ.get("PATH", "").split(os.pathsep)):
        program = os.path.join(folder, "consiglierd")
        if os.path.isabs(program) and os.path.isfile(program) and os.access(program, os.X_OK):
            yield [program]


def _recorded(record_file: str) -> Iterator[list[str]]:
    python = _recorded_python(record_file)
    if python is not None:
        yield [python, "-I", "-m", "consiglierd"]


def _recorded_python(record_file: str) -> str | None:
    """The interpreter of a record that is ours alone, if it is still there."""
    try:
        with open(record_file, "rb") as file:
            if os.fstat(file.fileno()).st_uid != os.getuid():
                return None
            record = decode_json(file.read(65536))
    except (OSError, NotJson):
        return None
    python = record.get("python") if isinstance(record, dict) else None
    return python if isinstance(python, str) and os.path.isabs(python) and os.access(python, os.X_OK) else None
