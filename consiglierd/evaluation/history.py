"""Questions out of a repository's own history: what a commit says, answered by the sections whose lines it left."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence

from consiglierd.git.repository import BlamedLine
from consiglierd.git.run import GitError
from consiglierd.model.deadline import Deadline
from consiglierd.model.evaluation import AnswerLines, LabelledQuestion

# A commit that left lines in more sections says nothing of any of them.
MOST_SECTIONS = 6
FEWEST_WORDS = 2
MOST_CHARACTERS = 300
MOST_QUESTIONS = 1000
# "docs: ", "feat(api)!: " and the like say what kind of a change it is, not what about.
_KIND = re.compile(r"^[a-z]+(\([^)]*\))?!?:\s*", re.IGNORECASE)
_HANGUL = re.compile(r"[\u1100-\u11ff\u3130-\u318f\uac00-\ud7af]")
_NO_QUESTION = re.compile(r"^(merge|revert|initial commit|wip|fixup!|squash!|bump)\b", re.IGNORECASE)

Section = tuple[str, int, int]


def questions_from_history(
    files: Iterable[str],
    blamed: Callable[[str], Sequence[BlamedLine]],
    content_of: Callable[[str], bytes | None],
    sections_of: Callable[[str], Sequence[tuple[int, int]]],
    deadline: Deadline,
) -> tuple[list[LabelledQuestion], int]:
    """The questions, and how many of the files could be read within the time.

    Only files that are as they were committed count: the lines of others have moved since.
    """
    subjects: dict[str, str] = {}
    sections: dict[str, dict[Section, None]] = {}
    read = 0
    for file in files:
        if deadline.is_over:
            break
        content = content_of(file)
        lines = _blamed_or_nothing(blamed, file)
        if content is None or not lines or not _is_same(content, lines):
            continue
        read += 1
        for start, end in sections_of(file):
            for line in lines[start - 1 : end]:
                subjects.setdefault(line.commit, line.subject)
                sections.setdefault(line.commit, {})[(file, start, end)] = None
    return _questions(subjects, sections), read


def _blamed_or_nothing(blamed: Callable[[str], Sequence[BlamedLine]], file: str) -> Sequence[BlamedLine]:
    """A file that git does not know, or cannot tell the history of, gives no question."""
    try:
        return blamed(file)
    except GitError:
        return ()


def _is_same(content: bytes, lines: Sequence[BlamedLine]) -> bool:
    if b"\0" in content or b"\r" in content.replace(b"\r\n", b"\n"):
        return False
    return content.removesuffix(b"\n").split(b"\n") == [line.content for line in lines]


def _questions(subjects: Mapping[str, str], sections: Mapping[str, Mapping[Section, None]]) -> list[LabelledQuestion]:
    found: dict[str, tuple[AnswerLines, ...]] = {}
    for commit, subject in subjects.items():
        text = _KIND.sub("", subject).strip()
        of_commit = sections[commit]
        if (
            not len(text.split()) >= FEWEST_WORDS
            or len(text) > MOST_CHARACTERS
            or _NO_QUESTION.match(text)
            or len(of_commit) > MOST_SECTIONS
        ):
            continue
        answers = tuple(AnswerLines(file, start, end) for file, start, end in sorted(of_commit))
        # The same words of two commits are one question.
        found[text] = tuple(dict.fromkeys((*found.get(text, ()), *answers)))
    return [
        LabelledQuestion(text, answers, None, "ko" if _HANGUL.search(text) else "en")
        for text, answers in sorted(found.items())[:MOST_QUESTIONS]
    ]
