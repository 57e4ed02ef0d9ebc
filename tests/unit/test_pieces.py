"""Pieces: the likeliest cut of each word, found by trying all; nothing of a text that is not a word counts."""

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from consiglierd.embed.pieces import START, PieceCutter, words_of

PIECES = {
    f"{START}ab": -3.0,
    f"{START}a": -4.0,
    START: -6.0,
    "a": -5.0,
    "b": -5.5,
    "c": -5.0,
    "ca": -6.5,
    "bca": -8.0,
    f"{START}가": -4.0,
    "가": -5.0,
    "나가": -6.0,
    "나": -5.0,
}
NAMES = tuple(PIECES)


def cuts_of(word: str) -> list[tuple[str, ...]]:
    """Every way to cut a word into known pieces."""
    found = []
    for count in range(len(word)):
        for borders in itertools.combinations(range(1, len(word)), count):
            edges = (0, *borders, len(word))
            parts = tuple(word[first:last] for first, last in itertools.pairwise(edges))
            if all(part in PIECES for part in parts):
                found.append(parts)
    return found


@given(st.text(alphabet="abc", min_size=1, max_size=7))
def test_the_cut_of_a_word_is_the_likeliest_of_all(word: str) -> None:
    found = PieceCutter(NAMES, PIECES.values()).numbers_of(word)
    best = max(sum(PIECES[part] for part in parts) for parts in cuts_of(START + word))
    assert sum(PIECES[NAMES[number]] for number in found) == pytest.approx(best)
    assert "".join(NAMES[number] for number in found) == START + word


@given(st.text(alphabet="abc가나 .A\u1100\u1161", max_size=40), st.text(alphabet="abc가나 ", max_size=20))
def test_what_was_cut_before_changes_nothing(text: str, before: str) -> None:
    used = PieceCutter(NAMES, PIECES.values())
    used.numbers_of(before)
    assert used.numbers_of(text) == PieceCutter(NAMES, PIECES.values()).numbers_of(text)


def test_words_are_runs_of_one_kind_in_one_case() -> None:
    assert words_of("useEffect의 HTTPServer v2_is-ok") == [
        *("use", "effect", "의", "http", "server", "v", "2", "is", "-", "ok"),
    ]


def test_decomposed_hangul_is_composed_first() -> None:
    assert words_of("\u1100\u1161\u1102\u1161") == ["가나"]


def test_what_no_piece_covers_is_left_out() -> None:
    cutter = PieceCutter(NAMES, PIECES.values())
    assert [NAMES[number] for number in cutter.numbers_of("ab漢")] == [f"{START}ab"]
    assert cutter.numbers_of(" \n\t") == []


def test_a_word_of_a_million_letters_is_cut_in_time() -> None:
    assert len(PieceCutter(NAMES, PIECES.values()).numbers_of("c" * 1_000_000)) >= 1_000_000
