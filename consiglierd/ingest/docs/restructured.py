"""reStructuredText to an outline: titles by their adornment, blocks as docutils bounds them; nothing is executed."""

from collections.abc import Sequence

from consiglierd.ingest.docs.outline import Block, BlockKind, Heading, Outline
from consiglierd.ingest.docs.restructured_lines import (
    adornment_of,
    adorns,
    checkbox_of,
    field_of,
    indent_of,
    is_border,
    is_bullet,
    is_enumerated,
    item_indent,
    kind_of,
)

# Nested lists deeper than this stay part of their item: it bounds the work per line.
_MAX_DEPTH = 8
_LISTS = frozenset({"tags", "keywords", "categories"})
_CODE = ("code", "code-block", "sourcecode", "parsed-literal", "literalinclude", "math", "raw", "highlight")


def scan(lines: Sequence[str]) -> Outline:
    """The outline of a reStructuredText document; `lines` come without line ends."""
    walk = _Walk([(line.expandtabs(8) if "\t" in line else line).rstrip() for line in lines])
    walk.read(0, len(lines), 0, 0)
    return Outline(
        headings=tuple(walk.headings),
        blocks=tuple(walk.blocks),
        front_matter=walk.metadata,
        front_matter_values=walk.values,
    )


class _Walk:
    """Goes through a region of lines, seen from an indentation on, block by block."""

    def __init__(self, lines: list[str]) -> None:
        self._lines = lines
        self._styles: list[tuple[str, bool]] = []
        self.headings: list[Heading] = []
        self.blocks: list[Block] = []
        self.metadata: tuple[int, int] | None = None
        self.values: dict[str, object] = {}

    def read(self, at: int, end: int, indent: int, depth: int) -> None:
        """Reads lines `at` to `end` (0-based, exclusive), which are indented by at least `indent`."""
        while at < end:
            line = self._lines[at][indent:]
            if not line:
                at += 1
            elif depth == 0 and (title := self._title_at(at)):
                at = self._add_heading(at, title)
            else:
                at = self._read_block(at, end, indent, depth, line)

    def _title_at(self, at: int) -> tuple[tuple[str, bool], int, str] | None:
        """Style, number of lines and text of the title that begins here."""
        first = self._lines[at]
        second = self._lines[at + 1] if at + 1 < len(self._lines) else ""
        if not second:
            return None
        if mark := adornment_of(first):
            third = self._lines[at + 2] if at + 2 < len(self._lines) else ""
            title = second.strip()
            if third == first and adorns(first, title) and (len(first) >= 4 or adornment_of(title) is None):
                return (mark, True), 3, title
        if first.startswith(" ") or (mark := adornment_of(second)) is None or not adorns(second, first):
            return None
        # What looks like a numbered item or an option is text if the next line is not indented.
        if second == "::" or not (kind_of(first) == "text" or (kind_of(first) == "item" and not is_bullet(first))):
            return None
        return (mark, False), 2, first

    def _add_heading(self, at: int, title: tuple[tuple[str, bool], int, str]) -> int:
        style, size, text = title
        if style not in self._styles:
            self._styles.append(style)
        self.headings.append(Heading(at + 1, at + size, self._styles.index(style) + 1, text))
        return at + size

    def _read_block(self, at: int, end: int, indent: int, depth: int, line: str) -> int:
        """Reads the block at this place and gives the place behind it. Inside an item only items are kept."""
        if line.startswith(" "):
            stop = self._end_of_indented(at, end, indent)
            self._add(at, stop, "quote", depth)
            return stop
        match kind_of(line):
            case "item" if not is_enumerated(line) or self._is_item_followed(at, end, indent):
                return self._read_item(at, end, indent, depth, line)
            case "field" if depth == 0 and self._is_at_top():
                return self._read_metadata(at, end)
            case "field":
                return self._read_item(at, end, indent, depth, line)
            case "explicit":
                stop = self._end_of_indented(at + 1, end, indent)
                name = line[2:].strip().partition("::")[0]
                self._add(at, stop, "fence" if name in _CODE else "other", depth)
                return stop
            case "grid":
                return self._read_table(at, self._end_of_text(at, end, indent), indent, depth)
            case "simple":
                return self._read_table(at, self._end_of_simple_table(at, end, indent), indent, depth)
            case _:
                return self._read_text(at, end, indent, depth)

    def _add(self, at: int, stop: int, kind: BlockKind, depth: int, rows: tuple[int, ...] = ()) -> None:
        while stop > at + 1 and not self._lines[stop - 1]:
            stop -= 1
        if depth == 0:
            self.blocks.append(Block(at + 1, stop, kind, 0, rows=rows))

    def _end_of_indented(self, at: int, end: int, indent: int) -> int:
        """The place of the next line that is not indented any further than `indent`."""
        while at < end and (not self._lines[at] or indent_of(self._lines[at]) > indent):
            at += 1
        return at

    def _end_of_text(self, at: int, end: int, indent: int) -> int:
        """The place of the next blank line."""
        at += 1
        while at < end and self._lines[at][indent:]:
            at += 1
        return at

    def _is_item_followed(self, at: int, end: int, indent: int) -> bool:
        """Whether what looks like `3. text` is an item: a wrapped sentence goes on unindented below it."""
        following = self._lines[at + 1][indent:] if at + 1 < end else ""
        return not following or following.startswith(" ") or is_enumerated(following)

    def _read_item(self, at: int, end: int, indent: int, depth: int, line: str) -> int:
        stop = self._end_of_indented(at + 1, end, indent)
        last = stop
        while last > at + 1 and not self._lines[last - 1]:
            last -= 1
        self.blocks.append(Block(at + 1, last, "list_item", depth, checkbox_of(line)))
        if depth < _MAX_DEPTH and last > at + 1:
            inner = [indent_of(self._lines[row]) for row in range(at + 1, last) if self._lines[row]]
            self.read(at + 1, last, min([*inner, indent + item_indent(line)]), depth + 1)
        return stop

    def _read_table(self, at: int, stop: int, indent: int, depth: int) -> int:
        is_grid = self._lines[at][indent:].startswith("+")
        rows = []
        for row in range(at, stop):
            line = self._lines[row][indent:]
            if is_grid:
                # The border above a row belongs to it; the last border opens no row.
                if is_border(line) and row + 1 < stop:
                    rows.append(row + 1)
            elif line and not is_border(line) and not line.startswith(" "):
                rows.append(row + 1)
        self._add(at, stop, "table", depth, tuple(rows))
        return stop

    def _end_of_simple_table(self, at: int, end: int, indent: int) -> int:
        """A border that a blank line follows ends the table, and so does the second border below the first."""
        borders = 0
        for row in range(at + 1, end):
            line = self._lines[row][indent:]
            if line.startswith("=") and is_border(line):
                borders += 1
                if borders == 2 or row + 1 == end or not self._lines[row + 1][indent:]:
                    return row + 1
        return self._end_of_text(at, end, indent)

    def _read_text(self, at: int, end: int, indent: int, depth: int) -> int:
        """A paragraph, a definition, a rule; with the literal block that a closing `::` opens."""
        following = self._lines[at + 1][indent:] if at + 1 < end else ""
        if following.startswith(" ") and not self._lines[at].endswith("::"):
            stop = self._end_of_indented(at + 1, end, indent)
            self._add(at, stop, "paragraph", depth)
            return stop
        stop = self._end_of_paragraph(at, end, indent)
        if not self._lines[stop - 1].endswith("::"):
            self._add(at, stop, "paragraph", depth)
            return stop
        literal_end = self._end_of_indented(stop, end, indent)
        if literal_end < end and not any(self._lines[stop:literal_end]):
            literal_end = self._end_of_quoted_literal(literal_end, end, indent) or literal_end
        self._add(at, literal_end, "fence", depth)
        return literal_end

    def _end_of_paragraph(self, at: int, end: int, indent: int) -> int:
        """A blank line ends a paragraph, and so does a deeper line: what follows is then a block of its own."""
        at += 1
        while at < end and (line := self._lines[at][indent:]) and not line.startswith(" "):
            at += 1
        return at

    def _end_of_quoted_literal(self, at: int, end: int, indent: int) -> int | None:
        """Lines that all begin with the same punctuation need no indentation after `::`."""
        mark = self._lines[at][indent : indent + 1]
        if mark.isalnum() or mark.isspace() or not mark.isascii():
            return None
        while at < end and self._lines[at][indent:].startswith(mark):
            at += 1
        return at

    def _is_at_top(self) -> bool:
        return self.metadata is None and not self.blocks and len(self.headings) <= 1

    def _read_metadata(self, at: int, end: int) -> int:
        """The field list at the top, before any text: the document's metadata."""
        first = at
        while at < end and (named := field_of(self._lines[at])):
            stop = self._end_of_indented(at + 1, end, 0)
            value = " ".join([named[1], *(line.strip() for line in self._lines[at + 1 : stop] if line)]).strip()
            name = named[0].strip().lower()
            words = [word for part in value.split(",") if (word := part.strip())]
            self.values[name] = words if name in _LISTS else value
            at = stop
        last = at
        while not self._lines[last - 1]:
            last -= 1
        self.metadata = (first + 1, last)
        return at
