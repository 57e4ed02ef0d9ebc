"""Labelled question sets: loading them, and judging a ranking by them."""

import hashlib
import json
import math
import random
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

DEPTH = 10
# As the notes of the sets drew the 600 questions of tldr-ko2en that their floor was measured on.
SAMPLE_SEED = 7
BOOTSTRAP_SEED = 1
RESAMPLES = 2000
Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class QuestionSet:
    """A folder of data; `floor` is nDCG@10 of a plain BM25, as the data's own notes give it to three
    decimals. `sample`: only so many of the questions, drawn as for the floor. `stranger`: a set whose
    questions nothing here answers."""

    name: str
    floor: float
    stranger: str
    sample: int | None = None


SETS = (
    QuestionSet("react-docs-ko", 0.433, "tldr-ko2en"),
    QuestionSet("react-docs-en", 0.413, "cosqa"),
    QuestionSet("react-docs-ko2en", 0.116, "tldr-ko2en"),
    QuestionSet("tldr-ko2en", 0.306, "react-docs-ko", sample=600),
    QuestionSet("tldr-ko2en", 0.306, "react-docs-ko"),
    QuestionSet("cosqa", 0.369, "react-docs-en"),
    QuestionSet("es-toolkit-doc2code", 0.145, "react-docs-ko"),
)


@dataclass(frozen=True, slots=True)
class Question:
    """`grades` by document id. `is_reported`: of the half that nothing is chosen by."""

    text: str
    grades: Mapping[str, float]
    is_reported: bool


@dataclass(frozen=True, slots=True)
class Document:
    id: str
    title: str
    text: str

    @property
    def whole(self) -> str:
        return f"{self.title}\n{self.text}".strip()


def load(folder: Path, sample: int | None) -> tuple[list[Document], list[Question]]:
    grades = _grades(folder / "qrels.tsv")
    rows = list(_rows(folder / "queries.jsonl"))
    if sample is not None:
        rows = random.Random(SAMPLE_SEED).sample(rows, sample)
    questions = [
        Question(row["text"], grades[row["id"]], is_reported(row["id"])) for row in rows if row["id"] in grades
    ]
    documents = [Document(row["id"], row.get("title", ""), row["text"]) for row in _rows(folder / "corpus.jsonl")]
    return documents, questions


def is_reported(question_id: str) -> bool:
    """Half of all questions, by their names alone."""
    return hashlib.blake2b(question_id.encode(), digest_size=1).digest()[0] % 2 == 1


def as_plain_text(question: str) -> str:
    """The writers of the sets quoted words in passing; here a quote would ask for the exact phrase."""
    return re.sub('["“”]', " ", question)


def ndcg(found: Sequence[frozenset[str]], grades: Mapping[str, float]) -> float:
    """`found` are the documents of each hit, best first: an identical text in several places is one hit."""
    gained = sum(
        max((grades.get(each, 0.0) for each in places), default=0.0) / math.log2(rank + 2)
        for rank, places in enumerate(found[:DEPTH])
    )
    best = sorted(grades.values(), reverse=True)[:DEPTH]
    return gained / sum(grade / math.log2(rank + 2) for rank, grade in enumerate(best))


def interval(differences: Floats) -> tuple[float, float]:
    """Where 95 % of the resampled means lie (paired bootstrap)."""
    chosen = np.random.default_rng(BOOTSTRAP_SEED).integers(len(differences), size=(RESAMPLES, len(differences)))
    low, high = np.quantile(differences[chosen].mean(axis=1), (0.025, 0.975))
    return float(low), float(high)


def _grades(path: Path) -> dict[str, dict[str, float]]:
    grades: dict[str, dict[str, float]] = {}
    for line in path.read_text(encoding="utf-8").splitlines()[1:]:
        question, document, grade = line.split("\t")
        if float(grade) > 0:
            grades.setdefault(question, {})[document] = float(grade)
    return grades


def _rows(path: Path) -> Iterator[dict[str, str]]:
    with path.open(encoding="utf-8") as lines:
        for line in lines:
            yield json.loads(line)
