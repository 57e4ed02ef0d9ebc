"""A plain BM25 over words and Hangul bigrams, in numpy: what the ranking is compared with on the same questions.

One field, k1 1.2, b 0.75, the idf of Lucene. A Latin word gives itself and, where camelCase cuts it,
its parts; a Hangul word gives its bigrams and itself. Nothing of the product is used.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

K1 = 1.2
B = 0.75
_NOWHERE = np.zeros(0, dtype=np.int64)
_WORD = re.compile(r"[A-Za-z0-9_]+|[가-힣]+")
_PART = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")


def words(text: str) -> list[str]:
    """The terms of a text, with repeats."""
    found: list[str] = []
    for word in _WORD.findall(text):
        found.append(word.lower())
        if "가" <= word[0] <= "힣":
            found.extend(word[at : at + 2] for at in range(len(word) - 1) if len(word) > 2)
        elif len(parts := _PART.findall(word)) > 1:
            found.extend(part.lower() for part in parts)
    return found


class PlainBm25:
    """Holds the texts of a corpus; `search` gives the positions of the best, the first of equals first."""

    def __init__(self, texts: Sequence[str]) -> None:
        postings: dict[str, list[tuple[int, int]]] = defaultdict(list)
        lengths = np.zeros(len(texts), dtype=np.float64)
        for position, text in enumerate(texts):
            counted = Counter(words(text))
            lengths[position] = counted.total()
            for word, count in counted.items():
                postings[word].append((position, count))
        self._norm = K1 * (1 - B + B * lengths / max(1.0, float(lengths.mean())))
        self._postings = {word: np.array(each, dtype=np.int64).T for word, each in postings.items()}

    def scores(self, question: str) -> tuple[NDArray[np.float64], float]:
        """Of every text, and the most that any text could have."""
        scores: NDArray[np.float64] = np.zeros(len(self._norm))
        attainable = 0.0
        for word in words(question):
            where, counts = self._postings.get(word, (_NOWHERE, _NOWHERE))
            idf = float(np.log1p((len(scores) - len(where) + 0.5) / (len(where) + 0.5)))
            attainable += idf * (K1 + 1)
            scores[where] += idf * counts * (K1 + 1) / (counts + self._norm[where])
        return scores, attainable

    def search(self, question: str, top: int) -> list[int]:
        scores = self.scores(question)[0]
        best = np.argsort(-scores, kind="stable")[:top].tolist()
        return [position for position in best if scores[position] > 0]
