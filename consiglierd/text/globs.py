"""Git-style path globs: matched here name by name, and as regular expressions for Tantivy's automata.

A glob may come from anybody, and Python's `re` tries again at every star: so a glob is not one
expression here. Matching costs at most the length of the glob times that of the path.
"""

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


class Glob:
    """A glob, ready to match; it names what the expression of `glob_source` matches whole."""

    def __init__(self, glob: str, *, ignores_case: bool = False) -> None:
        body = unicodedata.normalize("NFC", glob).removeprefix("./")
        names = body.strip("/").split("/")
        is_everything = names in ([""], ["."])
        if "/" not in body.rstrip("/"):
            names = ["**", *names]
        # Several of them in a row say no more than one.
        names = [name for name, before in zip(names, [None, *names], strict=False) if (name, before) != ("**", "**")]
        flags = re.DOTALL | re.IGNORECASE if ignores_case else re.DOTALL
        # None stands for "**", any number of names; for all names below, where it is the last.
        self._names = [None if name == "**" else re.compile(_atomic_source(name), flags) for name in names]
        self._is_everything = is_everything

    def matches(self, path: str) -> bool:
        """`path` is relative, "/"-separated, NFC."""
        if self._is_everything:
            return True
        places = {0}
        for name in path.split("/"):
            places = self._after(places, name)
            # What matches a folder names everything below it.
            if len(self._names) in places:
                return True
        return False

    def _after(self, places: set[int], name: str) -> set[int]:
        """How many names of the glob may be used up after one more name of the path."""
        last = len(self._names) - 1
        reached: set[int] = set()
        for start in places:
            place = start
            while place < last and self._names[place] is None:
                reached.add(place)
                place += 1
            pattern = self._names[place]
            if pattern is None or pattern.fullmatch(name):
                reached.add(place + 1)
        return reached


@lru_cache(maxsize=256)
def compiled_glob(glob: str) -> Glob:
    return Glob(glob)


def path_matches(path: str, glob: str) -> bool:
    """Whether a path, in whatever normal form the disk spells it, is named by a glob."""
    return compiled_glob(glob).matches(unicodedata.normalize("NFC", path))


def _atomic_source(name: str) -> str:
    """One name of a glob. The first place where the part between two stars can stand never loses a match, so it is
    taken for good."""
    first, *others = _parts_between_stars(name)
    if not others:
        return first
    *inner, last = others
    return first + "".join(f"(?>[^/]*?{part})" for part in inner) + f"[^/]*{last}"


def _name_source(name: str) -> str:
    """One name of a glob, as an expression that every engine reads."""
    return "[^/]*".join(_parts_between_stars(name))


def _parts_between_stars(name: str) -> list[str]:
    """Each an expression that matches texts of one length."""
    parts = [""]
    position = 0
    while position < len(name):
        character = name[position]
        position += 1
        if character == "*":
            while name[position : position + 1] == "*":
                position += 1
            parts.append("")
        elif character == "?":
            parts[-1] += "[^/]"
        elif character == "\\" and position < len(name):
            parts[-1] += _literal(name[position])
            position += 1
        elif bracket := _BRACKET.match(name, position - 1):
            parts[-1] += _class_source(bracket[1] != "", _MEMBER.findall(bracket[2]))
            position = bracket.end()
        else:
            parts[-1] += _literal(character)
    return parts


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
