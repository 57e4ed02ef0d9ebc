"""What one line of reStructuredText is: an adornment, a list item, a field, the border of a table."""

import re
import unicodedata
from typing import Literal

LineKind = Literal["item", "field", "explicit", "grid", "simple", "text"]

_ADORNMENT = re.compile(r"([!-/:-@\[-`{-~])\1*\Z")
_BULLET = re.compile(r"([-+*\u2022\u2023\u2043])(?: +|\Z)")
_ENUMERATOR = re.compile(r"(?:\((?:\w{1,6}|#)\)|(?:\w{1,6}|#)[.)])(?: +|\Z)")
_FIELD = re.compile(r":((?![: ])(?:[^:\\]|\\.|:(?![ `]|\Z))*):(?: +|\Z)")
_ONE_OPTION = r"(?:--?\w[\w-]*|/\w+)(?:[ =][<\w][^ ,]*)?"
_OPTION = re.compile(rf"{_ONE_OPTION}(?:, {_ONE_OPTION})*(?:  +|\Z)")
_GRID = re.compile(r"\+-[-+]+-\+\Z")
_SIMPLE = re.compile(r"=+(?: +=+)+\Z")
_BORDER = re.compile(r"(?:\+[-=+]+\+|[=-]+(?: +[=-]+)*)\Z")
_CHECKBOXES = {"[ ]": False, "[x]": True, "[X]": True}
_MIN_SHORT_ADORNMENT = 4


def width(text: str) -> int:
    """Columns on a screen: wide characters (Hangul, Han, emoji) take two, combining ones none."""
    if text.isascii():
        return len(text)
    return sum(
        2 if unicodedata.east_asian_width(character) in "WF" else 1
        for character in text
        if not unicodedata.combining(character)
    )


def adornment_of(line: str) -> str | None:
    """The character of a line made of one punctuation character."""
    found = _ADORNMENT.match(line)
    return found[1] if found else None


def adorns(adornment: str, title: str) -> bool:
    """Whether an adornment is long enough; docutils lets one of four characters pass, and so do we."""
    return len(adornment) >= _MIN_SHORT_ADORNMENT or len(adornment) >= width(title)


def indent_of(line: str) -> int:
    return len(line) - len(line.lstrip(" "))


def kind_of(line: str) -> LineKind:
    """What an unindented line begins; an adornment is text here, for its neighbours decide what it is."""
    if _BULLET.match(line) or _OPTION.match(line) or _ENUMERATOR.match(line):
        return "item"
    if line.startswith(":"):
        return "field" if _FIELD.match(line) else "text"
    if line.startswith((".. ", "__ ")) or line in ("..", "__"):
        return "explicit"
    if _GRID.match(line):
        return "grid"
    return "simple" if _SIMPLE.match(line) else "text"


def is_bullet(line: str) -> bool:
    return bool(_BULLET.match(line))


def is_enumerated(line: str) -> bool:
    return bool(_ENUMERATOR.match(line)) and not is_bullet(line)


def is_border(line: str) -> bool:
    return bool(_BORDER.match(line))


def field_of(line: str) -> tuple[str, str] | None:
    """Name and the rest of the line of `:name: value`."""
    found = _FIELD.match(line) if line.startswith(":") else None
    return (found[1], line[found.end() :]) if found else None


def item_indent(line: str) -> int:
    """How far the text of an item stands from its marker's column; the content's own indentation decides the rest."""
    found = _BULLET.match(line) or _ENUMERATOR.match(line)
    return found.end() if found else 2


def checkbox_of(line: str) -> bool | None:
    found = _BULLET.match(line)
    return _CHECKBOXES.get(line[found.end() : found.end() + 3]) if found else None
