"""Translated strings of gettext catalogues."""

import ast
import re
from collections.abc import Iterator

from models.pairs import Pair, translations

_ROLE = re.compile(r":[\w:+-]+:`~?([^`<]*?)(?:\s*<[^`]*>)?`")
_MARKS = re.compile(r"[`*|]+|\\ ")


def po_pairs(text: str, source: str) -> Iterator[Pair]:
    for entry in re.split(r"\n\s*\n", text):
        if "#, fuzzy" in entry:
            continue
        english, korean = _string(entry, "msgid"), _string(entry, "msgstr")
        if english and korean:
            yield from translations(_plain(korean), _plain(english), source)


def _string(entry: str, keyword: str) -> str:
    found = re.search(rf'^{keyword} ((?:".*"\n?)+)', entry, re.MULTILINE)
    if found is None:
        return ""
    try:
        return "".join(ast.literal_eval(line) for line in found[1].splitlines() if line.startswith('"'))
    except (SyntaxError, ValueError):
        return ""


def _plain(text: str) -> str:
    return " ".join(_MARKS.sub(" ", _ROLE.sub(r"\1", text)).split())
