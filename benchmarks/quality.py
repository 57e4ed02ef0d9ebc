"""Prints the ranking quality of the lexical search on labelled question sets: `python -m benchmarks.quality`.

Each document of a corpus becomes one chunk (its title the heading, its text the body) and goes the
whole way: analyzer, store, Tantivy, exact score, verification. Beside it stand the floor that the data's
own notes give and a plain BM25 that answers the same questions in the same run, with the 95 %
interval of the difference (paired bootstrap). Order is judged with no minimum score; how many
answerable questions the shipped minimum would lose is counted too: those whose labelled document,
or all of whose answers, fall below it.
"""

import argparse
import json
import math
import os
import random
import re
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from benchmarks.plain import PlainBm25
from consiglierd.model.hit import SearchResult
from tests.support.held_index import HeldIndex, Options, one_section

DEPTH = 10
MIN_SCORE = 0.3
DOCUMENTS_AT_A_TIME = 1000
# As the notes of the sets drew the 600 questions of tldr-ko2en that their floor was measured on.
SAMPLE_SEED = 7
BOOTSTRAP_SEED = 1
RESAMPLES = 2000


@dataclass(frozen=True, slots=True)
class QuestionSet:
    """A folder of data; `floor` is nDCG@10 of a plain BM25, as the data's own notes give it to three
    decimals. `sample`: only so many of the questions, drawn as for the floor."""

    name: str
    floor: float
    sample: int | None = None


SETS = (
    QuestionSet("react-docs-ko", 0.433),
    QuestionSet("react-docs-en", 0.413),
    QuestionSet("react-docs-ko2en", 0.116),
    QuestionSet("tldr-ko2en", 0.306, sample=600),
    QuestionSet("tldr-ko2en", 0.306),
    QuestionSet("cosqa", 0.369),
    QuestionSet("es-toolkit-doc2code", 0.145),
)


@dataclass(frozen=True, slots=True)
class Judged:
    """One set: nDCG@10 of each question, ours and the plain one, and the shares lost to the minimum score."""

    documents: int
    gains: NDArray[np.float64]
    plain_gains: NDArray[np.float64]
    answers_lost: float
    questions_lost: float
    milliseconds: float

    @property
    def ndcg(self) -> float:
        return float(self.gains.mean())

    @property
    def plain_ndcg(self) -> float:
        return float(self.plain_gains.mean())

    def interval(self) -> tuple[float, float]:
        """Where 95 % of the resampled means of (ours - plain) lie."""
        differences = self.gains - self.plain_gains
        chosen = np.random.default_rng(BOOTSTRAP_SEED).integers(len(differences), size=(RESAMPLES, len(differences)))
        low, high = np.quantile(differences[chosen].mean(axis=1), (0.025, 0.975))
        return float(low), float(high)


def judge(folder: Path, sample: int | None = None) -> Judged:
    """Indexes the corpus of a set and asks its questions."""
    relevant = _relevant(folder / "qrels.tsv")
    questions = list(_rows(folder / "queries.jsonl"))
    if sample is not None:
        questions = random.Random(SAMPLE_SEED).sample(questions, sample)
    questions = [row for row in questions if row["id"] in relevant]
    documents = list(_rows(folder / "corpus.jsonl"))
    path_of: dict[str, str] = {}
    with tempfile.TemporaryDirectory(prefix="csb-quality-") as temporary:
        index = HeldIndex(Path(temporary), options=Options(min_score=0.0))
        try:
            _fill(index, documents, path_of)
            return _ask(index, PlainBm25([_whole_text(row) for row in documents]), questions, relevant, path_of)
        finally:
            index.close()


def _fill(index: HeldIndex, documents: Sequence[Mapping[str, str]], path_of: dict[str, str]) -> None:
    for start in range(0, len(documents), DOCUMENTS_AT_A_TIME):
        batch = {}
        for number, row in enumerate(documents[start : start + DOCUMENTS_AT_A_TIME], start=start):
            # A path without words of its own: the corpus has titles, not paths.
            path = path_of[row["id"]] = f"{number:06}"
            text = row["text"].replace("\r\n", "\n").replace("\r", "\n").strip("\n") or row["title"]
            batch[path] = (text.encode(), one_section(text, row["title"]))
        index.put(batch)


def _whole_text(row: Mapping[str, str]) -> str:
    return f"{row['title']}\n{row['text']}".strip()


def _ask(
    index: HeldIndex,
    plain: PlainBm25,
    questions: Sequence[Mapping[str, str]],
    relevant: Mapping[str, Mapping[str, float]],
    path_of: Mapping[str, str],
) -> Judged:
    gains, plain_gains, answers_lost, questions_lost, seconds = [], [], 0, 0, 0.0
    paths = list(path_of.values())
    for question in questions:
        text, grades = (
            _as_plain_text(question["text"]),
            {path_of[key]: grade for key, grade in relevant[question["id"]].items()},
        )
        before = time.perf_counter()
        found = _ranked(index.search(text, DEPTH))
        seconds += time.perf_counter() - before
        gains.append(_ndcg(found, grades))
        plain_gains.append(_ndcg([frozenset((paths[at],)) for at in plain.search(question["text"], DEPTH)], grades))
        kept = _ranked(index.search(text, DEPTH, min_score=MIN_SCORE))
        questions_lost += bool(found) and not kept
        answers_lost += bool(frozenset().union(*found).difference(*kept) & grades.keys())
    count = len(questions)
    return Judged(
        len(path_of),
        np.array(gains),
        np.array(plain_gains),
        answers_lost / count,
        questions_lost / count,
        seconds / count * 1000,
    )


def _as_plain_text(question: str) -> str:
    """The writers of the sets quoted words in passing; here a quote would ask for the exact phrase."""
    return re.sub('["“”]', " ", question)


def _ranked(result: SearchResult) -> list[frozenset[str]]:
    """The documents of each hit: an identical text in several places is one hit that names them all."""
    return [frozenset((hit.file, *(place.file for place in hit.also))) for hit in result.hits]


def _ndcg(found: Sequence[frozenset[str]], grades: Mapping[str, float]) -> float:
    gained = sum(
        max(grades.get(path, 0.0) for path in places) / math.log2(rank + 2) for rank, places in enumerate(found)
    )
    best = sorted(grades.values(), reverse=True)[:DEPTH]
    return gained / sum(grade / math.log2(rank + 2) for rank, grade in enumerate(best))


def _relevant(path: Path) -> dict[str, dict[str, float]]:
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


def is_below_floor(result: Judged, questions: QuestionSet) -> bool:
    """Below the given floor (compared at its three decimals), or below the plain BM25 of the same run."""
    return round(result.ndcg, 3) < questions.floor or result.ndcg < result.plain_ndcg


def main(arguments: Sequence[str]) -> int:
    default = Path(__file__).resolve().parents[2] / "shared" / "data"
    parser = argparse.ArgumentParser(prog="python -m benchmarks.quality", description="nDCG@10 beside the floor.")
    parser.add_argument("sets", nargs="*", metavar="SET", help="some of: " + ", ".join(each.name for each in SETS))
    parser.add_argument("--data", type=Path, default=default, help="the folder of the sets (default %(default)s)")
    options = parser.parse_args(arguments)
    if not options.data.is_dir():
        print(f"no question sets at {os.path.relpath(options.data)}: name their folder with --data", file=sys.stderr)
        return 2
    print(
        f"{'set':22} {'questions':>9} {'nDCG@10':>8} {'floor':>6} {'':5} {'plain':>6} {'ours - plain':>18}"
        f" {'lost at ' + str(MIN_SCORE):>24} {'ms':>6}"
    )
    below = 0
    for each in SETS:
        if options.sets and each.name not in options.sets:
            continue
        result = judge(options.data / each.name, each.sample)
        is_below = is_below_floor(result, each)
        below += is_below
        verdict = "BELOW" if is_below else "ok"
        low, high = result.interval()
        print(
            f"{each.name:22} {len(result.gains):9} {result.ndcg:8.4f} {each.floor:6.3f} {verdict:5}"
            f" {result.plain_ndcg:6.4f} {f'[{low:+.4f}, {high:+.4f}]':>18}"
            f" {result.answers_lost:9.1%} {result.questions_lost:6.1%} empty {result.milliseconds:7.2f}",
            flush=True,
        )
    return 1 if below else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
