"""Translated strings of programs, in the formats of XLIFF and of resources."""

import html
import re
from collections.abc import Iterator

from models.pairs import Pair, translations

_UNIT = re.compile(
    r"<source[^>]*>(.*?)</source>\s*<target state=\"(?:translated|final)\"[^>]*>(.*?)</target>", re.DOTALL
)
_RESOURCE = re.compile(r"<data name=\"([^\"]+)\"[^>]*>\s*<value>(.*?)</value>", re.DOTALL)
_PLACEHOLDER = re.compile(r"\{\d+[^}]*\}|<[^>]+>|^\w{2,8}\d{3,5}:\s*")


def xliff_pairs(text: str, source: str) -> Iterator[Pair]:
    """Where both sides stand in one file."""
    for english, korean in _UNIT.findall(text):
        yield from translations(_plain(korean), _plain(english), source)


def resource_pairs(korean_text: str, english_text: str, source: str) -> Iterator[Pair]:
    """Where each language has a file of its own, by the names of the strings."""
    english = dict(_RESOURCE.findall(english_text))
    for name, korean in _RESOURCE.findall(korean_text):
        yield from translations(_plain(korean), _plain(english.get(name, "")), source)


def _plain(text: str) -> str:
    return " ".join(_PLACEHOLDER.sub(" ", html.unescape(text)).split())
