"""A table of measurements that is printed row by row, as they come."""

import statistics
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

_WIDTHS = (58, 30, 34, 40)


@dataclass(frozen=True, slots=True)
class Row:
    """What was measured, what is aimed at, what came out, and what stood beside it in the same run."""

    what: str
    target: str
    measured: str
    beside: str = ""


def print_head() -> None:
    print_row(Row("what", "target", "measured", "beside it, in this run"))
    print("-" * (sum(_WIDTHS) + 3 * (len(_WIDTHS) - 1)), flush=True)


def print_row(row: Row) -> None:
    cells = (row.what, row.target, row.measured, row.beside)
    print(" | ".join(_padded(cell, width) for cell, width in zip(cells, _WIDTHS, strict=True)).rstrip(), flush=True)


def median(values: Sequence[float]) -> float:
    return statistics.median(values)


def quantile(values: Iterable[float], share: float) -> float:
    """The value that `share` of all do not exceed (nearest rank)."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))]


def spread_ms(values_s: Sequence[float], share: float = 0.99) -> str:
    """Median and a high quantile of seconds, as `2.1 (p99 7.9) ms`."""
    return f"{median(values_s) * 1e3:.1f} (p{share * 100:.0f} {quantile(values_s, share) * 1e3:.1f}) ms"


def _padded(text: str, width: int) -> str:
    shown = sum(2 if unicodedata.east_asian_width(character) in "WF" else 1 for character in text)
    return text + " " * max(0, width - shown)
