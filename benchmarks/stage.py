"""What several rows of one run share: the daemon, and projects of a size, made when first asked for."""

import shutil
import tempfile
import time
from pathlib import Path

from benchmarks.corpus import write_project
from benchmarks.living import BenchDaemon


class Stage:
    """Guards the temporary folder, the daemon, and which projects were written and indexed."""

    def __init__(self, large: int) -> None:
        self.large = large
        self.folder = Path(tempfile.mkdtemp(prefix="csb-projects-"))
        self._daemon: BenchDaemon | None = None
        self._hybrid: BenchDaemon | None = None
        self._hybrid_seconds: dict[int, tuple[float, float]] = {}
        self._index_seconds: dict[int, float] = {}

    @property
    def daemon(self) -> BenchDaemon:
        if self._daemon is None:
            self._daemon = BenchDaemon()
            self._daemon.start()
        return self._daemon

    @property
    def hybrid(self) -> BenchDaemon:
        """Another daemon, that searches by words and by the bundled model's vectors."""
        if self._hybrid is None:
            self._hybrid = BenchDaemon("bundled")
            self._hybrid.start()
        return self._hybrid

    def hybrid_indexed(self, chunks: int) -> tuple[Path, float, float]:
        """A project of its own, with the seconds until its words and until its vectors were all there."""
        root = self.project(chunks, "h")
        if chunks not in self._hybrid_seconds:
            began = time.perf_counter()
            words_s = self.hybrid.index(root)
            self.hybrid.wait_for_vectors(root)
            self._hybrid_seconds[chunks] = (words_s, time.perf_counter() - began)
        return (root, *self._hybrid_seconds[chunks])

    def project(self, chunks: int, name: str = "p") -> Path:
        """A project of that many sections, written and not yet indexed."""
        root = self.folder / f"{name}{chunks}"
        if not root.exists():
            write_project(root, chunks)
            # An empty settings file marks the root.
            (root / ".consigliere.toml").write_text("", encoding="utf-8")
        return root

    def indexed(self, chunks: int) -> Path:
        """The same project, indexed by the daemon."""
        root = self.project(chunks)
        if chunks not in self._index_seconds:
            self._index_seconds[chunks] = self.daemon.index(root)
        return root

    def index_seconds(self, chunks: int) -> float:
        """How long the first index of that project took."""
        self.indexed(chunks)
        return self._index_seconds[chunks]

    def close(self) -> None:
        for daemon in (self._daemon, self._hybrid):
            if daemon is not None:
                daemon.close()
        shutil.rmtree(self.folder, ignore_errors=True)
