"""Prints how well it is told that nothing answers: `python -m benchmarks.no_answer`.

On the half of the questions that nothing was chosen by. *Lost*: of the questions whose answer is among the
first ten when everything is shown, those for which it is not shown. *False*: of questions that nothing
answers, those that get a passage all the same: questions of a set about something else, and the set's own
questions after the documents that answer them were taken out (others of the same subject stay, and some of
them do answer: an upper bound). Apart by the language of the questions and of the documents.
"""

import argparse
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from benchmarks import sample
from benchmarks.quality import MIN_SCORE, MODELS, Windowed, fill, ranked
from benchmarks.question_sets import DEPTH, Document, Question, as_plain_text, load
from consiglierd.embed.spec import EmbedderSpec, build
from consiglierd.embed.windows import units_of
from consiglierd.model.hit import Hit
from tests.support.held_index import HeldIndex, Options

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
FOREIGN = ("react-docs-ko", "react-docs-en", "tldr-ko2en", "cosqa")
# The limits were chosen by the first of these, too.
SAMPLES = tuple(
    Pairing("both, of the sample", each.name, FOREIGN) for each in (sample.GENERAL_QUESTIONS, sample.ROLE_QUESTIONS)
)


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
    """The same for questions about the sample; those that the file says nothing answers are the third."""
    asked = sample.questions(sample.EXAMPLES / pairing.name)
    with _index(embedder) as index:
        index.put(sample.parsed(sample.rules()))
        index.fill()
        lost = []
        for question in asked:
            shown, kept = (
                any(sample.answers_in(hit, question.answers) for hit in _hits(index, question.text, least))
                for least in (0.0, MIN_SCORE)
            )
            if shown:
                lost.append(not kept)
        strangers = [_is_answered(index, text) for text in _strangers(data, pairing.strangers)]
        return lost, strangers, [_is_answered(index, each.text) for each in asked if not each.answers]


def _hits(index: HeldIndex, text: str, min_score: float) -> Sequence[Hit]:
    return index.search(text, DEPTH, min_score=min_score, full=True).hits


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
    print(f"{'questions':30} {'set':24} {'asked':>5} {'lost':>7} {'false':>7} {'without the answer':>19}")
    for pairing in (*PAIRINGS, *SAMPLES):
        lost, strangers, without = (of_sample if pairing in SAMPLES else of_set)(options.data, pairing, embedder)
        shown = [f"{float(np.mean(each)):.1%}" if each else "" for each in (lost, strangers, without)]
        print(
            f"{pairing.kind:30} {pairing.name:24} {len(lost):5} {shown[0]:>7} {shown[1]:>7} {shown[2]:>19}", flush=True
        )
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
