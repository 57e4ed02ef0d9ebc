"""A chunk's text to the windows that are embedded, each with the chunk's title in front.

The length of a text is counted in units that hold for any model: a run of Latin letters, a run of
digits, up to two CJK characters, or any other mark. The best window of a chunk counts: one vector
of a long section says too little of each of its parts.
"""

import re
from collections.abc import Iterator

from consiglierd.embed.spec import BuiltBackend

# A sum of pieces says less the more there are of them; an encoder reads sentences. Measured: models/README.md for the
# bundled table, benchmarks/QUALITY.md for an encoder (multilingual-e5-small).
TABLE_UNITS = 48
ENCODER_UNITS = 128
TITLE_UNITS = 24
MAX_WINDOWS = 64

_CJK = "\u1100-\u11ff\u3041-\u30ff\u3131-\u318e\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7a3"
_UNIT = re.compile(rf"[{_CJK}]{{1,2}}|[^\W\d_{_CJK}]+|\d+|[^\w\s]|_+")
_WORD = re.compile(r"\S+")
_LONGEST_UNIT = 64


def units_of(backend: BuiltBackend) -> int:
    """How long the windows of a backend's models are."""
    return TABLE_UNITS if backend == "bundled" else ENCODER_UNITS


def fingerprint_of(units: int) -> str:
    """Equal for equal cutting."""
    return f"windows-1-{units}-{TITLE_UNITS}-{MAX_WINDOWS}"


def windows_of(title: str, text: str, size: int = TABLE_UNITS) -> list[str]:
    """At most MAX_WINDOWS windows of at most `size` units of `text`, the rest of which is left out.

    Every character of the text that is not white space lies in exactly one window. It is cut at white
    space, and inside a word only where the word is longer than a window. Without text the title stands alone.
    """
    head = next(_pieces(title, TITLE_UNITS), "")
    windows: list[str] = []
    for piece in _pieces(text, size):
        if len(windows) == MAX_WINDOWS:
            break
        windows.append(f"{head}\n{piece}" if head else piece)
    return windows or ([head] if head else [])


def _pieces(text: str, size: int) -> Iterator[str]:
    start = end = units = 0
    for word_start, word_end, word_units in _words(text, size):
        if units and units + word_units > size:
            yield text[start:end]
            start, units = word_start, 0
        elif not units:
            start = word_start
        end, units = word_end, units + word_units
    if units:
        yield text[start:end]


def _words(text: str, size: int) -> Iterator[tuple[int, int, int]]:
    """Where each word begins and ends, and its units; a word that is longer than a window comes in parts."""
    for word in _WORD.finditer(text):
        ends = [end for unit in _UNIT.finditer(text, *word.span()) for end in _ends_of(*unit.span())]
        # What is no unit (a lone combining mark) goes with the unit before it.
        ends = [*ends[:-1], word.end()] if ends else [word.end()]
        start = word.start()
        for at in range(0, len(ends), size):
            part = ends[at : at + size]
            yield start, part[-1], len(part)
            start = part[-1]


def _ends_of(start: int, end: int) -> Iterator[int]:
    """A unit that has no end of its own is cut."""
    yield from range(start + _LONGEST_UNIT, end, _LONGEST_UNIT)
    yield end
