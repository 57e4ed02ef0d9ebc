"""How large things may be, what they may be called, and what each file opens with."""

import ast
import re
from collections.abc import Iterator

from tests.house.source import Breach, Source

MAX_FILE_LINES = 350
MAX_WIRING_LINES = 250
MAX_FUNCTION_LINES = 60
WANTED_FUNCTION_LINES = 40
BANNED_NAMES = ("utils", "helpers", "common", "manager", "base", "core", "data", "info", "object", "processor")

_SENTENCE_END = re.compile(r"[.!?]\s+(?=[A-Z가-힣])")


def size_breaches(source: Source) -> Iterator[Breach]:
    """Files and functions that nobody stopped."""
    limit = MAX_WIRING_LINES if source.room == "wiring" else MAX_FILE_LINES
    lines = source.text.count("\n")
    if lines > limit:
        yield Breach(
            source.place, f"{lines} lines, at most {limit}; split it by noun before it is the file that nobody stopped"
        )
    for name, line, length in function_lengths(source):
        if length > MAX_FUNCTION_LINES:
            yield Breach(
                source.at(line),
                f"`{name}` has {length} lines, at most {MAX_FUNCTION_LINES}; it does more than its name says",
            )


def function_lengths(source: Source) -> Iterator[tuple[str, int, int]]:
    """Name, first line and number of lines of every function, without its decorators."""
    for node in ast.walk(source.tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield node.name, node.lineno, (node.end_lineno or node.lineno) - node.lineno + 1


def name_breaches(source: Source) -> Iterator[Breach]:
    """Module names that say nothing, alone or as a part: `file_utils`."""
    for part in source.module.split("."):
        for word in part.split("_"):
            if word in BANNED_NAMES or word in (f"{name}s" for name in BANNED_NAMES):
                yield Breach(source.place, f"`{word}` names no thing; whatever has no home gathers there")


def opening_breaches(source: Source) -> Iterator[Breach]:
    """The first paragraph of a module's docstring is one sentence."""
    docstring = ast.get_docstring(source.tree)
    if docstring is None:
        yield Breach(source.place, "opens without a sentence of purpose")
        return
    opening = " ".join(docstring.split("\n\n")[0].split())
    if len(opening.split()) < 2:
        yield Breach(source.place, "its opening says nothing")
    elif not opening.endswith((".", ".)", ":")):
        yield Breach(source.place, "its opening is not a sentence: it does not end")
    elif _SENTENCE_END.search(opening):
        yield Breach(source.place, "opens with more than one sentence; if it needs two, it is two modules")
