"""Pairs as piece numbers, ready to be trained on."""

import json
import zlib
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from consiglierd.embed.pieces import PieceCutter
from models.train import PairSet

# A heading that stands over many texts ("Parameters") tells none of them apart.
MOST_ALIKE = 2
LONGEST_KEPT = 400
REPEATS = {"translation": 2, "korean": 2, "english": 2, "crossed": 2, "code": 2, "context": 1}

Row = dict[str, str]


def read_pairs(file: Path) -> Iterator[Row]:
    """The pairs, without those whose question or answer stands in too many others of the same kind."""
    questions: Counter[tuple[str, int]] = Counter()
    answers: Counter[tuple[str, int]] = Counter()
    with file.open(encoding="utf-8") as lines:
        for line in lines:
            row: Row = json.loads(line)
            question = (row["kind"], zlib.crc32(row["question"].casefold().encode()))
            answer = (row["kind"], zlib.crc32(row["answer"][:200].casefold().encode()))
            questions[question] += 1
            answers[answer] += 1
            if questions[question] <= MOST_ALIKE and answers[answer] <= MOST_ALIKE:
                yield row


def counts_of(rows: Sequence[Row], cutter: PieceCutter, size: int) -> NDArray[np.float64]:
    """How often each piece stands in the texts of the pairs."""
    counts: Counter[int] = Counter()
    for row in rows:
        for side in (row["question"], row["answer"]):
            counts.update(cutter.numbers_of(side[:2000]))
    found = np.zeros(size)
    found[list(counts)] = list(counts.values())
    return found


def pair_sets(rows: Sequence[Row], cutter: PieceCutter) -> list[PairSet]:
    found = []
    for kind, repeats in REPEATS.items():
        questions, answers = [], []
        for row in rows:
            if row["kind"] != kind:
                continue
            question = np.array(cutter.numbers_of(row["question"])[:LONGEST_KEPT], dtype=np.int32)
            answer = np.array(cutter.numbers_of(row["answer"][:3000])[:LONGEST_KEPT], dtype=np.int32)
            if len(question) and len(answer):
                questions.append(question)
                answers.append(answer)
        if questions:
            found.append(PairSet(kind, questions, answers, repeats))
    return found
