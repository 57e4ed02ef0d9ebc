"""Corpora to be searched in a held index and by the judge: each with edits and deletions behind it."""

import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from consiglierd.ingest.docs.parse import parse_document
from consiglierd.model.roles import RoleTable
from consiglierd.settings.load import load_settings
from consiglierd.settings.rules import document_rules, role_table
from tests.oracle import Judge, chunks_of
from tests.support.hashed_embedder import HashedEmbedder
from tests.support.held_index import HeldEmbedder, HeldIndex, Options
from tests.support.judge import documents_of
from tests.support.written_tree import WORDS, document, paragraph

REPOSITORY = Path(__file__).parents[2]
SAMPLE = REPOSITORY / "examples" / "streamapp"
_SETTINGS = load_settings(SAMPLE).settings
RULES = document_rules(_SETTINGS)
ROLES: RoleTable = role_table(_SETTINGS)

_PLACES = (
    "docs/adr/{:04}-choice.md",
    "archi/App/specs/cfo-{}-budget.md",
    "archi/App/specs/cmo-{}-gtm.md",
    "archi/App/specs/cto-{}-risk.md",
    "tasks/job-{}.md",
    "docs/회의/메모-{}.md",
    "docs/deep/er/note-{}.md",
    "memory/user-{}.md",
    "note-{}.md",
)
_STATUSES = ("active", "superseded", "Draft", "completed", "deprecated")


@dataclass
class Corpus:
    """One held index, and the judge of what it holds."""

    name: str
    index: HeldIndex
    judge: Judge
    words: list[str]
    tags: list[str]
    days: list[str]
    rng: random.Random


def _dressed(rng: random.Random, body: str) -> str:
    """A document with front matter, or without."""
    if rng.random() < 0.4:
        return body
    day = f"2026-{rng.randint(1, 12):02}-{rng.randint(1, 28):02}"
    lines = [f"tags: [{', '.join(rng.sample(WORDS, 2))}]", f"status: {rng.choice(_STATUSES)}"]
    if rng.random() < 0.7:
        lines.append(f"date: {day}")
    return "---\n" + "\n".join(lines) + "\n---\n\n" + body


def random_tree(rng: random.Random) -> dict[str, str]:
    """Documents of every type, in folders."""
    return {
        rng.choice(_PLACES).format(number): _dressed(rng, document(rng, rng.randint(1, 6))) for number in range(110)
    }


def near_equal(rng: random.Random) -> dict[str, str]:
    """Thousands of short chunks that differ in little: most of the scores are close, or equal."""
    texts = {}
    for number in range(50):
        parts = [f"## 로그인 오류 {rng.randint(1, 30)}\n\n토큰 갱신 {rng.choice(WORDS)} retry\n" for _ in range(60)]
        texts[rng.choice(_PLACES).format(number)] = "\n".join(parts)
    return texts


def repeated(rng: random.Random) -> dict[str, str]:
    """A few texts, each in many files of several types, and in one file more than once."""
    blocks = [f"## {paragraph(rng, 3)}\n\n{paragraph(rng, 12)}\n" for _ in range(40)]
    return {
        rng.choice(_PLACES).format(number): _dressed(rng, "\n".join(rng.choice(blocks) for _ in range(6)))
        for number in range(80)
    }


def sample_project(_rng: random.Random) -> dict[str, bytes]:
    """The documents of the sample, in their several encodings."""
    return {path: (SAMPLE / path).read_bytes() for path in documents_of(SAMPLE, RULES, ())}


MAKERS: dict[str, Callable[[random.Random], Mapping[str, str | bytes]]] = {
    "random": random_tree,
    "near_equal": near_equal,
    "repeated": repeated,
    "sample": sample_project,
}


class JudgedVectors:
    """The judge's own vectors, made anew from the texts; files in `waiting` have none yet."""

    def __init__(self, embedder: HeldEmbedder, waiting: frozenset[str] = frozenset()) -> None:
        self.unrelated, self.identical, self.near = embedder.unrelated, embedder.identical, embedder.near
        self._embedder = embedder
        self._waiting = waiting
        self._known: dict[str, NDArray[np.float64]] = {}

    def of_chunk(self, path: str, title: str, text: str) -> NDArray[np.float64] | None:
        return None if path in self._waiting else np.stack(list(map(self._row, self._embedder.windows_of(title, text))))

    def of_question(self, text: str) -> NDArray[np.float64]:
        return self._embedder.embed_queries([text])[0].astype(np.float64)

    def _row(self, text: str) -> NDArray[np.float64]:
        if text not in self._known:
            self._known[text] = self._embedder.embed_queries([text])[0].astype(np.float16).astype(np.float64)
        return self._known[text]


Sides = Literal["words", "both", "waiting"]


def corpus(folder: Path, name: str, seed: int, sides: Sides = "words", *, honour_tombstones: bool = True) -> Corpus:
    """Indexed in several revisions: a third of the files is written again, a sixth is deleted.

    With "both" sides every chunk has vectors, with "waiting" those of the files written last have none yet.
    """
    rng = random.Random(f"{name}-{seed}")
    contents = {path: text.encode() if isinstance(text, str) else text for path, text in MAKERS[name](rng).items()}
    embedder = None if sides == "words" else HashedEmbedder()
    index = HeldIndex(
        folder, rules=RULES, options=Options(ROLES), honour_tombstones=honour_tombstones, embedder=embedder
    )
    paths = sorted(contents)
    _write(index, {path: f"# {paragraph(rng, 3)}\n\n{paragraph(rng, 9)}\n".encode() for path in paths[::3]})
    _write(index, contents)
    index.fill()
    last = rng.sample(paths, len(paths) // 3)
    _write(index, {path: contents[path].replace(b"token", b"Tokens") for path in last})
    if sides == "both":
        index.fill()
    index.remove(rng.sample(paths, len(paths) // 6))
    if index.vector is not None:
        index.vector.look()
    vectors = JudgedVectors(embedder, frozenset(last if sides == "waiting" else ())) if embedder is not None else None
    chunks = chunks_of(sorted(index.contents.items()), RULES)
    words = sorted({word for path in index.contents for word in index.contents[path].decode(errors="ignore").split()})
    tags = sorted({tag.name for chunk in chunks for tag in chunk.section.tags})
    days = sorted({chunk.section.date for chunk in chunks if chunk.section.date is not None})
    return Corpus(name, index, Judge(chunks, vectors), words, tags, days, rng)


def _write(index: HeldIndex, contents: Mapping[str, bytes]) -> None:
    index.put({path: (content, parse_document(path, content, RULES)) for path, content in contents.items()})
