"""What a section says of itself: its date, its status, and metadata by the type of its document.

| type | keys |
|---|---|
| every | `project`, `c_level`, `path_date` (from the path), `title`, `author` (from front matter) |
| changelog | `version`, `change_kind` (`decision` or `implementation`) |
| issues | `issue_id`, `severity`, `state` (the document's own word) |
| rules | `decided_by` |
| workflow | `step` |
| wbs | `level` |
| risk, tech-debt | `severity`, `owner`, `state` |
| status | `percent_done` |
| adr | `superseded_by`, `state` |
| spec, budget, gtm | `phase`, `category`, `channel` |
| tasks | `owner`, `state` (`done` or `open`) |
| memory | `memory_type` |
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass

_DATE = re.compile(
    r"(?<!\d)((?:19|20)\d\d)\s*(?:[-./]|년\s*)\s*(0?[1-9]|1[0-2])\s*(?:[-./]|월\s*)\s*(0?[1-9]|[12]\d|3[01])(?!\d)"
)
_VERSION = re.compile(r"\bv?(\d+\.\d+(?:\.\d+)?(?:-[0-9A-Za-z.]+)?)\b")
_ISSUE = re.compile(r"\b(ISSUE-\d+)\b", re.IGNORECASE)
_PERCENT = re.compile(r"(\d{1,3}(?:\.\d+)?)\s*%")
_STEP = re.compile(r"^\s*(?:(?:step|단계|phase)\s*)?(\d+)\s*(?:단계|[.):])", re.IGNORECASE)
_WBS = re.compile(r"^\s*(\d+(?:\.\d+)*)\.?\s")
_PHASE = re.compile(r"\bphase\s*[-:]?\s*(\d+)|(\d+)\s*단계", re.IGNORECASE)
_CHECKBOX = re.compile(r"^[ \t>]*(?:[-*+]|\d{1,9}[.)])[ \t]+\[([ xX])\]")
_OWNER = re.compile(r"@([0-9A-Za-z_가-힣-]+)")
_DECISION = re.compile(r"결정|합의|승인|채택|폐기|decision|decided|approved", re.IGNORECASE)
_FIELD = re.compile(
    r"^[ \t>]*(?:[-*+]\s+)?[|]?\s*(?:\*\*|__)?([A-Za-z가-힣 ]{1,20}?)(?:\*\*|__)?\s*[:：|]\s*(?:\*\*|__)?\s*(.+?)\s*[|]?\s*$"
)
_INLINE = re.compile(r"(상태|심각도|담당자?|status|severity|owner)\s*[:：]\s*([^\s,;|)\]]+)", re.IGNORECASE)
_FIELD_NAMES = {
    "상태": "status", "status": "status", "state": "status", "심각도": "severity", "severity": "severity",
    "담당": "owner", "담당자": "owner", "owner": "owner", "assignee": "owner", "날짜": "date", "일자": "date",
    "결정일": "date", "date": "date", "발급일": "date", "갱신일": "date", "결정자": "decided_by", "decided by": "decided_by",
    "대체": "superseded_by", "superseded by": "superseded_by", "phase": "phase", "단계": "phase", "category": "category",
    "분류": "category", "channel": "channel", "채널": "channel", "완료율": "percent_done", "진행률": "percent_done",
}  # fmt: skip
_STATES = {
    "open": "open", "열림": "open", "진행": "open", "진행중": "open", "todo": "open", "closed": "closed",
    "닫힘": "closed", "완료": "done", "done": "done", "resolved": "closed", "해결": "closed", "해결됨": "closed",
    "accepted": "accepted", "승인": "accepted", "승인됨": "accepted", "채택": "accepted", "deprecated": "deprecated",
    "폐기": "deprecated", "폐기됨": "deprecated", "superseded": "superseded", "대체됨": "superseded",
    "proposed": "proposed", "제안": "proposed", "제안됨": "proposed", "rejected": "rejected", "기각": "rejected",
    "모니터링": "monitoring", "monitoring": "monitoring", "mitigated": "mitigated", "완화": "mitigated",
    "완화됨": "mitigated", "in": "open",
}  # fmt: skip
# A severity also stands as a bare cell of a table or in brackets.
_SEVERITY = re.compile(
    r"(?<![A-Za-z가-힣])(CRITICAL|HIGH|MEDIUM|LOW|심각|높음|중간|보통|낮음)(?![A-Za-z가-힣])", re.IGNORECASE
)
_SEVERITIES = {"심각": "critical", "높음": "high", "중간": "medium", "보통": "medium", "낮음": "low"}
_HAS_SEVERITY = frozenset({"issues", "risk", "tech-debt"})
_HAS_STATE = frozenset({"issues", "risk", "tech-debt", "adr"})
_SUPERSEDED = re.compile(r"(?:superseded by|대체:|로 대체)\s*\[?([^\]\s,.)]+)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Facts:
    """`date` is an ISO day; `status` "active" unless the document says otherwise; the rest as tabled above."""

    date: str | None
    status: str
    metadata: Mapping[str, str]


def iso_day(text: str) -> str | None:
    """The first day named in a text: 2026-03-28, 2026.3.28, 2026/03/28 or 2026년 3월 28일."""
    match = _DATE.search(text)
    return None if match is None else f"{match.group(1)}-{int(match.group(2)):02}-{int(match.group(3)):02}"


def facts_of(
    file_type: str, heading: str, text: str, path_facts: Mapping[str, str], front: Mapping[str, object]
) -> Facts:
    """Read from the heading, the fields and the checkbox of a section, then from front matter, then from the path."""
    fields = _fields(text)
    metadata = {**path_facts, **_front_metadata(front)}
    for name in ("decided_by", "phase", "category", "channel", "owner"):
        if name in fields:
            metadata[name] = fields[name]
    status = _by_type(file_type, heading, text, fields, front, metadata)
    date = (
        iso_day(heading)
        or iso_day(fields.get("date", ""))
        or iso_day(str(front.get("date", "")))
        or (iso_day(text.split("\n", 1)[0]) if file_type in ("rules", "risk", "tech-debt", "tasks") else None)
        or (iso_day(text) if file_type in ("status", "dashboard", "spec", "adr") else None)
        or path_facts.get("path_date")
    )
    return Facts(date, status, metadata)


def _by_type(
    file_type: str,
    heading: str,
    text: str,
    fields: Mapping[str, str],
    front: Mapping[str, object],
    metadata: dict[str, str],
) -> str:
    """Adds what belongs to the type to `metadata`; the status."""
    match file_type:
        case "changelog":
            if version := _VERSION.search(_DATE.sub("", heading)):
                metadata["version"] = version.group(1)
            metadata["change_kind"] = "decision" if _DECISION.search(heading) else "implementation"
        case "issues":
            if issue := _ISSUE.search(heading):
                metadata["issue_id"] = issue.group(1).upper()
        case "rules":
            if "회장" in text and "decided_by" not in metadata:
                metadata["decided_by"] = "회장"
        case "workflow":
            if step := _STEP.match(heading):
                metadata["step"] = step.group(1)
        case "wbs":
            if level := _WBS.match(heading):
                metadata["level"] = str(level.group(1).count(".") + 1)
        case "status":
            if percent := _PERCENT.search(fields.get("percent_done", "") or text):
                metadata["percent_done"] = percent.group(1)
        case "tasks":
            return _task_state(text, metadata)
        case "spec" | "budget" | "gtm":
            if "phase" not in metadata and (phase := _PHASE.search(heading)):
                metadata["phase"] = phase.group(1) or phase.group(2)
        case _:
            pass
    if file_type in _HAS_SEVERITY:
        _note_severity(fields.get("severity") or f"{heading}\n{text}", metadata)
    if file_type in _HAS_STATE or "status" in front:
        return _state(fields.get("status") or str(front.get("status", "")), text, metadata)
    return "active"


def _note_severity(text: str, metadata: dict[str, str]) -> None:
    if found := _SEVERITY.search(text):
        word = found.group(1).lower()
        metadata["severity"] = _SEVERITIES.get(word, word)


def _state(word: str, text: str, metadata: dict[str, str]) -> str:
    if not word:
        return "active"
    metadata["state"] = word
    if by := _SUPERSEDED.search(word) or (_SUPERSEDED.search(text) if "supersed" in word.lower() else None):
        metadata["superseded_by"] = by.group(1)
    first = re.split(r"[\s(,.:]", word.strip().strip("*_`[]"), maxsplit=1)[0].lower()
    return _STATES.get(first, first or "active")


def _task_state(text: str, metadata: dict[str, str]) -> str:
    first = text.split("\n", 1)[0]
    checkbox = next((found for line in text.split("\n") if (found := _CHECKBOX.match(line))), None)
    if owner := _OWNER.search(first):
        metadata["owner"] = owner.group(1)
    if checkbox is None:
        return "active"
    metadata["state"] = "open" if checkbox.group(1) == " " else "done"
    return metadata["state"]


def _fields(text: str) -> dict[str, str]:
    """`key: value` lines (list entries, table cells, bold keys) under the names that we know; the first one counts."""
    found: dict[str, str] = {}
    for line in text.split("\n")[:60]:
        if len(line) > 300:
            continue
        match = _FIELD.match(line)
        if match and (name := _FIELD_NAMES.get(match.group(1).strip().lower())):
            found.setdefault(name, match.group(2).strip().strip("*_").strip())
        for key, value in _INLINE.findall(line):
            found.setdefault(_FIELD_NAMES[key.lower()], value.strip("*_`"))
    return found


def _front_metadata(front: Mapping[str, object]) -> dict[str, str]:
    return {name: value for name in ("title", "author") if isinstance(value := front.get(name), str) and value}
