"""Dates as people write them in documents, as ISO days."""

import re
from datetime import date

_ISO_LIKE = r"(?<![\d.\-/])((?:19|20)\d\d)\s?([-./])\s?(\d{1,2})\s?\2\s?(\d{1,2})(?![\d])(?!\2\d)"
_KOREAN = r"(?<!\d)((?:19|20)\d\d)년\s?(\d{1,2})월\s?(\d{1,2})일"
_DATE = re.compile(f"{_ISO_LIKE}|{_KOREAN}")


def dates_in(text: str) -> list[str]:
    """Every date of a text as YYYY-MM-DD, in order, repeated where it is repeated; no such day, no date."""
    found = []
    for match in _DATE.finditer(text):
        year, _, month, day, korean_year, korean_month, korean_day = match.groups()
        iso = _iso(year or korean_year, month or korean_month, day or korean_day)
        if iso is not None:
            found.append(iso)
    return found


def first_date_in(text: str) -> str | None:
    """The first date of a text as YYYY-MM-DD, or None."""
    for match in _DATE.finditer(text):
        year, _, month, day, korean_year, korean_month, korean_day = match.groups()
        iso = _iso(year or korean_year, month or korean_month, day or korean_day)
        if iso is not None:
            return iso
    return None


def _iso(year: str, month: str, day: str) -> str | None:
    try:
        return date(int(year), int(month), int(day)).isoformat()
    except ValueError:
        return None


def without_dates(text: str) -> str:
    """The text with a space where a date stood."""
    return _DATE.sub(" ", text)
