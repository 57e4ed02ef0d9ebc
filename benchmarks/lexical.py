"""Prints what other ways of weighing words would gain: `python -m benchmarks.lexical [GROUP ...]`.

For each way and each set of questions: the gain of nDCG@10 by words alone over the shipped way on the development
half, by which one may choose, and on the reported half with its 95 % interval (paired bootstrap), in thousandths;
then the same for words and vectors together. First what the shipped way reaches here, and with `--product` in the
product beside it.
"""

import argparse
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from benchmarks.lexical_cost import print_costs
from benchmarks.lexical_ranker import LexicalRanker, Variant
from benchmarks.lexical_variants import variants
from benchmarks.quality import ALPHA, judge
from benchmarks.question_sets import SETS, Floats, Question, QuestionSet, interval, load
from consiglierd.embed.static_table import StaticTable

NAMES = {
    "react-docs-ko": "ko",
    "react-docs-en": "en",
    "react-docs-ko2en": "ko2en",
    "tldr-ko2en": "tldr",
    "cosqa": "cosqa",
    "es-toolkit-doc2code": "es-tk",
}
# Of the two of tldr-ko2en the sample.
CHOSEN = [each for each in SETS if each.name != "tldr-ko2en" or each.sample is not None]


@dataclass(frozen=True, slots=True)
class Bench:
    """A set, its corpus counted, and how near its documents are to its questions."""

    questions_of: QuestionSet
    questions: Sequence[Question]
    ranker: LexicalRanker
    near: Floats
    reported: np.ndarray  # type: ignore[type-arg]  # bool, one a question

    def judge(self, variant: Variant) -> Floats:
        return self.ranker.judge(variant, self.questions, self.near, ALPHA)


def benches(data: Path) -> list[Bench]:
    embedder = StaticTable.bundled()
    made = []
    for each in CHOSEN:
        documents, questions = load(data / each.name, each.sample)
        ranker = LexicalRanker(documents)
        near = ranker.nearness(questions, embedder)
        made.append(Bench(each, questions, ranker, near, np.array([one.is_reported for one in questions])))
    return made


def _print_group(name: str, group: Sequence[Variant], made: Sequence[Bench]) -> None:
    print(f"\n{name}", flush=True)
    by_name = {each.name: each for each in group}
    gains: dict[str, list[tuple[Floats, Floats]]] = {each.name: [] for each in group}
    for bench in made:
        bases: dict[str, Floats] = {}
        for each in group:
            if each.against not in bases:
                bases[each.against] = bench.judge(by_name.get(each.against, Variant("shipped")))
            words, both = bench.judge(each) - bases[each.against]
            gains[each.name].append((words, both))
    for variant, by_set in gains.items():
        for side, kind in enumerate(("words", "both")):
            told = " ".join(
                _told(each[side], bench.reported).rjust(20) for each, bench in zip(by_set, made, strict=True)
            )
            chosen = np.mean([each[side][~bench.reported].mean() for each, bench in zip(by_set, made, strict=True)])
            reported = np.mean([each[side][bench.reported].mean() for each, bench in zip(by_set, made, strict=True)])
            print(
                f"{variant if side == 0 else '':33} {kind:5} {chosen * 1000:+6.1f} {reported * 1000:+6.1f} {told}",
                flush=True,
            )


def _told(gain: Floats, reported: Floats) -> str:
    low, high = interval(gain[reported])
    mark = "+" if low > 0 else "-" if high < 0 else ""
    means = f"{gain[~reported].mean() * 1000:+.0f} {gain[reported].mean() * 1000:+.0f}"
    return f"{means} [{low * 1000:+.0f},{high * 1000:+.0f}]{mark}"


def _print_nearness(data: Path, made: Sequence[Bench], product: bool) -> None:
    print(f"{'nDCG@10, all questions':24} {'words':>7} {'both':>7}" + ("  product: words" if product else ""))
    for bench in made:
        words, both = bench.judge(Variant("shipped")).mean(axis=1)
        line = f"{bench.questions_of.name:24} {words:7.4f} {both:7.4f}"
        if product:
            line += f" {judge(data, bench.questions_of, ('words',)).words_ndcg:15.4f}"
        print(line, flush=True)


def main(arguments: Sequence[str]) -> int:
    groups: Mapping[str, list[Variant]] = variants()
    default = Path(__file__).resolve().parents[2] / "shared" / "data"
    parser = argparse.ArgumentParser(prog="python -m benchmarks.lexical", description="Other ways of weighing words.")
    parser.add_argument("groups", nargs="*", metavar="GROUP", help="some of: " + ", ".join(groups))
    parser.add_argument("--data", type=Path, default=default, help="the folder of the sets (default %(default)s)")
    parser.add_argument("--product", action="store_true", help="ask the product too, to show that it ranks the same")
    parser.add_argument("--costs", action="store_true", help="what the shipped way costs, and nothing else")
    options = parser.parse_args(arguments)
    if options.costs:
        print_costs(options.data)
        return 0
    made = benches(options.data)
    _print_nearness(options.data, made, options.product)
    print(
        f"\nthousandths of nDCG@10: development half, reported half, its 95 % interval\n{'':39} mean of sets ", end=""
    )
    print(" ".join(NAMES[bench.questions_of.name].rjust(20) for bench in made))
    for name, group in groups.items():
        if group and (not options.groups or name in options.groups):
            _print_group(name, group, made)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
