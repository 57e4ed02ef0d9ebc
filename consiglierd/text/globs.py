"""Git-style path globs as regular expressions that Python's `re` and Tantivy read alike."""

import re
import unicodedata
from functools import lru_cache

MAX_GLOB_CHARACTERS = 300

_SPECIAL = frozenset(r"\.+*?()|[]{}^$")
_SPECIAL_IN_CLASS = frozenset(r"\[]^-&~")


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
        return ".*"
    names = body.split("/")
    source = "" if is_anchored else "([^/]+/)*"
    for position, name in enumerate(names):
        is_last = position == len(names) - 1
        if name == "**":
            source += ".+" if is_last else "([^/]+/)*"
        else:
            source += _name_source(name) + ("" if is_last else "/")
    return source + "(/.*)?"


@lru_cache(maxsize=256)
def compile_glob(glob: str) -> re.Pattern[str]:
    """The glob for `fullmatch`."""
    return re.compile(glob_source(glob), re.DOTALL)


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
        elif (
            character == "["
            and (end := name.find("]", position + 2 if name[position : position + 1] in "!^]" else position)) > 0
        ):
            source += _class_source(name[position:end])
            position = end + 1
        else:
            source += _literal(character)
    return source


def _class_source(body: str) -> str:
    is_negative = body[:1] in ("!", "^")
    if is_negative:
        body = body[1:]
    source = ""
    position = 0
    while position < len(body):
        first, position = body[position], position + 1
        if body[position : position + 1] == "-" and position + 1 < len(body):
            last, position = body[position + 1], position + 2
            if first <= last:
                source += f"{_in_class(first)}-{_in_class(last)}"
        else:
            source += _in_class(first)
    if is_negative:
        return f"[^/{source}]"
    # An empty class names no character, but an empty bracket is no expression: no path holds a NUL.
    return f"[{source}]" if source else "\0"


def _literal(character: str) -> str:
    return "\\" + character if character in _SPECIAL else character


def _in_class(character: str) -> str:
    return "\\" + character if character in _SPECIAL_IN_CLASS else character
