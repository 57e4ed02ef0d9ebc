"""The form for people: one block a hit, the text verbatim."""

from __future__ import annotations

from consigliere.render.terminal import Output

# Importing `typing` would cost a quarter of what a whole search may take.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

NO_RESULTS = "검색 결과 없음 (no results)"


def write_search(output: Output, reply: dict[str, Any], *, is_explaining: bool = False) -> None:
    hits = reply["hits"]
    if not hits:
        output.line(f"{NO_RESULTS}: {output.fit(reply['reason'] or reply['reason_code'] or '')}")
    for hit in hits:
        _write_hit(output, hit)
        if is_explaining and hit.get("explanation"):
            _write_explanation(output, hit)
        output.line()
    for note in _notes(reply):
        output.line(output.faint(output.fit(note)))


def _write_hit(output: Output, hit: dict[str, Any]) -> None:
    place = f"{hit['file']}:{hit['line_start']}-{hit['line_end']}"
    facts = [hit["file_type"], hit["date"], hit["status"] if hit["status"] != "active" else None, *hit["rooms"]]
    told = " · ".join(fact for fact in facts if fact)
    output.line(f"{output.bold(output.fit(place))}  {output.fit(told)}   {hit['score']:.2f}")
    for line in hit["text"].split("\n"):
        output.line(f"  {output.fit(line)}" if line else "")
    if hit["truncated"]:
        output.line(output.faint("  … (the passage that matched; --full shows the whole)"))
    for also in hit["also"]:
        output.line(output.fit(f"  = {also['file']}:{also['line_start']}"))
    for note in hit["annotations"]:
        output.line(output.fit(f"  ⚠ {note['text']} {note['file']}:{note['line']}"))


def _write_explanation(output: Output, hit: dict[str, Any]) -> None:
    told, scores = hit["explanation"], hit["scores"]
    parts = f"base {scores['base']:.6f} × role {scores['role']:.2f} + room {scores['room']:.2f}"
    output.line(f"  score {hit['score']:.6f} = {parts}")
    output.line(
        f"  coverage {told['coverage']:.3f} of the query's terms; length {told['length']} (average"
        f" {told['average_length']:.1f})"
    )
    for term in told["terms"]:
        output.line(
            output.fit(f"    {term['term']}: idf {term['idf']:.3f}, {term['count']} times, adds {term['weight']:.6f}")
        )
    for part in (told["role"], told["room"], told["next_lower"]):
        if part:
            output.line(output.fit(f"    {part}"))


def _notes(reply: dict[str, Any]) -> list[str]:
    notes = []
    if reply["withheld"]:
        notes.append(f"({reply['withheld']} hits are private to another role and were withheld)")
    if reply["partial"]:
        notes.append(f"(partial: {', '.join(reply['partial'])})")
    behind = {name: lag for name, lag in reply["lag"].items() if lag}
    if behind:
        notes.append("(behind: " + ", ".join(f"{name} by {lag} revisions" for name, lag in behind.items()) + ")")
    return notes
