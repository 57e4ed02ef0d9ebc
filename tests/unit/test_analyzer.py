"""What a text and a query are cut into, and that a query finds the text that it was written for."""

import time
import unicodedata

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from consiglierd.text.analyzer import (
    MAX_TERM_CHARACTERS,
    QueryTerm,
    analyze,
    analyze_query,
    term_key,
    tokens,
)
from consiglierd.text.pairs import pairs_of

PIECES = st.one_of(
    st.text(max_size=12),
    st.text(alphabet="aBz09._- vV가나다漢カé를", max_size=16),
    st.sampled_from(("로그인", "getUserName", "v1.0.21", "auth를", "APIs", "src/api/auth.ts", "parse_config", "①")),
)
TEXTS = st.lists(PIECES, max_size=6).map(" ".join)


def basis(query: str) -> set[str]:
    return {term.term for term in analyze_query(query) if term.is_basis}


def words_of(query: str) -> list[QueryTerm]:
    """The terms of a query without its pairs of words."""
    return [term for term in analyze_query(query) if not term.is_extra]


def covers(text: str, query: str) -> bool:
    """Whether the text holds everything that the query asks for."""
    held = set(analyze(text))
    return all(held & {term.term, *term.covered_by} for term in analyze_query(query) if term.is_basis)


@pytest.mark.parametrize(
    ("text", "terms"),
    [
        ("오류", ["오류"]),
        ("로그인", ["로그", "그인", "로그인"]),
        ("값", ["값"]),
        ("auth를", ["auth", "를"]),
        ("漢字カナ", ["漢字", "字カ", "カナ", "漢字カナ"]),
        ("getUserName", ["get", "user", "name", "getusername"]),
        ("HTTPServer", ["http", "server", "httpserver"]),
        ("user_name", ["user", "name", "user_name"]),
        ("release-notes", ["release", "notes", "release-notes"]),
        ("src/api/auth.ts", ["src", "api", "auth", "ts", "auth.ts"]),
        ("v1.0.21", ["1.0.21", "1.0", "1", "0", "21"]),
        ("iOS eBay", ["ios", "ebay"]),
        ("APIs", ["api", "apis"]),
        ("utf8", ["utf", "8", "utf8"]),
        ("ISSUE-7", ["issue", "7", "issue-7"]),
        ("__init__", ["init"]),
        ("ＡＢＣ ① Straße", ["abc", "1", "strasse"]),
        ("(-- ... ✓ !)", []),
        ("", []),
    ],
)
def test_terms_of_a_text(text: str, terms: list[str]) -> None:
    assert analyze(text) == terms


def test_repeats_are_kept_in_a_text_and_not_in_a_query() -> None:
    assert analyze("token token") == ["token", "token"]
    assert [term.term for term in analyze_query("token Token")] == ["token"]


@pytest.mark.parametrize(
    ("query", "required"),
    [
        ("로그인", {"로그", "그인"}),
        ("getUserName", {"get", "user", "name"}),
        ("user_name", {"user", "name"}),
        ("1.0.21", {"1.0.21"}),
        ("auth를", {"auth"}),
        ("auth에서", {"auth", "에서"}),
        ("값", {"값"}),
        ("APIs", {"api"}),
        ("를 auth를", {"를", "auth"}),
        ("1.0.21 21", {"1.0.21", "21"}),
    ],
)
def test_a_query_requires_no_more_than_its_parts(query: str, required: set[str]) -> None:
    assert basis(query) == required


def test_a_long_word_asks_for_less_than_in_proportion_and_least_for_its_ending() -> None:
    weights = {term.term: term.weight for term in analyze_query("보안 로그인을")}
    assert weights["보안"] == 1.0
    assert weights["로그"] == weights["그인"] == 3**-0.5
    assert weights["인을"] == weights["로그"] / 2


def test_pairs_of_words_are_asked_for_and_not_required() -> None:
    pairs = [term for term in analyze_query("로그인 토큰을 갱신") if term.is_extra]
    assert [term.term for term in pairs] == ["로그 토큰", "토큰 갱신"]
    assert not any(term.is_basis for term in pairs)


def test_what_is_not_required_weighs_less() -> None:
    weights = {term.term: term.weight for term in analyze_query("getUserName 로그인")}
    assert weights["get"] == weights["user"] == 1.0
    assert 0 < weights["getusername"] < 1
    assert 0 < weights["로그인"] < 1


def test_forms_of_one_word_are_asked_for_once() -> None:
    (term,) = words_of("requires require required")
    assert term.term == "requires"
    assert {"require", "required", "requiring"} <= set(term.forms) <= set(term.covered_by)


def test_terms_of_one_token_share_its_word() -> None:
    words = {term.term: term.word for term in analyze_query("token getUserName 로그인")}
    assert words["get"] == words["getusername"] != words["token"]
    assert words["로그"] == words["그인"] not in (words["get"], words["token"])


@pytest.mark.parametrize(
    ("query", "text"),
    [
        ("JavaScript", "written in javascript"),
        ("user name", "def getUserName(): ..."),
        ("getUserName", "the get_user_name of old"),
        ("v1.0", "released as 1.0.21"),
        ("1.0.21", "v1.0.21"),
        ("API", "three APIs"),
        ("apis", "three APIs"),
        ("로그인 오류", "재로그인시 오류가 난다"),
        ("auth를", "auth가 실패한다"),
        ("auth", "docs/auth.md"),
        ("Swift UI", "SwiftUI"),
        ("require token", "it requires tokens"),
        ("running queries", "runs the query"),
        ("a cached class", "a class that caches"),
        ("user naming", "def getUserName(): ..."),
        ("naïve ＡＰＩ", unicodedata.normalize("NFD", "NAÏVE api")),
    ],
)
def test_a_query_is_covered_by(query: str, text: str) -> None:
    assert covers(text, query)


@pytest.mark.parametrize(
    ("query", "text"),
    [
        ("1.0.22", "v1.0.21"),
        ("getUserName", "getUserAge"),
        ("로그아웃", "로그인"),
        ("java", "javascript"),
        ("us", "used"),
        ("hooks 목록", "hook 목록"),
    ],
)
def test_a_query_is_not_covered_by(query: str, text: str) -> None:
    assert not covers(text, query)


@settings(deadline=None)
@given(TEXTS)
def test_a_text_covers_itself(text: str) -> None:
    assert covers(text, text)
    counted = {each for term in words_of(text) for each in term.counted}
    assert {term.term for term in words_of(text)} <= set(analyze(text)) <= counted
    assert {term.term for term in analyze_query(text) if term.is_extra} == set(pairs_of(tokens(text)))


@settings(deadline=None)
@given(TEXTS)
def test_terms_are_short_and_never_empty(text: str) -> None:
    assert all(0 < len(term) <= MAX_TERM_CHARACTERS for term in analyze(text))


@settings(deadline=None)
@given(TEXTS)
def test_normal_forms_give_the_same_terms(text: str) -> None:
    composed, decomposed = (unicodedata.normalize(form, text) for form in ("NFC", "NFD"))
    assert analyze(composed) == analyze(decomposed) == analyze(text)


@settings(deadline=None)
@given(TEXTS, TEXTS)
def test_lines_are_independent(first: str, second: str) -> None:
    assert analyze(f"{first}\n{second}") == analyze(first) + analyze(second)


@pytest.mark.parametrize("piece", ["a.", "aB", "1.", "가a", "_", "-a", "가", "A", "1.1a", "a_", "ß"])
def test_a_hostile_token_costs_time_in_proportion_and_gives_short_terms(piece: str) -> None:
    elapsed = []
    for repeats in (4_000, 32_000):
        before = time.process_time()
        terms = analyze(piece * repeats)
        elapsed.append(time.process_time() - before)
        assert max(map(len, terms), default=0) <= MAX_TERM_CHARACTERS
        assert len(terms) <= 2 * len(piece) * repeats
    # Eight times the text may cost eight times as long; what grows with its square would cost 64 times.
    assert elapsed[1] <= 30 * elapsed[0] + 0.2


def test_keys_of_terms_stay_what_they_were() -> None:
    """Stored terms are of no use once this changes: then the analyzer's fingerprint must change too."""
    assert term_key("로그인") == 15069152348641901193
    assert term_key("token") == 4540123868302121844
    assert term_key("로그 다시") == 12499388922045923329
