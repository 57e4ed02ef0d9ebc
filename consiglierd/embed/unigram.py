"""Text to piece numbers, as SentencePiece's unigram model does it."""

import re
from functools import lru_cache

from consiglierd.embed.packed_e5 import Pieces

SPACE = "▁"
# An unknown character costs this much more than the worst piece.
_UNKNOWN_PENALTY = 10.0
_KEPT_WORDS = 20_000
# A run without a space is cut here: the search below takes time in its length, and tokens beyond the
# model's window are dropped anyway.
_MAX_WORD = 2_000
_SPACES = re.compile(" {2,}")


class UnigramTokenizer:
    """No piece has a space but at its start, so that words can be cut one by one, and remembered."""

    def __init__(self, pieces: Pieces) -> None:
        self._numbers = pieces.numbers
        self._scores = pieces.scores.tolist()
        self._text_by_code = dict(pieces.text_by_code)
        self._unknown = pieces.unknown
        self._unknown_score = min(self._scores) - _UNKNOWN_PENALTY
        self._longest = max(map(len, pieces.numbers))
        self._numbers_of_word = lru_cache(_KEPT_WORDS)(self._cut)

    def numbers_of(self, text: str, limit: int) -> list[int]:
        """The first `limit` pieces of the text, without the marks of begin and end."""
        spaced = _SPACES.sub(" ", text.translate(self._text_by_code))
        numbers: list[int] = []
        for word in (spaced if spaced.startswith(" ") else f" {spaced}").split(" ")[1:]:
            numbers += self._numbers_of_word(SPACE + word[:_MAX_WORD])
            if len(numbers) >= limit:
                return numbers[:limit]
        return numbers

    def _cut(self, word: str) -> tuple[int, ...]:
        """The pieces of the highest sum of scores (Viterbi)."""
        length = len(word)
        best = [0.0] + [float("-inf")] * length
        came_from: list[tuple[int, int]] = [(0, self._unknown)] * (length + 1)
        for start in range(length):
            for end in range(start + 1, min(length, start + self._longest) + 1):
                number = self._numbers.get(word[start:end])
                if number is not None:
                    score = best[start] + self._scores[number]
                    if score > best[end]:
                        best[end] = score
                        came_from[end] = (start, number)
            if best[start] + self._unknown_score > best[start + 1]:
                best[start + 1] = best[start] + self._unknown_score
                came_from[start + 1] = (start, self._unknown)
        numbers: list[int] = []
        end = length
        while end > 0:
            end, number = came_from[end]
            numbers.append(number)
        return tuple(reversed(numbers))
