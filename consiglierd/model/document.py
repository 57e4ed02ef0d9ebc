"""What reading one file gives: sections, what is left over between them, and problems."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

SectionKind = Literal["document", "code"]
LeftoverKind = Literal["blank", "front_matter"]


@dataclass(frozen=True, slots=True)
class Span:
    """Lines (1-based, inclusive) and bytes (0-based, end exclusive, line end included) of a file."""

    line_start: int
    line_end: int
    byte_start: int
    byte_end: int


@dataclass(frozen=True, slots=True)
class Tag:
    """A tag of a section and the rule that gave it (`front_matter`, `role`, `state`, `date`, ...)."""

    name: str
    source: str


@dataclass(frozen=True, slots=True)
class RoomMark:
    """A soft topic class of a section and the rule that gave it (`keyword:auth`, `type:risk`)."""

    room: str
    source: str


@dataclass(frozen=True, slots=True)
class Section:
    """The smallest retrievable piece of a document.

    `text` is exactly the lines of `span`, joined by "\\n", without the last line end.
    `heading` is the text of the nearest heading ("" for a preamble), `heading_path` all the
    headings from the outermost to the nearest. `status` is "active" unless the document says
    otherwise. `private_to` names the one role (group) that may see it when a call names a role.
    """

    ordinal: int
    span: Span
    text: str
    kind: SectionKind
    heading: str
    heading_path: tuple[str, ...]
    date: str | None
    status: str
    tags: tuple[Tag, ...]
    rooms: tuple[RoomMark, ...]
    metadata: Mapping[str, str]
    private_to: str | None = None
    symbol: str | None = None


@dataclass(frozen=True, slots=True)
class Leftover:
    """Lines of a file that belong to no section."""

    span: Span
    kind: LeftoverKind


@dataclass(frozen=True, slots=True)
class Problem:
    """Expected trouble in a user's file: `code` is stable, `message` is for people."""

    code: str
    message: str


@dataclass(frozen=True, slots=True)
class ParsedDocument:
    """A file as the parser for its type understood it.

    The spans of `sections` and `leftovers` cover the file's lines exactly once.
    """

    file_type: str
    encoding: str
    sections: tuple[Section, ...]
    leftovers: tuple[Leftover, ...] = ()
    problems: tuple[Problem, ...] = field(default=())
