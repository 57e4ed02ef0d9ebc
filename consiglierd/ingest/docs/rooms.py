"""Soft topics of a section, by the keywords in it and by the type of its document."""

from collections.abc import Mapping

from consiglierd.ingest.docs.keywords import keyword_table
from consiglierd.model.document import RoomMark
from consiglierd.model.rules import DocumentRules

ROOM_BY_TYPE: Mapping[str, str] = {
    "spec": "architecture",
    "wbs": "architecture",
    "raci": "architecture",
    "adr": "architecture",
    "tech-debt": "architecture",
    "gantt": "history",
    "status": "history",
    "risk": "security",
}
# Documents that only one role may see, when a call names a role.
PRIVATE_TYPES: Mapping[str, str] = {"budget": "cfo", "gtm": "cmo"}


def rooms_of(file_type: str, words: str, rules: DocumentRules) -> tuple[RoomMark, ...]:
    """The rooms of a section whose headings and text (NFC) are given; tasks belong to every room."""
    marks: list[RoomMark] = []
    if file_type in ROOM_BY_TYPE:
        marks.append(RoomMark(ROOM_BY_TYPE[file_type], f"type:{file_type}"))
    elif file_type == "tasks":
        marks.extend(RoomMark(room, "type:tasks") for room, _ in rules.rooms)
    for room, keyword in keyword_table(rules.rooms).find(words):
        marks.append(RoomMark(room, f"keyword:{keyword}"))
    return tuple(marks)
