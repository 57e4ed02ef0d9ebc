"""The commands `eval` and `tune`: labelled questions from a file, how well the search does, what would be better."""

from __future__ import annotations

import json
import re

from consigliere.cli.session import connected, root_of
from consigliere.errors import UsageError
from consigliere.render.json import write_object
from consigliere.render.terminal import Output, complain, plain_json

# Importing `typing` would cost a quarter of what a whole search may take.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from consigliere.protocol.shapes import (
        AnswerLinesShape,
        EvaluateReplyShape,
        GroupMeasuresShape,
        LabelledQuestionShape,
    )

DEADLINE_S = 600.0
KEYS = ("question", "answers", "role", "language")
MAX_FILE_BYTES = 3_000_000
FORM = '{"question": "...", "answers": ["docs/rules.md:38-40"], "role": "cto", "language": "en"}'
_ANSWER = re.compile(r"(.+?):([0-9]{1,9})(?:-([0-9]{1,9}))?\Z", re.DOTALL)
_HANGUL = re.compile(r"[\u1100-\u11ff\u3130-\u318f\uac00-\ud7af]")


def evaluate(output: Output, values: dict[str, Any], words: list[str]) -> int:
    """Exit status 0 once everything was asked, whatever came out."""
    if bool(words) == bool(values.get("from_git")):
        raise UsageError("`eval` takes a file of questions, or --from-git", "try `consigliere eval questions.jsonl`")
    if not words:
        return _write_history(output, root_of(values))
    questions = read_questions(words[0])
    with connected() as client:
        reply = client.call("evaluate", {"questions": questions}, root=root_of(values), deadline_s=DEADLINE_S)
    if values.get("json"):
        write_object(output, reply)
    else:
        for line in table(reply):
            output.line(output.fit(line))
    return 0


def _write_history(output: Output, root: str) -> int:
    """A first set of questions, one a line, to be looked through and kept in a file; exit status 1 for none."""
    with connected() as client:
        reply = client.call("history_questions", root=root, deadline_s=DEADLINE_S)
    for each in reply["questions"]:
        places = [f"{answer['file']}:{answer['line_start']}-{answer['line_end']}" for answer in each["answers"]]
        question = {"question": each["question"], "answers": places, "language": each["language"]}
        output.line(plain_json(json.dumps(question, ensure_ascii=False)))
    output.flush()
    read = f"{reply['files_read']} of {reply['files_total']} documents are as they were committed"
    complain(f"{len(reply['questions'])} questions; {read}", "look them through, they are rough")
    return 0 if reply["questions"] else 1


def tune(output: Output, values: dict[str, Any], words: list[str]) -> int:
    """Exit status 0 where something was adopted or taken back, 1 where nothing is to be gained."""
    root = root_of(values)
    if bool(words) == bool(values.get("reset")):
        raise UsageError("`tune` takes a file of questions, or --reset", "try `consigliere tune questions.jsonl`")
    with connected() as client:
        if not words:
            client.call("forget_tuning", root=root)
            output.line("what the settings say is in force again")
            return 0
        reply = client.call("tune", {"questions": read_questions(words[0])}, root=root, deadline_s=DEADLINE_S)
    if values.get("json"):
        write_object(output, reply)
    else:
        verdict = "adopted" if reply["is_adopted"] else "not adopted"
        alpha = f"alpha {reply['alpha_before']:.2f} -> {reply['alpha']:.2f}"
        beta = f"beta {reply['beta_before']:.2f} -> {reply['beta']:.2f}"
        output.line(f"{verdict}: {alpha}, {beta}, by {reply['questions']} questions")
        output.line(f"  {reply['reason']} (nDCG@10)")
    return 0 if reply["is_adopted"] else 1


def read_questions(path: str) -> list[LabelledQuestionShape]:
    """A question a line, as JSON; an empty line is passed over. Raises UsageError with the file and line."""
    with open(path, "rb") as file:
        content = file.read(MAX_FILE_BYTES + 1)
    if len(content) > MAX_FILE_BYTES:
        raise UsageError(f"{path} is larger than {MAX_FILE_BYTES // 1_000_000} MB", "ask fewer questions at once")
    questions = []
    for number, line in enumerate(content.split(b"\n"), start=1):
        if line.strip():
            try:
                questions.append(_question(line))
            except ValueError as error:
                raise UsageError(f"{path}:{number}: {error}", f"write one question a line, like {FORM}") from error
    if not questions:
        raise UsageError(f"{path} holds no question", f"write one a line, like {FORM}")
    return questions


def _question(line: bytes) -> LabelledQuestionShape:
    """Raises ValueError, which a wrong encoding and wrong JSON are too."""
    try:
        found = json.loads(line.decode("utf-8-sig"))
    except RecursionError:
        raise ValueError("too deep for a question") from None
    if not isinstance(found, dict):
        raise ValueError("no JSON object")
    unknown = [key for key in found if key not in KEYS]
    if unknown:
        raise ValueError(f"unknown key {unknown[0]!r}; known are {', '.join(KEYS)}")
    text, answers = found.get("question"), found.get("answers", [])
    role, language = found.get("role"), found.get("language")
    if not isinstance(text, str) or not text.strip():
        raise ValueError('"question" must be a text')
    if not isinstance(answers, list):
        raise ValueError('"answers" must be a list of places; an empty one where nothing answers')
    for name, value in (("role", role), ("language", language)):
        if value is not None and not isinstance(value, str):
            raise ValueError(f'"{name}" must be a text')
    return {
        "question": text,
        "answers": [_answer(each) for each in answers],
        "role": role,
        "language": language or ("ko" if _HANGUL.search(text) else "en"),
    }


def _answer(place: object) -> AnswerLinesShape:
    match = _ANSWER.match(place) if isinstance(place, str) else None
    if match is None:
        raise ValueError(f"an answer is FILE:LINE or FILE:LINE-LINE, not {json.dumps(place, ensure_ascii=False)[:80]}")
    first, last = int(match[2]), int(match[3] or match[2])
    if not 1 <= first <= last:
        raise ValueError(f"the lines of {place} run backwards")
    return {"file": match[1].removeprefix("./"), "line_start": first, "line_end": last}


def table(reply: EvaluateReplyShape) -> list[str]:
    """A block for each group: a row a side, what both gain, and the answers that are lost or false."""
    lines = [
        f"alpha {reply['alpha']:.2f}, beta {reply['beta']:.2f}, min_score {reply['min_score']:.2f}"
        "   (nDCG@10 with its 95 % interval)"
    ]
    for group in reply["groups"]:
        lines += ["", *_block(group)]
    return lines + [f"⚠ {note}" for note in reply["notes"]]


def _block(group: GroupMeasuresShape) -> list[str]:
    asked = group["answerable"] + group["unanswerable"]
    lines = [f"{group['name']}: {asked} questions, {group['unanswerable']} of them without an answer"]
    for side in group["sides"]:
        lines.append(
            f"  {side['side']:<8} nDCG@10 {side['ndcg']:.3f} [{side['ndcg_low']:.3f}, {side['ndcg_high']:.3f}]"
            f"   recall@5 {side['recall']:.3f}   MRR {side['mrr']:.3f}"
        )
    for gain in group["gains"]:
        lines.append(f"  both - {gain['over']:<8} {gain['mean']:+.3f} [{gain['low']:+.3f}, {gain['high']:+.3f}]")
    if group["lost"] is not None:
        lines.append(f"  answers kept back by the minimum or as no answer: {group['lost']:.1%}")
    if group["false_answers"] is not None:
        lines.append(f"  questions without an answer that get hits: {group['false_answers']:.1%}")
    return lines
