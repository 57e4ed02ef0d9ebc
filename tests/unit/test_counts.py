"""Term counts: what is weighed how often, and that packing loses nothing."""

from collections import Counter

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from consiglierd.text.analyzer import analyze, term_key, tokens
from consiglierd.text.counts import (
    HEADING_WEIGHT,
    PATH_WEIGHT,
    TermCounts,
    count_chunk,
    count_path,
    count_section,
    merge,
    pack,
    path_terms,
    unpack,
    unpack_many,
)
from consiglierd.text.pairs import pairs_of

TEXTS = st.text(alphabet="abAB01_.- 가나다漢字ä\n", max_size=80)


def as_mapping(counts: TermCounts) -> dict[int, int]:
    return dict(zip(counts.keys.tolist(), counts.counts.tolist(), strict=True))


def brute(*weighed: tuple[str, int], text: str = "") -> dict[int, int]:
    """Terms by their weight; of `text` its pairs of words too."""
    found: dict[int, int] = {}
    for pair in pairs_of(tokens(text)):
        found[term_key(pair)] = found.get(term_key(pair), 0) + 1
    weighed = ((text, 1), *weighed)
    for text, weight in weighed:
        for term in analyze(text):
            found[term_key(term)] = found.get(term_key(term), 0) + weight
    return found


@given(TEXTS, st.lists(TEXTS, max_size=3))
def test_a_section_counts_its_text_once_and_its_headings_by_their_weight(text: str, headings: list[str]) -> None:
    counts = count_section(text, headings)
    assert as_mapping(counts) == brute(*((heading, HEADING_WEIGHT) for heading in headings), text=text)
    assert counts.length == sum(as_mapping(counts).values())
    assert (np.diff(counts.keys.astype(object)) > 0).all()


@given(TEXTS)
def test_a_path_counts_by_its_weight(path: str) -> None:
    assert as_mapping(count_path(path)) == brute((path, PATH_WEIGHT)) == dict(path_terms(path))


@given(TEXTS, TEXTS)
def test_packing_loses_nothing_and_is_equal_for_equal_counts(text: str, heading: str) -> None:
    counts = count_section(text, [heading])
    again = unpack(pack(counts))
    assert as_mapping(again) == as_mapping(counts)
    assert again.length == counts.length
    assert pack(again) == pack(counts)


def test_counts_of_every_width_are_packed() -> None:
    for most in (1, 255, 256, 65_535, 65_536, 4_000_000_000):
        counts = TermCounts(np.array([3, 2**64 - 1], np.uint64), np.array([1, most], np.uint32), most + 1)
        assert as_mapping(unpack(pack(counts))) == {3: 1, 2**64 - 1: most}
        assert unpack(pack(counts)).length == most + 1


@given(TEXTS, TEXTS)
def test_merging_adds_up(first: str, second: str) -> None:
    merged = merge(count_section(first, ()), count_section(second, ()))
    assert Counter(as_mapping(merged)) == Counter(brute(text=first)) + Counter(brute(text=second))
    assert merged.length == sum(as_mapping(merged).values())


def test_a_chunk_is_its_section_and_its_path() -> None:
    chunk = count_chunk(pack(count_section("auth.ts 를 고쳤다", ("로그인",))), "src/auth.ts")
    assert as_mapping(chunk) == brute(
        ("로그인", HEADING_WEIGHT), ("src/auth.ts", PATH_WEIGHT), text="auth.ts 를 고쳤다"
    )


def test_empty_text_has_no_terms() -> None:
    assert unpack(pack(count_section("", ()))).length == 0
    assert len(merge(count_section("", ()), count_section("✓", ())).keys) == 0


def test_many_packed_texts_unpack_as_each_of_them_does() -> None:
    texts = ["", "토큰 갱신 오류 token", "a " * 300 + "b", "c " * 70_000, "", "x y z"]
    packed = [pack(count_section(text, ("제목",) if text else ())) for text in texts]
    each = [unpack(one) for one in packed]
    many = unpack_many(packed)
    assert many.sizes == [len(one.keys) for one in each]
    assert many.lengths == [one.length for one in each]
    assert many.keys.tolist() == [key for one in each for key in one.keys.tolist()]
    assert many.counts.tolist() == [count for one in each for count in one.counts.tolist()]
    assert unpack_many([]).keys.tolist() == []
    assert unpack_many(packed[:2]).counts.tolist() == each[1].counts.tolist()
