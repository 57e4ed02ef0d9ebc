"""`name: value` facts that people write in documents, under the one name that we know each by.

| field | as people write it |
|---|---|
| status | 상태, 진행 상태, status, state |
| severity | 심각도, 위험도, 우선순위, severity, priority |
| owner | 담당, 담당자, 책임자, 담당 에이전트, owner, assignee, assigned to |
| date | 날짜, 일자, 일시, 작성일, 등록일, 발견일, 발생일, 보고일, date, created, opened, reported |
| decided | 결정일, 합의일, 승인일, decided, decision date |
| updated | 갱신, 갱신일, 수정일, 업데이트, 최종 갱신, 최종 수정, updated, last updated |
| issued | 발급일, 발행일, issued, date of issue |
| due | 기한, 마감, 마감일, due, deadline |
| closed | 해결, 해결일, 종료일, 완료일, closed, resolved, completed |
| decided_by | 결정자, 결정권자, 승인자, decided by, decision-makers, deciders, approved by |
| c_level | C레벨, C-level, 보고, 보고 대상, reports to |
| phase | 페이즈, phase |
| category | 범주, 예산 범주, 분류, 카테고리, category |
| channel | 채널, channel |
| percent_done | 완료율, 진행률, 진척률, progress, completion, percent done |
| change_kind | 구분, 종류, 유형, kind, type |
| superseded_by | 대체 문서, superseded by, replaced by |
| author | 작성, 작성자, author |
| current_state | 현재 상태, 현황, current state, current status |
"""

import re
from collections.abc import Iterable, Mapping, Sequence

MAX_LINE_CHARACTERS = 400

_NAMES: Mapping[str, str] = {
    name: field
    for field, names in {
        "status": "상태,진행 상태,진행상태,status,state",
        "severity": "심각도,위험도,우선순위,severity,priority",
        "owner": "담당,담당자,책임자,담당 에이전트,owner,assignee,assigned to",
        "date": "날짜,일자,일시,작성일,등록일,발견일,발생일,보고일,date,created,opened,reported",
        "decided": "결정일,결정 날짜,합의일,승인일,decided,decision date",
        "updated": "갱신,갱신일,수정일,업데이트,최종 갱신,최종 갱신일,최종 수정,최종 수정일,updated,last updated",
        "issued": "발급일,발행일,issued,date of issue",
        "due": "기한,마감,마감일,due,deadline",
        "closed": "해결,해결일,종료일,완료일,closed,resolved,completed",
        "decided_by": "결정자,결정권자,승인자,decided by,decision-makers,decision makers,deciders,approved by",
        "c_level": "c레벨,c-level,c level,clevel,보고,보고 대상,reports to",
        "phase": "페이즈,phase",
        "category": "범주,예산 범주,분류,카테고리,category",
        "channel": "채널,channel",
        "percent_done": "완료율,진행률,진척률,progress,completion,percent done",
        "change_kind": "구분,종류,유형,kind,type",
        "superseded_by": "대체 문서,superseded by,superseded-by,replaced by",
        "author": "작성,작성자,author",
        "current_state": "현재 상태,현황,current state,current status",
    }.items()
    for name in names.split(",")
}
# Names that structure an entry but are read by nobody else: a list of them is no list of items.
_OTHER_NAMES = frozenset(
    {
        "대응", "대응 방안", "완화", "완화책", "원인", "조치", "영향", "가능성", "확률", "발생 가능성", "비고",
        "재현", "재현 절차", "근거", "결정", "내용", "이유", "배경", "맥락", "결과", "설명", "제목", "범위",
        "impact", "likelihood", "probability", "mitigation", "response", "cause", "fix", "context", "decision",
        "reason", "rationale", "notes", "note", "description", "steps", "expected", "actual", "consequences",
        "trigger", "id",
    }
)  # fmt: skip
_FIELD_NAMES = _OTHER_NAMES | _NAMES.keys()

_ANY_NAME = "|".join(re.escape(name) for name in sorted(_NAMES, key=len, reverse=True))
_FIELD = re.compile(
    rf"(?:^[\s>]*(?:[-*+]|\d{{1,3}}[.)])?\s*(?:\[[ xX]\]\s*)?|[|·•;,(\[/]\s*|\s[-–—]\s+)"
    rf"[*_`]{{0,3}}({_ANY_NAME})[*_`]{{0,3}}\s?[::][*_`]{{0,3}}\s*(?=([^|·•;\n]*))",
    re.IGNORECASE,
)
_NEXT_FIELD = re.compile(rf"[,(/]\s*[*_`]{{0,3}}(?:{_ANY_NAME})[*_`]{{0,3}}\s?[::]", re.IGNORECASE)
_LEADING_NAME = re.compile(
    r"[\s>]*(?:[-*+]|\d{1,3}[.)])?\s*(?:\[[ xX]\]\s*)?[*_`]{0,3}([A-Za-z가-힣][A-Za-z가-힣 \-]{0,24}?)[*_`]{0,3}\s?[::]"
)
_CELL_BORDER = re.compile(r"(?<!\\)\|")


def fields_in(lines: Iterable[str]) -> dict[str, str]:
    """The facts in some lines by field name; where one is told twice the first counts."""
    found: dict[str, str] = {}
    for line in lines:
        if len(line) > MAX_LINE_CHARACTERS:
            continue
        if ":" in line or ":" in line:
            for match in _FIELD.finditer(line):
                value = _cleaned(match.group(2))
                if value:
                    found.setdefault(_NAMES[match.group(1).lower()], value)
        elif "|" in line:
            cells = table_cells(line)
            if len(cells) == 2 and not is_field_name(cells[1]):
                for field, value in fields_of_row(cells[:1], cells[1:]).items():
                    found.setdefault(field, value)
    return found


def fields_of_row(columns: Sequence[str], cells: Sequence[str]) -> dict[str, str]:
    """The facts in a row of a table whose columns bear names that we know."""
    found: dict[str, str] = {}
    for column, cell in zip(columns, cells, strict=False):
        field = field_named(column)
        value = _cleaned(cell)
        if field is not None and value:
            found.setdefault(field, value)
    return found


def field_named(name: str) -> str | None:
    """The field that people mean by a name, or None."""
    return _NAMES.get(name.strip().strip("*_`").strip().lower())


def is_field_name(name: str) -> bool:
    return name.strip().strip("*_`").strip().lower() in _FIELD_NAMES


def is_field_line(line: str) -> bool:
    """Whether a list entry only tells a fact of its heading (`- 상태: OPEN`)."""
    match = _LEADING_NAME.match(line[:MAX_LINE_CHARACTERS])
    return match is not None and match.group(1).strip().lower() in _FIELD_NAMES


def table_cells(line: str) -> tuple[str, ...]:
    """The cells of a row between pipes; () where the line is no such row."""
    if "|" not in line:
        return ()
    cells = _CELL_BORDER.split(line.strip())
    if cells and not cells[0]:
        cells.pop(0)
    if cells and not cells[-1]:
        cells.pop()
    return tuple(cell.strip() for cell in cells)


def _cleaned(value: str) -> str:
    next_field = _NEXT_FIELD.search(value)
    if next_field is not None:
        value = value[: next_field.start()]
    value = value.strip()
    if value.endswith((")", "]")) and value.count("(") + value.count("[") < value.count(")") + value.count("]"):
        value = value[:-1]
    return value.strip().strip("*_`").strip()
