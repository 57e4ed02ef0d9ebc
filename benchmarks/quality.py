"""Prints the ranking quality on labelled question sets: `python -m benchmarks.quality`.

Each document of a corpus becomes one chunk (its title the heading, its text the body) and goes the
whole way: analyzer, store, Tantivy and FAISS, exact score, verification. The search by words stands
beside the floor that the data's own notes give and a plain BM25 of the same run, over all questions;
words, vectors and both together over the half of the questions that nothing was chosen by, with the
95 % interval of what both together gain (paired bootstrap). Order is judged with no minimum score;
how many answers the shipped minimum loses is counted beside it, and how many questions of another
set, which nothing here answers, get a passage all the same (by words alone, and by both).
"""

import argparse
import os
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from benchmarks.plain import PlainBm25
from benchmarks.question_sets import (
    DEPTH,
    SETS,
    Document,
    Floats,
    Question,
    QuestionSet,
    as_plain_text,
    interval,
    load,
    ndcg,
)
from consiglierd.embed.embedder import Embedder
from consiglierd.embed.spec import BuiltBackend, EmbedderSpec, build
from consiglierd.embed.windows import windows_of
from consiglierd.settings.schema import SETTINGS
from tests.support.held_index import HeldIndex, Options, one_section

MIN_SCORE = 0.3
ALPHA = next(float(each.default) for each in SETTINGS if each.name == "search.alpha")  # type: ignore[arg-type]  # a number
DOCUMENTS_AT_A_TIME = 1000
STRANGERS = 200
SIDES = ("words", "vectors", "both")
MODELS: tuple[BuiltBackend, ...] = ("bundled", "quality")


class _Windowed:
    """An embedder that cuts windows as the daemon does."""

    def __init__(self, embedder: Embedder) -> None:
        self.fingerprint, self.dimensions = embedder.fingerprint, embedder.dimensions
        self.unrelated, self.identical, self.near = embedder.unrelated, embedder.identical, embedder.near
        self.embed_documents, self.embed_queries = embedder.embed_documents, embedder.embed_queries

    def windows_of(self, title: str, text: str) -> list[str]:
        return windows_of(title, text)


@dataclass(frozen=True, slots=True)
class Judged:
    """nDCG@10 of each question by side, and of the plain BM25; answers that the minimum loses, by side."""

    gains: dict[str, Floats]
    plain: Floats
    lost: dict[str, Floats]
    reported: np.ndarray  # type: ignore[type-arg]  # bool, one a question
    false_answers: dict[str, float]
    milliseconds: float

    @property
    def words_ndcg(self) -> float:
        return float(self.gains["words"].mean())

    @property
    def plain_ndcg(self) -> float:
        return float(self.plain.mean())


def judge(
    data: Path, questions_of: QuestionSet, sides: Sequence[str] = SIDES, model: BuiltBackend = "bundled"
) -> Judged:
    """Indexes the corpus of a set and asks its questions by each side."""
    documents, questions = load(data / questions_of.name, questions_of.sample)
    strangers = [each.text for each in load(data / questions_of.stranger, None)[1] if each.is_reported][:STRANGERS]
    with tempfile.TemporaryDirectory(prefix="csb-quality-") as temporary:
        index = HeldIndex(Path(temporary), options=Options(min_score=0.0))
        try:
            path_of = fill(index, documents)
            gains: dict[str, Floats] = {}
            lost: dict[str, Floats] = {}
            false_answers: dict[str, float] = {}
            began = time.perf_counter()
            for side in sides:
                if side != "words" and index.vector is None:
                    index.embed_with(_Windowed(build(EmbedderSpec(model))))
                    index.fill()
                    began = time.perf_counter()
                index.options = Options(min_score=0.0, alpha=1.0 if side == "vectors" else ALPHA)
                gains[side], lost[side] = _ask(index, questions, path_of)
                false_answers[side] = sum(bool(_ranked(index, each, MIN_SCORE, path_of)) for each in strangers) / len(
                    strangers
                )
            took_s = time.perf_counter() - began
        finally:
            index.close()
    plain = PlainBm25([each.whole for each in documents])
    by_plain = [
        ndcg([frozenset((documents[at].id,)) for at in plain.search(each.text, DEPTH)], each.grades)
        for each in questions
    ]
    return Judged(
        gains,
        np.array(by_plain),
        lost,
        np.array([each.is_reported for each in questions]),
        false_answers,
        took_s / len(questions) / (2 * len(sides)) * 1000,
    )


def fill(index: HeldIndex, documents: Sequence[Document]) -> dict[str, str]:
    """The id of the document at each path."""
    id_at: dict[str, str] = {}
    for start in range(0, len(documents), DOCUMENTS_AT_A_TIME):
        batch = {}
        for number, each in enumerate(documents[start : start + DOCUMENTS_AT_A_TIME], start=start):
            # A path without words of its own: the corpus has titles, not paths.
            path = f"{number:06}"
            id_at[path] = each.id
            text = each.text.replace("\r\n", "\n").replace("\r", "\n").strip("\n") or each.title
            batch[path] = (text.encode(), one_section(text, each.title))
        index.put(batch)
    return id_at


def _ask(index: HeldIndex, questions: Sequence[Question], id_at: dict[str, str]) -> tuple[Floats, Floats]:
    """nDCG@10 of each question, and whether the shipped minimum loses an answer that is found without it."""
    gains, lost = [], []
    for question in questions:
        found = _ranked(index, question.text, 0.0, id_at)
        gains.append(ndcg(found, question.grades))
        kept = _ranked(index, question.text, MIN_SCORE, id_at)
        lost.append(bool(frozenset().union(*found).difference(*kept) & question.grades.keys()))
    return np.array(gains), np.array(lost, dtype=np.float64)


def _ranked(index: HeldIndex, question: str, min_score: float, id_at: dict[str, str]) -> list[frozenset[str]]:
    result = index.search(as_plain_text(question), DEPTH, min_score=min_score)
    return [frozenset(id_at[path] for path in (hit.file, *(place.file for place in hit.also))) for hit in result.hits]


def is_below_floor(result: Judged, questions: QuestionSet) -> bool:
    """Words alone below the given floor (compared at its three decimals), or below the plain BM25 of the same run."""
    return round(result.words_ndcg, 3) < questions.floor or result.words_ndcg < result.plain_ndcg


def _told(result: Judged, questions: QuestionSet) -> str:
    half = result.reported
    by_side = {side: gains[half] for side, gains in result.gains.items()}
    shown = (
        f"{questions.name:20} {len(half):5} {questions.floor:5.3f} {result.plain_ndcg:6.4f} {result.words_ndcg:6.4f}"
    )
    shown += " BELOW |" if is_below_floor(result, questions) else " ok    |"
    shown += f" {int(half.sum()):5}" + "".join(f" {gains.mean():7.4f}" for gains in by_side.values())
    if "both" in by_side:
        for other in ("words", "vectors"):
            low, high = interval(by_side["both"] - by_side[other])
            shown += f"  [{low:+.3f}, {high:+.3f}]"
    lost = result.lost["both" if "both" in result.lost else "words"]
    told = " ".join(f"{result.false_answers[side]:7.1%}" for side in ("words", "both") if side in result.false_answers)
    return f"{shown} {lost[half].mean():7.1%} | {told} {result.milliseconds:6.2f}"


def main(arguments: Sequence[str]) -> int:
    default = Path(__file__).resolve().parents[2] / "shared" / "data"
    parser = argparse.ArgumentParser(prog="python -m benchmarks.quality", description="nDCG@10 beside the floor.")
    parser.add_argument("sets", nargs="*", metavar="SET", help="some of: " + ", ".join(each.name for each in SETS))
    parser.add_argument("--data", type=Path, default=default, help="the folder of the sets (default %(default)s)")
    parser.add_argument("--model", choices=MODELS, default=MODELS[0], help="what makes the vectors (%(default)s)")
    parser.add_argument("--words-only", action="store_true", help="leave the vectors out")
    options = parser.parse_args(arguments)
    if not options.data.is_dir():
        print(f"no question sets at {os.path.relpath(options.data)}: name their folder with --data", file=sys.stderr)
        return 2
    sides = SIDES[:1] if options.words_only else SIDES
    print(
        f"{'all questions':20} {'':5} {'floor':5} {'plain':6} {'words':6}       | half: "
        + " ".join(f"{side:>7}" for side in sides)
        + f"  {'both - words':16}  {'both - vectors':16} {'lost':>7} | false answers {'ms':>8}"
    )
    below = 0
    for each in SETS:
        if options.sets and each.name not in options.sets:
            continue
        result = judge(options.data, each, sides, options.model)
        below += is_below_floor(result, each)
        print(_told(result, each), flush=True)
    return 1 if below else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
