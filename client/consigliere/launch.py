"""Start the daemon where there is none, and wait until it answers."""

import json
import os
import select
import subprocess
import sys
import time

from consigliere.client import Client
from consigliere.endpoint import Endpoint, own_endpoint
from consigliere.errors import DaemonUnreachable

START_TIMEOUT_S = 20.0
KEPT_VARIABLES = ("HOME", "PATH", "LANG", "TZ", "XDG_RUNTIME_DIR", "TMPDIR", "USER", "LOGNAME")
CURE = "install consigliere (`pip install`), or start `consiglierd` yourself"


def start_and_connect(endpoint: Endpoint) -> Client:
    """A client of a daemon started now; several starters at once make one daemon and share it."""
    end = time.monotonic() + START_TIMEOUT_S
    ready, child = _start(endpoint)
    try:
        while True:
            try:
                return Client(endpoint)
            except DaemonUnreachable as error:
                if time.monotonic() > end:
                    raise
                last = error
            # The pipe closes when our daemon listens, or ends because another one holds the lock.
            # That other one may be a moment from listening, and no event tells us: then we look
            # again soon.
            waited, _, _ = select.select([ready], [], [], 0.02) if ready >= 0 else ([], [], [])
            if waited:
                os.close(ready)
                ready = -1
            elif ready < 0:
                select.select([], [], [], 0.02)
            status = child.poll()
            if status is not None and status != 0:
                raise DaemonUnreachable(
                    f"consiglierd could not be started (it ended with {status})",
                    last.kind,
                    f"see {endpoint.log_file}, or run `consiglierd` in a terminal",
                )
    finally:
        if ready >= 0:
            os.close(ready)
        # The daemon is nobody's child from here on; without this, Python would warn of it.
        child.returncode = 0


def _start(endpoint: Endpoint) -> tuple[int, "subprocess.Popen[bytes]"]:
    """The read end of a pipe that closes when the daemon listens, and the process."""
    command = [*daemon_command(endpoint), "--socket", endpoint.socket]
    read_end, write_end = os.pipe()
    environment = {name: value for name, value in os.environ.items() if _is_kept(name)}
    try:
        child = subprocess.Popen(
            [*command, "--ready-fd", str(write_end)],
            cwd="/",
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            close_fds=True,
            pass_fds=(write_end,),
            start_new_session=True,
            env=environment,
        )
    except OSError as error:
        os.close(read_end)
        raise DaemonUnreachable(f"{command[0]} cannot be started: {error.strerror}", "refused", CURE) from error
    finally:
        os.close(write_end)
    return read_end, child


def _is_kept(name: str) -> bool:
    return name in KEPT_VARIABLES or name.startswith("LC_")


def daemon_command(endpoint: Endpoint) -> list[str]:
    """How to start a daemon: the recorded interpreter, our own, or the program beside us or on PATH."""
    for record in (endpoint.record_file, own_endpoint().record_file):
        python = _recorded_python(record)
        if python is not None:
            return [python, "-I", "-m", "consiglierd"]
    beside = os.path.join(os.path.dirname(sys.executable), "consiglierd")
    if os.access(beside, os.X_OK):
        return [beside]
    for folder in os.environ.get("PATH", "").split(os.pathsep):
        program = os.path.join(folder, "consiglierd")
        if os.path.isabs(program) and os.access(program, os.X_OK):
            return [program]
    raise DaemonUnreachable("no consiglierd is installed that could be started", "refused", CURE)


def _recorded_python(record_file: str) -> str | None:
    """The interpreter of a record that is ours alone, if it is still there."""
    try:
        with open(record_file, encoding="utf-8") as file:
            if os.fstat(file.fileno()).st_uid != os.getuid():
                return None
            python = json.load(file).get("python")
    except (OSError, ValueError, AttributeError):
        return None
    return python if isinstance(python, str) and os.path.isabs(python) and os.access(python, os.X_OK) else None
