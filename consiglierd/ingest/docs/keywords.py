"""Whether a keyword stands in a text as a word, as a part of an identifier, or before a Korean particle."""

import re
import unicodedata
from collections.abc import Iterable, Sequence
from functools import lru_cache

_PARTICLE = (
    "으로부터|에서부터|이라고는|에서는|에서도|에서의|으로는|으로도|으로의|에게는|에게서|이라는|이라고|이라면|까지는|까지도|"
    "부터는|보다는|처럼|만큼|한테|에게|에서|에는|에도|으로|로는|로도|로의|부터|까지|보다|마다|조차|밖에|대로|라는|라고|라면|"
    "이며|이고|이나|이란|이다|입니다|하고|께서|과의|와의|과는|와는|만을|만이|만의|"
    "은|는|이|가|을|를|의|에|와|과|로|도|만|나|란|며|인|뿐|들|들이|들을|들은|들의"
)
_PARTICLE_ENDS = re.compile(rf"(?:{_PARTICLE})(?![가-힣])")


class KeywordTable:
    """Labels and the keywords that give them, ready to be looked for in many texts."""

    def __init__(self, labelled: Iterable[tuple[str, Sequence[str]]]) -> None:
        self._labels: list[tuple[str, str, re.Pattern[str], str]] = []
        for label, keywords in labelled:
            for keyword in keywords:
                plain = unicodedata.normalize("NFC", keyword.strip())
                if plain:
                    pattern = re.compile(re.escape(plain), re.IGNORECASE)
                    self._labels.append((label, plain.lower(), pattern, keyword))

    def find(self, text: str) -> list[tuple[str, str]]:
        """(label, keyword) for each label that has a keyword in the text (NFC), once, by its first keyword."""
        lowered = text.lower()
        found: list[tuple[str, str]] = []
        seen = ""
        for label, low, pattern, keyword in self._labels:
            if (
                label != seen
                and low in lowered
                and any(_stands_alone(text, match.start(), match.end()) for match in pattern.finditer(text))
            ):
                found.append((label, keyword))
                seen = label
        return found


@lru_cache(maxsize=64)
def keyword_table(labelled: tuple[tuple[str, tuple[str, ...]], ...]) -> KeywordTable:
    """The table of some labels, built once for each set of rules."""
    return KeywordTable(labelled)


def composed(text: str) -> str:
    """The text in NFC, in which keywords are looked for."""
    if text.isascii() or unicodedata.is_normalized("NFC", text):
        return text
    return unicodedata.normalize("NFC", text)


def _stands_alone(text: str, start: int, end: int) -> bool:
    return _begins_word(text, start) and _ends_word(text, end)


def _begins_word(text: str, start: int) -> bool:
    if start == 0:
        return True
    before, first = text[start - 1], text[start]
    if not before.isalnum() or _is_hangul(before) != _is_hangul(first):
        return True
    if before.isdigit() != first.isdigit():
        return True
    if first.isupper():
        # fooBar begins a part at B, HTTPServer at S.
        return before.islower() or (before.isupper() and text[start + 1 : start + 2].islower())
    return False


def _ends_word(text: str, end: int) -> bool:
    if end == len(text):
        return True
    last, after = text[end - 1], text[end]
    if not after.isalnum():
        return True
    if _is_hangul(after):
        return not _is_hangul(last) or _PARTICLE_ENDS.match(text, end) is not None
    if _is_hangul(last) or after.isdigit() != last.isdigit():
        return True
    if after.isupper():
        return last.islower() or (last.isupper() and text[end + 1 : end + 2].islower())
    return False


def _is_hangul(character: str) -> bool:
    return "가" <= character <= "힣"
