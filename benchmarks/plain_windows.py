"""Documents cut the general way: into windows of so many tokens, whatever stands in them."""

from collections.abc import Sequence

from consiglierd.ingest.docs.cut import count_tokens
from consiglierd.ingest.docs.decode import decode, line_offsets, span_of, split_lines
from consiglierd.model.document import ParsedDocument, Section

# A type that is not weighted without a role, and of which a long chunk is shown by the passage that matched.
SHOWN_BY_PASSAGE = "memory"


def line_windows(costs: Sequence[float], size: float, overlap: float) -> list[tuple[int, int]]:
    """Lines (0-based, end exclusive) of windows that cost at most `size`, the next of which begins with the last
    lines of the one before that cost at most `overlap`. A line is never cut: one that costs more stands alone."""
    windows: list[tuple[int, int]] = []
    start = 0
    while start < len(costs):
        end, spent = start, 0.0
        while end < len(costs) and (end == start or spent + costs[end] <= size):
            spent += costs[end]
            end += 1
        windows.append((start, end))
        if end == len(costs):
            break
        start, kept = end, 0.0
        # The next line must fit behind what is repeated, or the window would say nothing new.
        while start - 1 > windows[-1][0] and kept + costs[start - 1] <= min(overlap, size - costs[end]):
            start -= 1
            kept += costs[start]
    return windows


def windowed(content: bytes, size: float, overlap: float, headed: ParsedDocument | None = None) -> ParsedDocument:
    """The document as windows without tags or dates; blank lines at the borders are left out. A window has no
    headings in front, but where `headed` is given those of its section that the window's first line is in."""
    decoded = decode(content)
    lines = split_lines(decoded.text)
    offsets = line_offsets(content, decoded, lines)
    sections: list[Section] = []
    for start, end in line_windows([count_tokens(line) for line in lines], size, overlap):
        filled = [number for number in range(start, end) if lines[number].strip()]
        if not filled:
            continue
        first, last = filled[0], filled[-1]
        headings = _headings_at(first + 1, headed)
        sections.append(
            Section(
                ordinal=len(sections),
                span=span_of(offsets, first + 1, last + 1),
                text="\n".join(lines[first : last + 1]),
                kind="document",
                heading=headings[-1] if headings else "",
                heading_path=headings,
                date=None,
                status="active",
                tags=(),
                rooms=(),
                metadata={},
            )
        )
    return ParsedDocument(SHOWN_BY_PASSAGE, decoded.encoding, tuple(sections))


def _headings_at(line: int, headed: ParsedDocument | None) -> tuple[str, ...]:
    sections = headed.sections if headed is not None else ()
    return next((each.heading_path for each in sections if each.span.line_start <= line <= each.span.line_end), ())
