"""What code must not do: swallow errors, sleep, hide types, write SQL where no table is owned."""

import ast
import io
import re
import tokenize
from collections.abc import Iterator
from typing import TypeGuard

from tests.house.source import Breach, Source

BROAD_CATCHERS = ("consiglierd.serve.dispatch", "consiglierd.supervisor")
# Its pause before a restart waits for nothing: the pause itself is what is wanted.
SLEEPERS = ("consiglierd.supervisor",)
TABLE_OWNERS = ("store",)

_SQL = re.compile(
    r"\b(CREATE\s+(UNIQUE\s+)?(TABLE|VIEW|INDEX|TRIGGER)|INSERT\s+(OR\s+\w+\s+)?INTO|DELETE\s+FROM"
    r"|UPDATE\s+\w+\s+SET|SELECT\b[^;]*\bFROM)\b"
)
_IGNORE = re.compile(r"#\s*type:\s*ignore(?P<code>\[[a-z, -]+\])?(?P<reason>\s*#\s*\w.*)?")


def catch_breaches(source: Source) -> Iterator[Breach]:
    """Broad catches outside the two places that have them; one that raises again adds context and may stay."""
    if source.module in BROAD_CATCHERS:
        return
    for node in ast.walk(source.tree):
        if isinstance(node, ast.ExceptHandler) and _is_broad(node.type) and not isinstance(node.body[-1], ast.Raise):
            yield Breach(
                source.at(node.lineno), "catches everything; a fault of ours must reach dispatch or the supervisor"
            )


def _is_broad(caught: ast.expr | None) -> bool:
    names = caught.elts if isinstance(caught, ast.Tuple) else [caught]
    return any(name is None or ast.unparse(name) in ("Exception", "BaseException") for name in names)


def sleep_breaches(source: Source) -> Iterator[Breach]:
    """Waiting by the clock; `asyncio.sleep(0)` only gives way and may stay."""
    if source.module in SLEEPERS:
        return
    for node in ast.walk(source.tree):
        if isinstance(node, ast.ImportFrom) and node.module in ("time", "asyncio"):
            if any(name.name == "sleep" for name in node.names):
                yield Breach(source.at(node.lineno), "imports sleep; wait for an event, a revision or a barrier")
        elif _is_sleep(node):
            yield Breach(source.at(node.lineno), "sleeps; wait for an event, a revision or a barrier")


def _is_sleep(node: ast.AST) -> TypeGuard[ast.Call]:
    if not isinstance(node, ast.Call) or ast.unparse(node) == "asyncio.sleep(0)":
        return False
    return ast.unparse(node.func) in ("time.sleep", "asyncio.sleep")


def any_breaches(source: Source) -> Iterator[Breach]:
    """`Any` in the signature of a public function.

    The client's hot modules speak JSON in plain dicts, because typed messages cost more to import
    than they take to send; a test holds those dicts to the protocol, and `dict[str, Any]` may stay there.
    """
    for node in ast.walk(source.tree):
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) or node.name.startswith("_"):
            continue
        arguments = node.args
        every = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs, arguments.vararg, arguments.kwarg]
        annotations = [argument.annotation for argument in every if argument is not None]
        for annotation in (*annotations, node.returns):
            written = ast.unparse(annotation) if annotation is not None else ""
            if source.package == "consigliere":
                written = written.replace("dict[str, Any]", "")
            if re.search(r"\bAny\b", written):
                yield Breach(source.at(node.lineno), f"`{node.name}` has Any in its signature; no Any across a border")


def ignore_breaches(source: Source) -> Iterator[Breach]:
    """Type errors silenced without their code or without a reason."""
    for token in tokenize.generate_tokens(io.StringIO(source.text).readline):
        match = _IGNORE.search(token.string) if token.type == tokenize.COMMENT else None
        if match and not (match["code"] and match["reason"]):
            yield Breach(source.at(token.start[0]), "a type error is silenced without its code and a reason behind it")


def sql_breaches(source: Source) -> Iterator[Breach]:
    """SQL outside the rooms that own tables."""
    if source.package == "consiglierd" and source.room in TABLE_OWNERS:
        return
    docstrings = {
        id(node.body[0].value)
        for node in ast.walk(source.tree)
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef)
        and node.body
        and isinstance(node.body[0], ast.Expr)
    }
    for node in ast.walk(source.tree):
        if isinstance(node, ast.expr) and id(node) not in docstrings and _SQL.search(_text_of(node)):
            yield Breach(source.at(node.lineno), f"`{source.room}` owns no tables; SQL lives with them")


def _text_of(node: ast.AST) -> str:
    """The text of a string; a place in an f-string that is filled in counts as a word."""
    if isinstance(node, ast.JoinedStr):
        return "".join(_text_of(part) or "x" for part in node.values)
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else ""
