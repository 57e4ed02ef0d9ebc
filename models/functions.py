"""Documented functions: what is said of one, and its code."""

import ast
import re
import warnings
from collections.abc import Iterator

from models.pairs import Pair, is_english
from models.questions import asked_of_code

_JAVADOC = re.compile(r"/\*\*(.*?)\*/\s*((?:@\w+(?:\([^)]*\))?\s*)*[^;{}]*\{)", re.DOTALL)
_SLASHES = re.compile(r"((?:^[ \t]*//[/!]?[^\n]*\n)+)([^\n]*\b(?:func|fn)\b[^\n]*\{)", re.MULTILINE)
MOST_CODE = 1200
_LANGUAGES = {"py": "python", "java": "java", "ts": "typescript", "tsx": "typescript", "go": "go", "rs": "rust"}


def code_pairs(path: str, text: str, source: str) -> Iterator[Pair]:
    suffix = path.rpartition(".")[2]
    braced = _SLASHES if suffix in ("go", "rs") else _JAVADOC
    found = _python(text) if suffix == "py" else _braced(braced, text)
    for said, code in found:
        if 2 <= len(said.split()) <= 60 and is_english(said) and len(code) >= 40:
            yield Pair("code", asked_of_code(said, _LANGUAGES.get(suffix, "javascript")), code[:MOST_CODE], source)


def _python(text: str) -> Iterator[tuple[str, str]]:
    """The first paragraph of each docstring with the code below it, and the words of each name with the code."""
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
        yield summary, code
        words = " ".join(re.findall(r"[A-Za-z][a-z]+|[A-Z]+(?![a-z])|[a-z]+", node.name))
        if len(code) >= 120:
            yield words, code


def _renamed(node: ast.FunctionDef | ast.AsyncFunctionDef, body: list[ast.stmt]) -> ast.stmt:
    copy = type(node)(**{name: getattr(node, name) for name in node._fields})
    copy.body, copy.decorator_list = body, []
    return ast.fix_missing_locations(copy)


def _braced(pattern: re.Pattern[str], text: str) -> Iterator[tuple[str, str]]:
    """The first sentence of each comment above a function, with the function."""
    for found in pattern.finditer(text):
        said = re.sub(r"^[ \t]*(?:\*|//[/!]?)[ \t]?", "", found[1], flags=re.MULTILINE)
        said = re.sub(r"\{@\w+\s+([^}]*)\}|</?\w+[^>]*>", r"\1", said.split("@param")[0].split("@return")[0])
        summary = " ".join(re.split(r"\n\s*\n|(?<=\.)\s", said.strip())[0].split())
        yield summary, _body(text, found.end(2), found.start(2))


def _body(text: str, opened: int, start: int) -> str:
    """From `start` to the brace that closes the one before `opened`, at most MOST_CODE characters."""
    depth = 1
    for at in range(opened, min(len(text), start + MOST_CODE)):
        depth += (text[at] == "{") - (text[at] == "}")
        if depth == 0:
            return text[start : at + 1]
    return text[start : start + MOST_CODE]
