"""How the body of a child process begins: bound to the daemon, limited, with pipes of its own."""

import ctypes
import os
import resource
import signal
import sys
from typing import IO

from consiglierd.child.frames import Ready, write_frame

_PR_SET_PDEATHSIG = 1


def begin(memory_limit_bytes: int, parent: int, niceness: int) -> tuple[IO[bytes], IO[bytes]]:
    """Where questions come from and answers go; what loads the child's libraries comes before this."""
    questions = sys.stdin.buffer
    # Whatever a library might print must not get between the frames.
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    _bind_to_parent(parent)
    os.nice(niceness)
    if sys.platform == "linux":
        resource.setrlimit(resource.RLIMIT_AS, (memory_limit_bytes, memory_limit_bytes))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    # The daemon ends us by closing the pipe; Ctrl-C on its terminal is its affair.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    write_frame(answers, Ready(os.getpid()))
    return questions, answers


def _bind_to_parent(parent: int) -> None:
    """On Linux the kernel ends us with the daemon; elsewhere the closed pipe does."""
    if sys.platform == "linux":
        ctypes.CDLL(None, use_errno=True).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
        if os.getppid() != parent:
            os._exit(0)
