"""Ways of weighing words that need a library which consigliere does not: those that are not installed are left out."""

import re
from dataclasses import replace
from functools import lru_cache, partial

from benchmarks.lexical_ranker import Asked, Variant, as_shipped
from consiglierd.text.analyzer import terms_of_token, tokens

_WORD = re.compile(r"[a-z]{3,}")
_HANGUL = re.compile(r"[가-힣]")
# Tags of mecab-ko: nouns, verbs, adjectives, roots, adverbs.
_CONTENT = ("N", "VV", "VA", "XR", "MAG")


def snowball() -> list[Variant]:
    """Stems in place of English words, and beside them: `pip install snowballstemmer`."""
    try:
        import snowballstemmer
    except ImportError:
        return []
    stem = lru_cache(maxsize=1 << 17)(snowballstemmer.stemmer("english").stemWord)

    def stemmed(term: str) -> str:
        return str(stem(term)) if _WORD.fullmatch(term) else term

    def in_place(token: str) -> list[str]:
        return [stemmed(term) for term in terms_of_token(token)]

    def ask_in_place(text: str) -> list[Asked]:
        found: dict[str, Asked] = {}
        for each in as_shipped(text):
            found.setdefault(stemmed(each.terms[0]), replace(each, terms=(stemmed(each.terms[0]),)))
        return list(found.values())

    def beside(token: str) -> list[str]:
        terms = terms_of_token(token)
        return [*terms, *("~" + stem(term) for term in terms if _WORD.fullmatch(term))]

    def ask_beside(text: str, weight: float) -> list[Asked]:
        words = [replace(each, terms=each.terms[:1]) for each in as_shipped(text)]
        stems = dict.fromkeys(stem(each.terms[0]) for each in words if _WORD.fullmatch(each.terms[0]))
        return words + [Asked(("~" + each,), weight, True) for each in stems]

    return [
        Variant("snowball in place", terms_of=in_place, ask=ask_in_place),
        *(
            Variant(f"snowball beside x {weight}", terms_of=beside, ask=partial(ask_beside, weight=weight))
            for weight in (0.25, 0.5)
        ),
    ]


def morphemes() -> list[Variant]:
    """Morphemes beside the bigrams, and in their place: `pip install python-mecab-ko`."""
    try:
        from mecab import MeCab
    except ImportError:
        return []
    tagger = MeCab()

    @lru_cache(maxsize=1 << 17)
    def content_of(token: str) -> tuple[str, ...]:
        if not _HANGUL.search(token):
            return ()
        tagged = [(surface, tag) for surface, tag in tagger.pos(token) if not surface.isascii()]
        return tuple("~" + surface for surface, tag in tagged if tag.startswith(_CONTENT))

    def beside(token: str) -> list[str]:
        return [*terms_of_token(token), *content_of(token)]

    def ask(text: str, weight: float, of_bigrams: float = 1.0) -> list[Asked]:
        words = [
            each if each.is_extra or each.terms[0].isascii() else replace(each, weight=each.weight * of_bigrams)
            for each in as_shipped(text)
        ]
        stems = dict.fromkeys(stem for token in tokens(text) for stem in content_of(token))
        return words + [Asked((stem,), weight, of_bigrams > 0) for stem in stems]

    def in_place(token: str) -> list[str]:
        return [*(term for term in terms_of_token(token) if term.isascii()), *content_of(token)]

    return [
        *(
            Variant(f"morphemes beside x {weight}", terms_of=beside, ask=partial(ask, weight=weight))
            for weight in (0.25, 0.5, 1.0)
        ),
        Variant("morphemes, bigrams x 0.5", terms_of=beside, ask=partial(ask, weight=1.0, of_bigrams=0.5)),
        Variant("morphemes in place", terms_of=in_place, ask=partial(ask, weight=1.0, of_bigrams=0.0)),
    ]
