"""The body of a worker process: parses one file at a time, and dies with the daemon."""

import signal
from collections.abc import Callable

from consiglierd.child.body import begin
from consiglierd.child.frames import read_frame, write_frame
from consiglierd.indexer.worker_frames import WALL_FACTOR, Done, Job
from consiglierd.ingest.docs.parse import parse_document
from consiglierd.text.counts import count_section, pack


def main(memory_limit_bytes: int, parent: int, niceness: int) -> None:
    """Answers jobs from standard input on standard output until it ends."""
    jobs, answers = begin(memory_limit_bytes, parent, niceness)
    _answer(lambda: read_frame(jobs, Job), lambda done: write_frame(answers, done))


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
