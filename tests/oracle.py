"""The judge: what a search must answer, by brute force over the chunks of a tree.

It shares the parser, the analyzer and the settings with the product, and nothing of the indexes or
of the search: BM25, filters, roles, folding and order are written here a second time, in numpy, from
the rules.
"""

import math
import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np

from consiglierd.ingest.docs.parse import parse_document
from consiglierd.model.document import Section
from consiglierd.model.roles import Role
from consiglierd.model.rules import DocumentRules
from consiglierd.text.analyzer import QueryTerm, analyze, analyze_query
from consiglierd.text.counts import HEADING_WEIGHT, PATH_WEIGHT

K1, B = 1.2, 0.75


@dataclass(frozen=True)
class JudgedChunk:
    """One section at a path, with its weighted term counts."""

    path: str
    file_type: str
    section: Section
    counts: Counter[str] = field(repr=False)

    @property
    def length(self) -> int:
        return sum(self.counts.values())


@dataclass(frozen=True)
class Asked:
    """A query with its conditions, in plain values."""

    text: str
    limit: int
    min_score: float = 0.3
    role: Role | None = None
    names_role: bool = False
    beta: float = 0.0
    types: tuple[str, ...] = ()
    after: str | None = None
    before: str | None = None
    tags: tuple[str, ...] = ()
    statuses: tuple[str, ...] = ()
    path_pattern: str | None = None


@dataclass(frozen=True)
class Expected:
    """A hit: its chunk, its score, and the other chunks with the same text."""

    chunk: JudgedChunk
    score: float
    also: tuple[JudgedChunk, ...]


def chunks_of(files: Iterable[tuple[str, bytes]], rules: DocumentRules) -> list[JudgedChunk]:
    """Every chunk of some files, as a fresh look at them gives it."""
    found = []
    for path, content in files:
        parsed = parse_document(path, content, rules)
        path_counts = Counter({term: count * PATH_WEIGHT for term, count in Counter(analyze(path)).items()})
        for section in parsed.sections:
            counts = Counter(analyze(section.text)) + path_counts
            for heading in section.heading_path:
                for term in analyze(heading):
                    counts[term] += HEADING_WEIGHT
            found.append(JudgedChunk(path, parsed.file_type, section, counts))
    return found


def expected(chunks: Sequence[JudgedChunk], asked: Asked) -> list[Expected]:
    """The hits, best first, at most `limit`."""
    terms = analyze_query(asked.text)
    quoted = [first or second for first, second in re.findall(r'"([^"]+)"|“([^”]+)”', asked.text)]
    phrases = [phrase for each in quoted if (phrase := _comparable(each))]
    # A phrase is looked for as words; a single syllable at its edge may be part of a longer one.
    phrase_terms = [
        term
        for each in quoted
        for term in analyze_query(each)
        if term.is_basis and (len(term.term) > 1 or term.term.isascii())
    ]
    scores, coverage = _scores(chunks, terms), _coverage(chunks, terms)
    passing: list[tuple[JudgedChunk, float, float]] = []
    for position, chunk in enumerate(chunks):
        if scores[position] <= 0 or not _is_let_through(chunk, asked):
            continue
        if phrases:
            if not all(phrase in _comparable(chunk.section.text) for phrase in phrases):
                continue
            if not all(_holds(chunk, term) for term in phrase_terms):
                continue
        elif coverage[position] < asked.min_score:
            continue
        weight = asked.role.weights.get(chunk.file_type, 1.0) if asked.role else 1.0
        has_room = asked.role is not None and {mark.room for mark in chunk.section.rooms} & set(asked.role.rooms)
        passing.append((chunk, weight, round(scores[position] * weight + (asked.beta if has_room else 0.0), 6)))
    return _folded(passing)[: asked.limit]


def _scores(chunks: Sequence[JudgedChunk], terms: Sequence[QueryTerm]) -> list[float]:
    """BM25 over all chunks, as a share of what the query could attain."""
    if not chunks or not terms:
        return [0.0] * len(chunks)
    counts = np.array([[chunk.counts[term.term] for term in terms] for chunk in chunks], dtype=np.float64)
    lengths = np.array([chunk.length for chunk in chunks], dtype=np.float64)
    idf = _idf(counts > 0) * np.array([term.weight for term in terms])
    average = lengths.sum() / len(chunks) if lengths.sum() else 1.0
    norm = K1 * (1 - B + B * lengths / average)
    gained = idf * counts * (K1 + 1) / (counts + norm[:, None])
    return [math.fsum(row) / math.fsum(idf * (K1 + 1)) for row in gained.tolist()]


def _idf(holds: "np.ndarray[tuple[int, int], np.dtype[np.bool_]]") -> "np.ndarray[tuple[int], np.dtype[np.float64]]":
    df = holds.sum(axis=0)
    return np.log(1 + (holds.shape[0] - df + 0.5) / (df + 0.5))


def _coverage(chunks: Sequence[JudgedChunk], terms: Sequence[QueryTerm]) -> list[float]:
    """The idf-weighted share of what the query asks for that each chunk holds."""
    asked = [(term.term, term.covered_by) for term in terms if term.is_basis]
    if not chunks or not asked:
        return [1.0] * len(chunks)
    exact = np.array([[name in chunk.counts for name, _ in asked] for chunk in chunks])
    held = np.array(
        [
            [name in chunk.counts or any(each in chunk.counts for each in covers) for name, covers in asked]
            for chunk in chunks
        ]
    )
    idf = _idf(exact)
    total = math.fsum(idf.tolist())
    return [math.fsum(idf[row].tolist()) / total for row in held]


def _holds(chunk: JudgedChunk, term: QueryTerm) -> bool:
    return any(chunk.counts[each] for each in (term.term, *term.covered_by))


def _is_let_through(chunk: JudgedChunk, asked: Asked) -> bool:
    section = chunk.section
    if asked.names_role and section.private_to not in (None, asked.role.group if asked.role else None):
        return False
    if asked.types and chunk.file_type.casefold() not in {each.casefold() for each in asked.types}:
        return False
    if asked.after and (section.date is None or section.date < asked.after):
        return False
    if asked.before and (section.date is None or section.date > asked.before):
        return False
    if asked.tags and not {tag.name.casefold() for tag in section.tags} & {each.casefold() for each in asked.tags}:
        return False
    if asked.statuses and section.status.casefold() not in {each.casefold() for each in asked.statuses}:
        return False
    return asked.path_pattern is None or re.fullmatch(asked.path_pattern, chunk.path) is not None


def _folded(passing: Iterable[tuple[JudgedChunk, float, float]]) -> list[Expected]:
    groups: dict[str, list[tuple[JudgedChunk, float, float]]] = {}
    for entry in passing:
        groups.setdefault(entry[0].section.text, []).append(entry)
    hits = []
    for group in groups.values():
        group.sort(key=lambda entry: (-entry[1], entry[0].path, entry[0].section.span.line_start))
        hits.append(Expected(group[0][0], group[0][2], tuple(entry[0] for entry in group[1:])))
    hits.sort(key=lambda hit: (-hit.score, hit.chunk.path, hit.chunk.section.span.line_start))
    return hits


def _comparable(text: str) -> str:
    return re.sub(r"\s+", " ", unicodedata.normalize("NFC", text).casefold()).strip()
