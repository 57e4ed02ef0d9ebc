"""Prints how well it is told that nothing answers: `python -m benchmarks.no_answer`.

On the half of the questions that nothing was chosen by. *Lost*: of the questions whose answer is among the
first ten when everything is shown, those for which it is not shown. *False*: of questions that nothing
answers, those that get a passage all the same: questions of a set about something else, and the set's own
questions after the documents that answer them were taken out (others of the same subject stay, and some of
them do answer: an upper bound). Apart by the language of the questions and of the documents.
"""

import argparse
import json
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from benchmarks.quality import MIN_SCORE, MODELS, Windowed, fill, ranked
from benchmarks.question_sets import DEPTH, Document, Question, as_plain_text, load
from consiglierd.embed.spec import EmbedderSpec, build
from consiglierd.embed.windows import units_of
from consiglierd.model.hit import Hit
from consiglierd.model.rules import DocumentRules
from tests.support.held_index import HeldIndex, Options
from tests.support.judge import documents_of

EXAMPLES = Path(__file__).resolve().parent.parent / "examples"
ASKED = 150


@dataclass(frozen=True, slots=True)
class Pairing:
    """A set with the sets whose questions nothing in it answers."""

    kind: str
    name: str
    strangers: tuple[str, ...]


PAIRINGS = (
    Pairing("Korean, of Korean documents", "react-docs-ko", ("tldr-ko2en",)),
    Pairing("English, of English documents", "react-docs-en", ("cosqa",)),
    Pairing("Korean, of English documents", "react-docs-ko2en", ("tldr-ko2en",)),
    Pairing("Korean, of English documents", "tldr-ko2en", ("react-docs-ko",)),
    Pairing("English, of code", "cosqa", ("react-docs-en",)),
    Pairing("both, of code", "es-toolkit-doc2code", ("react-docs-ko", "react-docs-en")),
)
SAMPLE = Pairing("both, of the sample", "examples/streamapp", ("react-docs-ko", "react-docs-en", "tldr-ko2en", "cosqa"))


@contextmanager
def _index(embedder: Windowed) -> Iterator[HeldIndex]:
    with tempfile.TemporaryDirectory(prefix="csb-no-answer-") as temporary:
        index = HeldIndex(Path(temporary), options=Options(min_score=0.0), embedder=embedder)
        try:
            yield index
        finally:
            index.close()


def _is_answered(index: HeldIndex, text: str) -> bool:
    return bool(index.search(as_plain_text(text), 1, min_score=MIN_SCORE).hits)


def _lost(index: HeldIndex, questions: Sequence[Question], id_at: dict[str, str]) -> list[bool]:
    """One a question whose answer is found when everything is shown."""
    lost = []
    for question in questions:
        found = frozenset().union(*ranked(index, question.text, 0.0, id_at)) & question.grades.keys()
        if found:
            lost.append(not found & frozenset().union(*ranked(index, question.text, MIN_SCORE, id_at)))
    return lost


def _strangers(data: Path, names: Sequence[str]) -> list[str]:
    """So many questions of these sets that nothing was chosen by."""
    of_each = [[each.text for each in load(data / name, None)[1] if each.is_reported] for name in names]
    return [text for texts in of_each for text in texts[: ASKED // len(names)]]


def of_set(data: Path, pairing: Pairing, embedder: Windowed) -> tuple[list[bool], list[bool], list[bool]]:
    """Whether each answer is lost, each stranger answered, each question answered without its documents."""
    documents, questions = load(data / pairing.name, None)
    asked = [each for each in questions if each.is_reported]
    with _index(embedder) as index:
        id_at = fill(index, documents)
        index.fill()
        lost = _lost(index, asked[: 2 * ASKED], id_at)
        strangers = [_is_answered(index, text) for text in _strangers(data, pairing.strangers)]
    return lost, strangers, _without_answers(documents, asked[:ASKED], embedder)


def _without_answers(documents: Sequence[Document], asked: Sequence[Question], embedder: Windowed) -> list[bool]:
    answering = frozenset().union(*(each.grades for each in asked))
    with _index(embedder) as index:
        fill(index, [each for each in documents if each.id not in answering])
        index.fill()
        return [_is_answered(index, each.text) for each in asked]


def of_sample(data: Path, pairing: Pairing, embedder: Windowed) -> tuple[list[bool], list[bool], list[bool]]:
    """The same for the questions about the sample; those that the file says nothing answers are the third."""
    root = EXAMPLES / "streamapp"
    with _index(embedder) as index:
        paths = documents_of(root, DocumentRules(), ())
        index.write({path: (root / path).read_text(encoding="utf-8", errors="replace") for path in paths})
        index.fill()
        lost, unanswered = [], []
        for row in map(json.loads, (EXAMPLES / "questions.jsonl").read_text(encoding="utf-8").splitlines()):
            text, answers = row["question"], row["answers"]
            if not answers:
                unanswered.append(_is_answered(index, text))
                continue
            shown, kept = (
                any(_holds_one(hit, answers) for hit in index.search(text, DEPTH, min_score=least, full=True).hits)
                for least in (0.0, MIN_SCORE)
            )
            if shown:
                lost.append(not kept)
        strangers = [_is_answered(index, text) for text in _strangers(data, pairing.strangers)]
    return lost, strangers, unanswered


def _holds_one(hit: Hit, answers: Sequence[str]) -> bool:
    """Whether a hit holds a line of an answer (`file:line` or `file:first-last`)."""
    for answer in answers:
        file, _, lines = answer.rpartition(":")
        first, _, last = lines.partition("-")
        if hit.file == file and hit.line_start <= int(last or first) and int(first) <= hit.line_end:
            return True
    return False


def main(arguments: Sequence[str]) -> int:
    default = Path(__file__).resolve().parents[2] / "shared" / "data"
    parser = argparse.ArgumentParser(prog="python -m benchmarks.no_answer", description="Answers lost, and false ones.")
    parser.add_argument("--data", type=Path, default=default, help="the folder of the sets (default %(default)s)")
    parser.add_argument("--model", choices=MODELS, default=MODELS[0], help="what makes the vectors (%(default)s)")
    options = parser.parse_args(arguments)
    if not options.data.is_dir():
        print("no question sets there: name their folder with --data", file=sys.stderr)
        return 2
    embedder = Windowed(build(EmbedderSpec(options.model)), units_of(options.model))
    print(f"{'questions':30} {'set':20} {'asked':>5} {'lost':>7} {'false':>7} {'without the answer':>19}")
    for pairing in (*PAIRINGS, SAMPLE):
        lost, strangers, without = (of_sample if pairing is SAMPLE else of_set)(options.data, pairing, embedder)
        shown = " ".join(f"{float(np.mean(each)):7.1%}" for each in (lost, strangers))
        print(f"{pairing.kind:30} {pairing.name:20} {len(lost):5} {shown} {float(np.mean(without)):19.1%}", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
