"""Makes a project of documents to measure on: Korean and English mixed, words by Zipf's law, from a seed."""

import bisect
import random
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import accumulate
from pathlib import Path

SECTIONS_A_FILE = 10
WORDS_A_SECTION = 60
KOREAN_WORDS = 24_000
ENGLISH_WORDS = 16_000
ZIPF_EXPONENT = 1.05

# Syllables by the rule of their code points: 19 initials, the eight commonest vowels, five finals (none
# thrice as often). As many as ordinary Korean text uses, so that bigrams are as rare as they are there.
_VOWEL_NUMBERS, _FINAL_NUMBERS = (0, 1, 4, 5, 8, 13, 18, 20), (0, 0, 0, 4, 8, 16, 21)
_SYLLABLES = [
    chr(0xAC00 + (initial * 21 + vowel) * 28 + final)
    for initial in range(19)
    for vowel in _VOWEL_NUMBERS
    for final in _FINAL_NUMBERS
]
_ENDINGS = ("", "", "", "을", "를", "이", "가", "에서", "으로", "하고", "했다")
_CONSONANTS, _VOWELS = "bcdfghklmnprstvz", "aeiou"


@dataclass(frozen=True, slots=True)
class Section:
    """One `##` section: what stands in the file."""

    heading: str
    body: str


class Words:
    """Draws words; the same seed draws the same ones on every machine."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)
        self._korean = [self._make_korean() for _ in range(KOREAN_WORDS)]
        self._english = [self._make_english() for _ in range(ENGLISH_WORDS)]
        self._weights = {
            len(words): list(accumulate(1 / (rank + 2) ** ZIPF_EXPONENT for rank in range(len(words))))
            for words in (self._korean, self._english)
        }

    def draw(self, count: int) -> list[str]:
        """Two words in three are Korean, with or without a particle."""
        return [self._one() for _ in range(count)]

    def pick(self, choices: list[str], count: int) -> list[str]:
        return self._random.sample(choices, min(count, len(choices)))

    def _one(self) -> str:
        if self._random.random() < 0.66:
            return self._by_rank(self._korean) + self._random.choice(_ENDINGS)
        return self._by_rank(self._english)

    def _by_rank(self, words: list[str]) -> str:
        weights = self._weights[len(words)]
        return words[bisect.bisect(weights, self._random.random() * weights[-1], 0, len(words) - 1)]

    def _make_korean(self) -> str:
        return "".join(self._random.choices(_SYLLABLES, k=self._random.randint(2, 4)))

    def _make_english(self) -> str:
        pairs = range(self._random.randint(2, 4))
        return "".join(self._random.choice(_CONSONANTS) + self._random.choice(_VOWELS) for _ in pairs)


def sections(count: int, seed: int = 1) -> Iterator[Section]:
    """`count` sections, the same for the same seed."""
    words = Words(seed)
    for number in range(count):
        heading = f"{number} " + " ".join(words.draw(4))
        drawn = words.draw(WORDS_A_SECTION)
        lines = [" ".join(drawn[start : start + 12]) for start in range(0, len(drawn), 12)]
        yield Section(heading, "\n".join(lines))


def write_project(root: Path, count: int, seed: int = 1) -> None:
    """Writes `count` sections as Markdown files of ten sections, a hundred files a folder."""
    batch: list[Section] = []
    number = 0
    for section in sections(count, seed):
        batch.append(section)
        if len(batch) == SECTIONS_A_FILE:
            _write_file(root, number, batch)
            batch, number = [], number + 1
    if batch:
        _write_file(root, number, batch)


def questions(count: int, sections_in_project: int, seed: int = 1) -> list[str]:
    """Questions of two to four words that stand together in some section of the project of that seed."""
    chooser = random.Random(seed + 1)
    step = max(1, sections_in_project // count)
    asked: list[str] = []
    for number, section in enumerate(sections(sections_in_project, seed)):
        if number % step == 0 and len(asked) < count:
            asked.append(" ".join(chooser.sample(section.body.split(), chooser.randint(2, 4))))
    chooser.shuffle(asked)
    return asked


def _write_file(root: Path, number: int, batch: list[Section]) -> None:
    path = root / "docs" / f"{number // 100:04}" / f"note-{number:06}.md"
    path.parent.mkdir(parents=True, exist_ok=True)
    text = "\n\n".join(f"## {section.heading}\n\n{section.body}" for section in batch)
    path.write_text(text + "\n", encoding="utf-8")
