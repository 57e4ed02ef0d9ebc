"""Markdown (and what is read as it) as sections: headings with their anchors, paragraphs without markup."""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass

from models.pairs import Kind, Pair, is_english, is_korean, translations
from models.questions import asked
from models.restructured import as_markdown

_HEADING = re.compile(r"^(#{1,6})\s+(.*?)\s*#*$")
_ANCHOR = re.compile(r'\{\s*(?:/\*)?\s*#([\w.-]+)\s*(?:\*/)?\s*\}|<a\s+(?:name|id)="([^"]+)"\s*>\s*</a>')
_LINK = re.compile(r"!?\[([^\]]*)\](?:\([^)]*\)|\[[^\]]*\])")
_TAG = re.compile(r"</?[A-Za-z][^>]*>|<!--.*?-->|\{\{.*?\}\}|\[!\w+\]|:::\s*\w*")
_MARKS = re.compile(r"[*_`|>]{1,3}")
_SENTENCE = re.compile(r"(?<=[.?!。])\s+")
_FRONT_MATTER = re.compile(r"\A---\n(.*?)\n---\n", re.DOTALL)
_FRONT_VALUE = re.compile(r"^(title|description):\s*(.+?)\s*$", re.MULTILINE)
_SCRIPT_LINE = re.compile(r"^(?:import|export)\s.*(?:from\s|[{;=])")
FEWEST_CHARACTERS = 40
SUMMARISED_CHARACTERS = 1200
_SUMMARY_LEVEL = 7


@dataclass(frozen=True, slots=True)
class Section:
    """`anchor` is what links call the heading, in words of English; `paragraphs` are plain text."""

    level: int
    heading: str
    anchor: str
    above: str
    paragraphs: tuple[str, ...]

    @property
    def text(self) -> str:
        return "\n".join(self.paragraphs)


def sections_of(path: str, text: str) -> list[Section]:
    """The sections of a page in order; what its front matter says of it stands last, over its beginning."""
    if path.endswith(".ipynb"):
        text = _notebook(text)
    if path.endswith((".rst", ".txt")):
        text = as_markdown(text)
    said, text = _front_matter(text.replace("\r\n", "\n"))
    is_code = False
    title = "" if re.search(r"^# ", text, re.MULTILINE) else _plain(said.get("title", ""))
    found: list[tuple[int, str, str, list[str]]] = [(0, title, "", [])]
    for line in text.split("\n"):
        if re.match(r"^\s*(```|~~~)", line):
            is_code = not is_code
        heading = None if is_code else _HEADING.match(line)
        if heading is None:
            if is_code or not _SCRIPT_LINE.match(line):
                found[-1][3].append(line)
        else:
            anchor = _ANCHOR.search(heading[2])
            plain = _plain(_ANCHOR.sub("", heading[2]))
            name = (anchor[1] or anchor[2]) if anchor else plain
            found.append((len(heading[1]), plain, _words_of_anchor(name), []))
    above: dict[int, str] = {}
    sections = []
    for level, heading_text, anchor_text, body in found:
        above = {depth: name for depth, name in above.items() if depth < level}
        parent = above[max(above)] if above else ""
        above[level] = heading_text
        sections.append(Section(level, heading_text, anchor_text, parent, tuple(_paragraphs(body))))
    if summary := _plain(said.get("description", "")):
        beginning = "\n".join(section.text for section in sections)[:SUMMARISED_CHARACTERS]
        sections.append(Section(_SUMMARY_LEVEL, summary, "", "", (beginning,)))
    return sections


def _notebook(text: str) -> str:
    try:
        cells = json.loads(text)["cells"]
        parts = [
            "".join(cell["source"]) if cell["cell_type"] == "markdown" else "```\n" + "".join(cell["source"]) + "\n```"
            for cell in cells
        ]
    except (ValueError, KeyError, TypeError):
        return ""
    return "\n\n".join(parts)


def _front_matter(text: str) -> tuple[dict[str, str], str]:
    """What it says of the page, and the text below it."""
    front = _FRONT_MATTER.match(text)
    if front is None:
        return {}, text
    return {name: value.strip("'\"") for name, value in _FRONT_VALUE.findall(front[1])}, text[front.end() :]


def _paragraphs(lines: list[str]) -> Iterator[str]:
    """Prose paragraphs and list items; code stands for itself as one paragraph."""
    for block in re.split(r"\n\s*\n", "\n".join(lines)):
        plain = _plain(block)
        if len(plain) >= 3:
            yield plain


def _plain(text: str) -> str:
    return " ".join(_MARKS.sub(" ", _TAG.sub(" ", _LINK.sub(r"\1", text))).split())


def _words_of_anchor(anchor: str) -> str:
    return " ".join(re.findall(r"[a-z0-9가-힣]+", anchor.casefold().replace("'", "")))


def section_pairs(sections: list[Section], source: str) -> Iterator[Pair]:
    """Heading to text, and one sentence to the rest of its section."""
    for section in sections:
        text = section.text
        if len(text) < FEWEST_CHARACTERS:
            continue
        kind: Kind = "korean" if is_korean(text) else "english"
        if section.heading and (is_korean(section.heading) == (kind == "korean") or is_english(section.heading)):
            yield Pair(kind, asked(section.heading), text, source)
            if section.above:
                yield Pair(kind, f"{section.above} {section.heading}", text, source)
        sentences = [each for part in section.paragraphs for each in _SENTENCE.split(part) if len(each) >= 12]
        if len(sentences) >= 3:
            chosen = len(text) % len(sentences)
            rest = " ".join(sentences[:chosen] + sentences[chosen + 1 :])
            yield Pair("context", sentences[chosen], rest, source)


def anchored_pairs(sections: list[Section], source: str) -> Iterator[Pair]:
    """Korean sections whose headings carry the anchor of the English page."""
    yield from section_pairs(sections, source)
    for section in sections:
        if section.anchor and is_english(section.anchor) and is_korean(section.heading):
            yield from translations(section.heading, section.anchor, source)
            if len(section.text) >= FEWEST_CHARACTERS:
                yield Pair("crossed", section.anchor, section.text, source)


def parallel_pairs(korean: list[Section], english: list[Section], source: str) -> Iterator[Pair]:
    """Two pages that say the same: sections by their anchors, or by their order where that agrees."""
    yield from section_pairs(korean, source)
    yield from section_pairs(english, source)
    for ours, theirs in _aligned(korean, english):
        yield from translations(ours.heading, theirs.heading, source)
        if len(ours.paragraphs) == len(theirs.paragraphs):
            for mine, other in zip(ours.paragraphs, theirs.paragraphs, strict=True):
                yield from translations(mine, other, source)
                yield from _sentences(mine, other, source)
        elif ours.text and theirs.text:
            yield from translations(ours.text[:600], theirs.text[:900], source)
        if is_korean(ours.heading) and len(theirs.text) >= FEWEST_CHARACTERS:
            yield Pair("crossed", ours.heading, theirs.text, source)
        if is_english(theirs.heading) and is_korean(ours.text) and len(ours.text) >= FEWEST_CHARACTERS:
            yield Pair("crossed", theirs.heading, ours.text, source)


def _sentences(korean: str, english: str, source: str) -> Iterator[Pair]:
    ours, theirs = _SENTENCE.split(korean), _SENTENCE.split(english)
    if len(ours) == len(theirs) > 1:
        for mine, other in zip(ours, theirs, strict=True):
            yield from translations(mine, other, source)


def _aligned(korean: list[Section], english: list[Section]) -> Iterator[tuple[Section, Section]]:
    if [each.level for each in korean] == [each.level for each in english]:
        yield from zip(korean, english, strict=True)
        return
    by_anchor = {each.anchor: each for each in english if each.anchor}
    for section in korean:
        if section.anchor in by_anchor:
            yield section, by_anchor[section.anchor]
