"""Git-style path globs as regular expressions that Python's `re` and Tantivy read alike."""

import re
import unicodedata
from functools import lru_cache

MAX_GLOB_CHARACTERS = 300

_SPECIAL = frozenset(r"\.+*?()|[]{}^$")
_SPECIAL_IN_CLASS = frozenset(r"\[]^-&~")
# The first member of a class may be the "]" that would otherwise close it.
_BRACKET = re.compile(r"\[([!^]?+)((?:\\.|[^\\])(?:\\.|[^\]\\])*)\]", re.DOTALL)
_MEMBER = re.compile(r"\\.|[^\\]", re.DOTALL)
# A dot alone would mean any character but a line's end to one of the two.
_ANY = "(?s:.)"


def glob_source(glob: str) -> str:
    """A regular expression for the whole paths (relative, "/"-separated, NFC) that a glob names.

    `*` and `?` stay within one name, `**` spans folders, `[a-z]` and `[!a-z]` are one character.
    A glob without an inner "/" matches a name at any depth, another from the root. What matches a
    folder names everything below it. The empty glob names everything.
    """
    body = unicodedata.normalize("NFC", glob).removeprefix("./")
    is_anchored = "/" in body.rstrip("/")
    body = body.strip("/")
    if body in ("", "."):
        return f"{_ANY}*"
    names = body.split("/")
    source = "" if is_anchored else "([^/]+/)*"
    for position, name in enumerate(names):
        is_last = position == len(names) - 1
        if name == "**":
            source += f"{_ANY}+" if is_last else "([^/]+/)*"
        else:
            source += _name_source(name) + ("" if is_last else "/")
    return source + f"(/{_ANY}*)?"


@lru_cache(maxsize=256)
def compile_glob(glob: str) -> re.Pattern[str]:
    """The glob for `fullmatch`."""
    return re.compile(glob_source(glob))


def path_matches(path: str, glob: str) -> bool:
    """Whether a path, in whatever normal form the disk spells it, is named by a glob."""
    return compile_glob(glob).fullmatch(unicodedata.normalize("NFC", path)) is not None


def _name_source(name: str) -> str:
    source = ""
    position = 0
    while position < len(name):
        character = name[position]
        position += 1
        if character == "*":
            while name[position : position + 1] == "*":
                position += 1
            source += "[^/]*"
        elif character == "?":
            source += "[^/]"
        elif character == "\\" and position < len(name):
            source += _literal(name[position])
            position += 1
        elif bracket := _BRACKET.match(name, position - 1):
            source += _class_source(bracket[1] != "", _MEMBER.findall(bracket[2]))
            position = bracket.end()
        else:
            source += _literal(character)
    return source


def _class_source(is_negative: bool, members: list[str]) -> str:
    """`members` are characters, some with a backslash before them; a plain "-" between two makes a range."""
    source = ""
    position = 0
    while position < len(members):
        first = last = members[position][-1]
        position += 1
        if members[position : position + 1] == ["-"] and position + 1 < len(members):
            last = members[position + 1][-1]
            position += 2
        source += _range_source(first, last)
    if is_negative:
        return f"[^/{source}]"
    # An empty class names no character, but an empty bracket is no expression: no path holds a NUL.
    return f"[{source}]" if source else "\0"


def _range_source(first: str, last: str) -> str:
    if first > last:
        return ""
    if first <= "/" <= last:
        # One character of a name is never the "/" between names.
        return _range_source(first, ".") + _range_source("0", last)
    return _in_class(first) if first == last else f"{_in_class(first)}-{_in_class(last)}"


def _literal(character: str) -> str:
    return "\\" + character if character in _SPECIAL else character


def _in_class(character: str) -> str:
    return "\\" + character if character in _SPECIAL_IN_CLASS else character
