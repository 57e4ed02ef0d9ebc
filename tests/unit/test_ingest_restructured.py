"""reStructuredText: headings, blocks and metadata, line for line."""

import textwrap
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from consiglierd.ingest.docs.outline import Heading, Outline
from consiglierd.ingest.docs.restructured import scan


def outline(text: str) -> Outline:
    return scan(textwrap.dedent(text).lstrip("\n").rstrip("\n").split("\n"))


def headings(text: str) -> list[tuple[int, str, int]]:
    return [(heading.level, heading.text, heading.line_start) for heading in outline(text).headings]


def kinds(text: str) -> list[tuple[str, int, int]]:
    return [(block.kind, block.line_start, block.line_end) for block in outline(text).blocks]


def test_levels_follow_the_order_in_which_adornments_appear() -> None:
    text = """
        ====
        문서
        ====

        하나
        ~~~~

        작은
        ....

        둘
        ~~~~

        부록
        ====
        """
    # An overlined title is of another style than an underlined one.
    assert headings(text) == [(1, "문서", 1), (2, "하나", 5), (3, "작은", 8), (2, "둘", 11), (4, "부록", 14)]
    assert outline(text).headings[0] == Heading(1, 3, 1, "문서")


def test_korean_titles_are_as_wide_as_they_look() -> None:
    assert headings("가나\n===\n\n글\n") == []
    assert headings("가\n==\n\n글\n") == [(1, "가", 1)]
    # docutils warns of a short underline and takes it, from four characters on.
    assert headings("아주 긴 제목이다\n====\n") == [(1, "아주 긴 제목이다", 1)]


def test_a_numbered_title_is_a_title_and_a_numbered_item_is_an_item() -> None:
    assert headings("1. 개요\n=======\n") == [(1, "1. 개요", 1)]
    assert kinds("1. 하나\n2. 둘\n") == [("list_item", 1, 1), ("list_item", 2, 2)]
    assert kinds("2026. 3월의 긴 문장이\n여기로 이어진다.\n") == [("paragraph", 1, 2)]


def test_titles_inside_directives_literals_and_items_are_text() -> None:
    text = """
        .. note::

           제목
           ====

        보기::

            제목
            ====

        - 항목

          제목
          ====

        진짜
        ====
        """
    assert headings(text) == [(1, "진짜", 16)]
    assert kinds(text) == [("other", 1, 4), ("fence", 6, 9), ("list_item", 11, 14)]


def test_a_line_between_blank_lines_is_a_rule_and_no_title() -> None:
    assert headings("글\n\n----\n\n글\n") == []


def test_code_blocks_and_quoted_literals_are_fences() -> None:
    assert kinds(".. code-block:: python\n\n   x = 1\n\n   y = 2\n글\n") == [("fence", 1, 5), ("paragraph", 6, 6)]
    assert kinds("인용::\n\n> 하나\n> 둘\n\n글\n") == [("fence", 1, 4), ("paragraph", 6, 6)]


def test_nested_items_have_their_depth_and_boxes_their_state() -> None:
    text = """
        - [ ] 하나

          - [x] 안쪽
            이어짐

            1. 더 안쪽

        - 둘
        """
    assert [
        (block.line_start, block.line_end, block.depth, block.checked)
        for block in outline(text).blocks
        if block.kind == "list_item"
    ] == [(1, 6, 0, False), (3, 6, 1, True), (6, 6, 2, None), (8, 8, 0, None)]


def test_definitions_hold_together() -> None:
    assert kinds("용어\n    뜻\n\n    더\n다음\n    뜻\n") == [("paragraph", 1, 4), ("paragraph", 5, 6)]


def test_rows_of_grid_and_simple_tables() -> None:
    grid = "+----+----+\n| a  | b  |\n+====+====+\n| 1  | 2  |\n|    | 3  |\n+----+----+\n| 4  | 5  |\n+----+----+\n"
    simple = "==== ====\na    b\n==== ====\n1    2\n     3\n\n4    5\n==== ====\n\n글\n"
    (first,) = outline(grid).blocks
    assert (first.kind, first.line_start, first.line_end, first.rows) == ("table", 1, 8, (1, 3, 6))
    second = outline(simple).blocks[0]
    assert (second.kind, second.line_start, second.line_end, second.rows) == ("table", 1, 8, (2, 4, 7))


def test_the_field_list_at_the_top_is_metadata() -> None:
    found = outline("""
        결정
        ====

        :author: 홍길동
        :date: 2026-03-28
        :status: accepted
        :tags: 보안, auth
        :summary: 긴
           설명

        글

        :field: 아니다
        """)
    assert found.front_matter == (4, 9)
    assert found.front_matter_values == {
        "author": "홍길동",
        "date": "2026-03-28",
        "status": "accepted",
        "tags": ["보안", "auth"],
        "summary": "긴 설명",
    }
    assert [block.kind for block in found.blocks] == ["paragraph", "list_item"]


def test_an_empty_document_has_an_empty_outline() -> None:
    assert scan([]) == Outline((), ())


PIECES = st.sampled_from(
    ["", " ", "제목", "====", "----", "~~", "=", "::", "글::", "- 항목", "  - 안", "1. 하나", "#. 둘", "(a) 셋",
     ":필드: 값",
     ":a:", "-v  옵션", "--long", ".. note::", "   들여쓴 글", "..", "__ x", "+---+", "+-+-+", "| a |", "=== ===",
     "a   b", "> 인용", "| 줄", "\t", "\x0b", "「"]
)  # fmt: skip


@given(st.lists(PIECES, max_size=60))
def test_every_line_with_text_is_in_one_heading_block_or_the_metadata(lines: list[str]) -> None:
    found = scan(lines)
    parts = [*found.headings, *(block for block in found.blocks if block.depth == 0)]
    covered = [line for part in parts for line in range(part.line_start, part.line_end + 1)]
    if found.front_matter is not None:
        covered.extend(range(found.front_matter[0], found.front_matter[1] + 1))
    assert len(covered) == len(set(covered))
    assert {number for number, line in enumerate(lines, 1) if line.strip()} <= set(covered)
    assert all(1 <= part.line_start <= part.line_end <= len(lines) for part in parts)
    starts = [block.line_start for block in found.blocks]
    assert starts == sorted(starts)


HOSTILE = {
    "deep lists": ["  " * (number % 40) + "- a" for number in range(20_000)],
    "ever deeper lists": [" " * number + "- a" for number in range(1_500)],
    "options": ["-a, " * 100_000, "--a=b, " * 100_000, "-" + "a" * 500_000],
    "fields": [":a:" * 100_000, ":" + "\\a" * 200_000],
    "borders": ["+-" + "-+" * 100_000] * 3 + ["= " * 100_000] * 3 + ["= ="] * 20_000,
    "literals": ["a::", "", "> b"] * 10_000,
    "underlines": ["a", "-"] * 20_000,
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_input_takes_time_in_proportion_to_its_size(name: str) -> None:
    lines = HOSTILE[name]
    started_s = time.process_time()
    scan(lines)
    # Quadratic work on inputs of this size takes minutes; a slow machine takes a second or two.
    assert time.process_time() - started_s < 10
