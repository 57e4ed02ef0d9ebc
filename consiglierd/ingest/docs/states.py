"""The words that people use for the state of something, and the one word that we know each by."""

import re

_WORDS = {
    "open": "open,opened,reopened,new,열림,오픈,미해결,미해소,미완료,신규,발생",
    "closed": "closed,닫힘,종료,해결,해결됨,해결 완료,해소,해소됨,resolved,fixed",
    "done": "done,completed,complete,finished,완료,완료됨",
    "in progress": "in progress,in-progress,in_progress,wip,doing,ongoing,진행 중,진행중,진행,작업 중,작업중,처리 중",
    "todo": "todo,to do,planned,예정,대기,대기 중,시작 전,미착수",
    "blocked": "blocked,막힘,차단,차단됨",
    "on hold": "on hold,on-hold,paused,보류,보류 중,중단",
    "draft": "draft,초안,작성 중,작성중",
    "proposed": "proposed,제안,제안됨,검토,검토 중,검토중,in review",
    "accepted": "accepted,approved,decided,승인,승인됨,채택,채택됨,확정,확정됨",
    "rejected": "rejected,declined,기각,기각됨,반려,거절",
    "deprecated": "deprecated,obsolete,폐기,폐기됨",
    "superseded": "superseded,replaced,대체,대체됨",
    "monitoring": "monitoring,watching,모니터링,모니터링 중,관찰,관찰 중",
    "mitigated": "mitigated,완화,완화됨",
    "active": "active,활성,유효",
    "cancelled": "cancelled,canceled,취소,취소됨,wontfix,won't fix",
}
_STATE_BY_WORD = {word: state for state, words in _WORDS.items() for word in words.split(",")}
_KNOWN = "|".join(re.escape(word) for word in sorted(_STATE_BY_WORD, key=len, reverse=True))
_LEADING = re.compile(rf"[^0-9A-Za-z가-힣]{{0,4}}({_KNOWN})(?![0-9A-Za-z가-힣])", re.IGNORECASE)
_BRACKETED = re.compile(rf"[\[(<【]\s*({_KNOWN})\s*[\])>】]", re.IGNORECASE)
_SHOUTED = re.compile(
    r"(?<![0-9A-Za-z])(OPEN|CLOSED|DONE|RESOLVED|FIXED|WIP|ACCEPTED|DEPRECATED|SUPERSEDED)(?![0-9A-Za-z])"
)
_FIRST_WORD = re.compile(r"[^\s,.;:(\[|/]{1,24}")


def known_state(words: str) -> str | None:
    """The state that a text begins with ("CLOSED (2026-02-17)" is closed), or None."""
    match = _LEADING.match(words)
    return _STATE_BY_WORD[match.group(1).lower()] if match is not None else None


def state_of(words: str) -> str | None:
    """The known state that a text begins with, else its own first word in lower case."""
    known = known_state(words)
    if known is not None:
        return known
    first = _FIRST_WORD.match(words.strip().strip("*_`[]("))
    return first.group(0).lower() if first is not None else None


def state_in_heading(heading: str) -> tuple[str, str] | None:
    """(state, the heading's own word) of `ISSUE-3: title [OPEN]` or of a heading that is a state itself."""
    match = _BRACKETED.search(heading) or _SHOUTED.search(heading)
    if match is None:
        match = _LEADING.fullmatch(heading.strip())
    return (_STATE_BY_WORD[match.group(1).lower()], match.group(1)) if match is not None else None
