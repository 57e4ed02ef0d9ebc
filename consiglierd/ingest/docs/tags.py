"""Tags of a section: roles, state, date, and what its document says of itself.

| source | tag |
|---|---|
| role | a role whose words stand in the section; the C-level and the worker of the file |
| state | the status, and the document's own word for it; `decided` for a rule that names who decided |
| date | the day and its month (`2026-03-28`, `2026-03`) |
| change_kind, severity, owner, memory_type, project, version, issue_id, item_id, adr_id | the metadata of that name |
| phase | `phase-2` |
| front_matter | every value of the front matter; lists, and texts under `tags` and the like, by their parts |
"""

import re
from collections.abc import Iterable

from consiglierd.ingest.docs.facts import Facts
from consiglierd.ingest.docs.front_matter import flatten
from consiglierd.ingest.docs.keywords import keyword_table
from consiglierd.ingest.docs.outline import Outline
from consiglierd.model.document import Tag
from consiglierd.model.rules import DocumentRules

_FROM_METADATA = (
    "change_kind", "severity", "owner", "memory_type", "project", "version", "issue_id", "item_id", "adr_id",
)  # fmt: skip
_LIST_KEYS = frozenset({"tags", "tag", "keywords", "categories", "category", "labels", "태그", "키워드", "분류"})
_LIST_BORDER = re.compile(r"[,;]")
_MAX_TAG_CHARACTERS = 120


def tags_of(
    file_type: str, words: str, facts: Facts, front_tags: Iterable[Tag], rules: DocumentRules
) -> tuple[Tag, ...]:
    """The tags of a section whose headings and text (NFC) are given; no name twice, no comma in a name."""
    metadata = facts.metadata
    tags = [Tag(role, "role") for role, _ in keyword_table(rules.role_words).find(words)]
    tags.extend(Tag(_clean(metadata[key]), "role") for key in ("c_level", "worker") if key in metadata)
    tags.extend(_state_tags(file_type, facts))
    if facts.date is not None:
        tags.extend((Tag(facts.date, "date"), Tag(facts.date[:7], "date")))
    tags.extend(Tag(_clean(metadata[key]), key) for key in _FROM_METADATA if key in metadata)
    if "phase" in metadata:
        tags.append(Tag(f"phase-{_clean(metadata['phase'])}", "phase"))
    tags.extend(front_tags)
    kept: dict[str, Tag] = {}
    for tag in tags:
        if tag.name:
            kept.setdefault(tag.name.lower(), tag)
    return tuple(kept.values())


def front_matter_tags(outline: Outline) -> tuple[Tag, ...]:
    """The values of the front matter as tags; long prose is none."""
    found: list[Tag] = []
    for key, value in flatten(outline.front_matter_values):
        parts = _LIST_BORDER.split(value) if key.strip().lower() in _LIST_KEYS else [value]
        found.extend(
            Tag(name, "front_matter") for part in parts if 0 < len(name := _clean(part)) <= _MAX_TAG_CHARACTERS
        )
    return tuple(found)


def _state_tags(file_type: str, facts: Facts) -> list[Tag]:
    tags = [] if facts.status == "active" else [Tag(facts.status, "state")]
    if (own := facts.metadata.get("status")) is not None and len(own) <= 40:
        tags.append(Tag(_clean(own), "state"))
    if file_type == "rules" and "decided_by" in facts.metadata:
        tags.append(Tag("decided", "state"))
    return tags


def _clean(name: str) -> str:
    """Tags are listed with commas between them, so none stands inside of one."""
    return " ".join(name.replace(",", " ").split())
