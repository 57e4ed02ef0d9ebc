"""What each type of document tells beside the fields that all have: one reader a type.

A reader adds to the metadata of one section or item and returns its status where it knows better.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from consiglierd.ingest.docs.cut import Piece
from consiglierd.ingest.docs.dates import dates_in, first_date_in, without_dates
from consiglierd.ingest.docs.fields import table_cells
from consiglierd.ingest.docs.items import ITEM_ID
from consiglierd.ingest.docs.states import state_of

_VERSION = re.compile(
    r"^\W{0,3}v?(\d+\.\d+(?:\.\d+)*(?:[-+][0-9A-Za-z.-]*[0-9A-Za-z])?)(?![\w.])"
    r"|(?<![\w.])v(\d+\.\d+(?:\.\d+)*(?:[-+][0-9A-Za-z.-]*[0-9A-Za-z])?)(?![\w.])"
    r"|(?<![\w.])(\d+\.\d+\.\d+(?:[-+][0-9A-Za-z.-]*[0-9A-Za-z])?)(?![\w.])",
    re.IGNORECASE,
)
_UNRELEASED = re.compile(r"\W{0,3}unreleased\b", re.IGNORECASE)
_DECISION = re.compile(r"결정|합의|승인|채택|기각|폐기|확정|방침|정책|decision|decided|approved|policy", re.IGNORECASE)
_WORK = re.compile(
    r"구현|추가|수정|개발|배포|개선|제거|도입|작업|적용|완료|fix|add|implement|feat|refactor|remove|release",
    re.IGNORECASE,
)
_KIND_LEAD = re.compile(r"^[\s>*_-]*(결정|구현|decision|implementation)[*_]*\s?[::]", re.IGNORECASE | re.MULTILINE)
_DECIDED_BY = re.compile(r"[(\[]\s*([^()\[\],:|]{1,20}?)\s?(?:의\s)?(?:결정|지시|승인)\s*[,:)\]]")
_CHAIR = re.compile(r"회장(?:님)?(?:이|의)?\s?(?:결정|지시|승인)")
_STEP = re.compile(r"\W{0,2}(?:(?:step|phase|단계)\s*)?(\d+)(?:\s*단계|[.):]|\s*$|\s*[-–—])", re.IGNORECASE)
_NUMBER = re.compile(r"(\d+(?:\.\d+)*)[.)]?(?=\s|$)")
_PHASE = re.compile(r"phase\s*[-:#]?\s*(\d+)|(?<!\d)(\d{1,2})\s*단계", re.IGNORECASE)
_PERCENT = re.compile(r"(\d{1,3}(?:\.\d+)?)\s*%")
_ADR_ID = re.compile(r"ADR[-_ ]?([A-Z]{0,3})(\d+)", re.IGNORECASE)
_SUPERSEDED_BY = re.compile(
    r"(?:superseded[\s-]+by|replaced\s+by|대체(?:됨|\s문서)?\s?[::(]?)\s*\[?(?:ADR[-_ ]?)?([A-Z]{0,3})(\d+)"
    r"|ADR[-_ ]?([A-Z]{0,3})(\d+)(?:으로|로|에 의해)\s*대체",
    re.IGNORECASE,
)
_SEVERITY = re.compile(
    r"[\[(【]\s*(critical|high|medium|low|major|minor|blocker|심각|치명|높음|중간|보통|낮음|[PS][0-4])\s*[\])】]",
    re.IGNORECASE,
)
_OWNER = re.compile(r"(?<![\w@./])@([0-9A-Za-z_가-힣][0-9A-Za-z_가-힣-]{0,40})(?![\w@./])")
_CHECKBOX = re.compile(r"[\s>]*(?:[-*+]|\d{1,9}[.)])\s+\[([ xX])\](?:\s|$)|\s*[-*]+\s+\[([ xX*])\]\s")
_NOT_TEXT = re.compile(r"[\W_]*")


@dataclass(frozen=True, slots=True)
class Unit:
    """A section or an item: `prose` are its lines without fences, `text` the same in one string, `own` its fields."""

    piece: Piece
    heading: str
    prose: Sequence[str]
    text: str
    own: Mapping[str, str]


Reader = Callable[[Unit, dict[str, str]], str | None]


def _changelog(unit: Unit, metadata: dict[str, str]) -> None:
    if _UNRELEASED.match(unit.heading):
        metadata["version"] = "unreleased"
    elif version := _VERSION.search(without_dates(unit.heading)):
        metadata["version"] = next(group for group in version.groups() if group)
    elif len(unit.piece.headings) < 2 and first_date_in(unit.heading) is None:
        return
    told = unit.own.get("change_kind", "")
    if lead := _KIND_LEAD.search(unit.text):
        told = told or lead.group(1)
    if not (_DECISION.search(told) or _WORK.search(told)):
        told = unit.heading
    is_decision = _DECISION.search(told) is not None
    if is_decision and told == unit.heading and _WORK.search(told):
        # "결정 이력 화면 추가" is work; the word that comes last in Korean, the verb, tells.
        is_decision = _last(_DECISION, told) > _last(_WORK, told)
    metadata["change_kind"] = "decision" if is_decision else "implementation"


def _last(pattern: re.Pattern[str], text: str) -> int:
    return max(match.start() for match in pattern.finditer(text))


def _issues(unit: Unit, metadata: dict[str, str]) -> None:
    _item_id("issues", unit, metadata, "issue_id")
    _severity(unit, metadata)


def _item_id(file_type: str, unit: Unit, metadata: dict[str, str], key: str) -> None:
    for words in (*reversed(unit.piece.headings), *table_cells(unit.prose[-1] if unit.piece.columns else "")[:1]):
        if match := ITEM_ID[file_type].match(words):
            metadata[key] = match.group(0).lstrip("[# ").upper()
            return


def _severity(unit: Unit, metadata: dict[str, str]) -> None:
    if "severity" not in metadata and (found := _SEVERITY.search(unit.heading) or _SEVERITY.search(unit.text[:500])):
        metadata["severity"] = found.group(1)


def _rules(unit: Unit, metadata: dict[str, str]) -> None:
    if "decided_by" in metadata:
        return
    if found := _DECIDED_BY.search(unit.text):
        metadata["decided_by"] = found.group(1).strip()
    elif _CHAIR.search(unit.text):
        metadata["decided_by"] = "회장"


def _workflow(unit: Unit, metadata: dict[str, str]) -> None:
    if step := _STEP.match(unit.heading):
        metadata["step"] = step.group(1)


def _wbs(unit: Unit, metadata: dict[str, str]) -> None:
    if number := _NUMBER.match(unit.heading):
        metadata["task_number"] = number.group(1)
        metadata["task_level"] = str(number.group(1).count(".") + 1)


def _gantt(unit: Unit, metadata: dict[str, str]) -> None:
    days = sorted(dates_in(unit.text))
    if days:
        metadata["timeline"] = f"{days[0]}..{days[-1]}"


def _raci(unit: Unit, metadata: dict[str, str]) -> None:
    header = next((cells for line in unit.prose if len(cells := table_cells(line)) > 1), ())
    if people := ", ".join(cell for cell in header[1:] if cell):
        metadata["people"] = people[:400]


def _status(unit: Unit, metadata: dict[str, str]) -> None:
    if percent := _PERCENT.search(unit.own.get("percent_done", "")) or _PERCENT.search(unit.text):
        metadata["percent_done"] = percent.group(1)


def _risk(unit: Unit, metadata: dict[str, str]) -> None:
    _item_id("risk", unit, metadata, "item_id")
    _severity(unit, metadata)


def _tech_debt(unit: Unit, metadata: dict[str, str]) -> None:
    _item_id("tech-debt", unit, metadata, "item_id")
    _severity(unit, metadata)
    if "owner" not in metadata and (owner := _OWNER.search(unit.text)):
        metadata["owner"] = owner.group(1)


def _adr(unit: Unit, metadata: dict[str, str]) -> str | None:
    for heading in reversed(unit.piece.headings):
        if named := _ADR_ID.match(heading.lstrip("[")):
            metadata["adr_id"] = f"ADR-{named.group(1).upper()}{named.group(2)}"
            break
    for key in ("decision-makers", "deciders"):
        if key in metadata:
            metadata.setdefault("decided_by", metadata[key])
    status = None
    if "status" not in metadata and (word := _text_below(unit.prose, ("status", "상태"))):
        metadata["status"] = word
        status = state_of(word)
    told = metadata.get("status", "")
    by = _SUPERSEDED_BY.search(told) or _SUPERSEDED_BY.search(unit.own.get("superseded_by", ""))
    if by is None and "supersed" in told.lower():
        by = _SUPERSEDED_BY.search(unit.text)
    if by is None and (named := _ADR_ID.search(unit.own.get("superseded_by") or metadata.get("superseded-by", ""))):
        metadata["superseded_by"] = f"ADR-{named.group(1).upper()}{named.group(2)}"
    elif by is not None:
        letters, digits = (by.group(1), by.group(2)) if by.group(2) else (by.group(3), by.group(4))
        metadata["superseded_by"] = f"ADR-{letters.upper()}{digits}"
    return "superseded" if "superseded_by" in metadata else status


def _text_below(prose: Sequence[str], titles: tuple[str, ...]) -> str | None:
    """The first line of text below a heading of one of these titles, in any of the formats."""
    is_below = False
    for line in prose:
        words = line.strip().strip("#=").strip()
        if is_below and words and _NOT_TEXT.fullmatch(words) is None:
            return words[:200]
        if words.lower() in titles:
            is_below = True
    return None


def _phased(unit: Unit, metadata: dict[str, str]) -> None:
    told = metadata.get("phase") or " ".join(unit.piece.headings)
    if phase := _PHASE.search(told):
        metadata["phase"] = phase.group(1) or phase.group(2)


def _spec(unit: Unit, metadata: dict[str, str]) -> None:
    _phased(unit, metadata)


def _budget(unit: Unit, metadata: dict[str, str]) -> None:
    _phased(unit, metadata)
    if "category" not in metadata and len(unit.piece.headings) > 1:
        metadata["category"] = unit.heading


def _memory(unit: Unit, metadata: dict[str, str]) -> None:
    told = metadata.get("type") or metadata.get("memory_type") or unit.own.get("change_kind")
    if told:
        metadata["memory_type"] = told


def _tasks(unit: Unit, metadata: dict[str, str]) -> str | None:
    first = unit.prose[0] if unit.prose else ""
    if "owner" not in unit.own and (owner := _OWNER.search(first)):
        metadata["owner"] = owner.group(1)
    if "owner" not in metadata and "worker" in metadata:
        metadata["owner"] = metadata["worker"]
    if due := unit.own.get("due"):
        metadata["due"] = first_date_in(due) or due[:200]
    return _checkbox_state(unit, metadata)


def _checkbox_state(unit: Unit, metadata: dict[str, str]) -> str | None:
    box = _CHECKBOX.match(unit.prose[0]) if unit.piece.is_item and unit.prose else None
    if box is None:
        return None
    is_done = (box.group(1) or box.group(2)) != " "
    metadata["done"] = "true" if is_done else "false"
    return "done" if is_done else "open"


READERS: Mapping[str, Reader] = {
    "changelog": _changelog,
    "issues": _issues,
    "rules": _rules,
    "workflow": _workflow,
    "wbs": _wbs,
    "gantt": _gantt,
    "raci": _raci,
    "status": _status,
    "risk": _risk,
    "tech-debt": _tech_debt,
    "adr": _adr,
    "spec": _spec,
    "budget": _budget,
    "gtm": _phased,
    "memory": _memory,
    "tasks": _tasks,
    "checklist": _checkbox_state,
}
