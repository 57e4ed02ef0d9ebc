"""The form for people: one block a hit, the text verbatim."""

from __future__ import annotations

from consigliere.render.terminal import Output, one_line

# Importing `typing` would cost a quarter of what a whole search may take.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from consigliere.protocol.shapes import HitShape, SearchReplyShape

NO_RESULTS = "검색 결과 없음 (no results)"

# What we say around the texts, in both languages; the texts themselves are the user's.
WORDS = {
    "en": {
        "truncated": "only the passage that matched; --full shows the whole section",
        "also": "the same text at",
        "withheld": "withheld, because private to another role: {count}",
        "partial": "incomplete",
        "behind": "not indexed yet: revisions that the {name} index is behind: {lag}",
        "no_match": "nothing matches",
        "below_min_score": "only matches below the minimum score",
        "filtered_out": "everything was filtered out",
        "indexing": "still indexing",
        "wait": "`consigliere index` waits until the words are in",
        "ignored": "the path is ignored",
        "": "nothing was found",
    },
    "ko": {
        "truncated": "일치한 부분만 보입니다. --full로 절 전체를 볼 수 있습니다",
        "also": "같은 글이 있는 곳:",
        "withheld": "다른 역할 전용이라 보이지 않은 결과 {count}개",
        "partial": "불완전한 결과",
        "behind": "아직 색인되지 않음: {name} 색인이 {lag}개 개정만큼 뒤처져 있습니다",
        "no_match": "일치하는 내용이 없습니다",
        "below_min_score": "최소 점수에 못 미치는 결과뿐입니다",
        "filtered_out": "조건에 맞는 결과가 없습니다",
        "indexing": "아직 색인 중입니다",
        "wait": "`consigliere index`는 낱말 색인이 끝날 때까지 기다립니다",
        "ignored": "무시되는 경로입니다",
        "": "찾은 내용이 없습니다",
    },
}


def write_search(output: Output, reply: SearchReplyShape, *, language: str = "en") -> None:
    """Blocks with an empty line between them, then what must be known of the answer as a whole."""
    words = WORDS[language]
    if not reply["hits"]:
        output.line(f"{NO_RESULTS}: {output.fit(_reason(reply, language))}")
    for position, hit in enumerate(reply["hits"]):
        if position:
            output.line()
        _write_hit(output, hit, words)
    notes = _notes(reply, words)
    if notes and reply["hits"]:
        output.line()
    for note in notes:
        output.line(output.faint(output.fit(f"⚠ {note}")))


def _write_hit(output: Output, hit: HitShape, words: dict[str, str]) -> None:
    place = f"{one_line(hit['file'])}:{hit['line_start']}-{hit['line_end']}"
    status = hit["status"] if hit["status"] != "active" else None
    told = " · ".join(fact for fact in (hit["file_type"], hit["date"], status, *hit["rooms"]) if fact)
    output.line(f"{output.bold(output.fit(place))}  {output.fit(told)}   {hit['score']:.2f}")
    # Two spaces before every line, also an empty one: taking them away gives the text back exactly.
    for line in hit["text"].split("\n"):
        output.line(f"  {output.fit(line)}")
    if hit["truncated"]:
        output.line(output.faint(f"  ⚠ {words['truncated']}"))
    for also in hit["also"]:
        output.line(output.fit(f"  ⚠ {words['also']} {one_line(also['file'])}:{also['line_start']}"))
    for note in hit["annotations"]:
        output.line(output.fit(f"  ⚠ {note['text']} {one_line(note['file'])}:{note['line']}"))
    _write_explanation(output, hit)


def _write_explanation(output: Output, hit: HitShape) -> None:
    told, scores = hit["explanation"], hit["scores"]
    if told is None:
        return
    output.line(
        f"  ⚠ score {hit['score']:.6f} = base {scores['base']:.6f} × role {scores['role']:.2f}"
        f" + room {scores['room']:.2f}"
    )
    sides = (("bm25", scores["bm25"]), ("vector", scores["vector"]))
    output.line("    " + ", ".join(f"{name} {'none' if value is None else f'{value:.6f}'}" for name, value in sides))
    output.line(
        f"    coverage {told['coverage']:.3f} of the query's terms, length {told['length']}"
        f" (average {told['average_length']:.1f})"
    )
    for term in told["terms"]:
        output.line(
            output.fit(f"    {term['term']}: idf {term['idf']:.3f}, count {term['count']}, adds {term['weight']:.6f}")
        )
    for part in (told["role"], told["room"], told["next_lower"]):
        if part:
            output.line(output.fit(f"    {part}"))


def _reason(reply: SearchReplyShape, language: str) -> str:
    """The daemon's reason, which is in English and has the particulars; in Korean what it means comes first."""
    meaning = WORDS[language].get(reply["reason_code"] or "", WORDS[language][""])
    reason = reply["reason"] or ""
    told = reason or meaning
    if reason and language != "en":
        told = f"{meaning} ({reason})"
    return f"{told}; {WORDS[language]['wait']}" if reply["reason_code"] == "indexing" else told


def _notes(reply: SearchReplyShape, words: dict[str, str]) -> list[str]:
    notes = []
    if reply["withheld"]:
        notes.append(words["withheld"].format(count=reply["withheld"]))
    if reply["partial"]:
        notes.append(f"{words['partial']}: {', '.join(reply['partial'])}")
    notes += [words["behind"].format(name=name, lag=lag) for name, lag in reply["lag"].items() if lag]
    return notes
