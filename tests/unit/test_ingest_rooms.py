"""Rooms of a section by keyword and by type."""

import unicodedata

import pytest

from consiglierd.ingest.docs.keywords import KeywordTable
from consiglierd.ingest.docs.parse import parse_document
from consiglierd.model.rules import DocumentRules

RULES = DocumentRules(
    rooms=(
        ("ios", ("swift", "swiftui", "ios_dev", "contentview")),
        ("android", ("kotlin", "room")),
        ("security", ("auth", "rls", "보안")),
        ("api", ("api", "route")),
    )
)


def rooms(text: str, path: str = "a.md") -> dict[str, str]:
    found: dict[str, str] = {}
    for section in parse_document(path, text.encode(), RULES).sections:
        found.update({mark.room: mark.source for mark in section.rooms})
    return found


@pytest.mark.parametrize(
    "text",
    [
        "auth", "Auth", "AUTH", "auth를 고친다", "auth에서는", "(auth)", "auth_token", "user-auth", "authToken",
        "loginAuthView", "HTTPAuth", "AUTHServer", "auth2", "로그인auth모듈", "보안", "보안을", "보안에서는 ",
        "보안과 성능", "x.auth.y", "oauth auth",
    ],
)  # fmt: skip
def test_keyword_is_found_as_word_part_or_before_a_particle(text: str) -> None:
    assert "security" in rooms(text)


@pytest.mark.parametrize("text", ["author", "oauth", "authentic", "unauthorized", "보안관", "정보안", "보안상품"])
def test_keyword_inside_another_word_is_none(text: str) -> None:
    assert "security" not in rooms(text)


def test_keyword_of_several_parts_and_of_one_name() -> None:
    assert rooms("담당 ios_dev") == {"ios": "keyword:ios_dev"}
    assert rooms("`ContentView.swift`의 `ContentView`") == {"ios": "keyword:swift"}
    assert rooms("chatRoom을 연다") == {"android": "keyword:room"}
    assert "ios" not in rooms("swiftly")


def test_decomposed_text_has_the_rooms_of_composed_text() -> None:
    assert rooms(unicodedata.normalize("NFD", "보안을 본다")) == rooms("보안을 본다") == {"security": "keyword:보안"}


def test_heading_above_counts_for_a_part_without_the_word() -> None:
    assert "android" in rooms("# Kotlin\n\n글\n\n## 하나\n\n글\n")


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("archi/A/specs/cto-spec.md", {"architecture": "type:spec"}),
        ("archi/A/specs/cto-wbs.md", {"architecture": "type:wbs"}),
        ("archi/A/specs/cto-raci.md", {"architecture": "type:raci"}),
        ("archi/A/specs/cto-adr.md", {"architecture": "type:adr"}),
        ("archi/A/specs/cto-tech-debt.md", {"architecture": "type:tech-debt"}),
        ("archi/A/specs/cto-gantt.md", {"history": "type:gantt"}),
        ("archi/A/specs/cto-status.md", {"history": "type:status"}),
        ("archi/A/specs/cto-risk.md", {"security": "type:risk"}),
        ("archi/A/specs/cfo-budget.md", {}),
        ("tasks/a-tasks.md", {room: "type:tasks" for room, _ in RULES.rooms}),
        ("notes.md", {}),
    ],
)
def test_type_gives_rooms(path: str, expected: dict[str, str]) -> None:
    assert rooms("글", path) == expected


def test_label_is_given_once_by_its_first_keyword() -> None:
    table = KeywordTable([("a", ("one", "two")), ("b", ("two",))])
    assert table.find("two one") == [("a", "one"), ("b", "two")]
    assert table.find("three") == []
