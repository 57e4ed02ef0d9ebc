"""Asciidoctor as the judge of our AsciiDoc scanner: the same sections, levels and lines.

It needs Node and the npm package `asciidoctor`: CONSIGLIERE_ASCIIDOCTOR names a folder whose
node_modules has it, or CONSIGLIERE_NPM=1 lets the test install it into a folder of its own.
CONSIGLIERE_ASCIIDOC_DOCUMENTS may name a folder of more documents to be judged.
"""

import json
import os
import random
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest

from consiglierd.ingest.docs.asciidoc import scan
from consiglierd.ingest.docs.decode import decode, split_lines

PACKAGE = "asciidoctor@3.0.4"
ENTRY = "node_modules/@asciidoctor/core/dist/node/asciidoctor.js"
SCRIPT = Path(__file__).parent.parent / "support" / "asciidoctor_sections.mjs"

SAMPLE = """\
= 스트림앱 설계
홍 길동 <hong@example.org>
v1.2, 2026-03-28: 초안
:toc:
:status: accepted

머리글 문단.

[[overview]]
== 개요

// 주석
.표 제목
|===
| 이름 | 값

| 포트 | 5570
|===

[NOTE]
====
== 안쪽은 절이 아니다
====

* 하나
** 둘
+
----
== 코드
----
* [x] 셋
+
문단
이어진 줄

용어:: 뜻
다른 용어::
  뜻이 아래에

=== 결정 ===

[source,python]
----
print("== x")
----
<1> 설명

[discrete]
==== 떠 있는 제목

두 줄 제목
~~~~~~

 들여쓴 글
== 글의 일부

////
== 주석 안
////

## 마크다운 절

```
# code
```

--
열린 구획

== 안쪽
--

[appendix]
== 부록

'''

. 첫째
. 둘째

== 마지막
"""
INSERTED = (
    "", "", "+", "----", "====", "--", "|===", "////", "```", "* 항목", "** 안", ". 하나", "용어:: 뜻", "용어::",
    "<1> 설명", "// 주석", "== 절", "==== 깊은 절", "[discrete]", "[[x]]", "[NOTE]", ".제목", " 들여쓴 글", "글",
    "-----", "> 인용", "image::x.png[]",
)  # fmt: skip


@pytest.fixture(scope="module")
def asciidoctor(tmp_path_factory: pytest.TempPathFactory) -> Path:
    if shutil.which("node") is None:
        pytest.skip("Node is not installed")
    named = os.environ.get("CONSIGLIERE_ASCIIDOCTOR")
    if named is not None:
        assert (Path(named) / ENTRY).is_file(), f"{named} has no node_modules with asciidoctor"
        return Path(named)
    if os.environ.get("CONSIGLIERE_NPM") != "1":
        pytest.skip("neither CONSIGLIERE_ASCIIDOCTOR nor CONSIGLIERE_NPM=1 is set")
    folder = tmp_path_factory.mktemp("asciidoctor")
    command = ["npm", "install", "--no-audit", "--no-fund", "--prefix", str(folder), PACKAGE]
    subprocess.run(command, check=True, capture_output=True, timeout=300)
    return folder


def sections_of(file: Path) -> list[tuple[int, str, int]]:
    """Level, text and line of the title itself: of two lines the upper one, and no attributes above."""
    lines = split_lines(decode(file.read_bytes()).text)
    found = []
    for heading in scan(lines).headings:
        line = heading.line_end
        underline = lines[line - 1].rstrip()
        if heading.line_start < line and not underline.strip(underline[0]):
            line -= 1
        found.append((heading.level, heading.text, line))
    return found


def check(asciidoctor: Path, files: Sequence[Path]) -> None:
    ran = subprocess.run(
        ["node", str(SCRIPT), str(asciidoctor)],
        input="\n".join(map(str, files)),
        check=True,
        capture_output=True,
        text=True,
        timeout=300,
    )
    judged = [json.loads(line) for line in ran.stdout.splitlines()]
    assert len(judged) == len(files)
    wrong = {}
    for one in judged:
        expected = [tuple(section) for section in one["sections"]]
        if sections_of(Path(one["file"])) != expected:
            wrong[one["file"]] = expected
    assert wrong == {}


def test_our_sample_has_the_sections_asciidoctor_finds(asciidoctor: Path, tmp_path: Path) -> None:
    file = tmp_path / "sample.adoc"
    file.write_text(SAMPLE, encoding="utf-8")
    assert len(sections_of(file)) == 7
    check(asciidoctor, [file])


def test_damaged_documents_have_the_sections_asciidoctor_finds(asciidoctor: Path, tmp_path: Path) -> None:
    chance = random.Random(20260328)
    header, body = SAMPLE.splitlines()[:6], SAMPLE.splitlines()[6:]
    files = []
    for number in range(300):
        lines = list(body)
        for _ in range(chance.randrange(1, 8)):
            at = chance.randrange(len(lines))
            if chance.random() < 0.4:
                del lines[at]
            else:
                lines.insert(at, chance.choice(INSERTED))
        file = tmp_path / f"{number}.adoc"
        file.write_text("\n".join(header + lines) + "\n", encoding="utf-8")
        files.append(file)
    check(asciidoctor, files)


def test_documents_of_others_have_the_sections_asciidoctor_finds(asciidoctor: Path) -> None:
    named = os.environ.get("CONSIGLIERE_ASCIIDOC_DOCUMENTS")
    if named is None:
        pytest.skip("CONSIGLIERE_ASCIIDOC_DOCUMENTS names no folder of documents")
    # The name section of a manual page is a heading to us; Asciidoctor makes attributes of it.
    files = [
        file
        for suffix in ("adoc", "asciidoc", "asc")
        for file in sorted(Path(named).rglob(f"*.{suffix}"))
        if ":doctype: manpage" not in file.read_text(encoding="utf-8", errors="replace")
    ]
    check(asciidoctor, files)
