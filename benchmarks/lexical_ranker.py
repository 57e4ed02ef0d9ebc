"""Ranks the corpus of a question set by words, alone and beside vectors, so that another way of weighing them takes
seconds to judge.

With the shipped analyzer and constants it gives the order of the product (benchmarks.lexical says how near). The
corpus is counted by token once; which terms a token gives, what a heading, a path and a length count, and what a
question asks for are arguments.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from benchmarks.question_sets import DEPTH, Document, Floats, Question, as_plain_text, ndcg
from consiglierd.embed.static_table import StaticTable
from consiglierd.embed.windows import windows_of
from consiglierd.text.analyzer import analyze_query, term_key, terms_of_token, tokens
from consiglierd.text.pairs import pairs_of

_DIGITS = 6
_MAX_TERMS = 128
_LIKELY = 200


@dataclass(frozen=True, slots=True)
class Asked:
    """What a question asks for once: any of `terms`, counted together, with the idf of the commonest. What `is_extra`
    is no part of what can be attained."""

    terms: tuple[str, ...]
    weight: float
    is_extra: bool = False


Ask = Callable[[str], Sequence[Asked]]
TermsOf = Callable[[str], Iterable[str]]


def as_shipped(text: str) -> list[Asked]:
    return [Asked(each.counted, each.weight, each.is_extra) for each in analyze_query(text)[:_MAX_TERMS]]


@dataclass(frozen=True, slots=True)
class Variant:
    """One way of weighing words.

    `path` 0: a number stands for it, as in benchmarks.quality. `least_length`: what a shorter text counts as, as a
    share of the average. `has_pairs`: whether two words side by side are a term of the text. `against`: the variant
    that it is compared with, where that is not the shipped way.
    """

    name: str
    ask: Ask = as_shipped
    terms_of: TermsOf = terms_of_token
    k1: float = 1.2
    b: float = 0.75
    heading: int = 1
    path: int = 0
    least_length: float = 0.0
    has_pairs: bool = True
    against: str = ""


@dataclass(frozen=True, slots=True)
class _Postings:
    place: Mapping[str, int]
    starts: NDArray[np.int64]
    documents: NDArray[np.int64]
    counts: Floats
    lengths: Floats

    def of(self, term: str) -> tuple[NDArray[np.int64], Floats]:
        at = self.place.get(term)
        here = slice(0, 0) if at is None else slice(self.starts[at], self.starts[at + 1])
        return self.documents[here], self.counts[here]


class LexicalRanker:
    """Holds a corpus counted by token; terms are made of tokens for each way of making them once."""

    def __init__(self, documents: Sequence[Document]) -> None:
        self._documents = documents
        self._token_place: dict[str, int] = {}
        self._texts = texts = [
            each.text.replace("\r\n", "\n").replace("\r", "\n").strip("\n") or each.title for each in documents
        ]
        self._body = [tokens(text) for text in texts]
        fields = {
            "body": self._body,
            "heading": [tokens(each.title) for each in documents],
            "path": [tokens(each.id.partition("#")[0]) for each in documents],
            "number": [[f"{at:06}"] for at in range(len(documents))],
        }
        counted = {name: [Counter(each) for each in field] for name, field in fields.items()}
        for field in counted.values():
            for counts in field:
                for token in counts:
                    self._token_place.setdefault(token, len(self._token_place))
        self._fields = {
            name: _matrix(field, self._token_place, len(self._token_place)) for name, field in counted.items()
        }
        self._pairs = [Counter(map(_spelled, pairs_of(each))) for each in self._body]
        self._pair_place: dict[str, int] = {}
        for counts in self._pairs:
            for pair in counts:
                self._pair_place.setdefault(pair, len(self._pair_place))
        # An identical text in several places is one hit: that of the first place.
        first: dict[str, int] = {}
        self._first = np.array([first.setdefault(text, at) for at, text in enumerate(texts)])
        self._made: tuple[object, _Postings] | None = None

    def nearness(self, questions: Sequence[Question], embedder: StaticTable) -> Floats:
        """How near each document is to each question, in 0..1: its best window counts."""
        windows = [windows_of(each.title, text) for each, text in zip(self._documents, self._texts, strict=True)]
        rows = embedder.embed_documents([each for some in windows for each in some])
        asked = embedder.embed_queries([as_plain_text(each.text) for each in questions])
        starts = np.cumsum([0, *map(len, windows)])[:-1]
        cosines = np.maximum.reduceat(rows @ asked.T, starts, axis=0).T
        span = embedder.identical - embedder.unrelated
        near: Floats = np.clip((cosines - embedder.unrelated) / span, 0.0, 1.0)
        return near

    def judge(self, variant: Variant, questions: Sequence[Question], near: Floats, alpha: float) -> Floats:
        """nDCG@10 of each question: by words alone, and with `alpha` of what `near` says."""
        postings = self._postings_of(variant)
        average = postings.lengths.mean()
        lengths = np.maximum(postings.lengths, variant.least_length * average)
        norm = variant.k1 * (1 - variant.b + variant.b * lengths / average)
        gains = []
        for question, of_vectors in zip(questions, near, strict=True):
            text = as_plain_text(question.text)
            scores = np.zeros(len(norm))
            asked = variant.ask(text)
            attainable = sum(_add(scores, postings, each, norm, variant.k1) for each in asked)
            of_words = scores / (attainable or 1.0)
            both = alpha * of_vectors + (1 - alpha) * of_words
            gains.append([ndcg(self._best(each), question.grades) for each in (of_words, both)])
        return np.array(gains).T

    def _best(self, scores: Floats) -> list[frozenset[str]]:
        found = np.flatnonzero(scores)
        if len(found) > _LIKELY:
            # Only the best come into question, with room for identical texts among them.
            found = np.sort(found[np.argpartition(-scores[found], _LIKELY)[:_LIKELY]])
        first_of: dict[int, int] = {}
        members: dict[int, list[str]] = {}
        for at in found.tolist():
            text = int(self._first[at])
            first_of.setdefault(text, at)
            members.setdefault(text, []).append(self._documents[at].id)
        texts = np.array(list(first_of), dtype=np.int64)
        places = np.array(list(first_of.values()), dtype=np.int64)
        order = np.lexsort((places, -np.round(scores[places], _DIGITS)))[:DEPTH] if len(places) else []
        return [frozenset(members[int(texts[at])]) for at in order]

    def _postings_of(self, variant: Variant) -> _Postings:
        key = (variant.terms_of, variant.heading, variant.path, variant.has_pairs)
        if self._made is None or self._made[0] != key:
            place = dict(self._pair_place) if variant.has_pairs else {}
            terms = [Counter(variant.terms_of(token)) for token in self._token_place]
            for counts in terms:
                for term in counts:
                    place.setdefault(term, len(place))
            by_token = self._fields["body"] + self._fields["heading"] * variant.heading
            by_token += self._fields["path"] * variant.path if variant.path else self._fields["number"]
            counted = by_token @ _matrix(terms, place, len(place))
            if variant.has_pairs:
                counted = counted + _matrix(self._pairs, place, len(place))
            self._made = key, _as_postings(counted, place)
        return self._made[1]


def _add(scores: Floats, postings: _Postings, asked: Asked, norm: Floats, k1: float) -> float:
    """Adds what each document gains; returns what it could have gained."""
    held = [postings.of(_spelled(term)) for term in asked.terms]
    df = max(len(documents) for documents, _ in held)
    idf = float(np.log1p((len(scores) - df + 0.5) / (df + 0.5))) * asked.weight
    documents, counts = held[0]
    if len(held) > 1:
        documents, place = np.unique(np.concatenate([each for each, _ in held]), return_inverse=True)
        counts = np.bincount(place, weights=np.concatenate([each for _, each in held]), minlength=len(documents))
    scores[documents] += idf * counts * (k1 + 1) / (counts + norm[documents])
    return 0.0 if asked.is_extra else idf * (k1 + 1)


def _spelled(term: str) -> str:
    """Pairs of words share their terms with others."""
    return str(term_key(term)) if " " in term else term


def _matrix(counted: Sequence[Mapping[str, int]], place: Mapping[str, int], width: int) -> sparse.csr_array:
    starts = np.cumsum([0, *map(len, counted)])
    columns = np.fromiter((place[each] for counts in counted for each in counts), np.int64, int(starts[-1]))
    values = np.fromiter((each for counts in counted for each in counts.values()), np.float64, int(starts[-1]))
    return sparse.csr_array((values, columns, starts), shape=(len(counted), width))


def _as_postings(matrix: sparse.csr_array, place: Mapping[str, int]) -> _Postings:
    by_term = matrix.tocsc()
    by_term.eliminate_zeros()
    lengths = np.asarray(matrix.sum(axis=1), dtype=np.float64).ravel()
    return _Postings(place, by_term.indptr, by_term.indices, by_term.data, lengths)
