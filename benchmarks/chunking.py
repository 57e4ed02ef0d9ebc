"""Prints what typed chunks are worth beside other ways to cut: `python -m benchmarks.chunking`.

The documents of the sample are indexed once for each way and asked the same labelled questions by the same search,
with no role and no minimum score. A window of 400 is as many whole lines as hold at most 400 tokens, counted as the
typed chunks are (`consiglierd.ingest.docs.cut.count_tokens`: a word of Latin letters or digits is one, two Hangul
syllables are one). A hit counts when it holds a line of an answer; a gain is counted for each hit
with an answer that none before it had, beside the fewest chunks of that way which hold all answers, so that a chunk
with two answers is no disadvantage. Long chunks hold more lines, so the others look at what is read: nDCG where the
passage that is shown must hold the line (the product's passage cutter, for all ways alike), how many lines are read
down to the first answer, and the share of the questions answered within so many lines, of passages and of whole
chunks.
"""

import argparse
import math
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from benchmarks import sample
from benchmarks.plain_windows import windowed
from benchmarks.question_sets import interval
from benchmarks.table import median
from consiglierd.evaluation.measures import DEPTH, Floats, recall, reciprocal_rank
from consiglierd.ingest.docs.cut import count_tokens
from consiglierd.model.evaluation import AnswerLines, LabelledQuestion
from consiglierd.model.hit import Hit
from consiglierd.model.rules import TypePattern
from tests.support.held_index import HeldIndex, Options

WINDOW_TOKENS, OVERLAP_TOKENS = 400, 50
READ_LINES = 20
TYPED = "typed chunks"
PLAIN = f"windows {WINDOW_TOKENS}"
SIDES: Mapping[str, float] = {"words alone": 0.0, "both": Options().alpha}


@dataclass(frozen=True, slots=True)
class Judged:
    """One number a question: nDCG@10 of the whole chunk and of the passage shown, recall@5, MRR@10 (whole chunk);
    lines of passages, their characters, and lines of whole chunks read down to the first answer, infinite where it
    is not among the ten."""

    ndcg: Floats
    shown: Floats
    recall: Floats
    mrr: Floats
    lines: Floats
    characters: Floats
    whole_lines: Floats


def ways() -> dict[str, sample.Documents]:
    """The documents cut in each way, by its name."""
    rules = sample.rules()
    typed = sample.parsed(rules)
    general = replace(rules, extra_types=(TypePattern("**", "general"),))
    costs = [count_tokens(section.text) for _, document in typed.values() for section in document.sections]
    # As large as a typed chunk is on the mean: what remains of the difference is not the size.
    like = round(sum(costs) / len(costs))
    return {
        TYPED: typed,
        "## sections of all": sample.parsed(general),
        PLAIN: _windows(typed, WINDOW_TOKENS, 0),
        f"windows {WINDOW_TOKENS}/{OVERLAP_TOKENS}": _windows(typed, WINDOW_TOKENS, OVERLAP_TOKENS),
        f"windows {like}": _windows(typed, like, 0),
        f"windows {like}, headed": _windows(typed, like, 0, has_headings=True),
    }


def _windows(documents: sample.Documents, size: int, overlap: int, *, has_headings: bool = False) -> sample.Documents:
    return {
        path: (content, windowed(content, size, overlap, typed if has_headings else None))
        for path, (content, typed) in documents.items()
    }


def judge(index: HeldIndex, questions: Sequence[LabelledQuestion], alpha: float) -> Judged:
    index.options = Options(min_score=0.0, alpha=alpha)
    rows = []
    for question in questions:
        whole = index.search(question.text, DEPTH, full=True).hits
        shown = index.search(question.text, DEPTH).hits
        best = fewest(_answers_by_chunk(index, question.answers))
        ranks = [sample.answers_in(hit, question.answers) for hit in whole]
        rows.append(
            (
                gained(ranks, best),
                gained([sample.answers_in(hit, question.answers) for hit in shown], best),
                recall(ranks, question.answers),
                reciprocal_rank(ranks, question.answers),
                *read_until(shown, question.answers),
                read_until(whole, question.answers)[0],
            )
        )
    return Judged(*np.array(rows, dtype=np.float64).T)


def gained(ranks: Sequence[frozenset[AnswerLines]], best: int) -> float:
    """nDCG@10: a hit gains where it holds an answer that none before it had; `best` is how many such hits there need
    be at least. Never above 1."""
    found: set[AnswerLines] = set()
    total = 0.0
    for rank, answers in enumerate(ranks[:DEPTH]):
        if not answers <= found:
            found |= answers
            total += 1 / math.log2(rank + 2)
    return min(1.0, total / sum(1 / math.log2(rank + 2) for rank in range(best)))


def fewest(held: Sequence[frozenset[AnswerLines]]) -> int:
    """How many chunks hold all answers together, taking the fullest first; at least 1."""
    left = frozenset[AnswerLines]().union(*held)
    count = 0
    while left:
        left -= max(held, key=lambda answers: len(answers & left))
        count += 1
    return max(1, count)


def read_until(hits: Sequence[Hit], answers: Sequence[AnswerLines]) -> tuple[float, float]:
    """Lines that are not blank, and characters of them, that are read from the top to the first answer, that
    line included."""
    lines = characters = 0
    for hit in hits:
        for number, line in enumerate(hit.text.split("\n")):
            lines += bool(line.strip())
            characters += len(line.strip())
            at = replace(
                hit,
                line_start=hit.line_start + number,
                line_end=hit.line_start + number,
                also=tuple(replace(place, line_start=place.line_start + number) for place in hit.also),
            )
            if sample.answers_in(at, answers):
                return lines, characters
    return math.inf, math.inf


def _answers_by_chunk(index: HeldIndex, answers: Sequence[AnswerLines]) -> list[frozenset[AnswerLines]]:
    return [
        frozenset(
            answer
            for answer in answers
            if answer.file == path
            and section.span.line_start <= answer.line_end
            and section.span.line_end >= answer.line_start
        )
        for path in {answer.file for answer in answers}
        for section in index.documents[path].sections
    ]


def _told(name: str, index: HeldIndex, found: Judged, typed: Judged) -> str:
    costs = [count_tokens(section.text) for document in index.documents.values() for section in document.sections]
    told = f"{name:18} {len(costs):6} {sum(costs) / len(costs):6.0f} |"
    told += f" {found.ndcg.mean():7.3f} {found.recall.mean():5.3f} {found.mrr.mean():5.3f} |"
    told += f" {found.shown.mean():5.3f} {median(found.lines.tolist()):5.0f} {median(found.characters.tolist()):5.0f}"
    told += f" {_within(found.lines).mean():6.1%} |"
    told += f" {median(found.whole_lines.tolist()):5.0f} {_within(found.whole_lines).mean():6.1%} |"
    if found is not typed:
        within = _within(typed.whole_lines) - _within(found.whole_lines)
        for gain in (typed.ndcg - found.ndcg, typed.shown - found.shown, within):
            low, high = interval(gain)
            told += f" {gain.mean():+.3f} [{low:+.3f}, {high:+.3f}]"
    return told


def _print_table(title: str, indexes: Mapping[str, HeldIndex], judged: Mapping[str, Judged]) -> None:
    print(
        f"{title:18} chunks tokens | nDCG@10 rec@5   MRR | passages: nDCG, lines, characters, within {READ_LINES}"
        " | whole chunks: lines, within | typed minus this: nDCG@10, nDCG of passages, within the lines (whole)"
    )
    for name, found in judged.items():
        print(_told(name, indexes[name], found, judged[TYPED]), flush=True)


def _only(found: Judged, chosen: NDArray[np.bool_]) -> Judged:
    """Of some of the questions."""
    return Judged(*(getattr(found, each.name)[chosen] for each in fields(found)))


def _within(lines: Floats) -> Floats:
    within: Floats = (lines <= READ_LINES).astype(np.float64)
    return within


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.chunking", description="Typed chunks or windows.")
    parser.parse_args(arguments)
    questions = sample.answered_questions(sample.GENERAL_QUESTIONS, sample.ROLE_QUESTIONS)
    indexes: dict[str, HeldIndex] = {}
    with tempfile.TemporaryDirectory(prefix="csb-chunking-") as temporary:
        for number, (name, documents) in enumerate(ways().items()):
            folder = Path(temporary) / str(number)
            folder.mkdir()
            indexes[name] = sample.held(folder, documents, Options())
        long_files = {path for path, found in indexes[PLAIN].documents.items() if len(found.sections) > 1}
        of_long = np.array([all(answer.file in long_files for answer in question.answers) for question in questions])
        print(f"{len(long_files)} of {len(indexes[PLAIN].documents)} documents are longer than a window")
        for side, alpha in SIDES.items():
            judged = {name: judge(index, questions, alpha) for name, index in indexes.items()}
            _print_table(f"{side}, {len(questions)}", indexes, judged)
            of_them = {name: _only(found, of_long) for name, found in judged.items()}
            _print_table(f"of long ones, {int(of_long.sum())}", indexes, of_them)
        for index in indexes.values():
            index.close()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
