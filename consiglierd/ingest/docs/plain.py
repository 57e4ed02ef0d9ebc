"""Plain text to an outline: paragraphs, and headings only where an underline leaves no doubt."""

from collections.abc import Sequence

from consiglierd.ingest.docs.outline import Block, Heading, Outline
from consiglierd.ingest.docs.restructured_lines import width

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
    """The level that an underline gives its title; a rule across the page under a sentence is no underline."""
    mark = line.strip()
    if len(mark) < _MIN_UNDERLINE or mark[0] not in _LEVELS or mark.strip(mark[0]):
        return None
    is_about_as_long = len(title) // 2 <= len(mark) <= 2 * width(title)
    return _LEVELS[mark[0]] if is_about_as_long and any(map(str.isalnum, title)) else None
