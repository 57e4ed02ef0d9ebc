"""AsciiDoc to an outline, line for line as Asciidoctor reads sections and blocks; nothing is executed."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from consiglierd.ingest.docs.asciidoc_header import Header, read_header
from consiglierd.ingest.docs.asciidoc_lines import (
    CONTINUATION,
    VERBATIM_STYLES,
    ListKind,
    Numbered,
    attribute_entry,
    is_attribute_line,
    is_block_title,
    is_comment_line,
    is_lone_line,
    kind_of_item,
    list_item,
    number_lines,
    sibling_test,
    style_of,
    terminator_of,
    title_at,
)
from consiglierd.ingest.docs.asciidoc_lists import ItemCollector, end_of_delimited, end_of_verbatim, skip_blank
from consiglierd.ingest.docs.asciidoc_tables import first_lines_of_rows
from consiglierd.ingest.docs.outline import Block, BlockKind, Heading, Outline

# Nested lists deeper than this stay part of their item: it bounds the work per line.
_MAX_DEPTH = 8

_KINDS: dict[str, BlockKind] = {
    "----": "fence",
    "....": "fence",
    "```": "fence",
    "++++": "html",
    "____": "quote",
    "|===": "table",
    ",===": "table",
    ":===": "table",
    "!===": "table",
}
_CHECKBOXES = {"[ ] ": False, "[x] ": True, "[*] ": True}


@dataclass(frozen=True, slots=True)
class _Marks:
    """What stands above a block: its first line's number, its style, its attribute lines."""

    line_start: int | None = None
    style: str = ""
    attributes: str = ""

    @property
    def makes_discrete(self) -> bool:
        return self.style in ("discrete", "float")


def scan(lines: Sequence[str]) -> Outline:
    """Headings, blocks and header of a document; conditionals and includes are never executed."""
    header = read_header(lines)
    walk = _Walk(header)
    walk.read_body(number_lines(list(lines[header.lines_read :]), header.lines_read + 1))
    return Outline(
        headings=tuple(walk.headings),
        blocks=tuple(walk.blocks),
        front_matter=header.front_matter,
        front_matter_values=header.values,
        problem=header.problem,
    )


class _Walk:
    """Goes through a document block by block, and through list items for the lists inside them."""

    def __init__(self, header: Header) -> None:
        self.headings: list[Heading] = [header.title] if header.title else []
        self.blocks: list[Block] = list(header.texts)
        self._level_offset = header.level_offset

    def read_body(self, lines: list[Numbered]) -> None:
        at = 0
        while True:
            at, marks = self._read_marks(lines, at, _Marks())
            if at == len(lines):
                return
            if not marks.makes_discrete and (title := title_at(lines, at)):
                at = self._read_heading(lines, at, title, marks)
            else:
                at = self._read_block(lines, at, marks, 0)

    def _read_heading(self, lines: list[Numbered], at: int, title: tuple[int, str, int], marks: _Marks) -> int:
        level, text, size = title
        level = max(0, level + self._level_offset)
        if level == 0 and marks.style and not marks.style.startswith("sect"):
            # A special section (appendix, preface, ...) never stands as high as the document.
            level = 1
        first = lines[at][0] if marks.line_start is None else marks.line_start
        self.headings.append(Heading(first, lines[at + size - 1][0], level + 1, text))
        return at + size

    def _read_marks(self, lines: list[Numbered], at: int, marks: _Marks, text_only: bool = False) -> tuple[int, _Marks]:
        """Goes over blank lines, comments and attributes to the block itself; gives its place and marks."""
        while (at := skip_blank(lines, at)) < len(lines):
            number, line = lines[at]
            start = number if marks.line_start is None else marks.line_start
            if is_attribute_line(line):
                style = style_of(line) or marks.style
                marks = _Marks(start, style, marks.attributes + line)
            elif is_comment_line(line):
                pass
            elif text_only:
                return at, marks
            elif is_block_title(line):
                marks = _Marks(start, marks.style, marks.attributes)
            elif entry := attribute_entry(line):
                at = self._skip_entry(lines, at, entry)
                continue
            elif line.startswith("////") and not line.strip("/"):
                at = end_of_delimited(lines, at, line)
                continue
            else:
                return at, marks
            at += 1
        return at, marks

    def _skip_entry(self, lines: list[Numbered], at: int, entry: tuple[str, str]) -> int:
        name, value = entry
        if name == "leveloffset":
            offset = _whole_number(value)
            self._level_offset = self._level_offset + offset if value.startswith(("+", "-")) else offset
        elif name in ("!leveloffset", "leveloffset!"):
            self._level_offset = 0
        while value.endswith((" \\", " +")) and at + 1 < len(lines) and lines[at + 1][1]:
            at += 1
            value = lines[at][1]
        return at + 1

    def _emit(
        self, lines: list[Numbered], at: int, end: int, kind: BlockKind, marks: _Marks, rows: tuple[int, ...] = ()
    ) -> None:
        first = lines[at][0] if marks.line_start is None else marks.line_start
        self.blocks.append(Block(first, lines[end - 1][0], kind, 0, rows=rows))

    def _read_block(
        self,
        lines: list[Numbered],
        at: int,
        marks: _Marks,
        depth: int,
        *,
        breaks_at_list: bool = False,
        text_only: bool = False,
    ) -> int:
        """Reads the one block at this place and gives the place behind it. Inside an item only lists are kept."""
        line = lines[at][1]
        if terminator := terminator_of(line):
            end = end_of_delimited(lines, at, terminator)
            if depth == 0:
                self._emit_delimited(lines, at, end, terminator, marks)
            return end
        kind: BlockKind = "paragraph"
        if marks.style in VERBATIM_STYLES:
            end, kind = end_of_verbatim(lines, at), "fence"
        elif not text_only and is_lone_line(line):
            end, kind = at + 1, "other"
        elif list_kind := kind_of_item(line):
            return self._read_list(lines, at, list_kind, marks, depth)
        elif marks.makes_discrete and (title := title_at(lines, at)):
            end, kind = at + title[2], "other"
        else:
            end = _end_of_paragraph(lines, at, breaks_at_list, skips_comments=text_only or line[0] not in " \t")
            if marks.style == "quote" or line.startswith("> "):
                kind = "quote"
            elif line[0] in " \t" and marks.style != "normal":
                kind = "fence"
        if depth == 0:
            self._emit(lines, at, end, kind, marks)
        return end

    def _emit_delimited(self, lines: list[Numbered], at: int, end: int, terminator: str, marks: _Marks) -> None:
        kind = _KINDS.get(terminator[:4], "other")
        rows: tuple[int, ...] = ()
        if kind == "table":
            rows = first_lines_of_rows(lines[at + 1 : end - 1], terminator[0], marks.attributes)
        elif kind == "other" and marks.style in VERBATIM_STYLES:
            kind = "fence"
        self._emit(lines, at, end, kind, marks, rows)

    def _read_list(self, lines: list[Numbered], at: int, kind: ListKind, marks: _Marks, depth: int) -> int:
        """Reads a list, item by item, with the lists inside its items."""
        is_sibling: Callable[[str], bool] | None = None
        first = marks.line_start
        while at < len(lines) and (item := list_item(kind, lines[at][1])):
            marker, text = item
            if is_sibling is None or kind in ("unordered", "ordered"):
                # The marker may change from item to item; each item is ended by its own siblings.
                is_sibling = sibling_test(kind, marker)
            elif not is_sibling(lines[at][1]):
                break
            collector = ItemCollector(lines, at + 1, kind, is_sibling, kind != "description" or bool(text))
            inner = collector.collect()
            last = inner[-1][0] if inner else lines[at][0]
            checked = _CHECKBOXES.get(text[:4]) if kind == "unordered" else None
            start = lines[at][0] if first is None else first
            self.blocks.append(Block(start, last, "list_item", depth, checked))
            if inner and depth < _MAX_DEPTH:
                self._read_item(inner, depth + 1, kind, bool(text))
            first = None
            at = skip_blank(lines, collector.at)
        return at

    def _read_item(self, lines: list[Numbered], depth: int, kind: ListKind, has_text: bool) -> None:
        """Reads what stands inside an item, for its nested lists."""
        is_adjacent = bool(lines[0][1])
        text_only = is_adjacent if kind != "description" else not has_text
        at, is_first = 0, True
        while at < len(lines):
            is_touching = bool(lines[at][1])
            is_text = is_first and text_only and is_touching
            at, marks = self._read_marks(lines, at, _Marks(), is_text)
            if at < len(lines):
                at = self._read_block(lines, at, marks, depth, breaks_at_list=is_touching, text_only=is_text)
            is_first = False


def _end_of_paragraph(lines: list[Numbered], at: int, breaks_at_list: bool, *, skips_comments: bool) -> int:
    """The place behind a paragraph: a blank line, a continuation, a delimiter or an attribute line ends it."""
    end = at + 1
    while end < len(lines) and (line := lines[end][1]) and line != CONTINUATION:
        if not (skips_comments and is_comment_line(line)):
            if is_attribute_line(line) or terminator_of(line) is not None:
                break
            if breaks_at_list and kind_of_item(line) is not None:
                break
        end += 1
    return end


def _whole_number(value: str) -> int:
    digits = value.lstrip("+-")
    if not (digits.isascii() and digits.isdigit()) or len(digits) > 3:
        return 0
    return -int(digits) if value.startswith("-") else int(digits)
