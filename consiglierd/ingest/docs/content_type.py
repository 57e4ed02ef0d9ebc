"""The type of a document whose path does not tell it, by what stands in it."""

import re

from consiglierd.ingest.docs.items import ITEM_ID, record_headings
from consiglierd.ingest.docs.outline import Outline
from consiglierd.ingest.docs.types import FILE_TYPES

_RELEASE = re.compile(
    r"(?:\[?v?\d+\.\d+(?:\.\d+)?(?:[-+][\w.]+)?\]?(?:\s|\(|$)|\[?unreleased\]?|\[\d{4}[-./]\d{1,2}[-./]\d{1,2}\])",
    re.IGNORECASE,
)
_CHANGELOG_TITLE = re.compile(r"change\s?log|release notes|변경 ?이력|변경 ?기록|릴리스 ?노트", re.IGNORECASE)
_ADR_STATES = re.compile(r"(?:proposed|accepted|rejected|deprecated|superseded)\b", re.IGNORECASE)
_SHARE = 0.8


def type_by_content(outline: Outline) -> str | None:
    """The type where front matter names it or the headings leave no doubt, else None."""
    front = outline.front_matter_values
    for key in ("file_type", "doc_type", "type"):
        named = front.get(key)
        if isinstance(named, str) and named.strip().lower() in FILE_TYPES:
            return named.strip().lower()
    titles = [heading.text for heading in outline.headings if heading.level == 1]
    seconds = [heading.text for heading in outline.headings if heading.level == 2]
    needed = 1 if titles and _CHANGELOG_TITLE.search(titles[0]) else 2
    if _most_match(_RELEASE, seconds, needed):
        return "changelog"
    if _most_match(ITEM_ID["issues"], seconds, 2):
        return "issues"
    if _is_decision_record(outline):
        return "adr"
    return None


def _most_match(pattern: re.Pattern[str], texts: list[str], needed: int) -> bool:
    matching = sum(1 for text in texts if pattern.match(text))
    return matching >= needed and matching >= _SHARE * len(texts)


def _is_decision_record(outline: Outline) -> bool:
    headings = {heading.text.strip().lower() for heading in outline.headings}
    status = outline.front_matter_values.get("status")
    has_state = isinstance(status, str) and _ADR_STATES.match(status.strip()) is not None
    if "context and problem statement" in headings or "decision outcome" in headings:
        return has_state or record_headings(outline) >= 2
    return {"status", "context", "decision"} <= headings or (
        {"상태", "결정"} <= headings and bool(headings & {"맥락", "배경"})
    )
