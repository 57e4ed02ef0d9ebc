"""How well an embedding finds: nDCG@10 alone and beside plain BM25, on halves of the measuring sets.

The development half is what one may look at while choosing; the reported half only when all is chosen.
"""

import hashlib
import json
import math
import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from benchmarks.plain import PlainBm25

SETS = ("react-docs-ko", "react-docs-en", "react-docs-ko2en", "tldr-ko2en", "cosqa", "es-toolkit-doc2code")
ALPHAS = (0.3, 0.5, 0.7)
TOP = 10
Floats = NDArray[np.float64]
Embed = Callable[[Sequence[str]], NDArray[np.float32]]
Windows = Callable[[str, str], list[str]]


@dataclass(frozen=True, slots=True)
class JudgedSet:
    """`gains` are for each question the grades by position in the corpus."""

    name: str
    titles: list[str]
    texts: list[str]
    questions: list[str]
    gains: list[dict[int, float]]


def load(folder: Path, *, reported: bool) -> JudgedSet:
    """One half of a set's questions (of tldr-ko2en those 600 that its floor was measured on)."""
    corpus = _rows(folder / "corpus.jsonl")
    place = {row["id"]: at for at, row in enumerate(corpus)}
    grades: dict[str, dict[int, float]] = {}
    for line in (folder / "qrels.tsv").read_text(encoding="utf-8").splitlines()[1:]:
        question, document, grade = line.split("\t")
        grades.setdefault(question, {})[place[document]] = float(grade)
    questions = _rows(folder / "queries.jsonl")
    if folder.name.startswith("tldr"):
        questions = random.Random(7).sample(questions, 600)
    chosen = [row for row in questions if row["id"] in grades and is_reported(row["id"]) == reported]
    return JudgedSet(
        folder.name,
        [row.get("title", "") for row in corpus],
        [row["text"] for row in corpus],
        [row["text"] for row in chosen],
        [grades[row["id"]] for row in chosen],
    )


def is_reported(question_id: str) -> bool:
    return hashlib.blake2b(question_id.encode(), digest_size=1).digest()[0] % 2 == 1


def _rows(path: Path) -> list[dict[str, str]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def cosines(judged: JudgedSet, embed_documents: Embed, embed_questions: Embed, windows_of: Windows) -> Floats:
    """The best window of each text for each question (questions x texts)."""
    windows: list[str] = []
    starts = []
    for title, text in zip(judged.titles, judged.texts, strict=True):
        starts.append(len(windows))
        windows.extend(windows_of(title, text) or [title or text])
    rows = embed_documents(windows)
    found = embed_questions(judged.questions) @ rows.T
    return np.maximum.reduceat(found, starts, axis=1).astype(np.float64)


def words(judged: JudgedSet) -> Floats:
    """Plain BM25 as a share of what each question could attain."""
    plain = PlainBm25([f"{title}\n{text}".strip() for title, text in zip(judged.titles, judged.texts, strict=True)])
    rows = []
    for question in judged.questions:
        scores, attainable = plain.scores(question)
        rows.append(scores / attainable if attainable > 0 else scores)
    return np.stack(rows)


def ndcg(scores: Floats, gains: Sequence[Mapping[int, float]]) -> Floats:
    """Of each question; equal scores by position."""
    found = []
    for row, grades in zip(scores, gains, strict=True):
        best = np.argsort(-row, kind="stable")[:TOP]
        gained = sum(grades.get(int(at), 0.0) / math.log2(rank + 2) for rank, at in enumerate(best) if row[at] > 0)
        ideal = sorted(grades.values(), reverse=True)[:TOP]
        found.append(gained / sum(grade / math.log2(rank + 2) for rank, grade in enumerate(ideal)))
    return np.array(found)


def table(
    data: Path, embed_documents: Embed, embed_questions: Embed, windows_of: Windows, *, reported: bool, unrelated: float
) -> list[dict[str, float | str]]:
    """One row a set: words, vectors, and both by each alpha (V is 0 at `unrelated`, as in the product)."""
    result = []
    for name in SETS:
        judged = load(data / name, reported=reported)
        by_words, near = words(judged), cosines(judged, embed_documents, embed_questions, windows_of)
        part = np.clip((near - unrelated) / (1 - unrelated), 0, 1)
        row: dict[str, float | str] = {"set": name, "questions": len(judged.questions)}
        row["words"] = float(ndcg(by_words, judged.gains).mean())
        row["vectors"] = float(ndcg(near + 1, judged.gains).mean())
        for alpha in ALPHAS:
            row[f"both {alpha}"] = float(ndcg(alpha * part + (1 - alpha) * by_words, judged.gains).mean())
        result.append(row)
    return result


def print_table(rows: Sequence[Mapping[str, float | str]]) -> None:
    names = list(rows[0])
    print("  ".join(f"{name:>20}" if name == "set" else f"{name:>9}" for name in names))
    for row in rows:
        told = (f"{row[name]:>20}" if name == "set" else f"{row[name]:9.4g}" for name in names)
        print("  ".join(told), flush=True)
