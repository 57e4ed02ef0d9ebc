"""The judge: what a search must answer, by brute force over the chunks of a tree.

It shares the parser, the analyzer and the settings with the product, and nothing of the indexes or
of the search: BM25, filters, roles, folding and order are written here a second time, in numpy, from
the rules.
"""

import math
import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from consiglierd.ingest.docs.parse import parse_document
from consiglierd.model.document import Section
from consiglierd.model.roles import Role
from consiglierd.model.rules import DocumentRules
from consiglierd.text.analyzer import QueryTerm, analyze, analyze_query, term_key, tokens
from consiglierd.text.counts import HEADING_WEIGHT, PATH_WEIGHT
from consiglierd.text.pairs import pairs_of

K1, B = 1.2, 0.75
Floats = NDArray[np.float64]


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
    alpha: float = 0.35
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
            counts.update(map(_spelled, pairs_of(tokens(section.text))))
            for heading in section.heading_path:
                for term in analyze(heading):
                    counts[term] += HEADING_WEIGHT
            found.append(JudgedChunk(path, parsed.file_type, section, counts))
    return found


class Vectors(Protocol):
    """How the judge comes by vectors: rows of unit length, made anew for every chunk and question."""

    unrelated: float
    identical: float
    near: float

    def of_chunk(self, path: str, title: str, text: str) -> Floats | None:
        """None where the chunk has no vectors yet."""
        ...

    def of_question(self, text: str) -> Floats: ...


class Judge:
    """Some chunks, asked many times; how often a term stands in each is counted when it is first asked for.

    With `vectors` it judges by both sides.
    """

    def __init__(self, chunks: Sequence[JudgedChunk], vectors: Vectors | None = None) -> None:
        self._chunks = chunks
        self._vectors = vectors
        self._windows = [
            vectors and vectors.of_chunk(chunk.path, " / ".join(chunk.section.heading_path), chunk.section.text)
            for chunk in chunks
        ]
        self._lengths = np.array([chunk.length for chunk in chunks], dtype=np.float64)
        self._columns: dict[str, Floats] = {}
        self._texts: dict[int, str] = {}

    def expected(self, asked: Asked) -> list[Expected]:
        """The hits, best first, at most `limit`; none where none of all that pass is an answer."""
        passing = self._passing(asked)
        if self._vectors is not None and asked.min_score > 0 and not self._is_answered(asked, passing):
            return []
        return _folded(_boosted(passing, asked))[: asked.limit]

    def _is_answered(self, asked: Asked, passing: Sequence[tuple[JudgedChunk, float]]) -> bool:
        """Whether one is near enough, holds most of the question, or has no vectors; phrases ask for what holds them.

        What is enough grows with the number of windows; words make up for nearness, and less of them is asked for where
        the chunks hold nothing of the CJK terms of the question.
        """
        terms = analyze_query(asked.text)
        if not terms or any(_comparable(each) for each in _quoted(asked.text)) or self._vectors.near == 0:
            return True
        gained, near = self._gained(terms), self._near(asked.text)
        coverage = self._coverage(terms, unknown_share=1.0)
        words = [term for term in terms if not term.is_extra]
        windows = max(500, sum(len(each) for each in self._windows if each is not None))
        limit = self._vectors.near + 0.2 * (math.sqrt(2 * math.log(windows)) - math.sqrt(2 * math.log(25_000)))
        needed = max(0.01, limit) * (2 - self._foreign_share(terms))
        places = {id(chunk): position for position, chunk in enumerate(self._chunks)}
        for chunk, _ in passing:
            position = places[id(chunk)]
            nearness = near[position]
            if nearness is None or round(coverage(position), 6) >= 0.9:
                return True
            if round(nearness + math.fsum(gained[position][: len(words)].tolist()), 6) >= round(needed, 6):
                return True
        return False

    def _foreign_share(self, terms: Sequence[QueryTerm]) -> float:
        """How much of the question, by idf, is CJK terms that no chunk holds, where the chunks are not Korean."""
        asked = [(term, self._idf(term) * term.weight) for term in terms if term.is_basis]
        foreign = [idf for term, idf in asked if ord(term.term[0]) > 0x10FF and not self._column(term.term).any()]
        endings = ("니다", "한다", "는다", "에서", "으로", "하는")
        korean = max(int((self._column(each) > 0).sum()) for each in endings) / (0.1 * len(self._chunks))
        return (1 - min(1.0, korean)) * sum(foreign) / sum(idf for _, idf in asked) if asked else 0.0

    def withheld(self, asked: Asked) -> int:
        """How many chunks would pass, but are private to another role."""
        return len(self._passing(asked, is_hidden=True))

    def _passing(self, asked: Asked, *, is_hidden: bool = False) -> list[tuple[JudgedChunk, float]]:
        """The chunks that the conditions let through, with their scores before boosts."""
        terms = analyze_query(asked.text)
        if not terms:
            return [(chunk, 1.0) for chunk in self._holding(asked.text) if _may_pass(chunk, asked, is_hidden)]
        quoted = _quoted(asked.text)
        phrases = [phrase for each in quoted if (phrase := _comparable(each))]
        # A phrase is looked for as words; a single syllable at its edge may be part of a longer one.
        phrase_terms = [
            term
            for each in quoted
            for term in analyze_query(each)
            if term.is_basis and (len(term.term) > 1 or term.term.isascii())
        ]
        gained, coverage = self._gained(terms), self._coverage(terms)
        near = self._near(asked.text)
        passing = []
        for position in range(len(self._chunks)):
            score, nearness = math.fsum(gained[position].tolist()), near[position]
            if nearness is not None:
                score = asked.alpha * nearness + (1 - asked.alpha) * score
            if score <= 0:
                continue
            chunk = self._chunks[position]
            if not _may_pass(chunk, asked, is_hidden):
                continue
            if phrases:
                if not all(_holds(chunk, term) for term in phrase_terms):
                    continue
                if not all(phrase in self._text(position) for phrase in phrases):
                    continue
            elif round(max(coverage(position), nearness or 0.0), 6) < asked.min_score:
                continue
            passing.append((chunk, score))
        return passing

    def _near(self, text: str) -> list[float | None]:
        """How near each chunk is to the question, in 0..1: its best window counts."""
        if self._vectors is None:
            return [None] * len(self._chunks)
        question = self._vectors.of_question(text)
        low, high = self._vectors.unrelated, self._vectors.identical
        return [
            None if windows is None else min(1.0, max(0.0, (float((windows @ question).max()) - low) / (high - low)))
            for windows in self._windows
        ]

    def _holding(self, text: str) -> Iterator[JudgedChunk]:
        """The chunks in which a text without any word stands: its phrases, or else all of it."""
        phrases = [phrase for each in _quoted(text) if (phrase := _comparable(each))]
        whole = unicodedata.normalize("NFC", text.strip())
        for position, chunk in enumerate(self._chunks if whole else ()):
            if all(phrase in self._text(position) for phrase in phrases) if phrases else whole in chunk.section.text:
                yield chunk

    def _gained(self, terms: Sequence[QueryTerm]) -> Floats:
        """BM25 by chunk and term, as a share of what the query could attain."""
        if not self._chunks or not terms:
            return np.zeros((len(self._chunks), 1))
        counts = np.stack([self._counts(term) for term in terms], axis=1)
        idf = np.array([self._idf(term) * term.weight for term in terms])
        attainable = math.fsum(each * (K1 + 1) for each, term in zip(idf, terms, strict=True) if not term.is_extra)
        average = self._lengths.sum() / len(self._chunks) if self._lengths.sum() else 1.0
        norm = K1 * (1 - B + B * self._lengths / average)
        gained: Floats = idf * counts * (K1 + 1) / (counts + norm[:, None]) / attainable
        return gained

    def _coverage(self, terms: Sequence[QueryTerm], unknown_share: float = 0.1) -> Callable[[int], float]:
        """The idf-weighted share of what the query asks for that the chunk at a position holds.

        A word of which no chunk holds any part asks for that share of what it otherwise would.
        """
        asked = [term for term in terms if term.is_basis]
        known = {term.word for term in terms if self._counts(term).any()}
        idf = [self._idf(term) * term.weight * (1 if term.word in known else unknown_share) for term in asked]
        total = math.fsum(idf)
        return lambda position: (
            math.fsum(weight for term, weight in zip(asked, idf, strict=True) if _holds(self._chunks[position], term))
            / total
            if asked
            else 1.0
        )

    def _column(self, term: str) -> Floats:
        if term not in self._columns:
            self._columns[term] = np.array(
                [chunk.counts.get(_spelled(term), 0) for chunk in self._chunks], dtype=np.float64
            )
        return self._columns[term]

    def _counts(self, term: QueryTerm) -> Floats:
        """The other forms of a word count as the word."""
        return np.sum([self._column(form) for form in (term.term, *term.forms)], axis=0)

    def _idf(self, term: QueryTerm) -> float:
        """By the commonest of its forms."""
        df = max(int((self._column(form) > 0).sum()) for form in (term.term, *term.forms))
        return math.log(1 + (len(self._chunks) - df + 0.5) / (df + 0.5))

    def _text(self, position: int) -> str:
        if position not in self._texts:
            self._texts[position] = _comparable(self._chunks[position].section.text)
        return self._texts[position]


def expected(chunks: Sequence[JudgedChunk], asked: Asked, vectors: Vectors | None = None) -> list[Expected]:
    """What one search of some chunks must answer."""
    return Judge(chunks, vectors).expected(asked)


def _boosted(passing: Iterable[tuple[JudgedChunk, float]], asked: Asked) -> list[tuple[JudgedChunk, float, float]]:
    """With the weight of each chunk for the role, and its final score."""
    boosted = []
    for chunk, score in passing:
        weight = asked.role.weights.get(chunk.file_type, 1.0) if asked.role else 1.0
        has_room = asked.role is not None and {mark.room for mark in chunk.section.rooms} & set(asked.role.rooms)
        boosted.append((chunk, weight, round(score * weight + (asked.beta if has_room else 0.0), 6)))
    return boosted


def _holds(chunk: JudgedChunk, term: QueryTerm) -> bool:
    return any(chunk.counts[each] for each in (term.term, *term.covered_by))


def _spelled(term: str) -> str:
    """Pairs of words share their terms with others."""
    return str(term_key(term)) if " " in term else term


def _quoted(text: str) -> list[str]:
    return [first or second for first, second in re.findall(r'"([^"]+)"|“([^”]+)”', text)]


def _may_pass(chunk: JudgedChunk, asked: Asked, is_hidden: bool) -> bool:
    return _is_private(chunk, asked) == is_hidden and _is_let_through(chunk, asked)


def _is_private(chunk: JudgedChunk, asked: Asked) -> bool:
    """Whether the chunk is private to another role than the one that asks."""
    own = asked.role.group if asked.role else None
    return asked.names_role and chunk.section.private_to not in (None, own)


def _is_let_through(chunk: JudgedChunk, asked: Asked) -> bool:
    section = chunk.section
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
