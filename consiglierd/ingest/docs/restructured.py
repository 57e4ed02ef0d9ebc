"""reStructuredText to an outline: titles by their adornment, blocks by blank lines and indentation."""

import re
from collections.abc import Sequence

from consiglierd.ingest.docs.outline import Block, BlockKind, Heading, Outline

_ADORNMENT = re.compile(r"([!-/:-@\[-`{-~])\1*\s*$")
_LIST_ITEM = re.compile(r"(?:[-*+•‣⁃]|\(?(?:\d+|[A-Za-z]|#)[.)])\s+\S")
_FIELD = re.compile(r":([^:\s][^:]*):(?:\s+(.*))?$")
_GRID_OR_SIMPLE_TABLE = re.compile(r"(?:\+[-=+]+\+|=+(?:\s+=+)+)\s*$")
_MIN_ADORNMENT = 2


def scan(lines: Sequence[str]) -> Outline:
    """The outline of a reStructuredText document; `lines` come without line ends."""
    headings: list[Heading] = []
    blocks: list[Block] = []
    styles: list[tuple[str, bool]] = []
    number = 1
    while number <= len(lines):
        line = lines[number - 1]
        if not line.strip():
            number += 1
            continue
        title = _title_at(lines, number)
        if title is not None:
            style, last, text = title
            if style not in styles:
                styles.append(style)
            headings.append(Heading(number, last, styles.index(style) + 1, text))
            number = last + 1
            continue
        end = _block_end(lines, number)
        blocks.append(Block(number, end, _kind_of(line), 0))
        number = end + 1
    return Outline(tuple(headings), tuple(blocks), front_matter_values=_docinfo(lines, headings))


def _adornment(line: str) -> str | None:
    match = _ADORNMENT.match(line)
    return match.group(1) if match and len(line.rstrip()) >= _MIN_ADORNMENT else None


def _title_at(lines: Sequence[str], number: int) -> tuple[tuple[str, bool], int, str] | None:
    """The title that begins at a line: its style (character, overlined), its last line, its text."""
    first = lines[number - 1]
    second = lines[number] if number < len(lines) else ""
    if mark := _adornment(first):
        third = lines[number + 1] if number + 1 < len(lines) else ""
        if second.strip() and third.rstrip() == first.rstrip() and _is_wide_enough(first, second):
            return (mark, True), number + 2, second.strip()
        return None
    is_title = not first[0].isspace() and (mark := _adornment(second)) and _is_wide_enough(second, first)
    return ((mark, False), number + 1, first.strip()) if is_title and mark else None


def _is_wide_enough(adornment: str, title: str) -> bool:
    """docutils asks for an adornment as long as the title as shown, and lets short ones pass from four on."""
    return len(adornment.rstrip()) >= min(4, len(title.strip()))


def _block_end(lines: Sequence[str], number: int) -> int:
    """The last line of the block: its paragraph, and what follows it indented, over blank lines too."""
    end = number
    indent = _indent(lines[number - 1])
    is_open = _opens_indented(lines[number - 1])
    for following in range(number + 1, len(lines) + 1):
        line = lines[following - 1]
        if not line.strip():
            continue
        has_gap = following > end + 1
        is_deeper = _indent(line) > indent
        if has_gap and not (is_deeper and is_open):
            break
        if not is_deeper and (_LIST_ITEM.match(line.lstrip()) or _title_at(lines, following) is not None):
            break
        end = following
        is_open = is_open or line.rstrip().endswith("::")
    return end


def _opens_indented(line: str) -> bool:
    """Whether deeper lines after a blank line still belong: directives, literal blocks, list entries, fields."""
    text = line.strip()
    return text.startswith("..") or text.endswith("::") or bool(_LIST_ITEM.match(text) or _FIELD.match(text))


def _kind_of(line: str) -> BlockKind:
    text = line.strip()
    if _LIST_ITEM.match(text):
        return "list_item"
    if _GRID_OR_SIMPLE_TABLE.match(text):
        return "table"
    if text.startswith("..") or text.endswith("::"):
        return "fence"
    return "paragraph"


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())


def _docinfo(lines: Sequence[str], headings: Sequence[Heading]) -> dict[str, object]:
    """The field list under the title: `:status: accepted`."""
    number = headings[0].line_end + 1 if headings else 1
    while number <= len(lines) and not lines[number - 1].strip():
        number += 1
    found: dict[str, object] = {}
    while number <= len(lines) and (match := _FIELD.match(lines[number - 1])):
        found[match.group(1).strip().lower()] = (match.group(2) or "").strip()
        number += 1
    return found
