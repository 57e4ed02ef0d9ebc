"""The other forms of English words, by their spelling alone."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from consiglierd.text.inflection import forms_of

WORDS = st.text(alphabet="abceginsxyz", max_size=10)


@pytest.mark.parametrize(
    "forms",
    [
        ("require", "requires", "required", "requiring"),
        ("run", "runs", "running"),
        ("query", "queries", "querying"),
        ("cache", "caches", "cached", "caching"),
        ("process", "processes", "processed", "processing"),
        ("class", "classes"),
        ("box", "boxes"),
        ("node", "nodes"),
        ("key", "keys"),
    ],
)
def test_each_form_has_all_the_others(forms: tuple[str, ...]) -> None:
    for word in forms:
        assert set(forms) - {word} <= set(forms_of(word))


@pytest.mark.parametrize(
    ("word", "other"), [("us", "use"), ("bus", "bu"), ("class", "clas"), ("this", "thi"), ("red", "r"), ("bring", "br")]
)
def test_an_ending_that_is_none_is_not_cut_off(word: str, other: str) -> None:
    assert other not in forms_of(word)


@given(WORDS)
def test_forms_are_few_distinct_and_not_the_word(word: str) -> None:
    forms = forms_of(word)
    assert len(set(forms)) == len(forms) <= 16
    assert word not in forms
    assert all(len(form) >= len(word) - 3 for form in forms)
