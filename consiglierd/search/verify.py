"""Whether a chunk still stands in the user's file, at the moment of answering."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from consiglierd.catalog.files import FileUnavailable
from consiglierd.ingest.docs.decode import decode, split_lines
from consiglierd.model.ids import digest_of
from consiglierd.model.stored import ChunkRow


class Files(Protocol):
    """Reads a file below the root as it is now; raises FileUnavailable."""

    def read(self, path: str, max_bytes: int) -> bytes: ...


@dataclass(frozen=True, slots=True)
class Standing:
    """Where the chunk's lines stand now; `is_changed` where its file is not the one that was indexed."""

    line_start: int
    is_changed: bool


class Verifier:
    """For one answer: each file is read once. None means that the text stands nowhere in its file any more."""

    def __init__(self, files: Files, max_bytes: int) -> None:
        self._files = files
        self._max_bytes = max_bytes
        self._contents: dict[str, tuple[str, list[str] | None]] = {}

    def standing(self, chunk: ChunkRow) -> Standing | None:
        digest, lines = self._content(chunk.scoring.path, chunk.digest)
        if digest == chunk.digest:
            return Standing(chunk.span.line_start, False)
        if lines is None:
            return None
        start = _nearest(lines, chunk.text.split("\n"), chunk.span.line_start - 1)
        return None if start is None else Standing(start + 1, True)

    def _content(self, path: str, digest: str) -> tuple[str, list[str] | None]:
        """The file's digest, and its lines where they are not those that were indexed."""
        known = self._contents.get(path)
        if known is None:
            try:
                content = self._files.read(path, self._max_bytes)
            except FileUnavailable:
                known = ("", None)
            else:
                found = digest_of(content)
                known = (found, None if found == digest else split_lines(decode(content).text))
            self._contents[path] = known
        return known


def _nearest(lines: Sequence[str], wanted: Sequence[str], at: int) -> int | None:
    """Where the wanted lines stand in a row, nearest to where they stood."""
    first = wanted[0]
    starts = [
        start
        for start, line in enumerate(lines)
        if line == first and list(lines[start : start + len(wanted)]) == list(wanted)
    ]
    return min(starts, key=lambda start: (abs(start - at), start), default=None)
