"""Tags of a section: roles, state, dates, and what the front matter says."""

from consiglierd.ingest.docs.parse import parse_document
from consiglierd.model.rules import DocumentRules

RULES = DocumentRules(role_words=(("ios_developer", ("ios_dev", "iOS 개발자")), ("director", ("director",))))


def tags(text: str, path: str = "a.md") -> dict[str, str]:
    return {tag.name: tag.source for tag in parse_document(path, text.encode(), RULES).sections[-1].tags}


def test_roles_that_are_named_become_tags() -> None:
    assert tags("iOS 개발자가 Director에게 묻는다") == {"ios_developer": "role", "director": "role"}


def test_state_and_date_become_tags() -> None:
    found = tags("# 이슈\n\n## ISSUE-7: 하나\n- 상태: 진행 중\n- 날짜: 2026-03-28\n", "ISSUES.md")
    assert found["in progress"] == found["진행 중"] == "state"
    assert found["2026-03-28"] == found["2026-03"] == "date"
    assert found["ISSUE-7"] == "issue_id"


def test_decision_and_kind_become_tags() -> None:
    assert tags("- 리뷰를 받는다 (회장 결정, 2026-03-28)\n", "rules.md")["decided"] == "state"
    assert tags("## [2026-03-28] 로그인 구현\n", "CHANGELOG.md")["implementation"] == "change_kind"


def test_values_of_front_matter_are_tags_and_no_text() -> None:
    text = "---\ntags: auth, 로그인\nowner: [한유림, 서강민]\nnested:\n  a: {b: c}\n---\n\n본문\n"
    document = parse_document("a.md", text.encode(), RULES)
    (section,) = document.sections
    assert section.text == "본문"
    assert [(each.kind, each.span.line_start, each.span.line_end) for each in document.leftovers] == [
        ("front_matter", 1, 6),
        ("blank", 7, 7),
    ]
    names = {tag.name for tag in section.tags if tag.source == "front_matter"}
    assert {"auth", "로그인", "한유림", "서강민", "c"} <= names
    assert section.metadata["owner"] == "한유림, 서강민"


def test_no_tag_holds_a_comma_and_none_is_given_twice() -> None:
    text = "---\ntitle: 하나, 둘\nstate: OPEN\nopen: Open\n---\n\n본문\n"
    names = [tag.name for tag in parse_document("a.md", text.encode(), RULES).sections[0].tags]
    assert not any("," in name for name in names)
    assert len({name.lower() for name in names}) == len(names)


def test_unreadable_front_matter_is_a_problem_of_the_document() -> None:
    document = parse_document("a.md", b"---\na: [1\nb: }\n---\n\ntext\n", RULES)
    assert [problem.code for problem in document.problems] == ["front_matter"]
    assert [section.text for section in document.sections] == ["text"]
