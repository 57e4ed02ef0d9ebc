"""Whether a chunk still stands in the user's file, at the moment of answering."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from consiglierd.catalog.files import FileUnavailable
from consiglierd.ingest.docs.decode import decode, split_lines
from consiglierd.model.ids import Digest, digest_of
from consiglierd.model.stored import ChunkRow


class Files(Protocol):
    """Reads a file below the root as it is now; raises FileUnavailable."""

    def read(self, path: str, max_bytes: int) -> bytes: ...


@dataclass(frozen=True, slots=True)
class Standing:
    """Where the chunk's lines stand now; `is_changed` where its file, `digest`, is not the one that was indexed."""

    line_start: int
    is_changed: bool
    digest: Digest


class _FileNow:
    """One file as it is now; its lines are made when they are first asked for."""

    def __init__(self, content: bytes) -> None:
        self.digest = digest_of(content)
        self._content = content
        self._lines: list[str] | None = None

    @property
    def lines(self) -> list[str]:
        if self._lines is None:
            self._lines = split_lines(decode(self._content).text)
        return self._lines


class Verifier:
    """For one answer: each file is read once."""

    def __init__(self, files: Files, max_bytes: int) -> None:
        self._files = files
        self._max_bytes = max_bytes
        self._read: dict[str, _FileNow | None] = {}
        self._unreadable: set[str] = set()

    def is_unreadable(self, path: str) -> bool:
        """Whether a file that was asked for is there and cannot be read."""
        return path in self._unreadable

    def standing(self, chunk: ChunkRow) -> Standing | None:
        """Where the chunk stands; None where its text stands nowhere in its file any more."""
        now = self._file(chunk.scoring.path)
        if now is None:
            return None
        if now.digest == chunk.digest:
            return Standing(chunk.span.line_start, False, now.digest)
        start = _nearest(now.lines, chunk.text.split("\n"), chunk.span.line_start - 1)
        return None if start is None else Standing(start + 1, True, now.digest)

    def _file(self, path: str) -> _FileNow | None:
        if path not in self._read:
            try:
                self._read[path] = _FileNow(self._files.read(path, self._max_bytes))
            except FileUnavailable as unavailable:
                if unavailable.reason == "unreadable":
                    self._unreadable.add(path)
                self._read[path] = None
        return self._read[path]


def _nearest(lines: Sequence[str], wanted: Sequence[str], at: int) -> int | None:
    """Where the wanted lines stand in a row, nearest to where they stood (0-based)."""
    starts = [start for start in range(len(lines) - len(wanted) + 1) if lines[start] == wanted[0]]
    starts.sort(key=lambda start: (abs(start - at), start))
    return next((start for start in starts if _stand_at(lines, wanted, start)), None)


def _stand_at(lines: Sequence[str], wanted: Sequence[str], start: int) -> bool:
    """Most starts that are wrong are wrong early, so that no slice is made for them."""
    return all(lines[start + number] == line for number, line in enumerate(wanted))
