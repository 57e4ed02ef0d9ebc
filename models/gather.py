"""All pairs of all sources, without what stands in the measuring sets, nearly or wholly."""

import hashlib
import json
import re
import tomllib
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from models.documents import anchored_pairs, parallel_pairs, section_pairs, sections_of
from models.functions import code_pairs
from models.pairs import Pair
from models.po import po_pairs
from models.reading import files_at, git_directory
from models.strings import resource_pairs, xliff_pairs

DOCUMENT_SUFFIXES = (".md", ".mdx", ".ipynb", ".rst")
CODE_SUFFIXES = (".py", ".java", ".ts", ".js", ".go", ".rs")
ALLOWED = {"MIT", "Apache-2.0", "MIT OR Apache-2.0", "BSD-2-Clause", "BSD-3-Clause", "PSF-2.0", "CC-BY-4.0", "CC0-1.0"}
# A text of which so large a share of runs of words stands in a measuring set is nearly one of its own.
NEAR = 0.3
SHINGLE_WORDS = 6
FEWEST_SHINGLES = 3


def sources(file: Path) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = tomllib.loads(file.read_text(encoding="utf-8"))["source"]
    for each in found:
        if each["licence"] not in ALLOWED:
            raise ValueError(f"{each['repository']}: {each['licence']} does not allow it")
    return found


def pairs_of(source: dict[str, Any], folder: Path) -> Iterator[Pair]:
    name = source["repository"]
    match source["kind"]:
        case "po":
            for _, text in _files(source, folder, (".po",)):
                yield from po_pairs(text, name)
        case "xliff":
            for _, text in _files(source, folder, (".ko.xlf",)):
                yield from xliff_pairs(text, name)
        case "code":
            for path, text in _files(source, folder, CODE_SUFFIXES):
                yield from code_pairs(path, text, name)
        case "sections":
            for path, text in _files(source, folder, DOCUMENT_SUFFIXES):
                yield from section_pairs(sections_of(path, text), name)
        case "anchored":
            for path, text in _files(source, folder, DOCUMENT_SUFFIXES):
                yield from anchored_pairs(sections_of(path, text), name)
        case "parallel":
            english = dict(_files(_other(source), folder, DOCUMENT_SUFFIXES))
            for path, text in _files(source, folder, DOCUMENT_SUFFIXES):
                theirs = sections_of(path, english[path]) if path in english else []
                yield from parallel_pairs(sections_of(path, text), theirs, name)
        case "resources":
            texts = dict(_files(source, folder, (".resw",)))
            for path, text in texts.items():
                if "/ko-KR/" in path and (english_text := texts.get(path.replace("/ko-KR/", "/en-US/"))):
                    yield from resource_pairs(text, english_text, name)
        case kind:
            raise ValueError(f"{name}: no kind {kind!r}")


def _other(source: dict[str, Any]) -> dict[str, Any]:
    """Where the English side of a parallel source stands."""
    return {
        "repository": source.get("other", source["repository"]),
        "commit": source.get("other_commit", source["commit"]),
        "folder": source["other_folder"],
    }


def _files(source: dict[str, Any], folder: Path, suffixes: tuple[str, ...]) -> Iterator[tuple[str, str]]:
    directory = git_directory(folder, source["repository"])
    return files_at(directory, source["commit"], source.get("folder", ""), suffixes, source.get("only", ""))


def shingles(text: str) -> set[int]:
    """Hashes of the runs of SHINGLE_WORDS words; a shorter text is one run."""
    words = re.findall(r"\w+", text.casefold())
    runs = [" ".join(words[at : at + SHINGLE_WORDS]) for at in range(max(1, len(words) - SHINGLE_WORDS + 1))]
    return {int.from_bytes(hashlib.blake2b(run.encode(), digest_size=8).digest(), "big") for run in runs if run}


def measured(data: Path) -> tuple[set[int], set[str]]:
    """The shingles of every long text of the measuring sets, and every question as it stands."""
    known: set[int] = set()
    whole: set[str] = set()
    for file in sorted(data.glob("*/corpus.jsonl")) + sorted(data.glob("*/queries.jsonl")):
        for line in file.read_text(encoding="utf-8").splitlines():
            row = json.loads(line)
            found = shingles(row["text"])
            if len(found) >= FEWEST_SHINGLES:
                known |= found
            whole.add(_plain(row["text"]))
            if "title" in row and len(row["title"].split()) > 2:
                whole.add(_plain(row["title"]))
    return known, whole


def _plain(text: str) -> str:
    return " ".join(re.findall(r"\w+", text.casefold()))


def is_measured(text: str, known: set[int], whole: set[str]) -> bool:
    found = shingles(text)
    if len(found) < FEWEST_SHINGLES:
        return _plain(text) in whole
    return len(found & known) >= NEAR * len(found) or _plain(text) in whole


def gather(file: Path, folder: Path, data: Path, out: Path) -> dict[str, Counter[str]]:
    """Write the pairs as lines of JSON; what was kept and dropped, by source and kind."""
    known, whole = measured(data)
    kept: Counter[str] = Counter()
    dropped: Counter[str] = Counter()
    seen: set[bytes] = set()
    with out.open("w", encoding="utf-8") as lines:
        for source in sources(file):
            for pair in _once(pairs_of(source, folder), seen):
                label = f"{pair.source} {pair.kind}"
                if is_measured(pair.question, known, whole) or is_measured(pair.answer, known, whole):
                    dropped[label] += 1
                    continue
                kept[label] += 1
                row = {"kind": pair.kind, "question": pair.question, "answer": pair.answer, "source": pair.source}
                lines.write(json.dumps(row, ensure_ascii=False) + "\n")
    return {"kept": kept, "dropped": dropped}


def _once(pairs: Iterable[Pair], seen: set[bytes]) -> Iterator[Pair]:
    for pair in pairs:
        key = hashlib.blake2b(f"{pair.kind}\0{pair.question}\0{pair.answer}".encode(), digest_size=12).digest()
        if key not in seen:
            seen.add(key)
            yield pair
