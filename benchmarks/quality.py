"""Prints the ranking quality of the lexical search on labelled question sets: `python -m benchmarks.quality`.

Each document of a corpus becomes one chunk (its title the heading, its text the body) and goes the
whole way: analyzer, store, Tantivy, exact score, verification. Order is judged with no minimum
score; how many answerable questions the shipped minimum would lose is counted beside it: those
whose labelled document, or all of whose answers, fall below it.
"""

import argparse
import json
import math
import os
import re
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from consiglierd.model.hit import SearchResult
from tests.support.held_index import HeldIndex, Options, one_section

DEPTH = 10
MIN_SCORE = 0.3
DOCUMENTS_AT_A_TIME = 1000


@dataclass(frozen=True, slots=True)
class QuestionSet:
    """A folder of data; `floor` is nDCG@10 of a plain BM25, as the data's own notes give it (for tldr-ko2en
    on 600 of its questions, which are not named: all are asked here, and the first 600). `first`: only so many."""

    name: str
    floor: float
    first: int | None = None


SETS = (
    QuestionSet("react-docs-ko", 0.433),
    QuestionSet("react-docs-en", 0.413),
    QuestionSet("react-docs-ko2en", 0.116),
    QuestionSet("tldr-ko2en", 0.306),
    QuestionSet("tldr-ko2en", 0.306, first=600),
    QuestionSet("cosqa", 0.369),
    QuestionSet("es-toolkit-doc2code", 0.145),
)


@dataclass(frozen=True, slots=True)
class Judged:
    """One set: mean nDCG@10, and the shares of questions lost to the minimum score."""

    questions: int
    documents: int
    ndcg: float
    answers_lost: float
    questions_lost: float
    milliseconds: float


def judge(folder: Path, first: int | None = None) -> Judged:
    """Indexes the corpus of a set and asks its questions."""
    relevant = _relevant(folder / "qrels.tsv")
    questions = [row for row in _rows(folder / "queries.jsonl") if row["id"] in relevant][:first]
    path_of: dict[str, str] = {}
    with tempfile.TemporaryDirectory(prefix="csb-quality-") as temporary:
        index = HeldIndex(Path(temporary), options=Options(min_score=0.0))
        try:
            _fill(index, list(_rows(folder / "corpus.jsonl")), path_of)
            return _ask(index, questions, relevant, path_of)
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


def _ask(
    index: HeldIndex,
    questions: Sequence[Mapping[str, str]],
    relevant: Mapping[str, Mapping[str, float]],
    path_of: Mapping[str, str],
) -> Judged:
    gains, answers_lost, questions_lost, seconds = [], 0, 0, 0.0
    for question in questions:
        text, grades = (
            _as_plain_text(question["text"]),
            {path_of[key]: grade for key, grade in relevant[question["id"]].items()},
        )
        before = time.perf_counter()
        found = _ranked(index.search(text, DEPTH))
        seconds += time.perf_counter() - before
        gains.append(_ndcg(found, grades))
        kept = _ranked(index.search(text, DEPTH, min_score=MIN_SCORE))
        questions_lost += bool(found) and not kept
        answers_lost += bool(frozenset().union(*found).difference(*kept) & grades.keys())
    count = len(questions)
    return Judged(
        count,
        len(path_of),
        math.fsum(gains) / count,
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


def main(arguments: Sequence[str]) -> int:
    default = Path(__file__).resolve().parents[2] / "shared" / "data"
    parser = argparse.ArgumentParser(prog="python -m benchmarks.quality", description="nDCG@10 beside the floor.")
    parser.add_argument("sets", nargs="*", metavar="SET", help="some of: " + ", ".join(each.name for each in SETS))
    parser.add_argument("--data", type=Path, default=default, help="the folder of the sets (default %(default)s)")
    options = parser.parse_args(arguments)
    if not options.data.is_dir():
        print(f"no question sets at {os.path.relpath(options.data)}: name their folder with --data", file=sys.stderr)
        return 2
    print(f"{'set':22} {'questions':>9} {'nDCG@10':>8} {'floor':>6} {'':5} {'lost at ' + str(MIN_SCORE):>24} {'ms':>6}")
    below = 0
    for each in SETS:
        if options.sets and each.name not in options.sets:
            continue
        result = judge(options.data / each.name, each.first)
        is_below = round(result.ndcg, 3) < each.floor
        below += is_below
        verdict = "BELOW" if is_below else "ok"
        print(
            f"{each.name:22} {result.questions:9} {result.ndcg:8.4f} {each.floor:6.3f} {verdict:5}"
            f" {result.answers_lost:9.1%} {result.questions_lost:6.1%} empty {result.milliseconds:7.2f}",
            flush=True,
        )
    return 1 if below else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
