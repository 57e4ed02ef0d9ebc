"""A query's text to terms and exact phrases; nothing in it is an operator but the double quote."""

import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass

from consiglierd.text.analyzer import QueryTerm, analyze_query

MAX_QUERY_CHARACTERS = 4000
MAX_TERMS = 128
_PHRASE = re.compile(r'"([^"]+)"|“([^”]+)”')
_SPACE = re.compile(r"\s+")


@dataclass(frozen=True, slots=True)
class ParsedQuery:
    """`terms` are those of the whole text, phrases included; `phrases` are normalised with `comparable`.

    `phrase_terms` are those that every text with the phrases holds, if they stand there as words.
    `bare` is the text itself where it holds no term at all: it is then looked for as it stands. Where
    it has phrases, it is a piece of one.
    """

    terms: tuple[QueryTerm, ...]
    phrases: tuple[str, ...]
    phrase_terms: tuple[QueryTerm, ...]
    bare: str | None
    is_cut: bool


def parse_query(text: str) -> ParsedQuery:
    cut = text[:MAX_QUERY_CHARACTERS]
    quoted = [first or second for first, second in _PHRASE.findall(cut)]
    phrases = tuple(dict.fromkeys(phrase for each in quoted if (phrase := comparable(each))))
    terms = analyze_query(cut)
    bare = (_longest_piece(phrases) if phrases else unicodedata.normalize("NFC", cut.strip())) if not terms else None
    return ParsedQuery(
        terms=terms[:MAX_TERMS],
        phrases=phrases,
        phrase_terms=tuple(dict.fromkeys(term for each in quoted for term in analyze_query(each) if _is_certain(term))),
        bare=bare or None,
        is_cut=len(cut) < len(text) or sum(not term.is_extra for term in terms) > MAX_TERMS,
    )


def _longest_piece(phrases: Iterable[str]) -> str:
    """What stands as it is in every text with the phrases, whose white space may differ there."""
    return max((piece for phrase in phrases for piece in phrase.split()), key=len)


def _is_certain(term: QueryTerm) -> bool:
    """A single CJK character at the edge of a phrase may belong to a longer word there, which has no such term."""
    return term.is_basis and (len(term.term) > 1 or term.term.isascii())


def comparable(text: str) -> str:
    """The form in which phrases are compared: NFC, case folded, runs of white space as one space."""
    return _SPACE.sub(" ", unicodedata.normalize("NFC", text).casefold()).strip()
