"""What a section says of itself: its date, its status, and metadata by the type of its document.

| type | keys of the metadata |
|---|---|
| every | from the path `project`, `c_level`, `worker`, `adr_id`, `path_date`; the front matter; `status` (own word) |
| changelog | `version`, `change_kind` (decision or implementation) |
| issues | `issue_id`, `severity`, `owner` |
| rules | `decided_by` |
| workflow | `step` |
| dashboard | `current_state` |
| memory | `memory_type` |
| spec, budget, gtm | `phase`, `issued`, `category`, `channel` |
| wbs | `task_number`, `task_level` |
| gantt | `timeline` (first and last date) |
| raci | `people` (the columns of the matrix) |
| status | `percent_done` |
| risk, tech-debt | `item_id`, `severity`, `owner` |
| adr | `adr_id`, `superseded_by`, `decided_by` |
| tasks | `owner`, `due`, `done` (true or false) |

The names of fields in the text are those of `fields`; words of states those of `states`.
"""

from bisect import bisect_left
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from consiglierd.ingest.docs.cut import Piece
from consiglierd.ingest.docs.dates import first_date_in
from consiglierd.ingest.docs.fields import fields_in, fields_of_row, table_cells
from consiglierd.ingest.docs.front_matter import flatten
from consiglierd.ingest.docs.outline import Outline
from consiglierd.ingest.docs.readers import READERS, Unit
from consiglierd.ingest.docs.states import known_state, state_in_heading, state_of
from consiglierd.ingest.docs.types import C_LEVELS, GENERAL

_HEAD_LINES = 60
_GENERAL_HEAD_LINES = 12
_VALUE_CHARACTERS = 200
_ID_STATES = frozenset({"issues", "risk", "tech-debt"})
# The dates of a type's fields, best first; where none is told, the first date of an item's text.
_DATE_FIELDS: Mapping[str, tuple[str, ...]] = {
    "issues": ("date", "decided", "updated", "closed"),
    "spec": ("issued", "date", "updated"),
    "adr": ("decided", "date", "updated"),
    "rules": ("decided", "date"),
    "tasks": ("date", "closed", "updated"),
    "status": ("updated", "date"),
    "dashboard": ("updated", "date"),
    "gantt": ("updated", "date"),
    "risk": ("updated", "date", "closed"),
}
_ANY_DATE = ("date", "decided", "issued", "updated", "closed")
_OWN_DATE_ONLY = frozenset({"changelog", "issues", "rules"})
_OWN_STATUS_ONLY = frozenset({"changelog", "issues", "tasks", "risk", "tech-debt", "checklist", "dashboard"})
_FIELDS_BY_TYPE: Mapping[str, tuple[str, ...]] = {
    "issues": ("severity", "owner"),
    "rules": ("decided_by",),
    "spec": ("phase", "author"),
    "budget": ("phase", "category"),
    "gtm": ("phase", "channel"),
    "risk": ("severity", "owner"),
    "tech-debt": ("severity", "owner"),
    "adr": ("decided_by",),
    "tasks": ("owner",),
    "status": ("phase",),
    "gantt": ("phase",),
    "dashboard": ("phase", "current_state"),
}


@dataclass(frozen=True, slots=True)
class Facts:
    """`date` is an ISO day; `status` "active" unless the document says otherwise; the rest as tabled above."""

    date: str | None
    status: str
    metadata: Mapping[str, str]


class FactReader:
    """Reads the sections of one document; what its head says holds for all of them."""

    def __init__(
        self,
        file_type: str,
        lines: Sequence[str],
        outline: Outline,
        path_facts: Mapping[str, str],
        head: tuple[int, int],
    ) -> None:
        self._file_type = file_type
        self._lines = lines
        self._silent = _silent_ranges(outline)
        self._front: dict[str, str] = {}
        for key, value in flatten(outline.front_matter_values):
            name = key.strip().lower()
            told = f"{self._front[name]}, {value}" if name in self._front else value
            self._front[name] = told[:_VALUE_CHARACTERS]
        self._head = fields_in(self._prose(*head)[:_HEAD_LINES])
        # A plain text often bears its date in its first line, which is its title in all but form.
        first_line = next((line for line in lines if line.strip()), "")
        self._untitled_first_line = "" if outline.headings else first_line[:_VALUE_CHARACTERS]
        self._path_facts = path_facts
        self._read: dict[tuple[int, int], Facts] = {}

    def facts_of(self, piece: Piece) -> Facts:
        """The facts of the section or item that a piece belongs to."""
        facts = self._read.get(piece.unit)
        if facts is None:
            facts = self._read[piece.unit] = self._facts_of_unit(piece)
        return facts

    def _facts_of_unit(self, piece: Piece) -> Facts:
        kind = self._file_type
        # A chart's dates stand in its fence.
        start, end = piece.unit
        prose = self._lines[start - 1 : end] if kind == "gantt" else self._prose(start, end)
        own = self._own_fields(piece, prose)
        heading = piece.headings[-1] if piece.headings else ""
        text = "\n".join(prose) if kind != GENERAL else ""
        metadata = {**self._front, **self._path_facts}
        if (c_level := self._head.get("c_level", "").lower()) in C_LEVELS:
            metadata.setdefault("c_level", c_level)
        for field in _FIELDS_BY_TYPE.get(kind, ()):
            if (value := own.get(field) or self._head.get(field)) is not None:
                metadata[field] = value[:_VALUE_CHARACTERS]
        status = self._status(piece, heading, own, metadata)
        if (reader := READERS.get(kind)) is not None:
            status = reader(Unit(piece, heading, prose, text, own), metadata) or status
        return Facts(self._date(piece, heading, own, text), status or "active", metadata)

    def _own_fields(self, piece: Piece, prose: Sequence[str]) -> dict[str, str]:
        if piece.columns:
            return fields_of_row(piece.columns, table_cells(self._lines[piece.unit[0] - 1]))
        return fields_in(prose[: _GENERAL_HEAD_LINES if self._file_type == GENERAL else _HEAD_LINES])

    def _status(self, piece: Piece, heading: str, own: Mapping[str, str], metadata: dict[str, str]) -> str | None:
        word = own.get("status")
        if word is not None and (self._file_type in (*_ID_STATES, "adr") or known_state(word) is not None):
            metadata["status"] = word[:_VALUE_CHARACTERS]
            return state_of(word)
        if self._file_type in (*_ID_STATES, "adr"):
            for above in reversed(piece.headings):
                if (found := state_in_heading(above)) is not None:
                    metadata["status"] = found[1]
                    return found[0]
        if self._file_type in _OWN_STATUS_ONLY:
            return None
        word = self._front.get("status") or self._head.get("status")
        if word is None or (self._file_type != "adr" and known_state(word) is None):
            return None
        metadata["status"] = word
        return state_of(word)

    def _date(self, piece: Piece, heading: str, own: Mapping[str, str], text: str) -> str | None:
        kind = self._file_type
        names = _DATE_FIELDS.get(kind, _ANY_DATE)
        candidates = [heading] if kind == "changelog" else []
        candidates.extend(own[name] for name in names if name in own)
        candidates.append(heading)
        if kind == "rules":
            candidates.append(text)
        candidates.extend(reversed(piece.headings[:-1]))
        if kind not in _OWN_DATE_ONLY:
            candidates.extend(
                self._front[name] for name in ("date", "updated", "revdate", "created") if name in self._front
            )
            candidates.extend(self._head[name] for name in names if name in self._head)
            candidates.extend(
                (self._path_facts.get("path_date", ""), self._head.get("author", ""), self._untitled_first_line)
            )
        return next((found for words in candidates if (found := first_date_in(words)) is not None), None)

    def _prose(self, start: int, end: int) -> list[str]:
        """The lines of a unit without those of fences and front matter."""
        kept: list[str] = []
        # Ranges do not overlap, so their ends are in order too.
        near = bisect_left(self._silent, start, key=lambda lines: lines[1])
        for index in range(near, len(self._silent)):
            first, last = self._silent[index]
            if first > end:
                break
            kept.extend(self._lines[start - 1 : first - 1])
            start = max(start, last + 1)
        kept.extend(self._lines[start - 1 : end])
        return kept


def _silent_ranges(outline: Outline) -> list[tuple[int, int]]:
    """Lines in which nobody tells facts: fences and the front matter, in order."""
    ranges = [(block.line_start, block.line_end) for block in outline.blocks if block.kind == "fence"]
    if outline.front_matter is not None:
        ranges.append(outline.front_matter)
    return sorted(ranges)
