"""The sample project with its labelled questions, as the benchmarks of ranking ask it."""

import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path

from consiglierd.ingest.docs.parse import file_type_of, parse_document
from consiglierd.model.document import ParsedDocument
from consiglierd.model.evaluation import AnswerLines, LabelledQuestion
from consiglierd.model.hit import Hit
from consiglierd.model.roles import RoleTable
from consiglierd.model.rules import DocumentRules
from consiglierd.settings.load import load_settings
from consiglierd.settings.rules import document_rules, role_table
from tests.support.bundled_embedder import BundledEmbedder
from tests.support.held_index import HeldIndex, Options

EXAMPLES = Path(__file__).resolve().parents[1] / "examples"
ROOT = EXAMPLES / "streamapp"
GENERAL_QUESTIONS = EXAMPLES / "questions.jsonl"
ROLE_QUESTIONS = EXAMPLES / "questions_by_role.jsonl"
Documents = Mapping[str, tuple[bytes, ParsedDocument]]

_HANGUL = re.compile(r"[\uac00-\ud7a3]")
_PLACE = re.compile(r"(.+):(\d+)(?:-(\d+))?")


def rules() -> DocumentRules:
    return document_rules(load_settings(ROOT).settings)


def roles() -> RoleTable:
    return role_table(load_settings(ROOT).settings)


def contents() -> dict[str, bytes]:
    """The documents of the sample by path."""
    told = rules()
    files = sorted(path for path in ROOT.rglob("*") if path.is_file())
    by_path = {path.relative_to(ROOT).as_posix(): path for path in files}
    return {name: path.read_bytes() for name, path in by_path.items() if file_type_of(name, told) is not None}


def parsed(told: DocumentRules) -> Documents:
    return {path: (content, parse_document(path, content, told)) for path, content in contents().items()}


def answered_questions(*files: Path) -> list[LabelledQuestion]:
    """Those that have an answer."""
    return [each for each in questions(*files) if each.answers]


def questions(*files: Path) -> list[LabelledQuestion]:
    """Also those that nothing answers."""
    rows = [json.loads(line) for file in files for line in file.read_text(encoding="utf-8").splitlines()]
    return [
        LabelledQuestion(
            row["question"],
            tuple(answer_of(place) for place in row["answers"]),
            row.get("role"),
            "ko" if _HANGUL.search(row["question"]) else "en",
        )
        for row in rows
    ]


def answer_of(place: str) -> AnswerLines:
    """Raises ValueError for what is no place."""
    match = _PLACE.fullmatch(place)
    if match is None:
        raise ValueError(f"no place: {place!r}")
    start = int(match[2])
    return AnswerLines(match[1], start, int(match[3] or start))


def held(folder: Path, documents: Documents, options: Options) -> HeldIndex:
    """An index of words and of the bundled vectors."""
    index = HeldIndex(folder, options=options, embedder=BundledEmbedder.bundled())
    index.put(documents)
    index.fill()
    return index


def answers_in(hit: Hit, answers: Sequence[AnswerLines]) -> frozenset[AnswerLines]:
    """The answers of which the hit holds a line, at any of the places that have its text."""
    height = hit.line_end - hit.line_start
    places = [(hit.file, hit.line_start), *((also.file, also.line_start) for also in hit.also)]
    return frozenset(
        answer
        for answer in answers
        for file, start in places
        if file == answer.file and start <= answer.line_end and start + height >= answer.line_start
    )
