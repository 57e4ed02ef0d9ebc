"""Markdown to an outline, by the block rules of CommonMark with GFM tables; nothing inline is parsed."""

import re
from collections.abc import Sequence

from markdown_it import MarkdownIt, __version__
from markdown_it.rules_block import StateBlock
from markdown_it.token import Token

from consiglierd.ingest.docs.front_matter import read_front_matter
from consiglierd.ingest.docs.outline import Block, BlockKind, Heading, Outline

PARSER_VERSION = f"markdown-it-py {__version__}"

_CHECKBOX = re.compile(r"[ \t>]*(?:[-*+]|\d{1,9}[.)])[ \t]+\[([ xX])\](?:\s|$)")
# `## Title {#anchor}` and MDX's `## Title {/*anchor*/}` name the heading for machines.
_ANCHOR = re.compile(r"\s*\{(?:#[^{}]*|/\*[^{}]*\*/)\}\s*$")
_LEAVES: dict[str, BlockKind] = {
    "paragraph_open": "paragraph",
    "fence": "fence",
    "code_block": "fence",
    "html_block": "html",
    "hr": "other",
    "table_open": "table",
}


def _block_parser() -> MarkdownIt:
    parser = MarkdownIt("commonmark")
    parser.block.ruler.enable("table")
    # Link reference definitions are the one block rule that looks inside of lines.
    parser.block.ruler.disable("reference")
    return parser


_PARSER = _block_parser()


def scan(lines: Sequence[str]) -> Outline:
    """The outline of a Markdown document; `lines` come without line ends."""
    front = read_front_matter(lines)
    skipped = front.lines[1] if front is not None else 0
    source = "\n".join(lines[skipped:] if skipped else lines)
    tokens: list[Token] = []
    if source:
        state = StateBlock(source, _PARSER, {}, tokens)
        _PARSER.block.tokenize(state, 0, state.lineMax)
    headings, blocks = _walk(tokens, lines, skipped)
    if front is None:
        return Outline(headings, blocks)
    return Outline(headings, blocks, front.lines, front.values, front.problem)


def _walk(tokens: Sequence[Token], lines: Sequence[str], skipped: int) -> tuple[tuple[Heading, ...], tuple[Block, ...]]:
    headings: list[Heading] = []
    blocks: list[Block] = []
    quotes = items = 0
    for position, token in enumerate(tokens):
        kind = token.type
        if kind == "blockquote_close":
            quotes -= 1
        elif kind == "list_item_close":
            items -= 1
        elif token.map is None:
            continue
        elif kind == "blockquote_open":
            if token.level == 0:
                blocks.append(_block(token, lines, skipped, "quote", 0))
            quotes += 1
        elif quotes:
            continue
        elif kind == "list_item_open":
            blocks.append(_block(token, lines, skipped, "list_item", items))
            items += 1
        elif token.level == 0:
            if kind == "heading_open":
                text = tokens[position + 1].content
                headings.append(_heading(token, text, skipped))
            elif kind in _LEAVES:
                blocks.append(_block(token, lines, skipped, _LEAVES[kind], 0))
    return tuple(headings), tuple(blocks)


def _heading(token: Token, text: str, skipped: int) -> Heading:
    assert token.map is not None
    start, end = token.map
    title = _ANCHOR.sub("", " ".join(text.split())).strip()
    return Heading(start + skipped + 1, end + skipped, int(token.tag[1]), title)


def _block(token: Token, lines: Sequence[str], skipped: int, kind: BlockKind, depth: int) -> Block:
    assert token.map is not None
    start, end = token.map[0] + skipped, token.map[1] + skipped
    while end > start + 1 and not lines[end - 1].strip():
        end -= 1
    checked = None
    rows: tuple[int, ...] = ()
    if kind == "list_item" and (box := _CHECKBOX.match(lines[start])):
        checked = box.group(1) != " "
    elif kind == "table":
        rows = tuple(range(start + 3, end + 1))
    return Block(start + 1, end, kind, depth, checked, rows)
