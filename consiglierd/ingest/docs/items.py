"""The pieces of each type of document: the whole, its sections, or its items."""

import re
from collections.abc import Callable, Sequence
from dataclasses import replace

from consiglierd.ingest.docs.cut import Cutter, Piece, cut_before
from consiglierd.ingest.docs.fields import is_field_line, is_field_name, table_cells
from consiglierd.ingest.docs.outline import Block, Heading, Outline

WHOLE_TYPES = frozenset({"dashboard", "memory", "gantt", "raci", "status"})
_DECISION_ID = re.compile(r"\[?ADR[-_ ]?[A-Z]{0,3}\d+", re.IGNORECASE)
ITEM_ID = {
    "issues": re.compile(r"\[?#?\s?(?:ISSUE|BUG|이슈)[-_ #]?\d+", re.IGNORECASE),
    "adr": _DECISION_ID,
    "risk": re.compile(r"\[?(?:RISK|R|리스크|위험)[-_ #]?[A-Z]{0,3}[-_]?\d+", re.IGNORECASE),
    "tech-debt": re.compile(r"\[?(?:TECH[-_ ]?DEBT|TD|DEBT|부채)[-_ #]?[A-Z]{0,3}[-_]?\d+", re.IGNORECASE),
    "rules": re.compile(r"\[?(?:RULE|DECISION|DEC|R|결정|규칙)[-_ #]?\d+", re.IGNORECASE),
}
# Headings of one decision record (MADR, Nygard), which therefore is not a collection of several.
_RECORD_HEADINGS = frozenset(
    {
        "status", "context", "decision", "consequences", "context and problem statement", "decision drivers",
        "considered options", "decision outcome", "pros and cons of the options", "more information",
        "상태", "맥락", "배경", "결정", "결과", "맥락과 문제", "고려한 선택지", "결정 결과", "결정 내용",
    }
)  # fmt: skip


def pieces_of(file_type: str, lines: Sequence[str], outline: Outline, limit: int) -> list[Piece]:
    """The document in pieces that cover each of its lines once, as its type wants them."""
    cutter = Cutter(lines, outline, limit)
    if not lines:
        return []
    if file_type in WHOLE_TYPES or (file_type == "adr" and not _is_collection(outline)):
        whole = cutter.whole()
        return whole if file_type in WHOLE_TYPES else cutter.split(whole[0])
    match file_type:
        case "tasks":
            pieces = _items(cutter, file_type, _checkbox_entries)
        case "checklist":
            pieces = _items(cutter, file_type, _list_entries)
        case "rules" | "risk" | "tech-debt":
            pieces = _items(cutter, file_type, _entries_or_rows)
        case _:
            pieces = cutter.at_headings(_section_border(outline, ITEM_ID.get(file_type)))
    return [part for piece in pieces for part in cutter.split(piece)]


def record_headings(outline: Outline) -> int:
    """How many different headings of a decision record a document has."""
    return len(_RECORD_HEADINGS & {heading.text.strip().lower() for heading in outline.headings})


def _is_collection(outline: Outline) -> bool:
    """Whether a file holds several decision records, a heading each."""
    inner = [heading for heading in outline.headings if heading.level >= 2]
    if any(_DECISION_ID.match(heading.text) for heading in inner):
        return True
    seconds = sum(1 for heading in inner if heading.level == 2)
    return seconds >= 2 and record_headings(outline) == 0


def _section_border(outline: Outline, item_id: re.Pattern[str] | None) -> Callable[[Heading], bool]:
    """`##` and above; without any `##`, the first level below a single title, else `#`."""
    levels = [heading.level for heading in outline.headings]
    deeper = [level for level in levels if level > 1]
    depth = 1
    if 2 in levels:
        depth = 2
    elif deeper and levels.count(1) <= 1:
        depth = min(deeper)
    return lambda heading: heading.level <= depth or (item_id is not None and item_id.match(heading.text) is not None)


Starts = Callable[[Cutter, Piece], list[tuple[int, int, tuple[str, ...]]]]


def _items(cutter: Cutter, file_type: str, starts_in: Starts) -> list[Piece]:
    """A piece an item, the lines around the items in pieces of their own; headings stay with their first item."""
    item_id = ITEM_ID.get(file_type)
    found: list[Piece] = []
    # An item that has a heading of its own keeps what stands below it, deeper headings too.
    border = _item_border(cutter.outline, item_id)
    for piece in cutter.at_headings(border):
        heading = next(iter(cutter.headings_in(piece)), None)
        has_id = item_id is not None and heading is not None and item_id.match(heading.text) is not None
        items = [] if has_id else starts_in(cutter, piece)
        if items:
            found.extend(_cut_items(cutter, piece, items))
        else:
            found.append(replace(piece, is_item=has_id))
    return found


def _item_border(outline: Outline, item_id: re.Pattern[str] | None) -> Callable[[Heading], bool]:
    borders: set[int] = set()
    item_level = 0
    for heading in outline.headings:
        if item_level and heading.level > item_level:
            continue
        is_item = item_id is not None and heading.level > 1 and item_id.match(heading.text) is not None
        item_level = heading.level if is_item else 0
        borders.add(heading.line_start)
    return lambda heading: heading.line_start in borders


def _cut_items(cutter: Cutter, piece: Piece, items: list[tuple[int, int, tuple[str, ...]]]) -> list[Piece]:
    starts = {start: (end, columns) for start, end, columns in items}
    borders: list[int] = []
    for start, end, _ in items:
        borders.extend((start, end + 1))
    inside = sorted({line for line in borders if piece.line_start < line <= piece.line_end})
    parts: list[Piece] = []
    for part in cut_before(piece, inside):
        if part.line_start not in starts:
            parts.append(replace(part, unit=(part.line_start, part.line_end)))
            continue
        columns = starts[part.line_start][1]
        unit = (part.line_start, part.line_end)
        if parts and not parts[-1].is_item and _is_only_introduction(cutter, parts[-1]):
            part = replace(part, line_start=parts.pop().line_start)
        parts.append(replace(part, unit=unit, is_item=True, columns=columns))
    return _blank_to_previous(cutter, parts)


def _is_only_introduction(cutter: Cutter, piece: Piece) -> bool:
    """Whether these lines say nothing alone: headings, the head of a table, blank lines."""
    headings = {
        line for heading in cutter.headings_in(piece) for line in range(heading.line_start, heading.line_end + 1)
    }
    return all(
        line in headings or not text.strip() or text.lstrip().startswith("|")
        for line, text in enumerate(cutter.lines[piece.line_start - 1 : piece.line_end], piece.line_start)
    )


def _blank_to_previous(cutter: Cutter, parts: list[Piece]) -> list[Piece]:
    return [part for part in parts if any(map(str.strip, cutter.lines[part.line_start - 1 : part.line_end]))]


def _checkbox_entries(cutter: Cutter, piece: Piece) -> list[tuple[int, int, tuple[str, ...]]]:
    """The outermost list entries with a checkbox."""
    found: list[tuple[int, int, tuple[str, ...]]] = []
    for block in cutter.blocks_in(piece):
        if block.checked is not None and (not found or block.line_start > found[-1][1]):
            found.append((block.line_start, block.line_end, ()))
    return found


def _list_entries(cutter: Cutter, piece: Piece) -> list[tuple[int, int, tuple[str, ...]]]:
    """The entries of the top level, unless they only tell facts of their heading (`- 상태: OPEN`)."""
    entries = [block for block in cutter.blocks_in(piece) if block.kind == "list_item" and block.depth == 0]
    facts = sum(1 for block in entries if is_field_line(cutter.lines[block.line_start - 1]))
    if 2 * facts >= len(entries):
        return []
    return [(block.line_start, block.line_end, ()) for block in entries]


def _entries_or_rows(cutter: Cutter, piece: Piece) -> list[tuple[int, int, tuple[str, ...]]]:
    """The entries of lists and the rows of tables, in order."""
    found = _list_entries(cutter, piece)
    for block in cutter.blocks_in(piece):
        if block.kind == "table" and block.depth == 0:
            found.extend(_rows(cutter, block))
    return sorted(found)


def _rows(cutter: Cutter, table: Block) -> list[tuple[int, int, tuple[str, ...]]]:
    columns = table_cells(cutter.lines[table.line_start - 1])
    firsts = [table_cells(cutter.lines[row - 1])[:1] for row in table.rows]
    if 2 * sum(1 for cells in firsts if cells and is_field_name(cells[0])) >= len(firsts):
        return []
    ends = [*(row - 1 for row in table.rows[1:]), table.line_end]
    return [(row, end, columns) for row, end in zip(table.rows, ends, strict=True)]
