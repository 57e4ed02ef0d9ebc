"""One worker process as the daemon holds it: asked for one parse at a time."""

from consiglierd.child.process import ChildProcess
from consiglierd.indexer.worker_frames import WALL_FACTOR, Done, Job

# The worker's own alarms ring first; this is for a worker that does not even hear it.
GRACE_S = 2.0


class WorkerProcess:
    """Belongs to one thread; `kill` alone may be called from any.

    A process that cannot start raises Unavailable, and is never held against the content that it
    would have read.
    """

    def __init__(self, memory_limit_bytes: int) -> None:
        self._child = ChildProcess(
            "consiglierd.indexer.worker", memory_limit_bytes, "a worker process that reads documents"
        )

    def parse(self, job: Job) -> Done | None:
        """The parse, or None if the process ended over it, by itself or at the deadline."""
        return self._child.ask(job, Done, job.deadline_s * WALL_FACTOR + GRACE_S)

    def kill(self) -> None:
        self._child.kill()

    def end(self) -> None:
        self._child.end()
