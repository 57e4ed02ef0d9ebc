"""The outline of Markdown: headings, blocks and front matter, by their lines."""

import time

import pytest

from consiglierd.ingest.docs.markdown import scan
from consiglierd.ingest.docs.outline import Outline


def outline_of(text: str) -> Outline:
    return scan(text.split("\n"))


def headings_of(text: str) -> list[tuple[int, int, int, str]]:
    return [(each.line_start, each.line_end, each.level, each.text) for each in outline_of(text).headings]


def test_headings_of_both_styles_have_their_lines() -> None:
    text = "# 제목\n\n부제\n여러 줄\n---\n\n### 셋 ###\n"
    assert headings_of(text) == [(1, 1, 1, "제목"), (3, 5, 2, "부제 여러 줄"), (7, 7, 3, "셋")]


def test_hash_in_a_fence_or_a_list_or_a_quote_is_no_heading() -> None:
    text = "```sh\n# comment\n```\n\n- item\n\n  # inner\n\n> # quoted\n\n    # code\n"
    assert headings_of(text) == []


def test_anchor_for_machines_is_no_part_of_a_heading() -> None:
    assert headings_of("## Hooks {/*hooks*/}\n\n## Ids {#ids}") == [(1, 1, 2, "Hooks"), (3, 3, 2, "Ids")]


def test_list_entries_nest_by_depth_and_keep_their_checkboxes() -> None:
    blocks = outline_of("- [x] 하나\n  - [ ] 안쪽\n    이어짐\n\n- 둘\n1. [X] 셋\n").blocks
    assert [(each.line_start, each.line_end, each.kind, each.depth, each.checked) for each in blocks] == [
        (1, 3, "list_item", 0, True),
        (2, 3, "list_item", 1, False),
        (5, 5, "list_item", 0, None),
        (6, 6, "list_item", 0, True),
    ]


def test_table_lists_its_data_rows() -> None:
    (table,) = outline_of("| a | b |\n|---|---|\n| 1 | 2 |\n| 3 | 4 |\n").blocks
    assert (table.kind, table.line_start, table.line_end, table.rows) == ("table", 1, 4, (3, 4))


def test_yaml_front_matter_keeps_the_documents_own_words() -> None:
    outline = outline_of("---\nversion: 1.10\ndate: 2026-03-28\nyes: no\ntags: [a, b]\n---\n# 제목\n")
    assert outline.front_matter == (1, 6)
    assert outline.front_matter_values == {"version": "1.10", "date": "2026-03-28", "yes": "no", "tags": ["a", "b"]}
    assert [heading.line_start for heading in outline.headings] == [7]


def test_toml_front_matter_is_read() -> None:
    outline = outline_of('+++\ntitle = "제목"\n+++\n\n본문')
    assert (outline.front_matter, outline.front_matter_values) == ((1, 3), {"title": "제목"})


@pytest.mark.parametrize("header", ["---\na: [1\nb: }\n---", "---\na: &x 1\nb: *x\n---", "+++\na = \n+++"])
def test_unreadable_front_matter_is_a_problem_and_still_no_text(header: str) -> None:
    outline = outline_of(header + "\n\n본문")
    assert outline.problem is not None
    assert outline.front_matter is not None
    assert [block.kind for block in outline.blocks] == ["paragraph"]


def test_rules_around_prose_are_no_front_matter() -> None:
    outline = outline_of("---\n\n그냥 본문\n\n---\n\n더")
    assert outline.front_matter is None
    assert [block.kind for block in outline.blocks] == ["other", "paragraph", "other", "paragraph"]


def test_alias_bomb_and_deep_nesting_end_quickly() -> None:
    bomb = "\n".join(["a0: &a0 [x]"] + [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]" for n in range(1, 30)])
    deep = "a: " + "[" * 5000 + "]" * 5000
    toml = "a = " + "[" * 5000 + "]" * 5000
    started = time.process_time()
    for header in (f"---\n{bomb}\n---", f"---\n{deep}\n---", f"+++\n{toml}\n+++"):
        assert outline_of(header).problem is not None
    assert time.process_time() - started < 5


@pytest.mark.parametrize(
    "unit", [">", "> ", "- ", "[", "[a](", "`", "*", "_ ", "|", "<", "<!--", "#", "\t", "&", "![", "1. ", "> - "]
)
def test_hostile_line_stays_linear(unit: str) -> None:
    started = time.process_time()
    outline_of(unit * (5_000_000 // len(unit)))
    assert time.process_time() - started < 10


def test_hostile_nesting_over_many_lines_stays_bounded() -> None:
    started = time.process_time()
    outline_of("\n".join("  " * min(depth, 2000) + "- a" for depth in range(400)))
    outline_of("\n".join(">" * (depth % 200) + " a" for depth in range(20_000)))
    outline_of("\n".join("[a]: /b" for _ in range(20_000)))
    assert time.process_time() - started < 20
