"""Which lines of a long chunk to show: the window that holds most of what was asked for."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from consiglierd.search.score import ScoringModel
from consiglierd.text.analyzer import analyze, term_key

WHOLE_FILE_TYPES = frozenset({"dashboard", "memory", "gantt", "raci", "status"})
LONG_LINES = 60
WINDOW_LINES = 12
SHORT_WHOLE_LINES = 16
MAX_LINES = 20_000


@dataclass(frozen=True, slots=True)
class Passage:
    """Lines of a chunk, 0-based from its first line, end exclusive; `is_part` where it is not all of it."""

    start: int
    end: int
    is_part: bool


def passage_of(model: ScoringModel, file_type: str, lines: Sequence[str], *, full: bool) -> Passage:
    """The whole chunk, unless it is long: then the first window with the greatest sum of idf of distinct terms."""
    is_long = len(lines) > LONG_LINES or (file_type in WHOLE_FILE_TYPES and len(lines) > SHORT_WHOLE_LINES)
    if full or not is_long:
        return Passage(0, len(lines), False)
    idf = dict(zip(model.counted.tolist(), model.counted_idf.tolist(), strict=True))
    held = [
        {key for term in analyze(line) if (key := term_key(term)) in idf} if number < MAX_LINES else set()
        for number, line in enumerate(lines)
    ]
    start = _best_window(held, idf)
    end = min(len(lines), start + WINDOW_LINES)
    while start < end and not lines[start].strip():
        start += 1
    while end > start and not lines[end - 1].strip():
        end -= 1
    return Passage(start, end, True) if start < end else Passage(0, len(lines), False)


def _best_window(held: Sequence[set[int]], idf: dict[int, float]) -> int:
    counts: dict[int, int] = {}
    value, best, best_start = 0.0, -1.0, 0
    values = np.zeros(len(held))
    for number, keys in enumerate(held):
        for key in keys:
            counts[key] = counts.get(key, 0) + 1
            if counts[key] == 1:
                value += idf[key]
        if number >= WINDOW_LINES:
            for key in held[number - WINDOW_LINES]:
                counts[key] -= 1
                if counts[key] == 0:
                    value -= idf[key]
        values[number] = value
    for number in range(len(held)):
        # Rounded, so that the order in which floats were added and taken away decides nothing.
        if round(values[number], 6) > best:
            best, best_start = round(float(values[number]), 6), max(0, number - WINDOW_LINES + 1)
    return best_start
