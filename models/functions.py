"""Documented functions: what is said of one, and its code."""

import ast
import re
import warnings
from collections.abc import Iterator

from models.pairs import Pair, is_english

_JAVADOC = re.compile(r"/\*\*(.*?)\*/\s*((?:@\w+(?:\([^)]*\))?\s*)*[^;{}]*\{)", re.DOTALL)
_SLASHES = re.compile(r"((?:^[ \t]*//[/!]?[^\n]*\n)+)([^\n]*\b(?:func|fn)\b[^\n]*\{)", re.MULTILINE)
MOST_CODE = 1200


def code_pairs(path: str, text: str, source: str) -> Iterator[Pair]:
    if path.endswith(".py"):
        yield from _python(text, source)
    elif path.endswith((".java", ".ts", ".js", ".tsx", ".mjs")):
        yield from _braced(_JAVADOC, text, source)
    elif path.endswith((".go", ".rs")):
        yield from _braced(_SLASHES, text, source)


def _python(text: str, source: str) -> Iterator[Pair]:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError):
        return
    for node in ast.walk(tree):
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            continue
        said = ast.get_docstring(node) or ""
        summary = " ".join(said.split("\n\n")[0].split())
        try:
            body = node.body[1:] if said else node.body
            code = ast.unparse(ast.Module([_renamed(node, body)], [])) if body else ""
        except (ValueError, RecursionError):
            continue
        yield from _pair(summary, code, source)
        words = " ".join(re.findall(r"[A-Za-z][a-z]+|[A-Z]+(?![a-z])|[a-z]+", node.name))
        if len(words.split()) >= 2 and len(code) >= 120:
            yield Pair("code", words, code[:MOST_CODE], source)


def _renamed(node: ast.FunctionDef | ast.AsyncFunctionDef, body: list[ast.stmt]) -> ast.stmt:
    copy = type(node)(**{name: getattr(node, name) for name in node._fields})
    copy.body, copy.decorator_list = body, []
    return ast.fix_missing_locations(copy)


def _braced(pattern: re.Pattern[str], text: str, source: str) -> Iterator[Pair]:
    for found in pattern.finditer(text):
        said = re.sub(r"^[ \t]*(?:\*|//[/!]?)[ \t]?", "", found[1], flags=re.MULTILINE)
        said = re.sub(r"\{@\w+\s+([^}]*)\}|</?\w+[^>]*>", r"\1", said.split("@param")[0].split("@return")[0])
        summary = " ".join(re.split(r"\n\s*\n|(?<=\.)\s", said.strip())[0].split())
        yield from _pair(summary, _body(text, found.end(2), found.start(2)), source)


def _body(text: str, opened: int, start: int) -> str:
    """From `start` to the brace that closes the one before `opened`, at most MOST_CODE characters."""
    depth = 1
    for at in range(opened, min(len(text), start + MOST_CODE)):
        depth += (text[at] == "{") - (text[at] == "}")
        if depth == 0:
            return text[start : at + 1]
    return text[start : start + MOST_CODE]


def _pair(summary: str, code: str, source: str) -> Iterator[Pair]:
    if 3 <= len(summary.split()) <= 60 and is_english(summary) and len(code) >= 40:
        yield Pair("code", summary, code[:MOST_CODE], source)
