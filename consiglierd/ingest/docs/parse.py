"""A document's bytes to sections: pure, the same for the same bytes, path and rules, on every machine."""

import dataclasses
import hashlib
from collections.abc import Mapping, Sequence
from functools import lru_cache

from consiglierd.ingest.docs import asciidoc, cut, markdown, plain, restructured
from consiglierd.ingest.docs.content_type import type_by_content
from consiglierd.ingest.docs.cut import Piece
from consiglierd.ingest.docs.decode import decode, line_offsets, span_of, split_lines
from consiglierd.ingest.docs.facts import facts_of
from consiglierd.ingest.docs.outline import Block, Outline, Scanner
from consiglierd.ingest.docs.rooms import PRIVATE_TYPES, rooms_of, searchable, tags_of
from consiglierd.ingest.docs.types import GENERAL, Format, Placement, file_type_of, placement_of
from consiglierd.model.document import Leftover, ParsedDocument, Problem, Section
from consiglierd.model.rules import DocumentRules

__all__ = ["CHUNKER_VERSION", "file_type_of", "parse_document", "recipe_of"]

# Raise it with every change of what sections come out: documents are then cut anew.
CHUNKER_VERSION = "1"
WHOLE_TYPES = frozenset({"dashboard", "memory", "gantt", "raci", "status"})
ITEM_TYPES = frozenset({"rules", "risk", "tech-debt", "checklist"})
_SCANNERS: dict[Format, Scanner] = {
    "markdown": markdown.scan,
    "asciidoc": asciidoc.scan,
    "restructured": restructured.scan,
    "plain": plain.scan,
}
_UNBOUNDED = 1 << 40


@lru_cache(maxsize=4096)
def recipe_of(path: str, rules: DocumentRules) -> str:
    """What, beside the bytes, decides the sections: type, format, what the path tells, chunker, rules."""
    placement = placement_of(path, rules)
    if placement is None:
        return f"{GENERAL}/none/{CHUNKER_VERSION}"
    facts = ";".join(f"{key}={value}" for key, value in placement.facts)
    decided = "" if placement.is_decided else "?"
    return f"{placement.file_type}{decided}/{placement.format}/{CHUNKER_VERSION}/{_rules_fingerprint(rules)}/{facts}"


@lru_cache(maxsize=64)
def _rules_fingerprint(rules: DocumentRules) -> str:
    told = repr(dataclasses.astuple(rules)) + markdown.PARSER_VERSION
    return hashlib.blake2b(told.encode("utf-8", "backslashreplace"), digest_size=6).hexdigest()


def parse_document(path: str, content: bytes, rules: DocumentRules) -> ParsedDocument:
    """Trouble in the file is a problem in the result, never an exception."""
    placement = placement_of(path, rules) or Placement(GENERAL, "plain", True, ())
    decoded = decode(content)
    if decoded.problem is not None:
        return ParsedDocument(placement.file_type, decoded.encoding, (), (), (decoded.problem,))
    lines = split_lines(decoded.text)
    outline = _SCANNERS[placement.format](lines)
    file_type = placement.file_type
    if not placement.is_decided:
        file_type = type_by_content(lines, outline) or GENERAL
    pieces = _pieces(file_type, lines, outline, rules.split_tokens)
    offsets = line_offsets(content, decoded, lines)
    build = _SectionBuilder(file_type, lines, offsets, dict(placement.facts), outline.front_matter_values, rules)
    sections = tuple(build.section(number, piece) for number, piece in enumerate(pieces))
    problems = () if outline.problem is None else (Problem("front_matter", outline.problem),)
    return ParsedDocument(file_type, decoded.encoding, sections, _leftovers(lines, outline, pieces, offsets), problems)


def _pieces(file_type: str, lines: Sequence[str], outline: Outline, limit: int) -> list[Piece]:
    if not lines:
        return []
    if file_type in WHOLE_TYPES:
        return cut.whole(lines, outline)
    if file_type == "adr":
        # A file of an ADR folder is one decision; a collection has a section for each.
        is_single = any(_is_madr_heading(heading.text) for heading in outline.headings)
        return (
            cut.whole(lines, outline) if is_single or not outline.headings else cut.sections(lines, outline, _UNBOUNDED)
        )
    if file_type == "tasks":
        return cut.items(lines, outline, limit, is_item=_is_checkbox)
    if file_type in ITEM_TYPES:
        return cut.items(lines, outline, limit, is_item=lambda block: True)
    return cut.sections(lines, outline, limit)


def _is_checkbox(block: Block) -> bool:
    return block.checked is not None


def _is_madr_heading(text: str) -> bool:
    return text.strip().lower() in (
        "context", "context and problem statement", "decision", "decision outcome", "consequences", "status",
        "배경", "맥락", "결정", "결과", "상태", "맥락과 문제",
    )  # fmt: skip


class _SectionBuilder:
    """Turns pieces of one document into its sections."""

    def __init__(
        self,
        file_type: str,
        lines: Sequence[str],
        offsets: Sequence[int],
        path_facts: Mapping[str, str],
        front: Mapping[str, object],
        rules: DocumentRules,
    ) -> None:
        self._file_type = file_type
        self._lines = lines
        self._offsets = offsets
        self._path_facts = path_facts
        self._front = front
        self._rules = rules

    def section(self, number: int, piece: Piece) -> Section:
        text = "\n".join(self._lines[piece.line_start - 1 : piece.line_end])
        heading = piece.headings[-1] if piece.headings else ""
        facts = facts_of(self._file_type, heading, text, self._path_facts, self._front)
        words = searchable("\n".join((*piece.headings, text)))
        return Section(
            ordinal=number,
            span=span_of(self._offsets, piece.line_start, piece.line_end),
            text=text,
            kind="document",
            heading=heading,
            heading_path=piece.headings,
            date=facts.date,
            status=facts.status,
            tags=tags_of(words, facts.date, facts.status, facts.metadata, self._front, self._rules),
            rooms=rooms_of(self._file_type, words, self._rules),
            metadata=facts.metadata,
            private_to=PRIVATE_TYPES.get(self._file_type),
        )


def _leftovers(
    lines: Sequence[str], outline: Outline, pieces: Sequence[Piece], offsets: Sequence[int]
) -> tuple[Leftover, ...]:
    """What lies between the sections: the front matter and blank lines."""
    found: list[Leftover] = []
    next_line = 1
    if outline.front_matter is not None:
        next_line = outline.front_matter[1] + 1
        found.append(Leftover(span_of(offsets, *outline.front_matter), "front_matter"))
    for piece in pieces:
        if piece.line_start > next_line:
            found.append(Leftover(span_of(offsets, next_line, piece.line_start - 1), "blank"))
        next_line = piece.line_end + 1
    if next_line <= len(lines):
        found.append(Leftover(span_of(offsets, next_line, len(lines)), "blank"))
    return tuple(found)
