"""Scored chunks to ranked hits: roles, rooms, identical texts folded into one."""

from collections.abc import Iterable
from dataclasses import dataclass

from consiglierd.model.roles import Role
from consiglierd.model.stored import ScoringRow
from consiglierd.search.score import Match

DIGITS = 6


@dataclass(frozen=True, slots=True)
class Candidate:
    """One chunk with its score and the parts of it; `base` is what the minimum and the role act on.

    `vector` is the vector side's part, None for a chunk that has no vectors."""

    row: ScoringRow
    match: Match
    vector: float | None
    base: float
    role_weight: float
    room_bonus: float
    score: float


@dataclass(frozen=True, slots=True)
class Folded:
    """A candidate and the others with the same text, in the order in which they would have been chosen."""

    best: Candidate
    others: tuple[Candidate, ...]


@dataclass(frozen=True, slots=True)
class Boosts:
    """How the one who asks changes a score: `base * weight(type) + beta * room match`."""

    role: Role | None
    beta: float

    def weight_of(self, file_type: str) -> float:
        return self.role.weights.get(file_type, 1.0) if self.role is not None else 1.0

    def bonus_of(self, row: ScoringRow) -> float:
        if self.role is None or not self.beta:
            return 0.0
        return self.beta if set(self.role.rooms) & set(row.rooms) else 0.0

    @property
    def greatest_weight(self) -> float:
        return max((1.0, *self.role.weights.values())) if self.role is not None else 1.0

    @property
    def greatest_bonus(self) -> float:
        return self.beta if self.role is not None else 0.0

    def candidate(self, row: ScoringRow, match: Match, vector: float | None, base: float) -> Candidate:
        weight, bonus = self.weight_of(row.file_type), self.bonus_of(row)
        return Candidate(row, match, vector, base, weight, bonus, round(base * weight + bonus, DIGITS))


def ranked(candidates: Iterable[Candidate]) -> list[Folded]:
    """Folded by text, best first; equal scores by path, then line."""
    groups: dict[str, list[Candidate]] = {}
    for candidate in candidates:
        groups.setdefault(candidate.row.content_hash, []).append(candidate)
    folded = []
    for group in groups.values():
        if len(group) > 1:
            group.sort(key=lambda each: (-each.role_weight, each.row.path, each.row.line_start, each.row.chunk_id))
        folded.append(Folded(group[0], tuple(group[1:])))
    folded.sort(key=lambda each: rank_of(each.best))
    return folded


def rank_of(candidate: Candidate) -> tuple[float, str, int, int]:
    """Best first; equal scores by path, then line. No two chunks have equal ranks."""
    return (-candidate.score, candidate.row.path, candidate.row.line_start, candidate.row.chunk_id)
