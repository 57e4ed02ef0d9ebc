"""A document's bytes to sections: pure, the same for the same bytes, path and rules, on every machine."""

import hashlib
from collections.abc import Sequence
from functools import lru_cache

from charset_normalizer import __version__ as charset_normalizer_version

from consiglierd.ingest.docs import asciidoc, markdown, plain, restructured
from consiglierd.ingest.docs.content_type import type_by_content
from consiglierd.ingest.docs.cut import Piece, trimmed, without_lines
from consiglierd.ingest.docs.decode import decode, line_offsets, span_of, split_lines
from consiglierd.ingest.docs.facts import FactReader
from consiglierd.ingest.docs.items import WHOLE_TYPES, pieces_of
from consiglierd.ingest.docs.keywords import composed
from consiglierd.ingest.docs.outline import Outline, Scanner
from consiglierd.ingest.docs.rooms import PRIVATE_TYPES, rooms_of
from consiglierd.ingest.docs.tags import front_matter_tags, tags_of
from consiglierd.ingest.docs.types import DOCUMENT_SUFFIXES, GENERAL, Format, Placement, file_type_of, placement_of
from consiglierd.model.document import Leftover, LeftoverKind, ParsedDocument, Problem, Section
from consiglierd.model.rules import DocumentRules

__all__ = ["CHUNKER_VERSION", "DOCUMENT_SUFFIXES", "file_type_of", "parse_document", "recipe_of"]

# Raise it with every change of what sections come out: documents are then cut anew.
CHUNKER_VERSION = "3"
_SCANNERS: dict[Format, Scanner] = {
    "markdown": markdown.scan,
    "asciidoc": asciidoc.scan,
    "restructured": restructured.scan,
    "plain": plain.scan,
}
_NO_DOCUMENT = Placement(GENERAL, "plain", False, ())


def recipe_of(path: str, rules: DocumentRules) -> str:
    """What, beside the bytes, decides the sections: type, format, what the path tells, chunker, rules.

    Equal content and equal recipe give equal sections.
    """
    placement = placement_of(path, rules) or _NO_DOCUMENT
    facts = ";".join(f"{key}={value}" for key, value in placement.facts)
    told = f"{_rules_fingerprint(rules)}/{placement.is_decided}/{facts}"
    fingerprint = hashlib.blake2b(told.encode("utf-8", "backslashreplace"), digest_size=8).hexdigest()
    return f"{placement.file_type}/{placement.format}/{CHUNKER_VERSION}-{fingerprint}"


@lru_cache(maxsize=64)
def _rules_fingerprint(rules: DocumentRules) -> str:
    # The patterns of types act through the type alone, which the recipe names.
    told = repr((rules.rooms, rules.role_words, rules.split_tokens))
    return f"{markdown.PARSER_VERSION}/charset-normalizer {charset_normalizer_version}/{told}"


def parse_document(path: str, content: bytes, rules: DocumentRules) -> ParsedDocument:
    """Trouble in the file is a problem in the result, never an exception."""
    placement = placement_of(path, rules) or _NO_DOCUMENT
    decoded = decode(content)
    if decoded.problem is not None:
        return ParsedDocument(placement.file_type, decoded.encoding, (), (), (decoded.problem,))
    lines = split_lines(decoded.text)
    outline = _SCANNERS[placement.format](lines)
    file_type = placement.file_type
    if not placement.is_decided:
        file_type = type_by_content(outline) or GENERAL
    pieces = pieces_of(file_type, lines, outline, rules.split_tokens)
    front = _front_matter_outside(file_type, pieces, outline, lines)
    if front is not None:
        pieces = without_lines(pieces, *front)
    pieces = trimmed(pieces, lines)
    offsets = line_offsets(content, decoded, lines)
    sections = _sections(placement, file_type, lines, outline, pieces, offsets, rules)
    leftovers = _leftovers(len(lines), front, pieces, offsets)
    problems = () if outline.problem is None else (Problem("front_matter", outline.problem),)
    return ParsedDocument(file_type, decoded.encoding, sections, leftovers, problems)


def _front_matter_outside(
    file_type: str, pieces: Sequence[Piece], outline: Outline, lines: Sequence[str]
) -> tuple[int, int] | None:
    """The front matter that is no text; where it stands below a title, a whole-file section keeps it."""
    front = outline.front_matter
    if front is None or (file_type in WHOLE_TYPES and pieces and any(map(str.strip, lines[: front[0] - 1]))):
        return None
    return front


def _sections(
    placement: Placement,
    file_type: str,
    lines: Sequence[str],
    outline: Outline,
    pieces: Sequence[Piece],
    offsets: Sequence[int],
    rules: DocumentRules,
) -> tuple[Section, ...]:
    reader_head = (1, _head_end(outline, pieces, len(lines)))
    reader = FactReader(file_type, lines, outline, dict(placement.facts), reader_head)
    front_tags = front_matter_tags(outline)
    sections: list[Section] = []
    for ordinal, piece in enumerate(pieces):
        text = "\n".join(lines[piece.line_start - 1 : piece.line_end])
        words = composed("\n".join((*piece.headings, text)))
        facts = reader.facts_of(piece)
        sections.append(
            Section(
                ordinal=ordinal,
                span=span_of(offsets, piece.line_start, piece.line_end),
                text=text,
                kind="document",
                heading=piece.headings[-1] if piece.headings else "",
                heading_path=piece.headings,
                date=facts.date,
                status=facts.status,
                tags=tags_of(file_type, words, facts, front_tags, rules),
                rooms=rooms_of(file_type, words, rules),
                metadata=facts.metadata,
                private_to=PRIVATE_TYPES.get(file_type),
            )
        )
    return tuple(sections)


def _head_end(outline: Outline, pieces: Sequence[Piece], line_count: int) -> int:
    """The last line of what speaks for the whole document: before its first section or item."""
    borders = [heading.line_start for heading in outline.headings if heading.level > 1][:1]
    borders.extend([piece.unit[0] for piece in pieces if piece.is_item][:1])
    return min(borders, default=line_count + 1) - 1


def _leftovers(
    line_count: int, front: tuple[int, int] | None, pieces: Sequence[Piece], offsets: Sequence[int]
) -> tuple[Leftover, ...]:
    """The lines in no section: front matter and blank lines, in order."""
    found: list[Leftover] = []

    def add(start: int, end: int, kind: LeftoverKind) -> None:
        if start <= end:
            found.append(Leftover(span_of(offsets, start, end), kind))

    line = 1
    for start, end in (*((piece.line_start, piece.line_end) for piece in pieces), (line_count + 1, line_count)):
        if front is not None and line <= front[0] < start:
            add(line, front[0] - 1, "blank")
            add(*front, "front_matter")
            line = front[1] + 1
        add(line, start - 1, "blank")
        line = end + 1
    return tuple(found)
