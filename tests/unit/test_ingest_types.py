"""Each type of document: found by its path or its content, cut into its chunks, its facts read."""

import pytest

from consiglierd.ingest.docs.parse import file_type_of, parse_document, recipe_of
from consiglierd.model.document import ParsedDocument, Section
from consiglierd.model.rules import DocumentRules, TypePattern

RULES = DocumentRules(rooms=(("ios", ("swift",)), ("security", ("auth",))))


def parsed(path: str, text: str) -> ParsedDocument:
    return parse_document(path, text.encode(), RULES)


def section_with(path: str, text: str, words: str) -> Section:
    (found,) = [section for section in parsed(path, text).sections if words in section.text]
    return found


def starts(path: str, text: str) -> list[int]:
    return [section.span.line_start for section in parsed(path, text).sections]


@pytest.mark.parametrize(
    ("path", "file_type"),
    [
        ("CHANGELOG.md", "changelog"),
        ("docs/changelog.MD", "changelog"),
        ("docs/CHANGELOG.adoc", "changelog"),
        ("docs/ISSUES.md", "issues"),
        ("docs/rules.md", "rules"),
        ("docs/house-rules.md", "general"),
        ("docs/workflow.md", "workflow"),
        ("docs/DASHBOARD.md", "dashboard"),
        ("docs/memory/user_role.md", "memory"),
        ("memory/notes.md", "memory"),
        ("CLAUDE.md", "claude"),
        ("packages/app/AGENTS.md", "claude"),
        ("GEMINI.md", "claude"),
        ("archi/App/specs/cto-spec.md", "spec"),
        ("docs/cto-spec.md", "general"),
        ("archi/App/specs/cto-wbs.md", "wbs"),
        ("archi/App/specs/cto-gantt.md", "gantt"),
        ("archi/App/specs/cto-raci.md", "raci"),
        ("archi/App/specs/cto-status.md", "status"),
        ("archi/App/specs/coo-risk.md", "risk"),
        ("archi/App/specs/cto-adr.md", "adr"),
        ("docs/adr/0001-database.md", "adr"),
        ("docs/decisions/0002-queue.md", "adr"),
        ("docs/adr/README.md", "general"),
        ("archi/App/specs/cto-tech-debt.md", "tech-debt"),
        ("archi/App/specs/cfo-budget.md", "budget"),
        ("archi/App/specs/cmo-gtm.md", "gtm"),
        ("archi/App/specs/tasks/ios_dev-tasks.md", "tasks"),
        ("archi/App/tasks/week1.md", "tasks"),
        ("tasks/todo.md", "tasks"),
        ("docs/debate-auth.md", "debate"),
        ("docs/checklist_release.md", "checklist"),
        ("README.md", "general"),
        ("README", "general"),
        ("docs/guide.rst", "general"),
        ("notes.txt", "general"),
        ("a.mdx", "general"),
        ("src/main.py", None),
        ("Makefile", None),
        (".md", None),
    ],
)
def test_type_is_told_by_the_path(path: str, file_type: str | None) -> None:
    assert file_type_of(path, RULES) == file_type


def test_extra_patterns_come_before_the_shipped_ones_and_may_name_any_file() -> None:
    rules = DocumentRules(extra_types=(TypePattern("archi/**/*-plan.md", "wbs"), TypePattern("*.log", "general")))
    assert file_type_of("archi/App/specs/cto-plan.md", rules) == "wbs"
    assert file_type_of("var/today.log", rules) == "general"
    assert file_type_of("archi/App/specs/cto-risk.md", rules) == "risk"


@pytest.mark.parametrize(
    ("text", "file_type"),
    [
        ("# Changelog\n\n## [1.2.0] - 2026-03-28\n\n- a\n", "changelog"),
        ("# 기록\n\n## v1.2.0\n\na\n\n## 1.1.0 (2026-01-01)\n\nb\n", "changelog"),
        ("# 기록\n\n## [2026-03-28] 결정\n\na\n\n## [2026-03-27] 구현\n\nb\n", "changelog"),
        ("# 회의\n\n## 2026-03-28 주간\n\na\n\n## 2026-03-21 주간\n\nb\n", "general"),
        ("# 목록\n\n## ISSUE-1: 하나\n\na\n\n## ISSUE-2: 둘\n\nb\n", "issues"),
        ("# DB\n\n## Context and Problem Statement\n\na\n\n## Decision Outcome\n\nb\n", "adr"),
        ("# 1. DB\n\n## Status\n\nAccepted\n\n## Context\n\na\n\n## Decision\n\nb\n", "adr"),
        ("---\ntype: adr\n---\n\n# DB\n", "adr"),
        ("# 그냥\n\n## 배경\n\na\n\n## 결론\n\nb\n", "general"),
    ],
)
def test_type_is_told_by_the_content_where_the_path_is_silent(text: str, file_type: str) -> None:
    assert parsed("docs/some.md", text).file_type == file_type


CHANGELOG = """# 변경 이력

## [Unreleased]

- 작업 중

## [2026-03-29] 에이전트 관리를 Director로 변경

결정: PM 대신 Director가 관리한다.

## [2026.3.28] 로그인 화면 구현

- Swift로 작성

## [1.2.0] - 2026년 3월 1일

### Added
- 다운로드
"""


def test_changelog_sections_have_date_version_and_kind() -> None:
    document = parsed("docs/CHANGELOG.md", CHANGELOG)
    told = [
        (each.span.line_start, each.date, each.metadata.get("version"), each.metadata.get("change_kind"))
        for each in document.sections[1:]
    ]
    assert told == [
        (3, None, "unreleased", "implementation"),
        (7, "2026-03-29", None, "decision"),
        (11, "2026-03-28", None, "implementation"),
        (15, "2026-03-01", "1.2.0", "implementation"),
    ]


ISSUES = """# 이슈

## ISSUE-1: 로그인 실패
- **상태**: OPEN
- **심각도**: 높음
- 담당: ios_dev

재현된다. 로그의 `상태: CLOSED`는 무시한다.

## ISSUE-2: 느린 목록 [CLOSED]

상태 줄은 없다.

## ISSUE-3: 코드가 있는 이슈

```yaml
status: CLOSED
```
"""


def test_issues_have_id_severity_and_a_status_in_lower_case() -> None:
    first, second, third = parsed("docs/ISSUES.md", ISSUES).sections[1:]
    assert (first.status, first.metadata["status"]) == ("open", "OPEN")
    assert (first.metadata["issue_id"], first.metadata["severity"], first.metadata["owner"]) == (
        "ISSUE-1",
        "높음",
        "ios_dev",
    )
    assert (second.status, second.metadata["issue_id"]) == ("closed", "ISSUE-2")
    assert third.status == "active"


def test_issues_below_state_headings_take_their_state() -> None:
    text = "# 이슈\n\n## OPEN\n\n### ISSUE-1: 하나\n\na\n\n### ISSUE-2: 둘\n\nb\n\n## 해결됨\n\n### ISSUE-3: 셋\n\nc\n"
    found = {each.heading: each.status for each in parsed("ISSUES.md", text).sections if "ISSUE" in each.heading}
    assert found == {"ISSUE-1: 하나": "open", "ISSUE-2: 둘": "open", "ISSUE-3: 셋": "closed"}


RULES_TEXT = """# 규칙

## 회장 결정

- PM이 관리한다 (회장 결정, 2026-03-28)
  - 예외는 없다
- 배포는 월요일에 한다. (CTO 결정, 2026-03-29)

## 코드 규칙

### 1. 줄 길이

결정자: 보안팀
날짜: 2026-02-01

- 상태: 승인
- 이유: 읽기 쉽다

| 규칙 | 결정자 | 날짜 |
|---|---|---|
| 비밀 값을 넣지 않는다 | 회장 | 2026-01-05 |
| 리뷰를 받는다 | CTO | 2026-01-06 |
"""


def test_rules_are_cut_at_each_decision() -> None:
    first = section_with("docs/rules.md", RULES_TEXT, "PM이 관리한다")
    assert (first.span.line_start, first.span.line_end) == (3, 6)
    assert (first.date, first.metadata["decided_by"]) == ("2026-03-28", "회장")
    second = section_with("docs/rules.md", RULES_TEXT, "월요일")
    assert (second.text, second.date, second.metadata["decided_by"]) == (
        "- 배포는 월요일에 한다. (CTO 결정, 2026-03-29)",
        "2026-03-29",
        "CTO",
    )
    assert second.heading_path == ("규칙", "회장 결정")
    row = section_with("docs/rules.md", RULES_TEXT, "리뷰를 받는다")
    assert (row.date, row.metadata["decided_by"]) == ("2026-01-06", "CTO")


def test_a_list_of_facts_is_no_list_of_decisions() -> None:
    text = "# 규칙\n\n## 결정 1\n\n- 결정자: 회장\n- 날짜: 2026-03-28\n- 내용: PM이 관리한다\n"
    section = section_with("rules.md", text, "PM이 관리한다")
    assert (section.span.line_start, section.span.line_end) == (3, 7)
    assert (section.date, section.metadata["decided_by"]) == ("2026-03-28", "회장")


def test_workflow_and_wbs_sections_are_numbered() -> None:
    assert section_with("workflow.md", "# 흐름\n\n## 2. 설계\n\na\n", "설계").metadata["step"] == "2"
    assert section_with("workflow.md", "# 흐름\n\n## Step 3: 개발\n\na\n", "개발").metadata["step"] == "3"
    section = section_with("archi/App/specs/cto-wbs.md", "# WBS\n\n## 1. iOS\n\n1.1 화면\n", "iOS")
    assert dict(section.metadata) == {
        "project": "App",
        "c_level": "cto",
        "task_number": "1",
        "task_level": "1",
    }


GANTT = "# 간트\n\n```\na :2026-03-09\nb :2026-05-01\n```\n"
RACI = "# RACI\n\n| 일 | CTO | ios |\n|---|---|---|\n| a | A | R |\n"
STATUS = "# 상태\n\n갱신일: 2026-04-10\n완료율: 87%\n\n## 다음\n\na\n"
MEMORY = "---\ntype: reference\n---\n\n# 배운 것\n\n## 하나\n\na\n"
DASHBOARD = "# 현황\n\n현재 상태: 베타\n\n## 지표\n\na\n\n## 이번 주\n\nb\n"


@pytest.mark.parametrize(
    ("path", "text", "key", "value"),
    [
        ("docs/DASHBOARD.md", DASHBOARD, "current_state", "베타"),
        ("docs/memory/feedback_test.md", "# 배운 것\n\n## 하나\n\na\n", "memory_type", "feedback"),
        ("docs/memory/x.md", MEMORY, "memory_type", "reference"),
        ("archi/A/specs/cto-gantt.md", GANTT, "timeline", "2026-03-09..2026-05-01"),
        ("archi/A/specs/cto-raci.md", RACI, "people", "CTO, ios"),
        ("archi/A/specs/cto-status.md", STATUS, "percent_done", "87"),
    ],
)
def test_whole_file_types_give_one_section(path: str, text: str, key: str, value: str) -> None:
    long = text + "\n" + "\n\n".join(f"긴 문단 {number} " + "단어 " * 100 for number in range(30)) + "\n"
    (section,) = parsed(path, long).sections
    assert section.metadata[key] == value
    assert section.span.line_end == long.count("\n")


def test_status_report_has_its_date() -> None:
    assert parsed("archi/A/specs/cto-status.md", "# 상태\n\n갱신일: 2026/4/9\n").sections[0].date == "2026-04-09"


def test_spec_sections_carry_phase_and_date_of_issue() -> None:
    text = "# 명세\n\n- Phase: 2\n- 발급일: 2026-03-09\n- 상태: 승인\n\n## 목표\n\na\n\n## 범위\n\nb\n"
    goal = section_with("archi/App/specs/cto-spec.md", text, "## 목표")
    assert (goal.date, goal.status, goal.metadata["phase"], goal.metadata["c_level"]) == (
        "2026-03-09",
        "accepted",
        "2",
        "cto",
    )


RISK_TABLE = """# 리스크

## 등록부

| ID | 리스크 | 심각도 | 상태 | 담당 |
|---|---|---|---|---|
| R-01 | 인증서 지연 | 높음 | OPEN | ios_dev |
| R-02 | 비용 초과 | 중간 | 완화됨 | cfo |
"""


def test_risk_items_are_headings_or_rows_of_a_table() -> None:
    first = section_with("archi/App/specs/coo-risk.md", RISK_TABLE, "인증서")
    assert (first.span.line_start, first.span.line_end, first.status) == (3, 7, "open")
    second = section_with("archi/App/specs/coo-risk.md", RISK_TABLE, "비용 초과")
    assert (second.span.line_start, second.span.line_end, second.status) == (8, 8, "mitigated")
    assert (second.metadata["severity"], second.metadata["item_id"], second.metadata["owner"]) == (
        "중간",
        "R-02",
        "cfo",
    )
    text = (
        "# 리스크\n\n## RISK-1: 지연 (심각)\n- 상태: CLOSED\n- 대응: 끝남\n\n### 경과\n\n- 하나\n- 둘\n\n"
        "## RISK-2: 비용\n\nb\n"
    )
    assert starts("x/coo-risk.md", text) == [1, 3, 12]
    risk = section_with("x/coo-risk.md", text, "RISK-1")
    assert (risk.status, risk.metadata["severity"], risk.metadata["item_id"]) == ("closed", "심각", "RISK-1")


def test_adr_of_its_own_file_is_one_section() -> None:
    text = (
        "---\nstatus: accepted\ndate: 2026-02-09\n---\n# DB를 고른다\n\n"
        "## Context and Problem Statement\n\na\n\n## Decision Outcome\n\nb\n"
    )
    (section,) = parsed("docs/adr/0007-db.md", text).sections
    assert (section.date, section.status, section.metadata["adr_id"]) == ("2026-02-09", "accepted", "ADR-0007")


def test_adr_in_the_old_form_tells_its_status_below_a_heading() -> None:
    text = (
        "# 3. 큐\n\nDate: 2026-01-05\n\n## Status\n\nSuperseded by [ADR-9](0009-x.md)\n\n"
        "## Context\n\na\n\n## Decision\n\nb\n"
    )
    (section,) = parsed("doc/adr/0003-queue.md", text).sections
    assert (section.date, section.status, section.metadata["superseded_by"]) == ("2026-01-05", "superseded", "ADR-9")


def test_collection_of_adrs_is_cut_at_each() -> None:
    text = (
        "# 결정 기록\n\n## ADR-T1: 모노레포\n- 결정일: 2026-02-04\n- 상태: deprecated\n\na\n\n"
        "## ADR-T2: 세션\n- 결정일: 2026-02-05\n- 상태: superseded by ADR-T5\n\nb\n"
    )
    first, second = parsed("archi/App/specs/cto-adr.md", text).sections[1:]
    assert (first.date, first.status, first.metadata["adr_id"]) == ("2026-02-04", "deprecated", "ADR-T1")
    assert (second.status, second.metadata["superseded_by"]) == ("superseded", "ADR-T5")


def test_tech_debt_items_have_severity_and_owner() -> None:
    text = "# 기술 부채\n\n- [HIGH] 빌드가 느리다 @android_dev\n- [LOW] 이름이 낡았다 (담당: api_dev)\n"
    first, second = parsed("x/cto-tech-debt.md", text).sections
    assert (first.metadata["severity"], first.metadata["owner"]) == ("HIGH", "android_dev")
    assert (second.metadata["severity"], second.metadata["owner"]) == ("LOW", "api_dev")


def test_budget_and_gtm_are_private_and_say_their_phase() -> None:
    budget = section_with("archi/A/specs/cfo-budget.md", "# Phase 2 예산\n\n## 인건비\n\n3월 100\n", "## 인건비")
    assert (budget.private_to, budget.metadata["phase"], budget.metadata["category"]) == ("cfo", "2", "인건비")
    gtm = section_with("archi/A/specs/cmo-gtm.md", "# 출시\n\n## 언론\n- Phase: 3\n- 채널: 보도자료\n", "언론")
    assert (gtm.private_to, gtm.metadata["phase"], gtm.metadata["channel"]) == ("cmo", "3", "보도자료")
    assert section_with("docs/rules.md", "# 규칙\n", "규칙").private_to is None


TASKS = """# ios_dev 작업

담당: 한유림 · 보고: CTO

## 다운로드

- [x] 목록 화면 (담당: 조이안, 기한: 2026-04-01)
- [ ] 이어받기
  - [x] 재현

    ```swift
    - [ ] not an item
    ```
  - [ ] 저장

그 밖의 글.

- 묶음
  - [ ] 안쪽 작업
"""


def test_tasks_are_cut_at_each_checkbox_with_its_nested_ones() -> None:
    path = "archi/App/specs/tasks/ios_dev-tasks.md"
    first = section_with(path, TASKS, "목록 화면")
    assert (first.status, first.metadata["done"], first.metadata["owner"], first.metadata["due"]) == (
        "done",
        "true",
        "조이안",
        "2026-04-01",
    )
    second = section_with(path, TASKS, "이어받기")
    assert (second.span.line_start, second.span.line_end, second.status) == (8, 14, "open")
    assert (second.metadata["owner"], second.metadata["worker"], second.metadata["c_level"]) == (
        "한유림",
        "ios_dev",
        "cto",
    )
    assert section_with(path, TASKS, "그 밖의 글").status == "active"
    assert section_with(path, TASKS, "안쪽 작업").status == "open"


def test_worker_owns_a_task_that_names_nobody() -> None:
    section = section_with("archi/A/specs/tasks/db_dev-tasks.md", "- [ ] 백업\n", "백업")
    assert section.metadata["owner"] == "db_dev"


def test_checklist_entries_are_items() -> None:
    assert starts("checklist-release.md", "# 점검\n\n## 전날\n\n- [x] 하나\n- 둘\n  - 셋\n- [ ] 넷\n") == [1, 3, 6, 8]


def test_debate_and_general_documents_are_cut_at_sections() -> None:
    text = "머리말\n\n# 제목\n\n소개\n\n## 하나\n\n### 속\n\na\n\n## 둘\n\nb\n"
    for path in ("debate-x.md", "notes.md"):
        document = parsed(path, text)
        assert [(each.span.line_start, each.span.line_end, each.heading) for each in document.sections] == [
            (1, 1, ""),
            (3, 5, "제목"),
            (7, 11, "하나"),
            (13, 15, "둘"),
        ]
        assert document.sections[2].heading_path == ("제목", "하나")


def test_date_of_a_general_section_comes_from_heading_head_or_name() -> None:
    assert section_with("a.md", "# 회의\n\n## 2026. 3. 28 주간\n\na\n", "주간").date == "2026-03-28"
    assert section_with("a.md", "# 회의\n\n날짜: 2026-03-01\n\n## 주간\n\na\n", "주간").date == "2026-03-01"
    assert section_with("a.md", "---\ndate: 2026-02-03\n---\n# 회의\n\n## 주간\n\na\n", "주간").date == "2026-02-03"
    assert section_with("2026-01-02-notes.md", "# 회의\n", "회의").date == "2026-01-02"
    assert section_with("a.md", "# 회의\n\n값은 2026-99-99 이고 3.14.15 이다\n", "값").date is None


def test_recipe_tells_apart_what_the_sections_depend_on() -> None:
    paths = [
        "archi/A/specs/cto-wbs.md",
        "archi/B/specs/cto-wbs.md",
        "archi/A/specs/cfo-wbs.md",
        "a/cto-wbs.adoc",
        "b.md",
    ]
    assert len({recipe_of(path, RULES) for path in paths}) == len(paths)
    assert recipe_of("docs/a.md", RULES) == recipe_of("other/b.md", RULES)
    assert recipe_of("docs/a.md", RULES) != recipe_of("docs/a.md", DocumentRules(split_tokens=100))
    as_general = DocumentRules(rooms=RULES.rooms, extra_types=(TypePattern("c.md", "general"),))
    assert recipe_of("c.md", as_general) != recipe_of("c.md", RULES)
    assert recipe_of("d.md", as_general) == recipe_of("d.md", RULES)
