"""What the recipe of the bundled table reads: pairs of each kind of source, and nothing of the measuring sets."""

import json
from pathlib import Path

from models.documents import parallel_pairs, section_pairs, sections_of
from models.functions import code_pairs
from models.gather import is_measured, measured, shingles, sources
from models.po import po_pairs
from models.questions import asked, asked_of_code
from models.strings import resource_pairs, xliff_pairs

KOREAN = """# 시작하기

이 문서는 설치하는 방법을 자세하게 설명하는 문서입니다.

## 설치 {#install}

먼저 도구를 설치하고 나서 명령을 실행하면 됩니다. 그러면 도구가 바로 준비되어 쓸 수 있습니다.
"""
ENGLISH = """# Getting started

This page tells how to install it, in detail.

## Install

First install the tool, then run the command. After that the tool is ready to be used.
"""
PYTHON = """
def read_all(path):
    "Read the whole file at once."
    with open(path) as file:
        return file.read()
"""
JAVA = """
/**
 * Reads the whole file at once.
 * @param path where
 */
public String readAll(Path path) {
  return Files.readString(path);
}
"""
GO = """
// ReadAll reads the whole file at once.
func ReadAll(path string) string {
\treturn string(os.ReadFile(path))
}
"""
PO = """
msgid "Delete the file"
msgstr "파일을 삭제합니다"

#, fuzzy
msgid "Rename the file"
msgstr "파일을 복사합니다"
"""
XLIFF = """
<source>Delete the file "{0}"</source>
<target state="translated">"{0}" 파일을 삭제합니다</target>
<source>Rename it</source>
<target state="new">Rename it</target>
"""
RESOURCE = '<data name="Delete" xml:space="preserve">\n<value>{}</value></data>'
PAGE = """---
title: Rule of arrays
description: Enforce return statements in callbacks
---
Body of the page.
## More
x y z
"""
RESTRUCTURED = """
Title
=====

See :meth:`~a.b.run` and `the page <http://x>`_.

.. note:: Take care.

Part
----

Text.
"""


def test_markdown_is_read_in_sections() -> None:
    sections = sections_of("a.md", KOREAN)
    assert [(each.level, each.heading, each.anchor, each.above) for each in sections if each.heading] == [
        (1, "시작하기", "시작하기", ""),
        (2, "설치", "install", "시작하기"),
    ]


def test_what_stands_in_a_fence_is_no_heading() -> None:
    assert [each.heading for each in sections_of("a.md", "# A\n```\n# not a heading\n```\ntext")] == ["", "A"]


def test_front_matter_gives_a_title_and_a_summary() -> None:
    found = sections_of("a.md", PAGE)
    assert [each.heading for each in found] == ["Rule of arrays", "More", "Enforce return statements in callbacks"]
    assert found[1].above == "Rule of arrays"
    assert "Body of the page." in found[-1].text


def test_restructured_text_is_read_in_sections() -> None:
    found = sections_of("a.rst", RESTRUCTURED)
    assert [(each.level, each.heading) for each in found[1:]] == [(1, "Title"), (2, "Part")]
    assert found[1].text == "See a.b.run and the page.\nTake care."


def test_two_pages_that_say_the_same_give_translations_and_crossed_pairs() -> None:
    pairs = list(parallel_pairs(sections_of("a.md", KOREAN), sections_of("a.md", ENGLISH), "s"))
    assert ("시작하기", "Getting started") in {
        (each.question, each.answer) for each in pairs if each.kind == "translation"
    }
    crossed = {each.question: each.answer for each in pairs if each.kind == "crossed"}
    assert crossed["설치"].startswith("First install the tool")
    assert crossed["Install"].startswith("먼저 도구를")


def test_a_sentence_is_not_in_the_rest_of_its_section() -> None:
    text = "# T\n\nThe first sentence stands here. The second sentence stands here. The third sentence stands here."
    (pair,) = [each for each in section_pairs(sections_of("a.md", text), "s") if each.kind == "context"]
    assert pair.question not in pair.answer


def test_functions_are_read_in_each_language() -> None:
    for path, text in (("a.py", PYTHON), ("A.java", JAVA), ("a.ts", JAVA), ("a.go", GO)):
        (pair,) = list(code_pairs(path, text, "s"))
        assert "whole file at once" in pair.question
        assert "whole file at once" not in pair.answer.partition("{")[2]
        assert pair.answer.rstrip().endswith(("read()", "}"))


def test_catalogues_and_resources_give_translations() -> None:
    assert [each.answer for each in po_pairs(PO, "s")] == ["Delete the file"]
    assert [each.question for each in xliff_pairs(XLIFF, "s")] == ['" " 파일을 삭제합니다']
    pairs = list(resource_pairs(RESOURCE.format("파일을 삭제합니다"), RESOURCE.format("Delete the file"), "s"))
    assert [(each.question, each.answer) for each in pairs] == [("파일을 삭제합니다", "Delete the file")]


def test_some_headings_become_questions_and_always_the_same() -> None:
    headings = [f"Heading {number}" for number in range(400)]
    changed = [heading for heading in headings if asked(heading) != heading]
    assert 60 < len(changed) < 140
    assert all(heading in asked(heading) for heading in changed)
    assert asked_of_code("Read a file.", "go") == asked_of_code("Read a file.", "go")


def test_near_copies_of_measured_texts_are_known(tmp_path: Path) -> None:
    text = "The quick brown fox jumps over the lazy dog and runs into the dark forest before night falls"
    folder = tmp_path / "set"
    folder.mkdir()
    (folder / "corpus.jsonl").write_text(json.dumps({"id": "1", "title": "Foxes of old", "text": text}) + "\n")
    (folder / "queries.jsonl").write_text(json.dumps({"id": "q", "text": "Where do foxes run?"}) + "\n")
    known, whole = measured(tmp_path)
    assert is_measured(text.upper(), known, whole)
    assert is_measured(text.replace("lazy", "sleepy"), known, whole)
    assert is_measured("where do foxes run", known, whole)
    assert is_measured("Foxes of old", known, whole)
    assert not is_measured("A cat sleeps on the warm roof of the old house all day and all night long", known, whole)


def test_runs_of_words_ignore_marks_and_case() -> None:
    assert shingles("A b, c d e f g!") == shingles("a B c D e f g")
    assert len(shingles("a b c d e f g")) == 2


def test_every_source_is_pinned_and_of_a_licence_that_allows_it() -> None:
    found = sources(Path("models/sources.toml"))
    assert len(found) > 50
    assert all(len(source["commit"]) == 40 for source in found)
    assert not any("react.dev" in source["repository"] or "tldr" in source["repository"] for source in found)
