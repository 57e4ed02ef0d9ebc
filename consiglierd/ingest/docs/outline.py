"""The outline of a document: what every format's scanner gives and every type's chunker reads.

A scanner is a function `scan(lines: Sequence[str]) -> Outline`. Lines come without their line
ends; line numbers are 1-based and inclusive. A border between two sections may stand between any
two lines that no block spans; inside a list it may stand before an item, inside a table before a
row, inside a fence nowhere.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

BlockKind = Literal["paragraph", "list_item", "table", "fence", "html", "quote", "other"]


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading and the lines it takes (setext: two); level 1 is the document's title."""

    line_start: int
    line_end: int
    level: int
    text: str


@dataclass(frozen=True, slots=True)
class Block:
    """A block that is no heading.

    `depth` 0 is the top level. A nested list item has a block of its own, one deeper, inside its
    parent's lines. `checked` is the state of a list item's checkbox, None where it has none.
    `rows` are the first lines of a table's data rows (the header row left out): the table may be
    cut before each of them but the first. A table without `rows` is cut nowhere.
    """

    line_start: int
    line_end: int
    kind: BlockKind
    depth: int
    checked: bool | None = None
    rows: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Outline:
    """Headings and blocks, each in the order of their first lines (a parent before its children).

    `front_matter` are the lines of the document's header of metadata (fences included), which is
    no text; `front_matter_values` what it says. `problem` is why the header could not be read.
    """

    headings: tuple[Heading, ...]
    blocks: tuple[Block, ...]
    front_matter: tuple[int, int] | None = None
    front_matter_values: Mapping[str, object] = field(default_factory=dict)
    problem: str | None = None


Scanner = Callable[[Sequence[str]], Outline]
