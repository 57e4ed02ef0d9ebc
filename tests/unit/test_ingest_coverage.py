"""Sections and leftovers cover every document exactly once, whatever it holds and however it is encoded."""

import json
import random
import time
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from consiglierd.ingest.docs import markdown
from consiglierd.ingest.docs.decode import decode, split_lines
from consiglierd.ingest.docs.parse import parse_document, recipe_of
from consiglierd.model.document import ParsedDocument
from consiglierd.model.rules import DocumentRules

SHARED = Path(__file__).parents[3] / "shared"
SAMPLE = Path(__file__).parents[2] / "examples" / "streamapp"
RULES = DocumentRules(rooms=(("ios", ("swift",)), ("security", ("auth", "보안"))), split_tokens=30)
PATHS = (
    "a.md", "CHANGELOG.md", "ISSUES.md", "rules.md", "workflow.md", "DASHBOARD.md", "memory/a.md", "CLAUDE.md",
    "archi/A/specs/cto-spec.md", "cto-wbs.md", "cto-gantt.md", "cto-raci.md", "cto-status.md", "cto-risk.md",
    "cto-adr.md", "docs/adr/0001-a.md", "cto-tech-debt.md", "cfo-budget.md", "cmo-gtm.md", "tasks/a-tasks.md",
    "debate.md", "checklist.md", "a.adoc", "cto-status.adoc", "tasks/b.adoc", "a.rst", "rules.rst", "a.txt",
    "rules.txt",
)  # fmt: skip
LINES = (
    "", "", " ", "\t", "# 제목", "## 하나", "## ISSUE-1: 둘 [OPEN]", "## ADR-1: 셋", "### 속", "#### 더 속", "= Title",
    "== Section", "Title", "=====", "-----", "---", "+++", "```", "~~~", "----", "====", "|===", "|a |b", "| a | b |",
    "|---|---|", "| R-1 | 높음 | 열림 |", "- 하나", "- [x] 끝남", "  - [ ] 안쪽", "* 별", "1. 순서", "> 인용",
    "    code", "<div>", "</div>", "<!--", "-->", "상태: OPEN", "- 날짜: 2026-03-28", ":author: 나", ".. note::",
    "   indented",
    "key: value", "title = 1", "문단의 글이 길게 이어진다 " * 6, "word " * 20, "😀" * 30,
    "a\x0bb\x0cc\u2028d\x85e", "\ufeff", "+", "....", "image::a.png[]", "[[anchor]]", "[NOTE]", "...", "&",
    "\\", "[a]: b",
)  # fmt: skip

_MARKS = {
    "utf-8-sig": (b"\xef\xbb\xbf", "utf-8"),
    "utf-16-le": (b"\xff\xfe", "utf-16-le"),
    "utf-16-be": (b"\xfe\xff", "utf-16-be"),
}


def check_cover(content: bytes, document: ParsedDocument) -> None:
    decoded = decode(content)
    lines = split_lines(decoded.text)
    spans = [*(each.span for each in document.sections), *(each.span for each in document.leftovers)]
    spans.sort(key=lambda span: span.line_start)
    next_line, next_byte = 1, 0
    for span in spans:
        assert (span.line_start, span.byte_start) == (next_line, next_byte)
        assert span.line_end >= span.line_start
        next_line, next_byte = span.line_end + 1, span.byte_end
    assert next_line == len(lines) + 1
    assert next_byte == (len(content) if lines else 0)
    for number, section in enumerate(document.sections):
        assert section.ordinal == number
        own = lines[section.span.line_start - 1 : section.span.line_end]
        assert section.text == "\n".join(own)
        assert own[0].strip()
        assert own[-1].strip()
        assert section.heading == (section.heading_path[-1] if section.heading_path else "")
        cut = content[section.span.byte_start : section.span.byte_end]
        mark, codec = _MARKS.get(decoded.encoding, (b"", decoded.encoding))
        if section.span.byte_start == 0:
            cut = cut.removeprefix(mark)
        assert split_lines(cut.decode(codec)) == own
    for leftover in document.leftovers:
        between = lines[leftover.span.line_start - 1 : leftover.span.line_end]
        assert leftover.kind == "front_matter" or not any(line.strip() for line in between)


@settings(max_examples=400, deadline=None)
@given(
    path=st.sampled_from(PATHS),
    lines=st.lists(st.sampled_from(LINES) | st.text(max_size=12), max_size=40),
    end=st.sampled_from(["\n", "\r\n", "\r"]),
    encoding=st.sampled_from(["utf-8", "utf-8-sig", "utf-16"]),
)
def test_every_line_is_in_exactly_one_section_or_leftover(path: str, lines: list[str], end: str, encoding: str) -> None:
    content = end.join(lines).encode(encoding, "replace")
    document = parse_document(path, content, RULES)
    if document.problems and document.problems[0].code in ("binary", "undecodable"):
        assert document.sections == ()
        return
    check_cover(content, document)
    assert parse_document(path, content, RULES) == document


@settings(max_examples=200, deadline=None)
@given(path=st.sampled_from(PATHS), content=st.binary(max_size=200))
def test_any_bytes_give_a_document_or_a_problem(path: str, content: bytes) -> None:
    document = parse_document(path, content, RULES)
    if document.encoding == "unknown":
        assert [problem.code for problem in document.problems] in (["binary"], ["undecodable"])
    else:
        check_cover(content, document)


@pytest.mark.parametrize("path", PATHS)
def test_mixed_line_ends_and_no_last_line_end(path: str) -> None:
    content = "# 제목\r\n\n글\r## 하나\r\n\r\n- [ ] 일\n- [x] 일\r\r글".encode()
    check_cover(content, parse_document(path, content, RULES))


@pytest.mark.parametrize("path", PATHS)
def test_nothing_gives_no_sections(path: str) -> None:
    for content in (b"", b"\n", b" \n\t\r\n", b"\xef\xbb\xbf", b"\xff\xfe"):
        document = parse_document(path, content, RULES)
        assert document.sections == ()
        assert document.problems == ()


def test_documents_of_the_sample_are_covered() -> None:
    files = [path for path in sorted(SAMPLE.rglob("*")) if path.suffix in (".md", ".adoc", ".rst", ".txt")]
    assert len(files) > 50
    for file in files:
        content = file.read_bytes()
        path = file.relative_to(SAMPLE).as_posix()
        for rules in (RULES, DocumentRules()):
            document = parse_document(path, content, rules)
            assert document.sections
            check_cover(content, document)


def test_documents_of_this_project_are_covered() -> None:
    root = Path(__file__).parents[2]
    for file in [*root.glob("*.md"), *(root / "consiglierd").glob("*.md"), *(root / "client").glob("*.md")]:
        content = file.read_bytes()
        check_cover(content, parse_document(file.name, content, RULES))


@pytest.mark.skipif(not (SHARED / "design").is_dir(), reason="the design pages are not beside this checkout")
def test_design_pages_are_covered() -> None:
    for file in (SHARED / "design").rglob("*.md"):
        content = file.read_bytes()
        for rules in (RULES, DocumentRules()):
            check_cover(content, parse_document(file.name, content, rules))


@pytest.mark.skipif(not (SHARED / "data" / "react-docs-ko").is_dir(), reason="the measuring data is not here")
@pytest.mark.parametrize("name", ["react-docs-ko", "react-docs-en"])
def test_real_documents_are_covered(name: str) -> None:
    corpus = (SHARED / "data" / name / "corpus.jsonl").read_text(encoding="utf-8")
    rows = [json.loads(line) for line in corpus.split("\n")[::4] if line]
    order = random.Random(7)
    for start in range(0, len(rows), 60):
        part = rows[start : start + 60]
        text = "\n\n".join(f"{'#' * order.randint(1, 4)} {row['title']}\n\n{row['text']}" for row in part)
        content = text.encode("utf-16" if start % 120 else "utf-8")
        for path in ("a.md", "rules.md", "a.txt"):
            check_cover(content, parse_document(path, content, DocumentRules()))


@pytest.mark.parametrize(
    "unit", ["- a\n", "| a | b |\n", "# a\n", "a\n\n", "> a\n", "상태: OPEN\n", "(", "2026-", "  - [ ] a\n"]
)
@pytest.mark.parametrize("path", ["a.md", "rules.md", "ISSUES.md", "tasks/a.md"])
def test_hostile_repetition_stays_bounded(unit: str, path: str) -> None:
    started = time.process_time()
    content = (unit * (40_000 // len(unit))).encode()
    check_cover(content, parse_document(path, content, DocumentRules()))
    assert time.process_time() - started < 20


@settings(max_examples=200, deadline=None)
@given(path=st.sampled_from(["a.md", "rules.md", "tasks/a.md"]), lines=st.lists(st.sampled_from(LINES), max_size=40))
def test_no_block_is_cut_inside(path: str, lines: list[str]) -> None:
    content = "\n".join(lines).encode()
    outline = markdown.scan(split_lines(decode(content).text))
    borders = {section.span.line_start for section in parse_document(path, content, RULES).sections}
    for block in outline.blocks:
        allowed = set(block.rows[1:] if path == "a.md" else block.rows)
        if block.kind != "list_item":
            assert not borders & set(range(block.line_start + 1, block.line_end + 1)) - allowed


@settings(max_examples=100, deadline=None)
@given(lines=st.lists(st.sampled_from(LINES), max_size=30))
def test_equal_recipes_give_equal_sections_wherever_the_file_stands(lines: list[str]) -> None:
    content = "\n".join(lines).encode()
    for path, other in (
        ("a.md", "docs/b/c.md"),
        ("rules.md", "x/RULES.md"),
        ("archi/A/specs/cto-wbs.md", "archi/A/cto-wbs.md"),
    ):
        assert recipe_of(path, RULES) == recipe_of(other, RULES)
        assert parse_document(path, content, RULES) == parse_document(other, content, RULES)
