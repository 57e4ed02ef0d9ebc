"""A section that is too long is cut at its inner headings, then between blocks, never inside of one."""

import pytest

from consiglierd.ingest.docs.cut import count_tokens
from consiglierd.ingest.docs.parse import parse_document
from consiglierd.model.document import Section
from consiglierd.model.rules import DocumentRules

RULES = DocumentRules(split_tokens=40)
WORDS = "word " * 25


def sections_of(text: str, path: str = "notes.md", rules: DocumentRules = RULES) -> tuple[Section, ...]:
    return parse_document(path, text.encode(), rules).sections


def test_tokens_are_words_and_half_syllables() -> None:
    assert count_tokens("three short words") == 3
    assert count_tokens("가나다라") == 2
    assert count_tokens("auth를 고쳤다") == 1 + 4 / 2


def test_short_section_keeps_its_inner_headings() -> None:
    (section,) = sections_of("## 하나\n\n### 속\n\na\n\n### 더\n\nb\n")
    assert section.heading_path == ("하나",)


def test_long_section_is_cut_at_inner_headings_first() -> None:
    sections = sections_of(f"## 하나\n\n머리 {WORDS}\n\n### 속\n\n{WORDS}\n\n### 더\n\nb\n\n## 둘\n\nc\n")
    assert [(each.span.line_start, each.span.line_end, each.heading_path) for each in sections] == [
        (1, 3, ("하나",)),
        (5, 7, ("하나", "속")),
        (9, 11, ("하나", "더")),
        (13, 15, ("둘",)),
    ]


def test_heading_without_text_stays_with_what_follows() -> None:
    sections = sections_of(f"## 하나\n\n### 속\n\n{WORDS}\n\n### 더\n\n{WORDS}\n")
    assert [(each.span.line_start, each.heading_path) for each in sections] == [
        (1, ("하나", "속")),
        (7, ("하나", "더")),
    ]


def test_paragraphs_are_packed_up_to_the_limit() -> None:
    paragraphs = "\n\n".join("word " * 15 for _ in range(6))
    sections = sections_of(f"## 하나\n\n{paragraphs}\n")
    assert [(each.span.line_start, each.span.line_end) for each in sections] == [(1, 5), (7, 9), (11, 13)]
    assert {each.heading_path for each in sections} == {("하나",)}


@pytest.mark.parametrize(
    "block",
    [
        "```py\n" + "\n\n".join([WORDS] * 8) + "\n```",
        "~~~\n# not a heading\n\n" + "\n".join([WORDS] * 8) + "\n~~~",
        "\n".join([WORDS] * 8),
        "> " + "\n> ".join([WORDS] * 8),
        "<div>\n" + "\n".join([WORDS] * 8) + "\n</div>",
        "\n".join("    " + WORDS for _ in range(8)),
    ],
    ids=["fence", "tilde fence", "paragraph", "quote", "html", "indented code"],
)
def test_block_is_never_cut_inside(block: str) -> None:
    sections = sections_of(f"## 하나\n\n{WORDS}\n\n{block}\n\n{WORDS}\n")
    assert block in [each.text for each in sections]


def test_long_table_is_cut_between_rows_and_keeps_its_head_with_a_row() -> None:
    rows = [f"| {number} | {'word ' * 12} |" for number in range(9)]
    sections = sections_of("## 하나\n\n| a | b |\n|---|---|\n" + "\n".join(rows) + "\n")
    assert len(sections) > 2
    assert sections[0].text.count("\n| 0 |") == 1
    assert [line for each in sections for line in each.text.split("\n") if line.startswith("| ")][1:] == rows


def test_long_list_is_cut_before_entries_and_a_long_entry_before_nested_ones() -> None:
    entries = "\n".join(f"- {'word ' * 18}{number}" for number in range(4))
    sections = sections_of(f"## 하나\n\n{entries}\n")
    assert [each.text.split("\n")[-1][-1] for each in sections] == ["1", "3"]
    nested = "- top\n" + "\n".join(f"  - {'word ' * 18}{number}" for number in range(4))
    sections = sections_of(f"## 하나\n\n{nested}\n")
    assert [each.text.split("\n")[-1][-1] for each in sections] == ["1", "3"]


def test_parts_of_an_issue_keep_its_facts() -> None:
    text = f"# 이슈\n\n## ISSUE-1: 하나\n- 상태: OPEN\n- 심각도: 높음\n\n{WORDS}\n\n{WORDS}\n\n{WORDS}\n"
    parts = sections_of(text, "ISSUES.md")[1:]
    assert len(parts) > 1
    assert {(each.status, each.metadata["issue_id"], each.metadata["severity"]) for each in parts} == {
        ("open", "ISSUE-1", "높음")
    }


def test_documents_with_only_one_kind_of_heading_are_cut_there() -> None:
    assert [each.heading for each in sections_of("# 하나\n\na\n\n# 둘\n\nb\n")] == ["하나", "둘"]
    assert [each.heading for each in sections_of("# 제목\n\n### 하나\n\na\n\n### 둘\n\nb\n")] == ["제목", "하나", "둘"]
    assert [each.heading for each in sections_of("글\n\n글\n")] == [""]


def test_line_of_twenty_thousand_emoji_stays_whole() -> None:
    line = "😀👩‍👩‍👧‍👦" * 2_500 + "한글"
    sections = sections_of(f"## 하나\n\n글\n\n{line}\n\n글\n")
    assert line in [each.text for each in sections]
