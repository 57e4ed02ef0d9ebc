"""The header of an AsciiDoc document: its title, author, revision and attributes."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from consiglierd.ingest.docs.asciidoc_lines import (
    Numbered,
    attribute_entry,
    is_attribute_line,
    is_block_title,
    is_comment_line,
    number_lines,
    style_of,
    title_at,
)
from consiglierd.ingest.docs.asciidoc_lists import end_of_delimited, skip_blank
from consiglierd.ingest.docs.front_matter import read_front_matter
from consiglierd.ingest.docs.outline import Block, Heading

_AUTHOR = re.compile(r"\w[\w\-'.]*(?: +\w[\w\-'.]*){0,2}(?: +<[^>]+>)?\Z")
_REVISION = re.compile(
    r"(?:v(?P<number>\d[^,:\s]*)|(?P<bare>\d[^,:\s]*)(?=,))?,? *(?P<day>[^:]*?)(?:: *(?P<remark>.*))?\Z"
)
_DAY = re.compile(r"\d{4}([-./]|\ub144 ?)\d{1,2}|\d{1,2} \w+ \d{4}|\w+ \d{1,2}, \d{4}|\{\w+\}")
_LISTS = frozenset({"tags", "keywords", "page-tags"})


@dataclass(frozen=True, slots=True)
class Header:
    """What stands before the body, and how many of the file's lines it took.

    `texts` are lines that stand where Asciidoctor takes an author or a revision, and read as neither.
    """

    lines_read: int = 0
    title: Heading | None = None
    texts: tuple[Block, ...] = ()
    front_matter: tuple[int, int] | None = None
    values: Mapping[str, object] = field(default_factory=dict)
    level_offset: int = 0
    problem: str | None = None


def read_header(lines: Sequence[str]) -> Header:
    """The header at the top of these lines. Without a document title its lines belong to the body."""
    front = read_front_matter(lines)
    skipped = front.lines[1] if front else 0
    reader = _HeaderReader(number_lines(list(lines[skipped:]), skipped + 1))
    title = reader.read_title()
    if title is not None:
        reader.read_below_title()
    values = {**(front.values if front else {}), **_typed(reader.values)}
    if title is None:
        return Header(skipped, None, (), front.lines if front else None, values, 0, front.problem if front else None)
    return Header(
        lines_read=reader.lines_read(len(lines)),
        title=title,
        texts=tuple(reader.texts),
        front_matter=front.lines if front else reader.metadata,
        values=values,
        level_offset=reader.level_offset,
        problem=front.problem if front else None,
    )


def _typed(values: Mapping[str, str]) -> dict[str, object]:
    """Attribute values as front matter has them: lists where the name says so, a date beside a revision's date."""
    typed: dict[str, object] = {}
    for name, value in values.items():
        if name in _LISTS:
            typed[name] = [word for part in value.split(",") if (word := part.strip())]
        else:
            typed[name] = value
    if "revdate" in values:
        typed.setdefault("date", values["revdate"])
    return typed


class _HeaderReader:
    """Goes down the header; keeps the attributes met and the lines that were nothing but metadata."""

    def __init__(self, lines: list[Numbered]) -> None:
        self._lines = lines
        self._at = 0
        self.values: dict[str, str] = {}
        self.texts: list[Block] = []
        self.metadata: tuple[int, int] | None = None

    @property
    def level_offset(self) -> int:
        value = self.values.get("leveloffset", "")
        return int(value) if re.fullmatch(r"[+-]?\d{1,3}", value, re.ASCII) else 0

    def lines_read(self, total: int) -> int:
        return self._lines[self._at][0] - 1 if self._at < len(self._lines) else total

    def read_title(self) -> Heading | None:
        """The document's title, with the attributes above it; None where the document has none."""
        is_titled = False
        while True:
            self._at = skip_blank(self._lines, self._at)
            if self._at == len(self._lines):
                return None
            line = self._lines[self._at][1]
            if is_attribute_line(line):
                # A discrete heading is no document title, whatever its level.
                is_titled |= style_of(line) in ("discrete", "float")
                self._at += 1
            elif is_block_title(line):
                is_titled = True
                self._at += 1
            elif not self._skip_comment(line) and not self._read_entry():
                break
        if is_titled:
            return None
        found = title_at(self._lines, self._at)
        if found is None or found[0] + self.level_offset != 0:
            return None
        first = self._lines[self._at][0]
        self._at += found[2]
        return Heading(first, self._lines[self._at - 1][0], 1, found[1])

    def read_below_title(self) -> None:
        """Attributes, the author line, attributes, the revision line, attributes: up to a blank line."""
        self.metadata = None
        self._read_entries()
        if self._read_line(self._take_authors):
            self._read_entries()
            if self._read_line(self._take_revision, is_needed=False):
                self._read_entries()

    def _read_entries(self) -> None:
        while self._at < len(self._lines) and (line := self._lines[self._at][1]):
            if not self._skip_comment(line) and not self._read_entry():
                return

    def _read_line(self, take: Callable[[str], bool], *, is_needed: bool = True) -> bool:
        """Reads the next line if there is one; a line that `take` does not know is text where it is needed."""
        if self._at == len(self._lines) or not self._lines[self._at][1]:
            return False
        number, line = self._lines[self._at]
        if take(line):
            self._note_metadata(number, number)
        elif is_needed:
            self.texts.append(Block(number, number, "paragraph", 0))
        else:
            return False
        self._at += 1
        return True

    def _note_metadata(self, first: int, last: int) -> None:
        # One run of lines: what stands behind a line of text is left to the text.
        if not self.texts:
            self.metadata = (self.metadata[0] if self.metadata else first, last)

    def _skip_comment(self, line: str) -> bool:
        if is_comment_line(line):
            self._at += 1
            return True
        if line.startswith("////") and not line.strip("/"):
            self._at = end_of_delimited(self._lines, self._at, line)
            return True
        return False

    def _read_entry(self) -> bool:
        first = self._lines[self._at][0]
        entry = attribute_entry(self._lines[self._at][1])
        if entry is None:
            return False
        name, value = entry
        parts = []
        while value.endswith((" \\", " +")) and self._at + 1 < len(self._lines) and self._lines[self._at + 1][1]:
            parts.append(value[:-2].rstrip())
            self._at += 1
            value = self._lines[self._at][1].strip()
        parts.append(value.removesuffix("\\").rstrip())
        name = name.lower()
        if name.startswith("!") or name.endswith("!"):
            self.values.pop(name.strip("!"), None)
        else:
            self.values[name] = " ".join(parts)
        self._note_metadata(first, self._lines[self._at][0])
        self._at += 1
        return True

    def _take_authors(self, line: str) -> bool:
        entries = [entry.strip() for entry in line.split(";") if entry.strip()]
        if not entries or not all(_AUTHOR.match(entry) for entry in entries):
            return False
        names = [entry.partition("<")[0].strip().replace("_", " ") for entry in entries]
        self.values.setdefault("author", ", ".join(names))
        return True

    def _take_revision(self, line: str) -> bool:
        found = _REVISION.match(line)
        if found is None or not (found["number"] or found["bare"] or _DAY.search(found["day"])):
            return False
        named = {
            "revnumber": found["number"] or found["bare"],
            "revdate": found["day"].strip(),
            "revremark": found["remark"],
        }
        for name, value in named.items():
            if value:
                self.values.setdefault(name, value)
        return True
