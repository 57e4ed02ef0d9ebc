"""The type of a document whose path does not tell it, by what stands in it."""

import re
from collections.abc import Sequence

from consiglierd.ingest.docs.outline import Outline

_CHANGELOG_HEADING = re.compile(r"^\[?(?:v?\d+\.\d+\.\d+|unreleased|\d{4}-\d{2}-\d{2})\]?(?:\s|$)", re.IGNORECASE)
_ISSUE_HEADING = re.compile(r"^ISSUE-\d+\s*:", re.IGNORECASE)
_ADR_HEADINGS = frozenset({"context and problem statement", "decision outcome", "considered options"})


def type_by_content(lines: Sequence[str], outline: Outline) -> str | None:
    """`changelog`, `issues` or `adr` where the headings leave no doubt, else None."""
    headings = [heading.text.strip() for heading in outline.headings]
    seconds = [heading.text.strip() for heading in outline.headings if heading.level == 2]
    if len(seconds) >= 2:
        if all(_ISSUE_HEADING.match(text) for text in seconds):
            return "issues"
        if all(_CHANGELOG_HEADING.match(text) for text in seconds):
            return "changelog"
    if len(_ADR_HEADINGS & {text.lower() for text in headings}) >= 2:
        return "adr"
    return None
