"""Where a document is cut: at sections, at items, or nowhere; every line stays in exactly one piece."""

import re
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from consiglierd.ingest.docs.outline import Block, Heading, Outline

_WORD = re.compile(r"[0-9A-Za-z_]+")


@dataclass(frozen=True, slots=True)
class Piece:
    """Lines of a document that belong together, and the headings above and in front of them.

    `unit` are the lines of the whole section or item that this piece is (a part of): what the
    document says of itself is read there. `columns` are the names of a table row's cells.
    """

    line_start: int
    line_end: int
    headings: tuple[str, ...]
    unit: tuple[int, int]
    is_item: bool = False
    columns: tuple[str, ...] = ()


def count_tokens(text: str) -> float:
    """A rough size: a word of Latin letters or digits is one token, two Hangul syllables are one.

    What is not ASCII is counted by its bytes beyond the first: two for a syllable, so half a token.
    """
    wide = len(text.encode("utf-8", "surrogatepass")) - len(text)
    return len(_WORD.findall(text)) + wide / 4


class Cutter:
    """One document, ready to be cut. Pieces come in order, and may begin or end with blank lines."""

    def __init__(self, lines: Sequence[str], outline: Outline, limit: int) -> None:
        self.lines = lines
        self.outline = outline
        self._limit = limit
        self._heading_starts = [heading.line_start for heading in outline.headings]
        self._block_starts = [block.line_start for block in outline.blocks]

    def whole(self) -> list[Piece]:
        """One piece: everything."""
        title = next((heading.text for heading in self.outline.headings if heading.text), "")
        return [Piece(1, len(self.lines), (title,) if title else (), (1, len(self.lines)))]

    def at_headings(self, is_border: Callable[[Heading], bool]) -> list[Piece]:
        """A piece for each heading that is a border, and one for what stands before the first."""
        pieces: list[Piece] = []
        path: list[Heading] = []
        start = 1
        headings: tuple[str, ...] = ()
        for heading in self.outline.headings:
            while path and path[-1].level >= heading.level:
                path.pop()
            path.append(heading)
            if not is_border(heading):
                continue
            if heading.line_start > start:
                pieces.append(self._section(start, heading.line_start - 1, headings))
            start, headings = heading.line_start, tuple(above.text for above in path if above.text)
        if start <= len(self.lines):
            pieces.append(self._section(start, len(self.lines), headings))
        return pieces

    def split(self, piece: Piece) -> list[Piece]:
        """The piece, or parts of it where it is too long: at its inner headings, then at its blocks."""
        if not self._is_long(piece.line_start, piece.line_end):
            return [piece]
        inner = [heading for heading in self.headings_in(piece) if heading.line_start > piece.line_start]
        if not inner:
            return self._at_blocks(piece)
        depth = min(heading.level for heading in inner)
        borders = [heading for heading in inner if heading.level == depth]
        parts: list[Piece] = []
        start, headings = piece.line_start, piece.headings
        for heading in borders:
            if heading.line_start > start and not self._is_lone_heading(start, heading.line_start - 1):
                parts.append(replace(piece, line_start=start, line_end=heading.line_start - 1, headings=headings))
                start = heading.line_start
            headings = (*piece.headings, heading.text) if heading.text else piece.headings
        parts.append(replace(piece, line_start=start, line_end=piece.line_end, headings=headings))
        if len(parts) == 1:
            return self._at_blocks(parts[0])
        return [smaller for part in parts for smaller in self.split(part)]

    def headings_in(self, piece: Piece) -> Sequence[Heading]:
        first = bisect_left(self._heading_starts, piece.line_start)
        return self.outline.headings[first : bisect_left(self._heading_starts, piece.line_end + 1)]

    def blocks_in(self, piece: Piece) -> Sequence[Block]:
        first = bisect_left(self._block_starts, piece.line_start)
        return self.outline.blocks[first : bisect_left(self._block_starts, piece.line_end + 1)]

    def _section(self, start: int, end: int, headings: tuple[str, ...]) -> Piece:
        return Piece(start, end, headings, (start, end))

    def _is_lone_heading(self, start: int, end: int) -> bool:
        """Whether nothing but headings and blank lines stands here: such lines stay with what follows."""
        first = bisect_left(self._heading_starts, start)
        covered = 0
        for heading in self.outline.headings[first:]:
            if heading.line_start > end:
                break
            covered += heading.line_end - heading.line_start + 1
        return covered == sum(1 for line in self.lines[start - 1 : end] if line.strip())

    def _is_long(self, start: int, end: int) -> bool:
        text = "\n".join(self.lines[start - 1 : end])
        return len(text) > self._limit and count_tokens(text) > self._limit

    def _at_blocks(self, piece: Piece) -> list[Piece]:
        """Parts of at most about the limit; a block that must not be cut may make a longer one."""
        starts = sorted(set(self._unit_starts(piece)))
        chosen: list[int] = []
        size, previous = 0.0, piece.line_start
        for border in (*starts, piece.line_end + 1):
            grown = count_tokens("\n".join(self.lines[previous - 1 : border - 1]))
            if size and size + grown > self._limit:
                chosen.append(previous)
                size = 0.0
            size += grown
            previous = border
        return cut_before(piece, chosen)

    def _unit_starts(self, piece: Piece) -> Iterator[int]:
        """Lines before which to cut: blocks of the top level; entries and rows inside of long ones."""
        long_until = 0
        for block in self.blocks_in(piece):
            if block.depth == 0:
                is_long = self._is_long(block.line_start, block.line_end)
                long_until = block.line_end if is_long else 0
                yield from (block.rows[1:] if is_long else ())
            elif block.line_start > long_until:
                continue
            if block.line_start > piece.line_start:
                yield block.line_start


def cut_before(piece: Piece, borders: Iterable[int]) -> list[Piece]:
    """The piece in parts that begin at these lines (in order), which must lie inside of it."""
    starts = [piece.line_start, *(border for border in borders if border > piece.line_start)]
    ends = [*(start - 1 for start in starts[1:]), piece.line_end]
    return [replace(piece, line_start=start, line_end=end) for start, end in zip(starts, ends, strict=True)]


def without_lines(pieces: Iterable[Piece], first: int, last: int) -> list[Piece]:
    """The pieces without some lines (those of the front matter)."""
    kept: list[Piece] = []
    for piece in pieces:
        if piece.line_end < first or piece.line_start > last:
            kept.append(piece)
            continue
        if piece.line_start < first:
            kept.append(replace(piece, line_end=first - 1))
        if piece.line_end > last:
            kept.append(replace(piece, line_start=last + 1))
    return kept


def trimmed(pieces: Iterable[Piece], lines: Sequence[str]) -> list[Piece]:
    """Without blank lines at the borders, and without pieces of nothing else."""
    kept: list[Piece] = []
    for piece in pieces:
        start, end = piece.line_start, piece.line_end
        while start <= end and not lines[start - 1].strip():
            start += 1
        while end >= start and not lines[end - 1].strip():
            end -= 1
        if start <= end:
            same = (start, end) == (piece.line_start, piece.line_end)
            kept.append(piece if same else replace(piece, line_start=start, line_end=end))
    return kept
