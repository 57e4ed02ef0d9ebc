"""Plain text to an outline: paragraphs, and headings only where an underline leaves no doubt."""

from collections.abc import Sequence

from consiglierd.ingest.docs.outline import Block, Heading, Outline

_LEVELS = {"=": 1, "-": 2}
_MIN_UNDERLINE = 3


def scan(lines: Sequence[str]) -> Outline:
    """The outline of a plain text; `lines` come without line ends."""
    headings: list[Heading] = []
    blocks: list[Block] = []
    start = 0
    for number, line in enumerate([*lines, ""], 1):
        if line.strip():
            start = start or number
            continue
        if start:
            _add_paragraph(lines, start, number - 1, headings, blocks)
        start = 0
    return Outline(tuple(headings), tuple(blocks))


def _add_paragraph(lines: Sequence[str], start: int, end: int, headings: list[Heading], blocks: list[Block]) -> None:
    """A paragraph, or a heading of one line with its underline and what follows it without a blank line."""
    title = lines[start - 1].strip()
    if end > start and (level := _underline_level(lines[start], title)):
        headings.append(Heading(start, start + 1, level, title))
        start += 2
    if start <= end:
        blocks.append(Block(start, end, "paragraph", 0))


def _underline_level(line: str, title: str) -> int | None:
    mark = line.strip()
    if len(mark) < _MIN_UNDERLINE or len(set(mark)) != 1 or mark[0] not in _LEVELS:
        return None
    # A rule across the page under a sentence is no underline: an underline is about as long as its title.
    return _LEVELS[mark[0]] if len(mark) >= len(title) // 2 and title[0] not in _LEVELS else None
