"""Where a document is cut: at sections, at items, or nowhere; every line stays in exactly one piece."""

import re
from bisect import bisect_left
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from consiglierd.ingest.docs.outline import Block, Heading, Outline

_WORD = re.compile(r"[0-9A-Za-z_]+")
_HANGUL = re.compile(r"[가-힣ㄱ-ㅎㅏ-ㅣ一-鿿぀-ヿ]")


@dataclass(frozen=True, slots=True)
class Piece:
    """Lines of a document that belong together, and the headings above and in front of them."""

    line_start: int
    line_end: int
    headings: tuple[str, ...]


def count_tokens(text: str) -> float:
    """A rough size: a word of Latin letters or digits is one token, two Hangul syllables are one."""
    return len(_WORD.findall(text)) + len(_HANGUL.findall(text)) / 2


def whole(lines: Sequence[str], outline: Outline) -> list[Piece]:
    """One piece: everything behind the front matter."""
    title = next((heading.text for heading in outline.headings), "")
    return _trimmed([Piece(_first_line(outline), len(lines), (title,) if title else ())], lines)


def sections(lines: Sequence[str], outline: Outline, limit: int) -> list[Piece]:
    """A piece a `##` section, the text before the first one too; longer ones are split.

    Documents without any heading of level 2 are cut at their highest level instead.
    """
    levels = {heading.level for heading in outline.headings}
    depth = 2 if 2 in levels else min(levels, default=1)
    pieces = _at_headings(outline, len(lines), lambda heading: heading.level <= depth)
    split: list[Piece] = []
    for piece in _trimmed(pieces, lines):
        split.extend(_split_long(piece, lines, outline, limit))
    return _trimmed(split, lines)


def items(lines: Sequence[str], outline: Outline, limit: int, *, is_item: Callable[[Block], bool]) -> list[Piece]:
    """A piece an item: a top-level list entry or a table row under a heading, else the heading's own text.

    The entries of a list that only tells facts of its heading (`- 상태: OPEN`) are no items.
    """
    pieces: list[Piece] = []
    for piece in _trimmed(_at_headings(outline, len(lines), lambda heading: True), lines):
        starts = _item_starts(piece, lines, outline, is_item)
        if starts:
            pieces.extend(_cut_before(piece, _without_lone_heading(piece, starts, lines, outline)))
        else:
            pieces.extend(_split_long(piece, lines, outline, limit))
    return _trimmed(pieces, lines)


def _first_line(outline: Outline) -> int:
    return outline.front_matter[1] + 1 if outline.front_matter is not None else 1


def _at_headings(outline: Outline, line_count: int, is_border: Callable[[Heading], bool]) -> list[Piece]:
    pieces: list[Piece] = []
    path: list[Heading] = []
    start = _first_line(outline)
    headings: tuple[str, ...] = ()
    for heading in outline.headings:
        path = [*(above for above in path if above.level < heading.level), heading]
        if is_border(heading):
            if heading.line_start > start:
                pieces.append(Piece(start, heading.line_start - 1, headings))
            start, headings = heading.line_start, tuple(above.text for above in path)
    pieces.append(Piece(start, line_count, headings))
    return pieces


def _split_long(piece: Piece, lines: Sequence[str], outline: Outline, limit: int) -> list[Piece]:
    """The piece itself, or parts of it: first at its inner headings, then at the borders of its blocks."""
    if _tokens_of(piece, lines) <= limit:
        return [piece]
    inner = [heading for heading in outline.headings if piece.line_start < heading.line_start <= piece.line_end]
    if not inner:
        return _at_blocks(piece, lines, outline, limit)
    depth = min(heading.level for heading in inner)
    parts: list[Piece] = []
    start, headings = piece.line_start, piece.headings
    for heading in inner:
        if heading.level == depth:
            parts.append(Piece(start, heading.line_start - 1, headings))
            start, headings = heading.line_start, (*piece.headings, heading.text)
    parts.append(Piece(start, piece.line_end, headings))
    return [part for each in parts for part in _split_long(each, lines, outline, limit)]


def _at_blocks(piece: Piece, lines: Sequence[str], outline: Outline, limit: int) -> list[Piece]:
    """Parts of at most about `limit` tokens; a block that cannot be cut may be longer."""
    borders = _borders_in(piece, outline)
    chosen: list[int] = []
    size, previous = 0.0, piece.line_start
    for border in (*borders, piece.line_end + 1):
        grown = count_tokens("\n".join(lines[previous - 1 : border - 1]))
        if size and size + grown > limit:
            chosen.append(previous)
            size = 0.0
        size += grown
        previous = border
    return _cut_before(piece, chosen)


def _borders_in(piece: Piece, outline: Outline) -> list[int]:
    """Lines before which the piece may be cut: blocks of the top level, list entries, rows of tables."""
    first = bisect_left(outline.blocks, piece.line_start, key=lambda block: block.line_start)
    borders: set[int] = set()
    for block in outline.blocks[first:]:
        if block.line_start > piece.line_end:
            break
        if block.depth == 0 or block.kind == "list_item":
            borders.add(block.line_start)
        if block.depth == 0:
            borders.update(block.rows[1:])
    return sorted(line for line in borders if piece.line_start < line <= piece.line_end)


def _item_starts(piece: Piece, lines: Sequence[str], outline: Outline, is_item: Callable[[Block], bool]) -> list[int]:
    first = bisect_left(outline.blocks, piece.line_start, key=lambda block: block.line_start)
    entries: list[int] = []
    rows: list[int] = []
    for block in outline.blocks[first:]:
        if block.line_start > piece.line_end:
            break
        if block.depth == 0 and block.kind == "list_item" and is_item(block):
            entries.append(block.line_start)
        elif block.depth == 0 and block.kind == "table":
            rows.extend(block.rows)
    if entries and not all(is_fact_line(lines[line - 1]) for line in entries):
        return entries
    return [] if entries else rows


_FACT = re.compile(
    r"\s*(?:[-*+]|\d{1,3}[.)])\s+(?:\[[ xX]\]\s+)?(?:\*\*|__)?"
    r"(상태|심각도|담당|담당자|날짜|일자|결정일|등록일|영향|가능성|확률|대응|완화|원인|조치|비고|해결|재현|우선순위|근거|결정|결정자|내용|이유|배경"
    r"|status|severity|owner|date|impact|likelihood|probability|mitigation|cause|fix|priority|assignee|decided by"
    r"|decision|reason|context|notes?)(?:\*\*|__)?\s*[:：]",
    re.IGNORECASE,
)


def is_fact_line(line: str) -> bool:
    """Whether a list entry only tells a fact of its heading (`- 상태: OPEN`)."""
    return _FACT.match(line) is not None


def _without_lone_heading(piece: Piece, starts: list[int], lines: Sequence[str], outline: Outline) -> list[int]:
    """Keep a heading that nothing but its items follows with the first of them, so that it is no piece alone."""
    body = [
        line
        for line in range(piece.line_start, starts[0])
        if lines[line - 1].strip()
        and not any(heading.line_start <= line <= heading.line_end for heading in _near(outline, piece))
    ]
    table_head = [line for line in body if lines[line - 1].lstrip().startswith("|")]
    return starts if len(body) > len(table_head) else starts[1:]


def _near(outline: Outline, piece: Piece) -> list[Heading]:
    return [heading for heading in outline.headings if piece.line_start <= heading.line_start <= piece.line_end]


def _cut_before(piece: Piece, borders: Iterable[int]) -> list[Piece]:
    starts = [piece.line_start, *(border for border in borders if border > piece.line_start)]
    ends = [*(start - 1 for start in starts[1:]), piece.line_end]
    return [Piece(start, end, piece.headings) for start, end in zip(starts, ends, strict=True)]


def _tokens_of(piece: Piece, lines: Sequence[str]) -> float:
    return count_tokens("\n".join(lines[piece.line_start - 1 : piece.line_end]))


def _trimmed(pieces: Iterable[Piece], lines: Sequence[str]) -> list[Piece]:
    """Without blank lines at the borders, and without pieces of nothing else."""
    kept: list[Piece] = []
    for piece in pieces:
        start, end = piece.line_start, piece.line_end
        while start <= end and not lines[start - 1].strip():
            start += 1
        while end >= start and not lines[end - 1].strip():
            end -= 1
        if start <= end:
            kept.append(Piece(start, end, piece.headings))
    return kept
