"""The kinds of values that a setting can have, with the check and the words for each."""

import re
from dataclasses import dataclass
from typing import assert_never

Value = bool | int | float | str | tuple[str, ...]

MAX_GLOB_CHARACTERS = 256
MAX_WILDCARDS = 12
MAX_WORD_CHARACTERS = 64
_CONTROL = re.compile(r"[\x00-\x1f\x7f]")


@dataclass(frozen=True, slots=True)
class Flag:
    """true or false."""


@dataclass(frozen=True, slots=True)
class Whole:
    """A whole number within bounds, both included."""

    low: int
    high: int


@dataclass(frozen=True, slots=True)
class Number:
    """A number within bounds, both included."""

    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Choice:
    """One of a few words."""

    words: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Line:
    """One line of text, not empty."""

    max_characters: int


@dataclass(frozen=True, slots=True)
class Globs:
    """A list of path patterns relative to the root."""

    max_items: int


@dataclass(frozen=True, slots=True)
class Words:
    """A list of literal words."""

    max_items: int


Kind = Flag | Whole | Number | Choice | Line | Globs | Words


@dataclass(frozen=True, slots=True)
class Wrong:
    """A value that is not of its kind: what was expected instead."""

    expected: str


def expectation_of(kind: Kind) -> str:
    """What a value of this kind looks like, to stand behind the word "expected"."""
    match kind:
        case Flag():
            return "true or false"
        case Whole(low, high):
            return f"a whole number from {low} to {high}"
        case Number(low, high):
            return f"a number from {low:g} to {high:g}"
        case Choice(words):
            return "one of " + ", ".join(f'"{word}"' for word in words)
        case Line(max_characters):
            return f"one line of text of at most {max_characters} characters"
        case Globs(max_items):
            return f"a list of at most {max_items} path patterns relative to the root"
        case Words(max_items):
            return f"a list of at most {max_items} words of at most {MAX_WORD_CHARACTERS} characters"
    assert_never(kind)


def check(kind: Kind, value: object) -> Value | Wrong:
    """The value as its kind has it, or what was expected."""
    match kind:
        case Flag():
            return value if isinstance(value, bool) else Wrong(expectation_of(kind))
        case Whole(low, high):
            if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
                return Wrong(expectation_of(kind))
            return value
        case Number(low, high):
            return _check_number(kind, value, low, high)
        case Choice(words):
            return value if isinstance(value, str) and value in words else Wrong(expectation_of(kind))
        case Line(max_characters):
            if not isinstance(value, str) or not _is_line(value, max_characters):
                return Wrong(expectation_of(kind))
            return value
        case Globs():
            return _check_globs(kind, value)
        case Words():
            return _check_words(kind, value)
    assert_never(kind)


def what_is_wrong_with_glob(glob: object) -> str | None:
    """Why this is not a path pattern that we take, or None; bounded, so that matching is cheap."""
    if not isinstance(glob, str) or not _is_line(glob, MAX_GLOB_CHARACTERS):
        return f"a path pattern of one to {MAX_GLOB_CHARACTERS} characters"
    if glob.startswith(("/", "~")) or "\\" in glob or re.match(r"[A-Za-z]:", glob):
        return 'a path pattern relative to the root, with "/" between folders'
    if ".." in glob.split("/"):
        return 'a path pattern that stays under the root (no "..")'
    if sum(glob.count(sign) for sign in "*?[") > MAX_WILDCARDS:
        return f"a path pattern with at most {MAX_WILDCARDS} wildcards"
    return None


def is_word(value: object) -> bool:
    """A literal: one line, not blank, not long."""
    return isinstance(value, str) and _is_line(value, MAX_WORD_CHARACTERS)


def _is_line(text: str, max_characters: int) -> bool:
    return 0 < len(text) <= max_characters and bool(text.strip()) and not _CONTROL.search(text)


def _check_number(kind: Number, value: object, low: float, high: float) -> float | Wrong:
    # TOML has nan and inf; nan fails both comparisons.
    if isinstance(value, bool) or not isinstance(value, int | float) or not low <= value <= high:
        return Wrong(expectation_of(kind))
    return float(value)


def _check_globs(kind: Globs, value: object) -> tuple[str, ...] | Wrong:
    if not isinstance(value, list) or len(value) > kind.max_items:
        return Wrong(expectation_of(kind))
    for glob in value:
        wrong = what_is_wrong_with_glob(glob)
        if wrong is not None:
            return Wrong(wrong)
    return tuple(value)


def _check_words(kind: Words, value: object) -> tuple[str, ...] | Wrong:
    if not isinstance(value, list) or len(value) > kind.max_items or not all(is_word(word) for word in value):
        return Wrong(expectation_of(kind))
    return tuple(value)
