"""Text to the pieces of a fixed vocabulary: the cut of each word that is most likely as a whole.

Kudo, "Subword Regularization" (2018): a unigram model, decoded by Viterbi. A text is first put into
NFKC, cut into runs of letters, digits and marks, at camelCase borders too, and folded; each run is
a word. A piece that begins a word begins with "▁".
"""

import re
import unicodedata
from collections.abc import Iterable, Sequence

START = "▁"
_RUN = re.compile(
    r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[가-힣]+|\d+|[^\W\d_A-Za-z가-힣]+|[^\w\s]"  # one kind of character a run
)
_CACHED_WORDS = 1 << 16
_CACHED_CHARACTERS = 32
_UNKNOWN_PENALTY = 10.0
_LONGEST_WORD = 200


def words_of(text: str) -> list[str]:
    """The words that are cut into pieces, folded, in order."""
    if not text.isascii():
        text = unicodedata.normalize("NFKC", text)
    return [word.casefold() for word in _RUN.findall(text)]


class PieceCutter:
    """Knows each piece by its position. Keeps what it cut before; may be used by several threads, each
    of which may cut a word again."""

    def __init__(self, pieces: Sequence[str], scores: Iterable[float]) -> None:
        self._known = {piece: (number, score) for number, (piece, score) in enumerate(zip(pieces, scores, strict=True))}
        self._start = self._known.get(START, (-1, 0.0))[0]
        self._longest = max(map(len, pieces), default=1)
        self._unknown = min((score for _, score in self._known.values()), default=0.0) - _UNKNOWN_PENALTY
        self._cut: dict[str, tuple[int, ...]] = {}

    def numbers_of(self, text: str) -> list[int]:
        """The pieces of a text, in order; characters that no piece covers are left out."""
        found: list[int] = []
        for word in words_of(text):
            cut = self._cut.get(word)
            found.extend(self._numbers_of_word(word) if cut is None else cut)
        return found

    def _numbers_of_word(self, word: str) -> tuple[int, ...]:
        cut = tuple(
            number
            for start in range(0, len(word), _LONGEST_WORD)
            for number in self._best_cut(START + word[start : start + _LONGEST_WORD])
        )
        if len(word) <= _CACHED_CHARACTERS:
            if len(self._cut) >= _CACHED_WORDS:
                self._cut = {}
            self._cut[word] = cut
        return cut

    def _best_cut(self, word: str) -> list[int]:
        best = [0.0] + [float("-inf")] * len(word)
        came_by: list[tuple[int, int]] = [(0, -1)] * (len(word) + 1)
        for start in range(len(word)):
            score = best[start]
            is_covered = False
            for end in range(start + 1, min(len(word), start + self._longest) + 1):
                piece = self._known.get(word[start:end])
                if piece is None:
                    continue
                is_covered = is_covered or end == start + 1
                if score + piece[1] > best[end]:
                    best[end], came_by[end] = score + piece[1], (start, piece[0])
            if not is_covered and score + self._unknown > best[start + 1]:
                best[start + 1], came_by[start + 1] = score + self._unknown, (start, -1)
        found = []
        end = len(word)
        while end > 0:
            start, number = came_by[end]
            if number >= 0:
                found.append(number)
            end = start
        # A beginning of which nothing is known would make all unknown words alike.
        return [] if found == [self._start] else found[::-1]
