"""The other forms that an English word may have in a text, without a dictionary.

They are guessed by the spelling alone (after Harman, "How Effective Is Suffixing?", 1991, turned round): a form that
is no word stands in no text and does no harm.
"""

from functools import lru_cache

_SIBILANTS = ("s", "x", "z", "ch", "sh")
_VOWELS = "aeiou"
# What is never doubled before -ed and -ing.
_SINGLE = "aeiouwxys"
_SHORTEST = 3


@lru_cache(maxsize=1 << 12)
def forms_of(word: str) -> tuple[str, ...]:
    """Other forms of a case-folded word of ASCII letters: -s, -es, -ies, -ed, -ing; never the word itself."""
    if len(word) < _SHORTEST:
        return ()
    roots = _roots(word)
    found: dict[str, None] = {}
    for root in roots:
        stem = root.removesuffix("e")
        for form in (root, *_with_s(root), stem + "ing", stem + "ed"):
            found[form] = None
        if _is_doubled(root):
            for form in (root + root[-1] + "ing", root + root[-1] + "ed"):
                found[form] = None
    found.pop(word, None)
    return tuple(found)


def _roots(word: str) -> list[str]:
    """What the word may be a form of: requiring of require (and of requir), running of run (and of runn, runne)."""
    for ending in ("ing", "ed"):
        if word.endswith(ending) and len(word) - len(ending) >= _SHORTEST:
            root = word.removesuffix(ending)
            return sorted({root, root + "e"} | ({root[:-1]} if root[-1] == root[-2] else set()))
    one = _without_s(word)
    if len(one) < _SHORTEST:
        return [word]
    return sorted({one} | ({one + "e"} if one != word and word.endswith("es") else set()))


def _without_s(word: str) -> str:
    if word.endswith("ies") and not word.endswith(("eies", "aies")):
        return word[:-3] + "y"
    if word.endswith(("ses", "xes", "zes", "ches", "shes")):
        return word[:-2]
    if word.endswith("s") and not word.endswith(("us", "ss", "is")):
        return word[:-1]
    return word


def _with_s(root: str) -> tuple[str, ...]:
    if root.endswith("y") and root[-2:-1] not in _VOWELS:
        return (root[:-1] + "ies",)
    return (root + "s", root + "es") if root.endswith(_SIBILANTS) else (root + "s",)


def _is_doubled(root: str) -> bool:
    """Whether a last consonant may be doubled, as in running."""
    return root[-1] not in _SINGLE and root[-2] in _VOWELS and root[-3:-2] not in ("", *_VOWELS)
