"""What one line of AsciiDoc is: a delimiter, a title, a mark for the block that follows, a list item."""

import re
from collections.abc import Callable
from typing import Literal

ListKind = Literal["unordered", "ordered", "description", "callout"]

# A line of the source with its number. Collected list items carry changed texts (a continuation
# sign that was used up reads as blank), so the number is what ties a line to the file.
Numbered = tuple[int, str]

CONTINUATION = "+"
NESTABLE: tuple[ListKind, ...] = ("unordered", "ordered", "description")
VERBATIM_STYLES = frozenset({"literal", "listing", "source", "verse"})

_DELIMITER_TIPS = frozenset(
    {"--", "----", "....", "====", "****", "____", "++++", "|===", ",===", ":===", "!===", "////", "```"}
)
_MAX_TITLE_LEVEL = 5
_UNDERLINE_LEVELS = {"=": 0, "-": 1, "~": 2, "^": 3, "+": 4}

_DIRECTIVE = re.compile(r"(?:include|ifdef|ifndef)::\S.*\[.*\]\Z|(?:ifeval|endif)::.*\[.*\]\Z")
_ATTRIBUTE_LIST = re.compile(r"""\[(?:|[\w.#%{,"'].*)\]\Z""")
_ANCHOR = re.compile(r"\[\[(?:|(?:[^\W\d_]|[_:])[\w\-:.]*(?:, *.+)?)\]\]\Z")
_ATTRIBUTE_ENTRY = re.compile(r":(!?\w[^:]*):(?:[ \t]+(.*))?\Z")
_BLOCK_TITLE = re.compile(r"\.\.?[^ \t.]")
_SECTION_ANCHOR = re.compile(r" (\\)?\[\[(?:[^\W\d_]|[_:])[\w\-:.]*(?:, *[^\[\]]+)?\]\]\Z")
_STYLE = re.compile(r"""["']?([^#.%,"'=]*)""")

_UNORDERED = re.compile(r"[ \t]*(-|\*+|\u2022)[ \t]+(.*)\Z")
_ORDERED = re.compile(r"[ \t]*(\.+|\d+\.|[a-zA-Z]\.|[IVXivx]+\))[ \t]+(.*)\Z")
_DESCRIPTION = re.compile(r"(?!//[^/])[ \t]*([^ \t].*?)(:::{0,2}|;;)(?:\Z|[ \t]+(.*)\Z)")
_CALLOUT = re.compile(r"<(\d+|\.)>[ \t]+(.*)\Z")
_ITEMS: dict[ListKind, re.Pattern[str]] = {
    "unordered": _UNORDERED,
    "ordered": _ORDERED,
    "description": _DESCRIPTION,
    "callout": _CALLOUT,
}
_DESCRIPTION_SIBLINGS = {
    mark: re.compile(rf"(?!//[^/])[ \t]*(?:[^ \t].*?[^:]|[^ \t:]){mark}(?:\Z|[ \t]+(.*)\Z)")
    for mark in ("::", ":::", "::::")
} | {";;": re.compile(r"(?!//[^/])[ \t]*[^ \t].*?;;(?:\Z|[ \t]+(.*)\Z)")}

_RULE = re.compile(r" {0,3}([-*_])( *)\1\2\1\Z")
_MEDIA = re.compile(r"(?:image|video|audio)::(?:\S|\S.*?\S)\[.*\]\Z|toc::\[.*\]\Z")


def number_lines(lines: "list[str] | tuple[str, ...]", first: int) -> list[Numbered]:
    """The lines that a parser sees: without trailing blanks, and without the directives.

    Conditionals and includes are never executed: their lines vanish, so that the text of every
    branch is read and a title right below a directive is still a title.
    """
    numbered = []
    for number, line in enumerate(lines, first):
        text = line.rstrip(" \t\n\v\f\r\0")
        if text.endswith("]") and "::" in text and _DIRECTIVE.match(text):
            continue
        numbered.append((number, text))
    return numbered


def terminator_of(line: str) -> str | None:
    """The line that closes the delimited block that `line` opens, None where it opens none."""
    if len(line) < 2:
        return None
    if line.startswith("```"):
        return "```" if not line.startswith("````") else None
    if line == "--":
        return line
    tip = line[:4]
    if len(tip) == 4 and tip in _DELIMITER_TIPS and not line[4:].strip(tip[3]):
        return line
    return None


def one_line_title(line: str) -> tuple[int, str] | None:
    """Level (0 is the document's) and text of `== Title`, `## Title`, `== Title ==`."""
    if not line.startswith(("=", "#")):
        return None
    sign = line[0]
    text = line.lstrip(sign)
    level = len(line) - len(text) - 1
    if level > _MAX_TITLE_LEVEL or not text.startswith((" ", "\t")):
        return None
    text = text.strip(" \t")
    closing = sign * (level + 1)
    if text.endswith(closing) and text[: -len(closing)].endswith((" ", "\t")):
        text = text[: -len(closing)].rstrip(" \t")
    return (level, text) if text else None


def underlined_title(line: str, underline: str) -> tuple[int, str] | None:
    """Level and text of a title of two lines; the lengths may differ by one character."""
    if not underline or (level := _UNDERLINE_LEVELS.get(underline[0])) is None:
        return None
    if abs(len(line) - len(underline)) > 1 or underline.strip(underline[0]):
        return None
    if line.startswith(".") or not any(character.isalnum() for character in line):
        return None
    return level, line


def title_at(lines: list[Numbered], at: int) -> tuple[int, str, int] | None:
    """Level, text and number of lines of the section title at this place, without an inline anchor."""
    title = one_line_title(lines[at][1])
    size = 1
    if title is None and at + 1 < len(lines):
        title = underlined_title(lines[at][1], lines[at + 1][1])
        size = 2
    if title is None:
        return None
    level, text = title
    if text.endswith("]]") and (anchor := _SECTION_ANCHOR.search(text[text.rindex(" [[") :] if " [[" in text else "")):
        text = text if anchor[1] else text[: text.rindex(" [[")]
    return level, text, size


def is_attribute_line(line: str) -> bool:
    """`[style,key=value]` or `[[anchor]]`."""
    if not (line.startswith("[") and line.endswith("]")):
        return False
    return bool((_ANCHOR if line.startswith("[[") else _ATTRIBUTE_LIST).match(line))


def is_block_title(line: str) -> bool:
    return line.startswith(".") and bool(_BLOCK_TITLE.match(line))


def is_comment_line(line: str) -> bool:
    return line.startswith("//") and not line.startswith("///")


def attribute_entry(line: str) -> tuple[str, str] | None:
    """Name and value of `:name: value`."""
    entry = _ATTRIBUTE_ENTRY.match(line) if line.startswith(":") else None
    return (entry[1], entry[2] or "") if entry else None


def style_of(attribute_line: str) -> str:
    """The block style that an attribute line names first, "" where it names none."""
    if attribute_line.startswith("[["):
        return ""
    first = attribute_line[1:-1].partition(",")[0].strip()
    if "=" in first:
        return ""
    found = _STYLE.match(first)
    return found[1].strip() if found else ""


def is_lone_line(line: str) -> bool:
    """A rule, a page break, a media or table-of-contents macro: a block of one line."""
    if line.startswith(("'''", "<<<")):
        return not line.strip(line[0])
    if line.endswith("]"):
        return bool(_MEDIA.match(line))
    return bool(_RULE.match(line))


def list_item(kind: ListKind, line: str) -> tuple[str, str] | None:
    """Marker and text of a list item of this kind."""
    found = _ITEMS[kind].match(line)
    if found is None:
        return None
    return (found[2], found[3] or "") if kind == "description" else (found[1], found[2])


def kind_of_item(line: str, kinds: tuple[ListKind, ...] = ("callout", *NESTABLE)) -> ListKind | None:
    return next((kind for kind in kinds if _ITEMS[kind].match(line)), None)


def _ordered_series(marker: str) -> str:
    """One name for the markers of one series: `3.` and `1.` are siblings, `.` and `..` are not."""
    if marker.startswith("."):
        return marker
    if marker[0].isdigit():
        return "1."
    case = "a" if marker[0].islower() else "A"
    return case + marker[-1]


def sibling_test(kind: ListKind, marker: str) -> Callable[[str], bool]:
    """Whether a line is an item of the same list as an item with this marker."""
    if kind == "description":
        sibling = _DESCRIPTION_SIBLINGS[marker]
        return lambda line: bool(sibling.match(line))
    if kind == "callout":
        return lambda line: bool(_CALLOUT.match(line))
    pattern = _ITEMS[kind]
    series = _ordered_series if kind == "ordered" else str
    wanted = series(marker)

    def is_sibling(line: str) -> bool:
        found = pattern.match(line)
        return found is not None and series(found[1]) == wanted

    return is_sibling
