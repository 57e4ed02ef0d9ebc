"""The commands about the daemon's life: start, stop, restart, logs."""

from __future__ import annotations

import os
import select
import time
from collections import deque

from consigliere.cli.session import connected
from consigliere.endpoint import find_endpoint
from consigliere.errors import DaemonUnreachable, UsageError
from consigliere.render.json import write_object
from consigliere.render.terminal import Output

# Importing `typing` would cost a quarter of what a whole search may take.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

STOP_TIMEOUT_S = 10.0
LOOK_AGAIN_S = 0.3


def start(values: dict[str, Any], words: list[str]) -> int:
    with connected() as client:
        hello = client.call("hello")
    _tell(values, hello, f"consiglierd {hello['version']} runs, process {hello['pid']}")
    return 0


def stop(values: dict[str, Any], words: list[str]) -> int:
    """Returns when the daemon has let its socket go; no daemon is a success too."""
    pid = _stop()
    _tell(values, {"pid": pid}, "no daemon runs" if pid is None else f"stopped process {pid}")
    return 0


def restart(values: dict[str, Any], words: list[str]) -> int:
    _stop()
    return start(values, words)


def _stop() -> int | None:
    try:
        client = connected(may_start=False)
    except DaemonUnreachable as error:
        if error.kind == "refused":
            return None
        raise
    with client:
        pid = int(client.call("shutdown", {"reason": "asked on the command line"})["pid"])
    _wait_until_released(pid)
    return pid


def _wait_until_released(pid: int) -> None:
    """The lock is the last thing a daemon gives up; no event tells us, so we look again and again."""
    import fcntl  # needed by this command alone

    end = time.monotonic() + STOP_TIMEOUT_S
    lock = os.open(os.path.join(find_endpoint().state_directory, "daemon.lock"), os.O_RDWR | os.O_CLOEXEC)
    try:
        while True:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                return
            except BlockingIOError:
                if time.monotonic() > end:
                    raise DaemonUnreachable(
                        f"process {pid} was told to stop and still runs",
                        "silent",
                        f"see `consigliere logs`, or kill {pid}",
                    ) from None
            select.select([], [], [], 0.02)
    finally:
        os.close(lock)


def logs(values: dict[str, Any], words: list[str]) -> int:
    """The log is read from its file: it can be read when the daemon does not run."""
    path = find_endpoint().log_file
    output = Output()
    try:
        file = open(path, encoding="utf-8", errors="replace")  # noqa: SIM115  # it stays open while it is followed
    except FileNotFoundError:
        raise UsageError(f"there is no log at {path}", "it is written once the daemon has run") from None
    with file:
        for line in deque(file, maxlen=values.get("n", 20)):
            output.write(output.fit(line))
        output.flush()
        while values.get("f"):
            line = file.readline()
            if line:
                output.write(output.fit(line))
                output.flush()
            else:
                # A file that grows sends no event to the standard library.
                select.select([], [], [], LOOK_AGAIN_S)
    return 0


def _tell(values: dict[str, Any], reply: dict[str, Any], text: str) -> None:
    if values.get("json"):
        write_object(reply)
    else:
        Output().line(text)
