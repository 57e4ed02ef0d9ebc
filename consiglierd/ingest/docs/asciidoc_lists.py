"""Which lines belong to one AsciiDoc list item."""

from collections.abc import Callable
from typing import Literal

from consiglierd.ingest.docs.asciidoc_lines import (
    CONTINUATION,
    NESTABLE,
    ListKind,
    Numbered,
    attribute_entry,
    is_attribute_line,
    is_block_title,
    kind_of_item,
    list_item,
    terminator_of,
)


def skip_blank(lines: list[Numbered], at: int) -> int:
    while at < len(lines) and not lines[at][1]:
        at += 1
    return at


def end_of_delimited(lines: list[Numbered], at: int, terminator: str) -> int:
    """The place after the closing line of the block opened at `at`; the end where it is never closed."""
    for place in range(at + 1, len(lines)):
        if lines[place][1] == terminator:
            return place + 1
    return len(lines)


def end_of_verbatim(lines: list[Numbered], at: int, stops_at: Callable[[str], bool] | None = None) -> int:
    """The place after a literal paragraph: a blank line or a continuation ends it."""
    end = at + 1
    while end < len(lines) and lines[end][1] and lines[end][1] != CONTINUATION:
        if stops_at is not None and stops_at(lines[end][1]):
            break
        end += 1
    return end


class ItemCollector:
    """The state while the lines of one item are collected: Asciidoctor's rules, line for line.

    `lines` begins behind the item's first line. The collected lines stand in `buffer`; a
    continuation sign that has done its work reads as a blank line there, so that a nested item
    does not take it for its own. Each step takes the line at `at`; it gives False where the item ends.
    """

    def __init__(
        self, lines: list[Numbered], at: int, kind: ListKind, is_sibling: Callable[[str], bool], has_text: bool
    ) -> None:
        self._lines = lines
        self.at = at
        self._is_description = kind == "description"
        self._is_sibling = is_sibling
        # A description item without text on its first line is greedy until it has some.
        self._has_text = has_text
        self._continuation: Literal["inactive", "active", "frozen"] = "inactive"
        self._is_nested = False
        self._detached: int | None = None
        self.buffer: list[Numbered] = []

    def collect(self) -> list[Numbered]:
        while self.at < len(self._lines) and not self._is_sibling(self._lines[self.at][1]):
            if not self._step(self._lines[self.at][1]):
                break
        if self._detached is not None:
            self.buffer[self._detached] = (self.buffer[self._detached][0], "")
        while self.buffer and self.buffer[-1][1] in ("", CONTINUATION):
            is_continuation = self.buffer.pop()[1] == CONTINUATION
            if is_continuation:
                break
        return self.buffer

    def _take(self) -> None:
        self.buffer.append(self._lines[self.at])
        self.at += 1

    def _take_until(self, end: int) -> None:
        self.buffer.extend(self._lines[self.at : end])
        self.at = end

    def _step(self, line: str) -> bool:
        previous = self.buffer[-1][1] if self.buffer else None
        if previous == CONTINUATION:
            if self._continuation == "inactive":
                self._continuation = "active"
                self._has_text = True
                if not self._is_nested:
                    self.buffer[-1] = (self.buffer[-1][0], "")
            if line == CONTINUATION:
                self._repeat_continuation()
                return True
        if terminator := terminator_of(line):
            return self._take_delimited(terminator)
        if self._is_description and self._continuation != "active" and is_attribute_line(line):
            return self._take_attribute_lines()
        if self._continuation == "active" and line:
            self._take_attached(line)
            return True
        if previous == "":
            return self._go_on_after_blank()
        if line:
            self._has_text = True
            self._note_nested(line)
        self._take()
        return True

    def _repeat_continuation(self) -> None:
        if self._continuation != "frozen":
            self._continuation = "frozen"
            self._take()
        else:
            self.at += 1

    def _take_delimited(self, terminator: str) -> bool:
        """A delimited block ends the list unless a continuation attaches it."""
        if self._continuation != "active":
            return False
        self._take_until(end_of_delimited(self._lines, self.at, terminator))
        self._continuation = "inactive"
        return True

    def _take_attribute_lines(self) -> bool:
        """Attribute lines end a description list unless an item of a nested list follows them."""
        end = self.at + 1
        while end < len(self._lines) and (not self._lines[end][1] or is_attribute_line(self._lines[end][1])):
            end += 1
        if end == len(self._lines):
            self.at = end
            return True
        following = self._lines[end][1]
        if terminator_of(following) or kind_of_item(following) is None or self._is_sibling(following):
            return False
        self._take_until(end)
        return True

    def _take_attached(self, line: str) -> None:
        """The first line after a continuation."""
        if line[0] in " \t":
            self._take_literal()
            self._continuation = "inactive"
        elif is_block_title(line) or is_attribute_line(line) or attribute_entry(line):
            self._take()
        else:
            self._note_nested(line)
            self._take()
            self._continuation = "inactive"

    def _take_literal(self) -> None:
        stops_at = self._is_sibling if self._is_description else None
        self._take_until(end_of_verbatim(self._lines, self.at, stops_at))

    def _note_nested(self, line: str) -> bool:
        """Whether the line begins a nested list; one that begins with a bare term is greedy again."""
        kind = kind_of_item(line, ("description",) if self._is_nested else NESTABLE)
        if kind is None:
            return False
        self._is_nested = True
        item = list_item(kind, line)
        if kind == "description" and item is not None and not item[1]:
            self._has_text = False
        return True

    def _go_on_after_blank(self) -> bool:
        """Whether the item goes on behind a blank line: with a nested list, a literal, or a continuation."""
        self.at = skip_blank(self._lines, self.at)
        if self.at == len(self._lines):
            return False
        line = self._lines[self.at][1]
        if self._is_sibling(line):
            return False
        if line == CONTINUATION:
            self._detached = len(self.buffer)
            self._take()
            return True
        if not self._has_text:
            # Without the blank line, so that the text is the item's own.
            if not self._is_nested:
                self.buffer.pop()
            self._take()
            self._has_text = True
            return True
        if (kind := kind_of_item(line, NESTABLE)) is not None:
            self._is_nested = True
            item = list_item(kind, line)
            if kind == "description" and item is not None and not item[1]:
                self._has_text = False
            self._take()
            return True
        if line[0] in " \t":
            self._take_literal()
            return True
        return False
