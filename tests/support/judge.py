"""The judge over a tree on the disk: which files git would have it read, parsed and searched by brute force."""

import os
import re
import subprocess
import tempfile
from functools import lru_cache
from pathlib import Path
from typing import Any

from consiglierd.ingest.docs.parse import file_type_of
from consiglierd.model.rules import DocumentRules
from consiglierd.settings.load import load_settings
from consiglierd.settings.rules import document_rules
from tests.oracle import Asked, JudgedChunk, Vectors, chunks_of, expected

_ENVIRONMENT = {**os.environ, "GIT_CONFIG_GLOBAL": "/dev/null", "GIT_CONFIG_SYSTEM": "/dev/null"}
_RULES = (".gitignore", ".consigliereignore")
_ALWAYS_OUT = {".git", ".consigliere", "node_modules"}


def judged(root: Path, query: str, *, limit: int, vectors: Vectors | None = None, **more: Any) -> list[tuple[Any, ...]]:
    """What a search of the tree as it stands must give, in the form of view.places."""
    settings = load_settings(root).settings
    chunks = judged_chunks(root, document_rules(settings), settings.index.exclude)
    asked = Asked(text=query, limit=limit, min_score=settings.search.min_score, **more)
    return [
        (
            hit.chunk.path,
            hit.chunk.section.span.line_start,
            hit.chunk.section.span.line_end,
            hit.score,
            tuple((other.path, other.section.span.line_start) for other in hit.also),
        )
        for hit in expected(chunks, asked, vectors)
    ]


def judged_chunks(root: Path, rules: DocumentRules, exclude: tuple[str, ...] = ()) -> list[JudgedChunk]:
    found: list[JudgedChunk] = []
    for path in documents_of(root, rules, exclude):
        found.extend(_parsed(path, (root / path).read_bytes(), rules))
    return found


@lru_cache(maxsize=4096)
def _parsed(path: str, content: bytes, rules: DocumentRules) -> tuple[JudgedChunk, ...]:
    return tuple(chunks_of([(path, content)], rules))


def documents_of(root: Path, rules: DocumentRules, exclude: tuple[str, ...]) -> list[str]:
    """What is tracked, or ignored neither by git nor by `.consigliereignore`, without what the settings leave out."""
    if (root / ".git").exists():
        own = "--exclude-per-directory=.consigliereignore"
        tracked = _git(root, "ls-files", "-z", "-c") - _git(root, "ls-files", "-z", "-ci", own)
        listed = tracked | _untracked(root)
    else:
        listed = {str(path.relative_to(root)) for path in root.rglob("*")}
    return sorted(
        path
        for path in listed
        if (root / path).is_file()
        and not (root / path).is_symlink()
        and not _ALWAYS_OUT & set(path.split("/"))
        and file_type_of(path, rules) is not None
        and not any(re.fullmatch(_simple_pattern(glob), path) for glob in exclude)
    )


def _untracked(root: Path) -> set[str]:
    """What neither leaves out; where they disagree `.consigliereignore` is the stronger, so its rules come last."""
    below = [path.relative_to(root).parts for name in _RULES for path in root.rglob(name) if path.parent != root]
    if any(not _ALWAYS_OUT & set(parts) for parts in below):
        listed = _git(root, "ls-files", "-z", "-o", "--exclude-standard")
        return listed - _git(root, "ls-files", "-z", "-oi", "--exclude-per-directory=.consigliereignore")
    rules = [(root / name).read_text() if (root / name).exists() else "" for name in _RULES]
    with tempfile.NamedTemporaryFile("w") as both:
        both.write("\n".join(rules))
        both.flush()
        return _git(root, "ls-files", "-z", "-o", f"--exclude-from={both.name}")


def _git(root: Path, *arguments: str) -> set[str]:
    output = subprocess.run(
        ["git", "-c", "core.quotePath=false", *arguments], cwd=root, check=True, capture_output=True, env=_ENVIRONMENT
    ).stdout
    return {os.fsdecode(name) for name in output.split(b"\0") if name}


def _simple_pattern(glob: str) -> str:
    """Enough for the settings that the tests write: a folder and everything below it, or one name."""
    return re.escape(glob.removesuffix("/**").removesuffix("/")) + "(/.*)?"
