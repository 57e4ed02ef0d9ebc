"""Windows: everything lies in exactly one of them, each has the title in front, none is too long."""

import re

from hypothesis import given
from hypothesis import strategies as st

from consiglierd.embed.windows import MAX_WINDOWS, fingerprint_of, windows_of
from consiglierd.embed.windows import units_of as units_of_backend


def units_of(text: str) -> int:
    return len(re.findall(r"[가-힣]{1,2}|[A-Za-z]+|\d+|[^\w\s]|_+", text))


def test_a_short_text_is_one_window_with_its_title() -> None:
    assert windows_of("제목", "짧은 글이다.") == ["제목\n짧은 글이다."]
    assert windows_of("", "text") == ["text"]
    assert windows_of("제목", " \n ") == ["제목"]
    assert windows_of("", "") == []


def test_a_long_text_is_cut_at_white_space() -> None:
    text = " ".join(f"word{number}" for number in range(100))
    windows = windows_of("T", text, 10)
    assert [window.split("\n")[1] for window in windows[:2]] == [
        "word0 word1 word2 word3 word4",
        "word5 word6 word7 word8 word9",
    ]
    assert " ".join(window.removeprefix("T\n") for window in windows) == text


def test_a_word_longer_than_a_window_is_cut_inside() -> None:
    assert [len(window) for window in windows_of("", "가" * 50, 10)] == [20, 20, 10]
    assert [len(window) for window in windows_of("", "a" * 5000, 10)][:2] == [640, 640]


def test_a_long_title_is_shortened() -> None:
    window = windows_of("제목 " * 100, "글")[0]
    assert units_of(window.split("\n")[0]) == 24


def test_a_giant_text_has_a_bounded_number_of_windows() -> None:
    assert len(windows_of("t", "word " * 100_000)) == MAX_WINDOWS


@given(st.text(alphabet="가나다ab1 _-.\n\u0301漢", max_size=300), st.integers(min_value=1, max_value=12))
def test_every_character_lies_in_exactly_one_window(text: str, size: int) -> None:
    windows = windows_of("", text, size)
    assert len(windows) < MAX_WINDOWS or len(windows) == MAX_WINDOWS
    joined = "".join("".join(window.split()) for window in windows)
    whole = "".join(text.split())
    assert joined == whole if len(windows) < MAX_WINDOWS else whole.startswith(joined)
    assert all(units_of(window) <= size for window in windows)


def test_an_encoder_reads_longer_windows_than_a_table() -> None:
    assert (
        units_of_backend("bundled")
        < units_of_backend("quality")
        == units_of_backend("ollama")
        == units_of_backend("sentence-transformers")
    )
    assert fingerprint_of(units_of_backend("bundled")) != fingerprint_of(units_of_backend("quality"))
