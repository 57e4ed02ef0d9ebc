"""A source file as the rules of the house see it: its module name, its room, its imports."""

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

ROOT = Path(__file__).parents[2]
PACKAGE_FOLDERS = {"consiglierd": ROOT / "consiglierd", "consigliere": ROOT / "client" / "consigliere"}


@dataclass(frozen=True)
class Breach:
    """Where a rule is broken, and the reason for the rule in the words of the message."""

    place: str
    reason: str

    def __str__(self) -> str:
        return f"{self.place}: {self.reason}"


@dataclass(frozen=True)
class Imported:
    """One imported module; `is_delayed`: inside a function; `is_for_types`: under TYPE_CHECKING."""

    module: str
    line: int
    is_delayed: bool
    is_for_types: bool
    is_relative: bool


@dataclass(frozen=True)
class Source:
    """`module` is dotted, a package by its own name; `place` is how people find the file."""

    module: str
    place: str
    text: str

    @cached_property
    def tree(self) -> ast.Module:
        return ast.parse(self.text)

    @property
    def package(self) -> str:
        return self.module.split(".")[0]

    @property
    def room(self) -> str:
        """The second part of the module's name; "" for the package itself."""
        return room_of(self.module)

    @cached_property
    def imports(self) -> tuple[Imported, ...]:
        return tuple(_imports(self.tree, is_delayed=False, is_for_types=False))

    def at(self, line: int) -> str:
        return f"{self.place}:{line}"


def room_of(module: str) -> str:
    return module.partition(".")[2].partition(".")[0]


def read_package(name: str) -> tuple[Source, ...]:
    """Every module of one of the two packages."""
    folder = PACKAGE_FOLDERS[name]
    return tuple(_source_of(path, folder.parent) for path in sorted(folder.rglob("*.py")))


def read_tests() -> tuple[Source, ...]:
    return tuple(_source_of(path, ROOT) for path in sorted((ROOT / "tests").rglob("*.py")))


def _source_of(path: Path, above: Path) -> Source:
    parts = path.relative_to(above).with_suffix("").parts
    module = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
    return Source(module, path.relative_to(ROOT).as_posix(), path.read_text(encoding="utf-8"))


def _imports(node: ast.AST, *, is_delayed: bool, is_for_types: bool) -> Iterator[Imported]:
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.Import):
            for name in child.names:
                yield Imported(name.name, child.lineno, is_delayed, is_for_types, is_relative=False)
        elif isinstance(child, ast.ImportFrom):
            module = child.module or ""
            yield Imported(module, child.lineno, is_delayed, is_for_types, is_relative=child.level > 0)
            # `from consiglierd import wiring` names a module too.
            if "." not in module and module in PACKAGE_FOLDERS:
                for name in child.names:
                    yield Imported(f"{module}.{name.name}", child.lineno, is_delayed, is_for_types, is_relative=False)
        else:
            yield from _imports(
                child,
                is_delayed=is_delayed or isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda),
                is_for_types=is_for_types or _is_type_checking(child),
            )


def _is_type_checking(node: ast.AST) -> bool:
    return isinstance(node, ast.If) and ast.unparse(node.test) in ("TYPE_CHECKING", "typing.TYPE_CHECKING")
