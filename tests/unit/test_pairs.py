"""Which two words of a text are a pair, and that text and question mean the same one."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from consiglierd.text.analyzer import term_key, tokens
from consiglierd.text.pairs import PAIR_TERMS, pair_keys, pairs_of

TEXTS = st.text(alphabet="abAB0. -_ 가나다漢字ß\n", max_size=60)


@pytest.mark.parametrize(
    ("text", "pairs"),
    [
        ("Group users", ["group users"]),
        ("group of users", ["group of", "of users"]),
        ("로그인을 다시", ["로그 다시"]),
        ("auth를 고친다", ["auth 고친"]),
        ("token, Token", []),
        ("할 수 있다\nv1.0 2 a 끝으로", ["있다 v1.0"]),
        ("하나", []),
        ("", []),
    ],
)
def test_words_side_by_side(text: str, pairs: list[str]) -> None:
    assert pairs_of(tokens(text)) == pairs


@given(TEXTS)
def test_a_pair_has_one_key_and_is_one_of_so_many(text: str) -> None:
    words = tokens(text)
    assert pair_keys(words) == [term_key(pair) for pair in pairs_of(words)]
    assert all(key * PAIR_TERMS % (1 << 64) == PAIR_TERMS for key in pair_keys(words))


def test_pairs_spread_over_all_their_terms() -> None:
    keys = {term_key(f"word{first} word{second}") for first in range(100) for second in range(100)}
    assert len(keys) > 9_700


def test_a_long_token_gives_a_short_pair() -> None:
    assert len(pairs_of(["a" * 100_000, "b" * 100_000])[0]) < 80


def test_halves_that_share_a_checksum_are_no_pair_in_either() -> None:
    assert pairs_of(["plumless", "buckeroo"]) == []
    assert pair_keys(["plumless", "buckeroo"]) == []
