"""Soft topics and tags of a section: by keywords, by the type of its document, by what it says of itself."""

import re
from collections.abc import Iterable, Mapping
from functools import lru_cache

from consiglierd.model.document import RoomMark, Tag
from consiglierd.model.rules import DocumentRules

ROOMS_BY_TYPE = {
    "spec": "architecture",
    "wbs": "architecture",
    "raci": "architecture",
    "adr": "architecture",
    "tech-debt": "architecture",
    "gantt": "history",
    "status": "history",
    "risk": "security",
}
PRIVATE_TYPES = {"budget": "cfo", "gtm": "cmo"}
_ASCII_RUN = re.compile(r"[a-z]+[0-9]*|[0-9]+")
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_TAG_SPLIT = re.compile(r"[,;\n]")
MAX_FRONT_TAGS = 64


@lru_cache(maxsize=16)
def _keywords(rules: DocumentRules) -> tuple[tuple[str, str, re.Pattern[str]], ...]:
    return tuple((room, word, _keyword_pattern(word)) for room, words in rules.rooms for word in words)


@lru_cache(maxsize=16)
def _role_words(rules: DocumentRules) -> tuple[tuple[str, str, re.Pattern[str]], ...]:
    return tuple((role, word, _keyword_pattern(word)) for role, words in rules.role_words for word in words)


def _keyword_pattern(word: str) -> re.Pattern[str]:
    """A whole word or identifier part, case ignored; Korean may follow (`auth를`), as a particle does.

    A Korean keyword may stand inside a longer Korean word, since Korean is written with its
    particles and often without spaces.
    """
    folded = re.escape(word.lower())
    before = r"(?<![a-z0-9])" if word[:1].isascii() else ""
    after = r"(?![a-z0-9])" if word[-1:].isascii() else ""
    return re.compile(before + folded + after)


def searchable(text: str) -> str:
    """The text in lower case, with identifiers also taken apart (`getAuthToken` holds `auth`)."""
    return _CAMEL.sub(" ", text).lower() + "\n" + text.lower()


def rooms_of(file_type: str, words: str, rules: DocumentRules) -> tuple[RoomMark, ...]:
    """The rooms of a section whose `searchable` text is given; tasks belong to every room."""
    marks: list[RoomMark] = []
    if file_type in ROOMS_BY_TYPE:
        marks.append(RoomMark(ROOMS_BY_TYPE[file_type], f"type:{file_type}"))
    if file_type == "tasks":
        marks.extend(RoomMark(room, "type:tasks") for room, _ in rules.rooms)
    if file_type not in PRIVATE_TYPES:
        marks.extend(
            RoomMark(room, f"keyword:{word}") for room, word, pattern in _keywords(rules) if pattern.search(words)
        )
    return tuple(dict.fromkeys(marks))


def tags_of(
    words: str,
    date: str | None,
    status: str,
    metadata: Mapping[str, str],
    front: Mapping[str, object],
    rules: DocumentRules,
) -> tuple[Tag, ...]:
    """Roles, state, date and kind of a section, and the values of the front matter."""
    tags = [Tag(role, "role") for role, _, pattern in _role_words(rules) if pattern.search(words)]
    if status != "active":
        tags.append(Tag(status, "state"))
    if date is not None:
        tags.extend((Tag(date, "date"), Tag(date[:7], "date")))
    for key in ("change_kind", "severity", "c_level", "project", "owner", "memory_type", "issue_id", "version"):
        if key in metadata:
            tags.append(Tag(_clean(metadata[key]), key))
    tags.extend(Tag(value, "front_matter") for value in front_values(front))
    return tuple(dict.fromkeys(tag for tag in tags if tag.name))


def front_values(front: Mapping[str, object]) -> list[str]:
    """Every value that the front matter names, flat; long prose is no tag."""
    found: list[str] = []

    def add(value: object) -> None:
        if isinstance(value, Mapping):
            for each in value.values():
                add(each)
        elif isinstance(value, str):
            found.extend(_clean(part) for part in _TAG_SPLIT.split(value) if 0 < len(part.strip()) <= 64)
        elif isinstance(value, Iterable):
            for each in value:
                add(each)
        elif value is not None:
            found.append(_clean(str(value)))

    for value in front.values():
        add(value)
    return [value for value in dict.fromkeys(found) if value][:MAX_FRONT_TAGS]


def _clean(name: str) -> str:
    """Tags are listed with commas between them, so none stands inside of one."""
    return " ".join(name.replace(",", " ").lower().split())
