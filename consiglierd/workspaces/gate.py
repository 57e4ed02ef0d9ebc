"""The revision that searches see, and waiting for it to grow."""

import threading

from consiglierd.model.ids import Revision


class RevisionGate:
    """The revision that searches see; waits for it to grow."""

    def __init__(self) -> None:
        self._grown = threading.Condition()
        self._revision = Revision(0)

    def reach(self, revision: Revision) -> None:
        with self._grown:
            self._revision = revision
            self._grown.notify_all()

    @property
    def revision(self) -> Revision:
        return self._revision

    def wait_for(self, revision: Revision, timeout_s: float) -> bool:
        with self._grown:
            return self._grown.wait_for(lambda: self._revision >= revision, timeout_s)
