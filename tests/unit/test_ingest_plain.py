"""Plain text: paragraphs, and headings only where there is no doubt."""

from hypothesis import given
from hypothesis import strategies as st

from consiglierd.ingest.docs.outline import Block, Heading, Outline
from consiglierd.ingest.docs.plain import scan


def test_paragraphs_are_what_blank_lines_part() -> None:
    found = scan(["하나", "이어짐", "", "  ", "둘"])
    assert found == Outline((), (Block(1, 2, "paragraph", 0), Block(5, 5, "paragraph", 0)))


def test_an_underlined_line_is_a_heading() -> None:
    found = scan(["회의록", "======", "", "안건", "----", "글"])
    assert found.headings == (Heading(1, 2, 1, "회의록"), Heading(4, 5, 2, "안건"))
    assert found.blocks == (Block(6, 6, "paragraph", 0),)


def test_what_is_not_unmistakable_is_no_heading() -> None:
    for lines in (
        ["짧다", "-" * 70],
        ["이것은 아주 긴 문장이라서 밑줄이 될 수 없는 줄이다.", "---"],
        ["===", "---"],
        ["글", "제목", "===="],
        ["제목", "=-=-"],
        ["제목", "~~~~"],
        ["----", ""],
    ):
        assert scan(lines).headings == (), lines


@given(st.lists(st.sampled_from(["", " ", "글", "==", "===", "---", "a===", "\u2028", "\x0c", "제목이 길다"])))
def test_every_line_that_is_not_blank_is_in_one_heading_or_block(lines: list[str]) -> None:
    found = scan(lines)
    covered = [line for part in (*found.headings, *found.blocks) for line in range(part.line_start, part.line_end + 1)]
    assert sorted(covered) == [number for number, line in enumerate(lines, 1) if line.strip()]
