"""One child process as the daemon holds it: started, asked, ended."""

import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import IO, TypeVar

import msgspec

from consiglierd.child.frames import Ready, read_frame, write_frame
from consiglierd.errors import Unavailable

START_TIMEOUT_S = 60.0
# Nobody waits for it: whatever the user runs goes before it.
BACKGROUND_NICENESS = 10

R = TypeVar("R")


class ChildProcess:
    """Belongs to one thread; `kill` alone may be called from any.

    It is built when the process has said that it is ready: a process that cannot start is a fault of
    the installation (Unavailable). `module` has a `main(memory_limit_bytes, parent, niceness)`; `what` is for people.
    """

    def __init__(self, module: str, memory_limit_bytes: int, what: str, *, niceness: int = BACKGROUND_NICENESS) -> None:
        start = f"import sys; from {module} import main; main(*map(int, sys.argv[1:4]))"
        self._what = what
        try:
            self._child = subprocess.Popen(
                [sys.executable, "-I", "-c", start, str(memory_limit_bytes), str(os.getpid()), str(niceness)],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                cwd="/",
                close_fds=True,
                env={},
            )
        except OSError as error:
            raise self._not_started(f"{type(error).__name__}: {error.strerror}") from error
        with self._killed_after(START_TIMEOUT_S):
            is_ready = read_frame(self._output, Ready) is not None
        if not is_ready:
            self.end()
            raise self._not_started(f"it ended with status {self._child.returncode}")

    @property
    def pid(self) -> int:
        return self._child.pid

    @property
    def _output(self) -> IO[bytes]:
        assert self._child.stdout is not None
        return self._child.stdout

    def ask(self, question: msgspec.Struct, kind: type[R], deadline_s: float) -> R | None:
        """The answer, or None if the process ended over it, by itself or at the deadline."""
        assert self._child.stdin is not None
        with self._killed_after(deadline_s):
            try:
                write_frame(self._child.stdin, question)
            except BrokenPipeError:
                return None
            return read_frame(self._output, kind)

    def kill(self) -> None:
        self._child.kill()

    def end(self) -> None:
        self._child.kill()
        self._child.wait()
        for pipe in (self._child.stdin, self._child.stdout):
            assert pipe is not None
            try:
                pipe.close()
            except BrokenPipeError:
                # The rest of a frame that nobody reads any more was still in the buffer.
                continue

    @contextmanager
    def _killed_after(self, seconds: float) -> Iterator[None]:
        watchdog = threading.Timer(seconds, self._child.kill)
        watchdog.daemon = True
        watchdog.start()
        try:
            yield
        finally:
            watchdog.cancel()

    def _not_started(self, why: str) -> Unavailable:
        return Unavailable(
            f"{self._what} could not be started: {why}",
            cure="run `consigliere restart`; if it says this again, reinstall consigliere",
        )
