"""What is learned from: pairs of texts that should lie near each other."""

import re
from dataclasses import dataclass
from typing import Literal

Kind = Literal["translation", "korean", "english", "crossed", "code", "context"]

_HANGUL = re.compile("[가-힣]")
_LETTERS = re.compile("[A-Za-z가-힣]")


@dataclass(frozen=True, slots=True)
class Pair:
    """`question` is the shorter side where one is: a heading, a docstring, a translated line."""

    kind: Kind
    question: str
    answer: str
    source: str


def is_korean(text: str) -> bool:
    """Whether a fifth of its letters are Hangul."""
    letters = len(_LETTERS.findall(text))
    return letters > 0 and len(_HANGUL.findall(text)) * 5 >= letters


def is_english(text: str) -> bool:
    return not _HANGUL.search(text) and len(_LETTERS.findall(text)) >= 3


def translations(korean: str, english: str, source: str) -> list[Pair]:
    """One pair, or none where they can hardly be the same in two languages."""
    korean, english = korean.strip(), english.strip()
    if not (is_korean(korean) and is_english(english)):
        return []
    if not 0.2 <= len(korean) / len(english) <= 1.6 or len(english) < 8:
        return []
    return [Pair("translation", korean, english, source)]
