"""Why a hit stands where it stands, in numbers that add up."""

from consiglierd.model.hit import Explanation, TermMatch
from consiglierd.model.roles import Role
from consiglierd.search.rank import Candidate, Folded
from consiglierd.search.score import ScoringModel, gains


def explanation_of(model: ScoringModel, candidate: Candidate, role: Role | None, after: Folded | None) -> Explanation:
    """`after` is the next hit, if there is one."""
    gained = gains(model, candidate.match).tolist()
    terms = tuple(
        TermMatch(term.term, float(idf), int(count), float(gain))
        for term, idf, count, gain in zip(
            model.terms, model.idf.tolist(), candidate.match.counts.tolist(), gained, strict=True
        )
        if count
    )
    return Explanation(
        terms=tuple(sorted(terms, key=lambda each: (-each.weight, each.term))),
        coverage=candidate.match.coverage,
        length=candidate.match.length,
        average_length=model.average_length,
        role=_role_text(candidate, role),
        room=_room_text(candidate, role),
        next_lower=_next_text(candidate, after),
    )


def _role_text(candidate: Candidate, role: Role | None) -> str:
    if role is None:
        return "no role: every type counts the same"
    return f"role {role.name}: {candidate.row.file_type} counts × {candidate.role_weight:.2f}"


def _room_text(candidate: Candidate, role: Role | None) -> str:
    rooms = ", ".join(candidate.row.rooms) or "none"
    mains = ", ".join(role.rooms) if role is not None and role.rooms else "none"
    return f"rooms: {rooms}; main rooms of the role: {mains}; bonus {candidate.room_bonus:.2f}"


def _next_text(candidate: Candidate, after: Folded | None) -> str:
    if after is None:
        return "nothing stands lower"
    lower = after.best
    place = f"{lower.row.path}:{lower.row.line_start}"
    if lower.score == candidate.score:
        return f"next is {place} with the same score, by its path and line"
    held = int((lower.match.counts > 0).sum())
    return (
        f"next is {place} at {lower.score:.6f}: it holds {held} of {len(lower.match.counts)} terms"
        f" in {lower.match.length} ({_parts_text(lower)} × {lower.role_weight:.2f})"
    )


def _parts_text(candidate: Candidate) -> str:
    if candidate.vector is None:
        return f"bm25 {candidate.base:.6f}"
    return f"{candidate.base:.6f} of vector {candidate.vector:.6f} and bm25 {candidate.match.bm25:.6f}"
