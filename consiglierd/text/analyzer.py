"""Text to terms: the one analysis that serves for indexing and for asking.

A text is put into NFKC, cut into tokens (letters, digits, "_", with inner "." and "-"), and each
token is cut at the borders between CJK and other scripts:

- a CJK run (Hangul, Han, Kana) gives its character bigrams; a run of three or more characters also
  itself; a single character gives itself;
- a version (`1.0.21`, `v1.0.21`) gives itself without the "v", its leading parts of two or more
  numbers (`1.0`), and its numbers;
- anything else gives its words, cut at "_", "-", "." and at camelCase borders, before trailing
  digits and before the "s" of `APIs` (which is dropped), and the whole of each compound. All are
  case-folded.

Two words side by side give a term of their own beside these (`pairs_of`).

A query does not require what only adds precision: whole compounds, whole CJK words, the shorter
forms of a version, and a single syllable that follows a Latin word (`auth를`). A query without CJK
asks for the other forms of its English words too (`requires` for `require`); among CJK such a word is
mostly a name, and other forms of it only mislead. All this, and the weights of query terms, were
chosen on the sets of benchmarks/lexical.py.
"""

import hashlib
import re
import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import pairwise

from consiglierd.text.inflection import forms_of
from consiglierd.text.pairs import CJK, pair_key, pairs_of

ANALYZER_FINGERPRINT = "terms-3"
MAX_TERM_CHARACTERS = 64

_CACHED_TOKEN_CHARACTERS = 64
_TOKEN = re.compile(r"\w+(?:[.\-]\w+)*")
_HAS_CJK = re.compile(f"[{CJK}]")
_RUN = re.compile(f"[{CJK}]+|[^{CJK}]+")
_VERSION = re.compile(r"[vV]?(\d+(?:\.\d+)+)")
_ENGLISH = re.compile(r"[a-z]+")
_PLURAL = re.compile(r"[A-Z]{2,}s")
_HYPHENS = re.compile(r"[_\-]+")
# A border after one letter would take "iOS" and "eBay" apart, and one before a single small letter "APIs".
_WORD_BORDER = re.compile(
    r"(?<=[^\W\d_][^\W\d_A-Z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][^\W\d_A-Z]{2})|(?<=[^\W\d_]{2})(?=\d+$)"
)


_COMPOUND_WEIGHT = 0.5
_CJK_WHOLE_WEIGHT = 0.25
_LAST_BIGRAM_SHARE = 0.5
_PAIR_WEIGHT = 0.25
_NO_WORD = -1

# A term, whether a query requires it, what else covers it, its weight: a QueryTerm, but cheap to make.
_Item = tuple[str, bool, tuple[str, ...], float]


@dataclass(frozen=True, slots=True)
class QueryTerm:
    """A term of a query.

    Terms with `is_basis` are what the query asks for; the others only add to the score. A text that
    holds any of `covered_by` counts as holding this term ("javascript" stands for the "java" and
    "script" of "JavaScript"). `weight` is the share of its idf that counts. `word` is the same for
    the terms of one token of the query. Any of `forms` is counted as the term itself, and covers it. What
    `is_extra` adds to a score, and is no part of what the query could attain.
    """

    term: str
    is_basis: bool
    covered_by: tuple[str, ...] = ()
    weight: float = 1.0
    word: int = 0
    forms: tuple[str, ...] = ()
    is_extra: bool = False

    @property
    def counted(self) -> tuple[str, ...]:
        """What is counted together as this term."""
        return (self.term, *self.forms)


def analyze(text: str) -> list[str]:
    """The terms of a text, in order, with repeats."""
    return [term for token in tokens(text) for term in terms_of_token(token)]


def analyze_query(text: str) -> tuple[QueryTerm, ...]:
    """The distinct terms of a query, in order; a term that is required anywhere is required, and one that is a form
    of another is that one."""
    found: dict[str, QueryTerm] = {}
    words = tokens(text)
    for word, token in enumerate(words):
        for item in (QueryTerm(*each, word) for each in _expand(token)):
            known = found.get(item.term)
            if known is None:
                found[item.term] = item
            elif item.is_basis:
                both = tuple(dict.fromkeys(known.covered_by + item.covered_by))
                kept = known if known.is_basis else item
                found[item.term] = replace(kept, covered_by=both, weight=max(kept.weight, item.weight))
            elif not known.is_basis and item.weight > known.weight:
                found[item.term] = item
    of_words = found.values() if any(map(_HAS_CJK.search, found)) else _with_forms(found.values())
    pairs = (
        QueryTerm(each, False, (), _PAIR_WEIGHT, _NO_WORD, is_extra=True) for each in dict.fromkeys(pairs_of(words))
    )
    return (*of_words, *pairs)


def _with_forms(terms: Iterable[QueryTerm]) -> Iterator[QueryTerm]:
    """English words with their other forms; what is a form of one before it is left out."""
    asked: set[str] = set()
    for term in terms:
        if not term.is_basis or not _ENGLISH.fullmatch(term.term):
            yield term
        elif term.term not in asked:
            forms = forms_of(term.term)
            asked.update(forms)
            yield replace(term, forms=forms, covered_by=tuple(dict.fromkeys(term.covered_by + forms)))


def tokens(text: str) -> list[str]:
    """The tokens of a text, in NFKC with their case kept; equal tokens give equal terms."""
    if not text.isascii():
        text = unicodedata.normalize("NFKC", text)
    return _TOKEN.findall(text)


def is_cjk(term: str) -> bool:
    """Whether a term is of a script whose words are cut into bigrams."""
    return _HAS_CJK.match(term) is not None


def terms_of_token(token: str) -> tuple[str, ...]:
    """The terms of one token of `tokens`, with repeats."""
    # A hostile token may be megabytes long and must not stay in a cache.
    if len(token) > _CACHED_TOKEN_CHARACTERS:
        return tuple(item[0] for item in _expand(token))
    return _terms_of_short_token(token)


@lru_cache(maxsize=1 << 15)
def _terms_of_short_token(token: str) -> tuple[str, ...]:
    return tuple(item[0] for item in _expand(token))


def keys_of_token(token: str) -> tuple[int, ...]:
    """The keys of `terms_of_token`, with repeats."""
    if len(token) > _CACHED_TOKEN_CHARACTERS:
        return tuple(map(term_key, terms_of_token(token)))
    return _keys_of_short_token(token)


@lru_cache(maxsize=1 << 15)
def _keys_of_short_token(token: str) -> tuple[int, ...]:
    return tuple(map(term_key, _terms_of_short_token(token)))


@lru_cache(maxsize=1 << 16)
def term_key(term: str) -> int:
    """The 64-bit identity of a term; two terms of one corpus share a key about once in 2^64 / n^2, unless they are
    pairs."""
    if " " in term:
        return pair_key(term)
    return int.from_bytes(hashlib.blake2b(term.encode("utf-8", "surrogatepass"), digest_size=8).digest(), "big")


def _expand(token: str) -> Iterator[_Item]:
    if not _HAS_CJK.search(token):
        yield from _expand_words(token)
        return
    after_word = False
    for run in _RUN.findall(token):
        if _HAS_CJK.match(run):
            yield from _expand_cjk(run, after_word)
            after_word = False
        else:
            yield from _expand_words(run)
            after_word = True


def _expand_cjk(run: str, after_word: bool) -> Iterator[_Item]:
    if len(run) == 1:
        yield (run, not after_word, (), 1.0)
        return
    # A word of many bigrams asks for more than one of few, but not in proportion; its last bigram is
    # often half a particle or an ending.
    weight = (len(run) - 1) ** -0.5
    for first, second in pairwise(run[:-1]):
        yield (first + second, True, (), weight)
    yield (run[-2:], True, (), weight * (_LAST_BIGRAM_SHARE if len(run) > 2 else 1.0))
    if 3 <= len(run) <= MAX_TERM_CHARACTERS:
        yield (run, False, (), _CJK_WHOLE_WEIGHT)


def _expand_words(run: str) -> Iterator[_Item]:
    whole = run.strip("._-")
    pieces = [piece for piece in _HYPHENS.split(whole) if piece.strip(".")]
    if len(pieces) == 1 and _VERSION.fullmatch(pieces[0]):
        yield from _expand_version(pieces[0])
        return
    words: list[str] = []
    for piece in pieces:
        words.extend([piece] if _VERSION.fullmatch(piece) else [word for word in piece.split(".") if word])
    folded = whole.casefold()
    is_compound = len(words) > 1 and len(folded) <= MAX_TERM_CHARACTERS
    covering = (folded,) if is_compound else ()
    for word in words:
        if _VERSION.fullmatch(word):
            yield from _expand_version(word)
        else:
            yield from _expand_word(word, covering)
    if is_compound:
        yield (folded, False, (), _COMPOUND_WEIGHT)


def _expand_word(word: str, covering: tuple[str, ...]) -> Iterator[_Item]:
    folded = word.casefold()
    parts = [word[:-1]] if _PLURAL.fullmatch(word) else _WORD_BORDER.split(word)
    if parts == [word] or len(folded) > MAX_TERM_CHARACTERS:
        for start in range(0, len(folded), MAX_TERM_CHARACTERS):
            yield (folded[start : start + MAX_TERM_CHARACTERS], True, covering, 1.0)
        return
    for part in parts:
        yield (part.casefold(), True, (folded, *covering), 1.0)
    yield (folded, False, (), _COMPOUND_WEIGHT)


def _expand_version(word: str) -> Iterator[_Item]:
    numbers = word.lstrip("vV").split(".")
    version = ".".join(numbers)[:MAX_TERM_CHARACTERS]
    yield (version, True, (), 1.0)
    for count in range(2, min(len(numbers), 5)):
        yield (".".join(numbers[:count])[:MAX_TERM_CHARACTERS], False, (), _COMPOUND_WEIGHT)
    for number in numbers:
        yield (number[:MAX_TERM_CHARACTERS], False, (), _COMPOUND_WEIGHT)
