"""Which file is a document, of which type and format, by its path alone."""

import re
import unicodedata
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from consiglierd.model.rules import DocumentRules
from consiglierd.text.globs import Glob

Format = Literal["markdown", "asciidoc", "restructured", "plain"]

FORMAT_BY_SUFFIX: dict[str, Format] = {
    ".md": "markdown",
    ".mdx": "markdown",
    ".markdown": "markdown",
    ".adoc": "asciidoc",
    ".asciidoc": "asciidoc",
    ".asc": "asciidoc",
    ".rst": "restructured",
    ".txt": "plain",
    ".text": "plain",
}
DOCUMENT_SUFFIXES = frozenset(FORMAT_BY_SUFFIX)
# Names that are documents without any suffix.
BARE_NAMES = frozenset({"readme", "changelog", "changes", "news", "history", "todo", "contributing"})

GENERAL = "general"
# Globs over the path without its document suffix, in the order in which they are tried; case is ignored.
SHIPPED_PATTERNS: tuple[tuple[str, str], ...] = (
    ("tasks", "**/archi/*/specs/tasks/*-tasks"),
    ("tasks", "**/archi/*/tasks/*"),
    ("tasks", "/tasks/*"),
    ("tasks", "*-tasks"),
    ("spec", "**/archi/*/specs/*-spec"),
    ("wbs", "*-wbs"),
    ("gantt", "*-gantt"),
    ("raci", "*-raci"),
    ("status", "*-status"),
    ("risk", "*-risk"),
    ("tech-debt", "*-tech-debt"),
    ("budget", "*-budget"),
    ("gtm", "*-gtm"),
    ("adr", "*-adr"),
    ("changelog", "CHANGELOG"),
    ("issues", "ISSUES"),
    ("rules", "rules"),
    ("workflow", "workflow"),
    ("dashboard", "DASHBOARD"),
    ("claude", "CLAUDE"),
    ("claude", "AGENTS"),
    ("claude", "GEMINI"),
    ("memory", "**/memory/*"),
    ("debate", "debate*"),
    ("checklist", "checklist*"),
    ("adr", "**/docs/adr/*"),
    ("adr", "**/doc/adr/*"),
    ("adr", "**/docs/decisions/*"),
)
FILE_TYPES = frozenset({GENERAL, *(file_type for file_type, _ in SHIPPED_PATTERNS)})
# Files of an ADR folder that are no ADR.
_NOT_ADR = re.compile(r"(^|/)(readme|index|adr-template|template)$", re.IGNORECASE)

C_LEVELS = ("ceo", "cto", "cfo", "cmo", "coo", "cpo", "cio", "ciso", "cso", "cdo", "chro", "cro", "cco", "cqo")
_C_LEVEL = re.compile(rf"({'|'.join(C_LEVELS)})(?=[-_.])", re.IGNORECASE)
_PROJECT = re.compile(r"(?:^|/)archi/([^/]+)/", re.IGNORECASE)
_WORKER = re.compile(r"(.+)-tasks", re.IGNORECASE)
_ADR_NUMBER = re.compile(r"(?:adr[-_])?(\d{1,6})[-_]", re.IGNORECASE)
_MEMORY_TYPE = re.compile(r"(user|feedback|project|reference)[-_]", re.IGNORECASE)
_PATH_DATE = re.compile(r"(?<!\d)((?:19|20)\d\d)[-_.]?(0[1-9]|1[0-2])[-_.]?(0[1-9]|[12]\d|3[01])(?!\d)")


@dataclass(frozen=True, slots=True)
class Placement:
    """What the path alone says of a document.

    `is_decided` is false where no pattern names the type: then the content may. `facts` are
    metadata (sorted by key) that every section of the file begins with.
    """

    file_type: str
    format: Format
    is_decided: bool
    facts: tuple[tuple[str, str], ...]


def file_type_of(path: str, rules: DocumentRules) -> str | None:
    """The type of a document by its path, None where its name is no document's."""
    placement = placement_of(path, rules)
    return placement.file_type if placement is not None else None


def placement_of(path: str, rules: DocumentRules) -> Placement | None:
    """Type, format and facts of a path relative to the root; None where its name is no document's."""
    path = unicodedata.normalize("NFC", path)
    stem, suffix = _split_suffix(path)
    document_format = FORMAT_BY_SUFFIX.get(suffix)
    file_type = _first_match(path, _extra_patterns(rules))
    if document_format is None:
        if file_type is None and _base_name(path).lower() not in BARE_NAMES:
            return None
        document_format = "plain"
    is_decided = file_type is not None
    if file_type is None:
        file_type = _first_match(stem, _shipped_patterns())
        if file_type == "adr" and _NOT_ADR.search(stem):
            file_type = None
        is_decided = file_type is not None
    file_type = file_type or GENERAL
    return Placement(file_type, document_format, is_decided, _facts(stem, file_type))


def _split_suffix(path: str) -> tuple[str, str]:
    name = _base_name(path)
    dot = name.rfind(".")
    suffix = name[dot:].lower() if dot > 0 else ""
    return (path[: len(path) - len(suffix)], suffix) if suffix in FORMAT_BY_SUFFIX else (path, "")


def _base_name(path: str) -> str:
    return path.rsplit("/", 1)[-1]


@lru_cache(maxsize=1)
def _shipped_patterns() -> tuple[tuple[Glob, str], ...]:
    return tuple((Glob(glob, ignores_case=True), file_type) for file_type, glob in SHIPPED_PATTERNS)


@lru_cache(maxsize=64)
def _extra_patterns(rules: DocumentRules) -> tuple[tuple[Glob, str], ...]:
    return tuple((Glob(pattern.glob, ignores_case=True), pattern.file_type) for pattern in rules.extra_types)


def _first_match(path: str, patterns: tuple[tuple[Glob, str], ...]) -> str | None:
    return next((file_type for glob, file_type in patterns if glob.matches(path)), None)


def _facts(stem: str, file_type: str) -> tuple[tuple[str, str], ...]:
    """Only what differs from file to file of one type may stand here: it is part of the recipe."""
    name = _base_name(stem)
    facts: dict[str, str] = {}
    if project := _PROJECT.search(stem):
        facts["project"] = project.group(1)
    if c_level := _C_LEVEL.match(name):
        facts["c_level"] = c_level.group(1).lower()
    if file_type == "tasks" and (worker := _WORKER.fullmatch(name)):
        facts["worker"] = worker.group(1)
    if file_type == "adr" and (number := _ADR_NUMBER.match(name)):
        facts["adr_id"] = f"ADR-{number.group(1)}"
    if file_type == "memory" and (memory_type := _MEMORY_TYPE.match(name)):
        facts["memory_type"] = memory_type.group(1).lower()
    if date := _PATH_DATE.search(name):
        facts["path_date"] = "-".join(date.groups())
    return tuple(sorted(facts.items()))
