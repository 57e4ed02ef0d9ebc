"""Two words that stand side by side, as a term: a text that holds them so is more likely to be about both.

There are far too many pairs to count each by itself, so each is one of PAIR_TERMS: one that shares its term with
another is weighed as often as that. A question's pair stands by chance in about one of two thousand texts.
"""

import re
import zlib
from collections.abc import Iterable, Sequence
from functools import lru_cache
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

CJK = (
    "\u1100-\u11ff\u3005-\u3007\u3031-\u3035\u3041-\u30ff\u3131-\u318e\u31f0-\u31ff\u3400-\u4dbf"
    "\u4e00-\u9fff\ua960-\ua97f\uac00-\ud7ff\uf900-\ufaff\U00020000-\U0003ffff"
)
PAIR_TERMS = 1 << 18

_SHIFT = np.uint64(64 - (PAIR_TERMS - 1).bit_length())
_LONGEST_TOKEN = 64
_LONGEST_HALF = 31
_SHORTEST_HALF = 2
_LEADING_CJK = re.compile(f"[{CJK}]+")
_LEADING_WORD = re.compile(f"[^{CJK}]+")
# Odd numbers of 32 bits with well mixed digits.
_OF_FIRST, _OF_BOTH = np.uint64(0x9E3779B1), np.uint64(0x85EBCA6B)
_WORD_BITS = np.uint64(0xFFFFFFFF)


def pairs_of(tokens: Iterable[str]) -> list[str]:
    """The pairs of tokens that follow one another, as terms with a space in them.

    Of a CJK token its first two characters stand for it, which its particles leave alone; of another its leading
    word. A single character and a number are no half of a pair.
    """
    cut = [token[:_LONGEST_TOKEN] for token in tokens]
    # Halves that share a number are taken for the same, as they are by `pair_keys`.
    halves = [(_half(token), _number(token)) for token in cut]
    return [f"{one} {two}" for (one, first), (two, second) in pairwise(halves) if one and two and first != second]


def pair_key(pair: str) -> int:
    """The key of a pair of `pairs_of`."""
    numbers = [zlib.crc32(half.encode("utf-8", "surrogatepass")) for half in pair.split(" ")]
    return int(_keys(np.array(numbers, dtype=np.uint64))[0])


def pair_keys(tokens: Sequence[str]) -> list[int]:
    """The keys of `pairs_of`, made quickly."""
    numbers = np.array([_number(token[:_LONGEST_TOKEN]) for token in tokens], dtype=np.int64)
    first, second = numbers[:-1], numbers[1:]
    is_pair = (first >= 0) & (second >= 0) & (first != second)
    kept: list[int] = _keys(numbers.astype(np.uint64))[is_pair].tolist()
    return kept


def _keys(numbers: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """One for each two numbers that follow one another: a term in the leading bits, never that of a word."""
    mixed = ((numbers[:-1] * _OF_FIRST + numbers[1:]) & _WORD_BITS) * _OF_BOTH & _WORD_BITS
    terms = mixed >> np.uint64(32 - (PAIR_TERMS - 1).bit_length())
    keys: NDArray[np.uint64] = (terms << _SHIFT) | np.uint64(1)
    return keys


@lru_cache(maxsize=1 << 15)
def _half(token: str) -> str:
    """What stands for a token in a pair; empty for one that is no half of any."""
    if cjk := _LEADING_CJK.match(token):
        return cjk[0][:_SHORTEST_HALF] if len(cjk[0]) >= _SHORTEST_HALF else ""
    word = _LEADING_WORD.match(token)
    folded = word[0].casefold()[:_LONGEST_HALF] if word else ""
    return folded if len(folded) >= _SHORTEST_HALF and folded[0].isalpha() else ""


@lru_cache(maxsize=1 << 15)
def _number(token: str) -> int:
    half = _half(token)
    return zlib.crc32(half.encode("utf-8", "surrogatepass")) if half else -1
