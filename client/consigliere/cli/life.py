"""The commands about the daemon's life: start, stop, restart, logs."""

from __future__ import annotations

import os
import select
import time

from consigliere.cli.session import connected
from consigliere.endpoint import find_endpoint
from consigliere.errors import DaemonUnreachable, UsageError
from consigliere.render.json import write_object
from consigliere.render.terminal import Output

# Importing `typing` would cost a quarter of what a whole search may take.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

STOP_TIMEOUT_S = 10.0
LOOK_AGAIN_S = 0.02
FOLLOW_S = 0.3
LOG_LINES = 20
LOG_TAIL_BYTES = 4 * 1024 * 1024


def start(output: Output, values: dict[str, Any], words: list[str]) -> int:
    with connected() as client:
        hello = client.call("hello")
    _tell(output, values, hello, f"consiglierd {hello['version']} runs, process {hello['pid']}")
    return 0


def stop(output: Output, values: dict[str, Any], words: list[str]) -> int:
    """Returns when the daemon has let its lock go; no daemon is a success too."""
    pid = _stop()
    _tell(output, values, {"pid": pid}, "no daemon runs" if pid is None else f"stopped process {pid}")
    return 0


def restart(output: Output, values: dict[str, Any], words: list[str]) -> int:
    _stop()
    return start(output, values, words)


def _stop() -> int | None:
    """The process id that the daemon told; it is never used to signal anything, since it may be another's by now."""
    end_s = time.monotonic() + STOP_TIMEOUT_S
    try:
        with connected(may_start=False) as client:
            pid = client.call("shutdown", {"reason": "asked on the command line"})["pid"]
            client.wait_for_close(STOP_TIMEOUT_S)
    except DaemonUnreachable as error:
        if error.kind == "refused":
            return None
        raise _without_answer(error) from error
    _wait_until_released(pid, end_s)
    return pid


def _without_answer(error: DaemonUnreachable) -> DaemonUnreachable:
    """A daemon that is stuck or stopped can only be ended by its process id, which it wrote into its lock."""
    try:
        with open(os.path.join(find_endpoint().state_directory, "daemon.lock"), "rb") as lock:
            pid = lock.read(20).strip().decode("ascii", "replace")
    except OSError:
        return error
    if error.kind != "silent" or not pid.isdecimal():
        return error
    return DaemonUnreachable(error.message, error.kind, f"end it with `kill -9 {pid}`: nothing is lost by it")


def _wait_until_released(pid: int, end_s: float) -> None:
    """The lock is the last thing a daemon gives up; no event tells us, so we look again and again."""
    import fcntl  # not at the top: needed by this command alone

    try:
        lock = os.open(os.path.join(find_endpoint().state_directory, "daemon.lock"), os.O_RDWR | os.O_CLOEXEC)
    except FileNotFoundError:
        return None
    try:
        while True:
            try:
                # Shared, so that two who wait do not take each other for the daemon.
                return fcntl.flock(lock, fcntl.LOCK_SH | fcntl.LOCK_NB)
            except BlockingIOError:
                if _another_answers(pid):
                    return None
                if time.monotonic() > end_s:
                    raise DaemonUnreachable(f"process {pid} was told to stop and still runs", "silent") from None
            select.select([], [], [], LOOK_AGAIN_S)
    finally:
        os.close(lock)


def _another_answers(pid: int) -> bool:
    """Whether somebody started a new daemon in the meantime: then the lock is that one's."""
    try:
        with connected(may_start=False) as client:
            return client.call("hello")["pid"] != pid
    except DaemonUnreachable:
        return False


def logs(output: Output, values: dict[str, Any], words: list[str]) -> int:
    """The log is read from its file: it can be read when the daemon does not run."""
    path = find_endpoint().log_file
    try:
        file = open(path, "rb")  # noqa: SIM115  # it stays open while it is followed
    except FileNotFoundError:
        raise UsageError(f"there is no log at {path}", "it is written once the daemon has run") from None
    try:
        file.seek(max(0, os.fstat(file.fileno()).st_size - LOG_TAIL_BYTES))
        for line in file.read().split(b"\n")[:-1][-values.get("n", LOG_LINES) :]:
            output.line(output.fit(line.decode("utf-8", "replace")))
        output.flush()
        while values.get("f"):
            news = file.readline()
            if news:
                output.write(output.fit(news.decode("utf-8", "replace")))
                output.flush()
            elif _is_replaced(path, file.fileno()):
                file.close()
                file = open(path, "rb")  # noqa: SIM115  # as above
            else:
                # A file that grows sends no event to the standard library.
                select.select([], [], [], FOLLOW_S)
    finally:
        file.close()
    return 0


def _is_replaced(path: str, descriptor: int) -> bool:
    """Whether the daemon has begun a new log file since."""
    try:
        found, ours = os.stat(path), os.fstat(descriptor)
    except FileNotFoundError:
        return False
    return (found.st_dev, found.st_ino) != (ours.st_dev, ours.st_ino)


def _tell(output: Output, values: dict[str, Any], reply: Mapping[str, object], text: str) -> None:
    if values.get("json"):
        write_object(output, reply)
    else:
        output.line(text)
