"""The ways of weighing words that benchmarks.lexical compares with the shipped one, by group."""

import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from itertools import pairwise

from benchmarks.lexical_libraries import morphemes, snowball
from benchmarks.lexical_ranker import Asked, Variant, as_shipped
from consiglierd.text.analyzer import QueryTerm, analyze_query, terms_of_token, tokens
from consiglierd.text.inflection import forms_of
from consiglierd.text.pairs import pairs_of

_WORD = re.compile(r"[a-z]{3,}")
_RUNS = re.compile(r"[가-힣]+|[A-Za-z]{2,}")
_SHORT_RUN = re.compile(r"[가-힣]{2,3}")
_SYLLABLE = re.compile(r"[가-힣]")
# What may follow a word of one syllable in the same bigram: the first syllable of a particle or an ending.
_PARTICLES = "을를이가은는의에로으와과도만들"
_SHIPPED_PAIRS = 0.25
_MAX_TERMS = 128


def variants() -> Mapping[str, list[Variant]]:
    """By the name of their group."""
    return {
        "k1, b": [Variant(f"k1 {k1}, b {b}", k1=k1, b=b) for k1 in (0.9, 1.2, 1.6) for b in (0.6, 0.75, 0.9)],
        "heading": [Variant(f"heading {count}", heading=count) for count in (0, 2, 3, 4)],
        "path": [Variant(f"path {count}", path=count, against="path 1") for count in (1, 2, 3, 4)],
        "weights": _weights(),
        "short texts": [Variant(f"at least {share} of the mean", least_length=share) for share in (0.1, 0.2, 0.3, 0.5)],
        "one syllable": _of_one_syllable(),
        "side by side": _side_by_side(),
        "forms": _forms(),
        "libraries": [*snowball(), *morphemes()],
    }


def _weights() -> list[Variant]:
    choices = {
        "of_compound": (0.0, 0.25, 1.0),
        "of_whole": (0.0, 0.5, 1.0),
        "of_last": (0.5, 1.5, 2.0),
        "of_latin": (0.5, 0.75, 1.25, 1.5, 2.0),
        "power": (0.0, 1.0),
    }
    return [
        Variant(f"{name.removeprefix('of_')} {value}", ask=partial(_scaled, **{name: value}))
        for name, values in choices.items()
        for value in values
    ]


def _scaled(
    text: str,
    of_compound: float = 0.5,
    of_whole: float = 0.25,
    of_last: float = 1.0,
    of_latin: float = 1.0,
    of_syllable: float = 1.0,
    power: float = 0.5,
) -> list[Asked]:
    """The shipped terms with other weights: `of_last` times the weight of a last bigram, `of_latin` times that of a
    word that is not CJK; `power`: by how much a word of many bigrams asks for less of each."""
    asked = []
    for each in analyze_query(text)[:_MAX_TERMS]:
        is_cjk, weight = not each.term.isascii(), each.weight
        if each.is_extra:
            asked.append(Asked(each.counted, weight, True))
            continue
        if not each.is_basis:
            weight = of_whole if is_cjk else of_compound
        elif is_cjk and len(each.term) == 1:
            weight *= of_syllable
        elif is_cjk:
            weight = _bigram_weight(each, of_last, power)
        asked.append(Asked(each.counted, weight * (1.0 if is_cjk else of_latin)))
    return asked


def _bigram_weight(each: QueryTerm, of_last: float, power: float) -> float:
    bigrams = round(each.weight**-2)
    # A last bigram has half the weight of the others of its word, so that four times as many seem to be there.
    is_last = bigrams % 4 == 0 and bigrams > 4
    if is_last:
        return float((bigrams // 4) ** -power * 0.5 * of_last)
    return float(bigrams**-power)


def _of_one_syllable() -> list[Variant]:
    return [
        Variant("first syllable of a short word", terms_of=_with_first_syllable),
        *(Variant(f"with particles x {weight}", ask=partial(_with_particles, weight=weight)) for weight in (1.0, 0.5)),
        *(Variant(f"asks x {weight}", ask=partial(_scaled, of_syllable=weight)) for weight in (0.0, 0.25, 0.5)),
    ]


def _with_first_syllable(token: str) -> list[str]:
    short = (run for run in _RUNS.findall(token) if _SHORT_RUN.fullmatch(run))
    return [*terms_of_token(token), *(run[0] for run in short)]


def _with_particles(text: str, weight: float) -> list[Asked]:
    return [
        replace(each, terms=(*each.terms, *(each.terms[0] + following for following in _PARTICLES)), weight=weight)
        if _SYLLABLE.fullmatch(each.terms[0])
        else each
        for each in as_shipped(text)
    ]


def _side_by_side() -> list[Variant]:
    return [
        Variant("no pairs", ask=partial(_with_pairs, weight=0.0), has_pairs=False),
        *(Variant(f"pairs x {weight}", ask=partial(_with_pairs, weight=weight)) for weight in (0.15, 0.35, 0.5, 1.0)),
        Variant("pairs, attainable", ask=partial(_with_pairs, weight=_SHIPPED_PAIRS, is_extra=False)),
        *(Variant(f"written as one x {weight}", ask=partial(_joined, weight=weight)) for weight in (0.1, 0.25, 0.5)),
    ]


def _with_pairs(text: str, weight: float, is_extra: bool = True) -> list[Asked]:
    words = [each for each in as_shipped(text) if not each.is_extra]
    pairs = dict.fromkeys(pairs_of(tokens(text))) if weight else ()
    return words + [Asked((pair,), weight, is_extra) for pair in pairs]


def _joined(text: str, weight: float) -> list[Asked]:
    """Words that a text may write as one: `group by` for groupBy, of `다크 모드` the bigram at the border."""
    asked = as_shipped(text)
    known = {each.terms[0] for each in asked}
    for first, second in pairwise(_RUNS.findall(text)):
        if first.isascii() != second.isascii() or f"{first} {second}" not in text:
            continue
        joined = (first + second).casefold() if first.isascii() else first[-1] + second[0]
        if joined not in known:
            known.add(joined)
            asked.append(Asked((joined,), weight, True))
    return asked


def _forms() -> list[Variant]:
    return [
        Variant("no other forms", ask=_without_forms),
        Variant("-s alone", ask=partial(_with_forms, forms=_with_or_without_s)),
        Variant("among CJK too", ask=partial(_with_forms, forms=forms_of, everywhere=True)),
        Variant("not of parts of identifiers", ask=partial(_with_forms, forms=forms_of, of_parts=False)),
        *(Variant(f"as a term beside x {weight}", ask=partial(_beside, weight=weight)) for weight in (0.25, 0.5)),
    ]


def _without_forms(text: str) -> list[Asked]:
    return _with_forms(text, lambda _: ())


def _with_forms(
    text: str, forms: Callable[[str], tuple[str, ...]], everywhere: bool = False, of_parts: bool = True
) -> list[Asked]:
    """Each English word with other forms, counted together; `everywhere`: in questions with CJK too."""
    asked: list[Asked] = []
    seen: set[str] = set()
    # With a CJK mark the analyzer leaves forms out: these are the words as they stand.
    for each in (term for term in analyze_query(f"{text} 가")[:_MAX_TERMS] if term.term != "가"):
        others: tuple[str, ...] = ()
        is_wanted = each.is_basis and (of_parts or not each.covered_by)
        if is_wanted and _WORD.fullmatch(each.term) and (everywhere or text.isascii()):
            if each.term in seen:
                continue
            others = forms(each.term)
            seen.update(others)
        asked.append(Asked((each.term, *others), each.weight, each.is_extra))
    return asked


def _with_or_without_s(word: str) -> tuple[str, ...]:
    return tuple(form for form in forms_of(word) if form + "s" == word or word + "s" == form)


def _beside(text: str, weight: float) -> list[Asked]:
    """The other forms of each English word as one term of their own, of less weight."""
    shipped = as_shipped(text)
    return [replace(each, terms=each.terms[:1]) for each in shipped] + [
        Asked(each.terms[1:], each.weight * weight, True) for each in shipped if each.terms[1:]
    ]
