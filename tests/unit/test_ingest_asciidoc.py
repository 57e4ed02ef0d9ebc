"""AsciiDoc: headings, blocks and header, line for line."""

import textwrap
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from consiglierd.ingest.docs.asciidoc import scan
from consiglierd.ingest.docs.outline import Block, Outline


def outline(text: str) -> Outline:
    return scan(textwrap.dedent(text).lstrip("\n").rstrip("\n").split("\n"))


def headings(text: str) -> list[tuple[int, str, int]]:
    """Level, text and last line of each heading."""
    return [(heading.level, heading.text, heading.line_end) for heading in outline(text).headings]


def items(text: str) -> list[tuple[int, int, int, bool | None]]:
    return [
        (block.line_start, block.line_end, block.depth, block.checked)
        for block in outline(text).blocks
        if block.kind == "list_item"
    ]


def kinds(text: str) -> list[tuple[str, int, int]]:
    return [(block.kind, block.line_start, block.line_end) for block in outline(text).blocks]


def test_titles_of_every_level_and_the_markdown_form() -> None:
    text = "\n".join(f"{'=' * level} 제목 {level}\n" for level in range(1, 7)) + "\n## 마크다운\n\n======= 일곱은 글\n"
    assert headings(text) == [(level, f"제목 {level}", 2 * level - 1) for level in range(1, 7)] + [(2, "마크다운", 13)]


def test_a_title_loses_its_closing_signs_and_its_inline_anchor() -> None:
    assert headings("== 설계 ==\n\n=== 결정 [[decision]]\n") == [(2, "설계", 1), (3, "결정", 3)]


def test_titles_of_two_lines_take_both_lines() -> None:
    found = outline("문서 제목\n=====\n\n개요 부분\n-----\n\n글\n").headings
    assert [(h.line_start, h.line_end, h.level) for h in found] == [(1, 2, 1), (4, 5, 2)]


def test_a_line_of_dashes_much_longer_than_the_text_is_a_listing() -> None:
    assert headings("짧다\n----------\n== 글\n----------\n") == []


def test_titles_inside_delimited_blocks_are_text() -> None:
    for delimiter in ("----", "....", "====", "****", "____", "++++", "////", "--", "```", "|==="):
        assert headings(f"{delimiter}\n== 안\n{delimiter}\n\n== 밖\n") == [(2, "밖", 5)], delimiter


def test_a_block_ends_at_a_delimiter_of_the_same_length_only() -> None:
    text = """
        ======
        ====
        == 안
        ====

        == 아직 안
        ======

        == 밖
        """
    assert headings(text) == [(2, "밖", 9)]
    assert kinds(text) == [("other", 1, 7)]


def test_a_block_that_is_never_closed_goes_to_the_end() -> None:
    assert kinds("글\n\n----\ncode\n\n== 제목\n") == [("paragraph", 1, 1), ("fence", 3, 6)]


def test_a_title_right_below_a_paragraph_is_part_of_it() -> None:
    assert headings("글\n== 제목 아님\n\n== 제목\n") == [(2, "제목", 4)]


def test_a_discrete_heading_is_no_section() -> None:
    assert headings("[discrete]\n== 떠 있다\n\n[float]\n=== 이것도\n\n== 절\n") == [(2, "절", 7)]


def test_anchors_and_attributes_belong_to_the_title_below_them() -> None:
    text = "글\n\n// 주석\n[[here]]\n[role=x]\n== 절\n"
    (heading,) = outline(text).headings
    assert (heading.line_start, heading.line_end) == (4, 6)


def test_attributes_belong_to_the_block_below_them() -> None:
    text = ".제목\n[source,python]\n----\nx = 1\n----\n\n[NOTE]\n====\n주의\n====\n\nWARNING: 조심\n"
    assert kinds(text) == [("fence", 1, 5), ("other", 7, 10), ("paragraph", 12, 12)]


def test_comments_conditionals_and_includes_are_never_executed_and_never_hide_a_title() -> None:
    text = """
        = 문서

        ifdef::internal[]
        == 내부
        endif::[]
        include::secret.adoc[]
        == 다음
        ////
        == 주석 안
        ////
        // == 주석
        ifndef::x[]
        == 바깥
        endif::x[]
        """
    assert [heading[1] for heading in headings(text)] == ["문서", "내부", "다음", "바깥"]


def test_level_offset_moves_titles() -> None:
    assert headings(":leveloffset: +1\n\n= 부분\n\n:leveloffset: -1\n\n== 절\n") == [(2, "부분", 3), (2, "절", 7)]


def test_nested_lists_give_items_with_their_depth() -> None:
    text = """
        * 하나
        ** 둘
        *** 셋
        * 넷
        .. 가
        .. 나
        """
    assert items(text) == [
        (1, 3, 0, None),
        (2, 3, 1, None),
        (3, 3, 2, None),
        (4, 6, 0, None),
        (5, 5, 1, None),
        (6, 6, 1, None),
    ]


def test_checklists_keep_the_state_of_their_boxes() -> None:
    assert [item[3] for item in items("* [ ] 할 일\n* [x] 한 일\n* [*] 한 일\n* 그냥\n")] == [False, True, True, None]


def test_a_continuation_attaches_a_block_to_its_item() -> None:
    text = """
        . 설치한다
        +
        ----
        == 명령 안
        . 아니다
        ----
        +
        이어지는 글
        . 실행한다

        == 절
        """
    assert items(text) == [(1, 8, 0, None), (9, 9, 0, None)]
    assert headings(text) == [(2, "절", 11)]


def test_a_delimited_block_without_a_continuation_ends_the_list() -> None:
    assert kinds("* 긴 항목 하나\n----\n* 코드\n----\n") == [("list_item", 1, 1), ("fence", 2, 4)]


def test_a_title_right_below_an_item_belongs_to_the_item() -> None:
    assert headings("* 항목\n== 글\n\n== 절\n") == [(2, "절", 4)]


def test_description_lists_take_the_text_below_their_term() -> None:
    text = """
        용어:: 뜻
        다른 용어::

        떨어진 뜻

        Nested::: 안쪽

        셋째::
          * 목록
        """
    assert items(text) == [(1, 1, 0, None), (2, 6, 0, None), (6, 6, 1, None), (8, 9, 0, None), (9, 9, 1, None)]


def test_callout_lists_are_items() -> None:
    assert items("----\nx <1>\n----\n<1> 첫째\n<2> 둘째\n") == [(4, 4, 0, None), (5, 5, 0, None)]


def rows(text: str) -> tuple[int, ...]:
    (table,) = [block for block in outline(text).blocks if block.kind == "table"]
    return table.rows


def test_rows_of_a_table_with_a_row_a_line() -> None:
    assert rows("|===\n| a | b\n\n| 1 | 2\n| 3 | 4\n|===\n") == (2, 4, 5)


def test_rows_of_a_table_with_a_cell_a_line() -> None:
    assert rows('[cols="1,2"]\n|===\n| a\n| b\n\n| 1\n이어진 글\n| 2\n|===\n') == (3, 6)


def test_spans_count_their_columns_and_rows_that_span_are_never_cut() -> None:
    assert rows("[cols=3*]\n|===\n2+| a | b\n3*| c\n| 1 | 2 | 3\n|===\n") == (3, 4, 5)
    assert rows("|===\n| a | b\n.2+| c | d\n| e\n|===\n") == (2,)


def test_rows_of_comma_separated_tables_respect_quotes() -> None:
    assert rows(',===\na,b\n"c\nd",e\nf,g\n,===\n') == (2, 3, 5)


def test_the_header_gives_author_revision_and_attributes() -> None:
    found = outline("""
        = 결정 기록
        홍 길동 <hong@example.org>; Kim Chulsoo
        v1.2, 2026-03-28: 초안
        :status: accepted
        :tags: 보안, auth
        :description: 긴 \\
          설명
        :!toc:

        본문
        """)
    assert found.front_matter_values == {
        "author": "홍 길동, Kim Chulsoo",
        "revnumber": "1.2",
        "revdate": "2026-03-28",
        "revremark": "초안",
        "date": "2026-03-28",
        "status": "accepted",
        "tags": ["보안", "auth"],
        "description": "긴 설명",
    }
    assert found.front_matter == (2, 8)
    assert [heading.text for heading in found.headings] == ["결정 기록"]
    assert [block.line_start for block in found.blocks] == [10]


def test_text_right_below_the_title_stays_text() -> None:
    found = outline("= 제목\n이 문장은, 저자의 이름이 아니라 글이다.\n\n== 절\n")
    assert found.front_matter is None
    assert found.blocks[0] == Block(2, 2, "paragraph", 0)


def test_front_matter_between_fences_is_read_too() -> None:
    found = outline("---\nstatus: draft\n---\n= 제목\n\n글\n")
    assert found.front_matter == (1, 3)
    assert found.front_matter_values == {"status": "draft"}
    assert [(heading.level, heading.line_start) for heading in found.headings] == [(1, 4)]


def test_an_empty_document_has_an_empty_outline() -> None:
    assert scan([]) == Outline((), ())
    assert scan(["", "  "]).headings == ()


PIECES = st.sampled_from(
    ["", " ", "= 문서", "== 절", "===== 깊다", "절 제목", "-----", "----", "====", "--", "* 항목", "** 안", ". 하나",
     "용어::", "용어:: 뜻", "용어;; 뜻", "+", "|===", "| a | b", "[[x]]", "[NOTE]", "[discrete]", "////", "// c",
     ".제목", " 들여쓴 글", "```", ":a: b", ":leveloffset: +1", "include::x[]", "ifdef::y[]", "endif::[]", "글",
     "<1> 하나", "> 인용", "__ __", "image::a.png[]", "[", "]]", "\t", "\x0b", "- [x] 일"]
)  # fmt: skip


@given(st.lists(PIECES, max_size=60))
def test_any_lines_give_an_outline_in_order_within_the_file(lines: list[str]) -> None:
    found = scan(lines)
    last = 0
    for heading in found.headings:
        assert last < heading.line_start <= heading.line_end <= len(lines)
        last = heading.line_end
    top = [block for block in found.blocks if block.depth == 0]
    last = 0
    for block in top:
        assert last < block.line_start <= block.line_end <= len(lines)
        last = block.line_end
    titles = {line for heading in found.headings for line in range(heading.line_start, heading.line_end + 1)}
    assert not titles & {line for block in top for line in range(block.line_start, block.line_end + 1)}
    starts = [block.line_start for block in found.blocks]
    assert starts == sorted(starts)
    for block in found.blocks:
        assert all(block.line_start <= row <= block.line_end for row in block.rows)


HOSTILE = {
    "deep lists": ["*" * (number % 50 + 1) + " a" for number in range(20_000)],
    "terms of every kind": ["a:: b", "c::: d", "e:::: f", "g;; h"] * 5_000,
    "attributes that never meet a block": ["a:: b", *["[x]", ""] * 10_000],
    "delimiters that never close": [line for number in range(1_500) for line in ("* a", "+", "-" * (4 + number))],
    "blanks inside a title": ["== a" + " " * 500_000 + "b"],
    "colons": ["::" * 250_000 + "x", ": " * 250_000],
    "brackets": ["[" * 500_000, "[[" + "a" * 500_000 + "]]", "== t" + " [[a]]" * 50_000],
    "cells": ["|===", "|a" * 250_000, " " * 500_000 + "|a", "|==="],
    "an author without end": ["= T", "a-'." * 100_000 + "!"],
    "attributes without end": ["= T", *[":a: b \\"] * 50_000],
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_input_takes_time_in_proportion_to_its_size(name: str) -> None:
    lines = HOSTILE[name]
    started_s = time.process_time()
    scan(lines)
    # Quadratic work on inputs of this size takes minutes; a slow machine takes a second or two.
    assert time.process_time() - started_s < 10
