"""The body of a worker process: parses one file at a time, and dies with the daemon."""

import ctypes
import os
import resource
import signal
import sys
from collections.abc import Callable

from consiglierd.indexer.worker_frames import WALL_FACTOR, Done, Job, Ready, read_frame, write_frame
from consiglierd.ingest.docs.parse import parse_document
from consiglierd.text.counts import count_section, pack

NICE = 10
_PR_SET_PDEATHSIG = 1


def main(memory_limit_bytes: int, parent: int) -> None:
    """Answers jobs from standard input on standard output until it ends."""
    jobs = sys.stdin.buffer
    # Whatever a library might print must not get between the frames.
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    _bind_to_parent(parent)
    os.nice(NICE)
    if sys.platform == "linux":
        resource.setrlimit(resource.RLIMIT_AS, (memory_limit_bytes, memory_limit_bytes))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    # The daemon ends us by closing the pipe; Ctrl-C on its terminal is its affair.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    write_frame(answers, Ready(os.getpid()))
    _answer(lambda: read_frame(jobs, Job), lambda done: write_frame(answers, done))


def _bind_to_parent(parent: int) -> None:
    """On Linux the kernel ends us with the daemon; elsewhere the closed pipe and the alarm do."""
    if sys.platform == "linux":
        ctypes.CDLL(None, use_errno=True).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
        if os.getppid() != parent:
            os._exit(0)


def _answer(next_job: Callable[[], Job | None], answer: Callable[[Done], None]) -> None:
    while (job := next_job()) is not None:
        # The default action of both signals ends the process, also in the middle of native code.
        signal.setitimer(signal.ITIMER_PROF, job.deadline_s)
        signal.setitimer(signal.ITIMER_REAL, job.deadline_s * WALL_FACTOR)
        parsed = parse_document(job.path, job.content, job.rules)
        counts = [count_section(section.text, section.heading_path) for section in parsed.sections]
        done = Done(parsed, tuple(map(pack, counts)), tuple(each.length for each in counts))
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.setitimer(signal.ITIMER_REAL, 0)
        answer(done)


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]))
