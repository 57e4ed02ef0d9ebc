"""Finds the line of every key of a TOML text, which `tomllib` does not tell."""

import re
import tomllib
from collections.abc import Iterator, Mapping

KeyPath = tuple[str, ...]

MAX_KEY_PARTS = 16
MAX_NESTING = 32

# Every form of a string also matches unclosed, so that hostile text is walked once and not again from each quote.
_TOKEN = re.compile(
    r"""
      (?P<comment>\#[^\n]*)
    | (?P<text>\"\"\"(?:\\.|[^\\])*?(?:\"{3,5}|\\?\Z)|\'\'\'.*?(?:\'{3,5}|\Z)|"(?:\\[^\n]|[^"\\\n])*"?|'[^'\n]*'?)
    | (?P<newline>\n)
    | (?P<sign>[\[\]{}=,.])
    | (?P<bare>[^\s\[\]{}=,.\#"']+)
    """,
    re.VERBOSE | re.DOTALL,
)


def first_line_too_deep(toml_text: str) -> int | None:
    """The line of the first key or value that nests deeper than any settings file has a reason to.

    `tomllib` takes time quadratic in the parts of a dotted key (60,000 parts: a minute) and
    recurses into brackets, so this is asked before it is.
    """
    parts = depth = 0
    for kind, token, line in _tokens(toml_text):
        if token == ".":
            parts += 1
        elif kind in ("sign", "newline"):
            parts = 0
            depth = max(0, depth + (token in ("[", "{")) - (token in ("]", "}")))
        if parts >= MAX_KEY_PARTS or depth > MAX_NESTING:
            return line
    return None


def key_lines(toml_text: str) -> Mapping[KeyPath, int]:
    """The line (1-based) where each key or table is first named; meant for text that `tomllib` takes."""
    lines: dict[KeyPath, int] = {}
    for path, line in _named_keys(toml_text):
        lines.setdefault(path, line)
    return lines


def _named_keys(toml_text: str) -> Iterator[tuple[KeyPath, int]]:
    """Walks the tokens with a stack of what is open: values nest, and only tables name keys.

    `open_paths` holds, for each open bracket, the path that its keys stand under, or None for an array.
    """
    table: KeyPath = ()
    parts: list[str] = []
    open_paths: list[KeyPath | None] = []
    in_header = in_value = False
    value_of: KeyPath = ()
    for kind, token, line in _tokens(toml_text):
        if in_header:
            if kind == "newline":
                in_header, table, parts = False, tuple(parts), []
                yield table, line
            elif kind in ("text", "bare"):
                parts.append(_key_part(kind, token))
        elif in_value:
            if token in ("[", "{"):
                open_paths.append(value_of if token == "{" else None)
                in_value = token == "["
            elif token in ("]", "}") and open_paths:
                open_paths.pop()
            elif (token == "," and open_paths and open_paths[-1] is not None) or (kind == "newline" and not open_paths):
                in_value = False
        elif kind in ("text", "bare"):
            parts.append(_key_part(kind, token))
        elif token == "=":
            above = open_paths[-1] if open_paths else table
            value_of, parts, in_value = (*(above or ()), *parts), [], True
            yield value_of, line
        elif token == "[" and not open_paths:
            in_header = True
        elif token == "}" and open_paths:
            open_paths.pop()
            in_value = True


def _tokens(toml_text: str) -> Iterator[tuple[str, str, int]]:
    line = 1
    for match in _TOKEN.finditer(toml_text):
        kind = match.lastgroup or ""
        if kind != "comment":
            yield kind, match.group(), line
        line += match.group().count("\n")
    # The last line may lack its end; a header there still counts.
    yield "newline", "\n", line


def _key_part(kind: str, token: str) -> str:
    if kind == "bare":
        return token
    try:
        return str(tomllib.loads(f"key = {token}")["key"])
    except ValueError:
        return token
