"""Prints what roles and rooms are worth: `python -m benchmarks.roles`.

The questions about the sample that name a role are asked by the same search in each way: without the role; with what
is private to it alone; with its weights; with those of another role, to see whether it is the role that matters;
with a bonus for its main rooms; with its rooms as a condition; with a bonus for the tags that name the role. nDCG@10
as `consigliere eval` has it. Differences are from the search that knows of the role only what is private to it
(paired bootstrap). The bonus that the development half would choose is reported on the other half, and the tuning
that the command `tune` runs says what it would adopt.
"""

import argparse
import datetime
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from benchmarks import sample
from benchmarks.question_sets import interval, is_reported
from consiglierd.evaluation.evaluate import Evaluator, Place, places_of
from consiglierd.evaluation.measures import DEPTH, Floats, ndcg
from consiglierd.evaluation.tune import BETAS, Tuner
from consiglierd.model.deadline import Deadline
from consiglierd.model.document import ParsedDocument, Section, Tag
from consiglierd.model.evaluation import LabelledQuestion
from consiglierd.model.hit import Hit
from consiglierd.model.query import Filters
from consiglierd.model.roles import Role, RoleTable
from tests.support.held_index import HeldIndex, Options

# More than the sample has chunks: what is ranked again here is all there is.
ALL = 1000
TUNING_S = 600.0
DIGITS = 6
ROOM_TAG = "room:"
PRIVATE = "what is private alone"
Ranking = Callable[[LabelledQuestion], Sequence[Hit]]


class Asker:
    """Asks each question in one way after another; `relevant` are the sections that answer it."""

    def __init__(self, index: HeldIndex, roles: RoleTable, questions: Sequence[LabelledQuestion]) -> None:
        self.index = index
        self.roles = roles
        self.questions = questions
        self.evaluator = Evaluator(index.service.search, index.store.sections_of, (Options().alpha, 0.0, 0.0))
        self.relevant: list[frozenset[Place]] = self.evaluator.relevant(questions)
        self._all: dict[LabelledQuestion, Sequence[Hit]] = {}

    def gained(self, ranking: Ranking) -> Floats:
        """nDCG@10 of each question."""
        ranks = [[places_of(hit) for hit in ranking(question)[:DEPTH]] for question in self.questions]
        return np.array([ndcg(*each) for each in zip(ranks, self.relevant, strict=True)], dtype=np.float64)

    def by_search(self, roles: RoleTable, beta: float = 0.0, *, names_role: bool = True) -> Ranking:
        def ranking(question: LabelledQuestion) -> Sequence[Hit]:
            self.index.options = Options(roles, beta=beta, min_score=0.0)
            return self.index.search(question.text, DEPTH, full=True, role=question.role if names_role else None).hits

        return ranking

    def by_condition(self, roles: RoleTable) -> Ranking:
        """Only what is in a main room of the role, by the tags that stand for rooms; a role without rooms sees all."""

        def ranking(question: LabelledQuestion) -> Sequence[Hit]:
            self.index.options = Options(roles, min_score=0.0)
            filters = Filters(tags=tuple(ROOM_TAG + room for room in self.role_of(question).rooms))
            return self.index.search(question.text, DEPTH, full=True, role=question.role, filters=filters).hits

        return ranking

    def by_tags(self, beta: float, wanted: Callable[[Role], frozenset[str]]) -> Ranking:
        """No weights, and the bonus for what has one of the tags that `wanted` says of a role, not for its rooms."""

        def ranking(question: LabelledQuestion) -> Sequence[Hit]:
            tags = wanted(self.role_of(question))

            def order(hit: Hit) -> tuple[float, str, int]:
                bonus = beta if tags & set(hit.tags) else 0.0
                return (-round(hit.scores.base + bonus, DIGITS), hit.file, hit.line_start)

            return sorted(self.all_of(question), key=order)

        return ranking

    def all_of(self, question: LabelledQuestion) -> Sequence[Hit]:
        """Whatever has a score and may be seen by the role, without its weights."""
        if question not in self._all:
            self.index.options = Options(unweighted(self.roles), min_score=0.0)
            self._all[question] = self.index.search(question.text, ALL, full=True, role=question.role).hits
        return self._all[question]

    def role_of(self, question: LabelledQuestion) -> Role:
        role = self.roles.find(question.role or "")
        if role is None:
            raise ValueError(f"{question.role!r} is no role")
        return role


def with_room_tags(documents: sample.Documents) -> sample.Documents:
    """The documents with a tag for each room as well."""
    return {path: (content, _room_tagged(parsed)) for path, (content, parsed) in documents.items()}


def _room_tagged(parsed: ParsedDocument) -> ParsedDocument:
    def tagged(section: Section) -> Section:
        rooms = sorted({mark.room for mark in section.rooms})
        return replace(section, tags=(*section.tags, *(Tag(ROOM_TAG + room, "room") for room in rooms)))

    return replace(parsed, sections=tuple(tagged(section) for section in parsed.sections))


def unweighted(roles: RoleTable) -> RoleTable:
    """The roles with their rooms and what is private to them, and no weights."""
    return RoleTable({name: replace(role, weights={}) for name, role in roles.by_name.items()})


def misplaced(roles: RoleTable) -> RoleTable:
    """Each role with the weights of the next one that has others."""
    shipped = {role.name: role for role in roles.by_name.values()}
    names = sorted(shipped)
    other: dict[str, Mapping[str, float]] = {}
    for at, name in enumerate(names):
        following = [shipped[each].weights for each in (*names[at + 1 :], *names[:at])]
        other[name] = next(weights for weights in following if weights != shipped[name].weights)
    return RoleTable({word: replace(role, weights=other[role.name]) for word, role in roles.by_name.items()})


def role_tags(role: Role) -> frozenset[str]:
    return frozenset({role.name, role.group})


def room_tags(role: Role) -> frozenset[str]:
    return frozenset(ROOM_TAG + room for room in role.rooms)


def ways(asker: Asker) -> dict[str, Ranking]:
    shipped, plain = asker.roles, unweighted(asker.roles)
    betas = [beta for beta in BETAS if beta]
    return {
        "no role": asker.by_search(shipped, names_role=False),
        PRIVATE: asker.by_search(plain),
        "role weights": asker.by_search(shipped),
        "weights of another role": asker.by_search(misplaced(shipped)),
        **{f"rooms, beta {beta:.2f}": asker.by_search(plain, beta) for beta in betas},
        **{f"weights and rooms, beta {beta:.2f}": asker.by_search(shipped, beta) for beta in betas},
        "rooms as a condition": asker.by_condition(plain),
        "weights, rooms as a condition": asker.by_condition(shipped),
        **{f"tags of the role, {beta:.2f}": asker.by_tags(beta, role_tags) for beta in betas},
    }


def _print_ways(found: Mapping[str, Floats]) -> None:
    print(f"{'':32} nDCG@10   minus '{PRIVATE}'")
    for name, gained in found.items():
        low, high = interval(gained - found[PRIVATE])
        print(f"{name:32}  {gained.mean():.4f}   {(gained - found[PRIVATE]).mean():+.4f} [{low:+.4f}, {high:+.4f}]")
    own = found["role weights"] - found["weights of another role"]
    low, high = interval(own)
    print(f"role weights, minus those of another role: {own.mean():+.4f} [{low:+.4f}, {high:+.4f}]")


def _print_chosen(asker: Asker, found: Mapping[str, Floats]) -> None:
    """The bonus that the development half would choose, on the other half."""
    half = np.array([is_reported(question.text) for question in asker.questions])
    prefixes = {"rooms, beta": PRIVATE, "weights and rooms, beta": "role weights", "tags of the role": PRIVATE}
    for prefix, without in prefixes.items():
        names = [without, *(name for name in found if name.startswith(prefix))]
        best = max(names, key=lambda name: float(found[name][~half].mean()))
        difference = (found[best] - found[without])[half]
        low, high = interval(difference)
        print(
            f"chosen by the {int((~half).sum())} of the development half: {best}; on the other {int(half.sum())},"
            f" minus '{without}': {difference.mean():+.4f} [{low:+.4f}, {high:+.4f}]"
        )


def _print_roles(asker: Asker, found: Mapping[str, Floats]) -> None:
    names = [asker.roles.by_name[question.role or ""].name for question in asker.questions]
    print("\nby role: questions, nDCG@10 with what is private alone, what the weights add, what beta 0.10 adds")
    for role in sorted(set(names)):
        of_role = np.array([name == role for name in names])
        gains = [found[way][of_role] - found[PRIVATE][of_role] for way in ("role weights", "rooms, beta 0.10")]
        told = "  ".join(f"{gain.mean():+.3f}" for gain in gains)
        print(f"{role:20} {int(of_role.sum()):3}  {found[PRIVATE][of_role].mean():.3f}  {told}")


def _print_equal(asker: Asker) -> None:
    """Whether tags in the place of rooms give the same ranking."""
    plain, beta = unweighted(asker.roles), 0.1
    by_rooms, by_tags = asker.by_search(plain, beta), asker.by_tags(beta, room_tags)
    same = sum(
        [places_of(hit) for hit in by_rooms(question)] == [places_of(hit) for hit in by_tags(question)[:DEPTH]]
        for question in asker.questions
    )
    print(
        f"\nthe same ten hits in the same order, rooms or tags for rooms, beta {beta}: {same} of {len(asker.questions)}"
    )


def _print_shares(asker: Asker) -> None:
    """How much oftener an answer stands in a main room of the role than any other section that has a score."""
    inside = {"rooms": [0, 0, 0, 0], "tags": [0, 0, 0, 0]}
    for question, relevant in zip(asker.questions, asker.relevant, strict=True):
        role = asker.role_of(question)
        for kind, wanted in (("rooms", room_tags(role)), ("tags", role_tags(role))):
            for hit in asker.all_of(question) if wanted else ():
                at = 0 if places_of(hit) & relevant else 2
                inside[kind][at] += bool(wanted & set(hit.tags))
                inside[kind][at + 1] += 1
    for kind, (in_answers, answers, in_others, others) in inside.items():
        share, rest = in_answers / answers, in_others / others
        print(f"in the {kind} of the role: {share:.0%} of the answers, {rest:.0%} of the rest")


def _print_tuning(asker: Asker) -> None:
    asker.index.options = Options(asker.roles, min_score=0.0)

    def rooms_of(name: str) -> tuple[str, ...]:
        role = asker.roles.find(name)
        return role.rooms if role is not None else ()

    tuner = Tuner(asker.index.service.search, asker.evaluator, rooms_of, (Options().alpha, 0.0))
    tuning = tuner.tune(asker.questions, datetime.date.today(), Deadline.after(TUNING_S))
    chosen = tuning.calibration
    verdict = "adopted" if tuning.is_adopted else "not adopted"
    print(f"\n`tune`: alpha {chosen.alpha}, beta {chosen.beta}: {verdict}; {tuning.reason}")


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.roles", description="What roles and rooms are worth.")
    parser.parse_args(arguments)
    asked = sample.answered_questions(sample.GENERAL_QUESTIONS, sample.ROLE_QUESTIONS)
    questions = [question for question in asked if question.role is not None]
    with tempfile.TemporaryDirectory(prefix="csb-roles-") as temporary:
        index = sample.held(Path(temporary), with_room_tags(sample.parsed(sample.rules())), Options())
        asker = Asker(index, sample.roles(), questions)
        found = {name: asker.gained(ranking) for name, ranking in ways(asker).items()}
        print(f"{len(questions)} questions that name a role, alpha {Options().alpha}")
        _print_ways(found)
        _print_chosen(asker, found)
        _print_roles(asker, found)
        _print_equal(asker)
        _print_shares(asker)
        _print_tuning(asker)
        index.close()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
