"""The form for people: the text stays verbatim, what we say is told apart from it, nothing steers a terminal."""

import os
import pty
import tempfile
from collections.abc import Callable
from typing import Any

import pytest

from consigliere.render.json import write_error, write_object
from consigliere.render.plain import WORDS, write_search
from consigliere.render.terminal import Output, complain, language_of
from tests.support.answering_router import A_HIT, A_SEARCH, EMPTY_SEARCH


def printed(write: Callable[[Output], None]) -> str:
    """What reaches a file on descriptor 1."""
    with tempfile.TemporaryFile() as file:
        kept = os.dup(1)
        try:
            os.dup2(file.fileno(), 1)
            output = Output()
            write(output)
            output.flush()
        finally:
            os.dup2(kept, 1)
            os.close(kept)
        file.seek(0)
        return file.read().decode("utf-8")


def shown(write: Callable[[Output], None]) -> str:
    """What reaches a terminal on descriptor 1."""
    leader, follower = pty.openpty()
    kept = os.dup(1)
    try:
        os.dup2(follower, 1)
        output = Output()
        write(output)
        output.flush()
        return os.read(leader, 65536).decode("utf-8").replace("\r\n", "\n")
    finally:
        os.dup2(kept, 1)
        for descriptor in (kept, leader, follower):
            os.close(descriptor)


def search(language: str = "en", **fields: Any) -> Callable[[Output], None]:
    reply: Any = {**A_SEARCH, **fields}
    return lambda output: write_search(output, reply, language=language)


def test_a_hit_is_a_line_of_facts_and_its_text_indented_by_two() -> None:
    assert printed(search()) == (
        "docs/rules.md:12-14  rules · 2026-03-28 · decided · architecture   0.83\n"
        "  ## 에이전트 관리\n"
        "  \n"
        "  PM이 관리 ✓\n"
    )


def test_the_text_can_be_had_back_exactly() -> None:
    text = "  indented\n\n\ttab\x1b[31m\x0b\u2028 ⚠ mine\ntrailing  "
    out = printed(search(hits=[{**A_HIT, "text": text}]))
    assert "\n".join(line[2:] for line in out.split("\n")[1:-1]) == text


def test_blocks_are_parted_by_an_empty_line_and_unknown_facts_are_left_out() -> None:
    plain = {**A_HIT, "date": None, "status": "active", "rooms": [], "text": "x", "line_end": 12}
    assert printed(search(hits=[plain, plain])) == (
        "docs/rules.md:12-12  rules   0.83\n  x\n\ndocs/rules.md:12-12  rules   0.83\n  x\n"
    )


def test_notes_of_a_hit_and_of_the_answer_are_marked() -> None:
    hit = {
        **A_HIT,
        "text": "x",
        "truncated": True,
        "also": [{"file": "b.md", "line_start": 9}],
        "annotations": [{"kind": "superseded", "text": "superseded by", "file": "docs/CHANGELOG.md", "line": 45}],
    }
    lag = {"lexical": 0, "vector": 3}
    out = printed(search(hits=[hit], withheld=2, partial=["reconciling"], lag=lag))
    assert "  ⚠ superseded by docs/CHANGELOG.md:45\n" in out
    assert "b.md:9\n" in out
    assert "--full" in out
    assert out.split("\n\n")[1] == (
        "⚠ withheld, because private to another role: 2\n"
        "⚠ incomplete: reconciling\n"
        "⚠ not indexed yet: revisions that the vector index is behind: 3\n"
    )


@pytest.mark.parametrize("language", ["en", "ko"])
def test_no_results_say_why_in_one_line_that_holds_both_languages(language: str) -> None:
    out = printed(lambda output: write_search(output, EMPTY_SEARCH, language=language))  # type: ignore[arg-type]  # the table's dicts are plain
    assert out.startswith("검색 결과 없음 (no results): ")
    assert out.count("\n") == 1
    assert EMPTY_SEARCH["reason"] in out


@pytest.mark.parametrize("language", ["en", "ko"])
def test_an_answer_during_the_first_index_names_the_command_that_waits(language: str) -> None:
    told = printed(search(language, hits=[], reason="still indexing, 3 of 10 files", reason_code="indexing"))
    assert "still indexing, 3 of 10 files" in told
    assert "`consigliere index`" in told


def test_both_languages_have_the_same_words() -> None:
    assert WORDS["ko"].keys() == WORDS["en"].keys()
    for key, text in WORDS["en"].items():
        assert text.count("{") == WORDS["ko"][key].count("{")


def test_the_explanation_shows_every_part() -> None:
    told = {
        "terms": [{"term": "관리", "idf": 1.5, "count": 2, "weight": 0.25}],
        "coverage": 1.0,
        "length": 10,
        "average_length": 12.5,
        "role": "role pm: rules count 1.40",
        "room": "rooms: architecture",
        "next_lower": "docs/b.md:1 holds 0.5 of the query",
    }
    out = printed(search(hits=[{**A_HIT, "explanation": told}]))
    for part in (
        "0.834000",
        "base 0.600000",
        "role 1.39",
        "관리: idf 1.500, count 2",
        "12.5",
        *list(told.values())[-3:],
    ):
        assert str(part) in out


def test_a_terminal_is_never_steered_by_a_file() -> None:
    hostile = {**A_HIT, "text": "\x1b]0;owned\x07\x9b31m\x7f\u202egnp\ttab", "file": "a\x1b[2J\n.md"}
    out = shown(search(hits=[hostile]))
    assert "\\x1b]0;owned\\x07\\x9b31m\\x7f\\u202egnp\ttab" in out
    ours = out.replace("\x1b[1m", "").replace("\x1b[0m", "").replace("\x1b[2m", "")
    assert not any(character in ours for character in "\x1b\x9b\x07\x7f\u202e")


def test_a_name_cannot_end_its_line_in_a_pipe_either() -> None:
    name = "a\n\tb\x1b[2J\u202e가.md"
    hit = {
        **A_HIT,
        "file": name,
        "text": "x",
        "also": [{"file": name, "line_start": 9}],
        "line_start": 1,
        "line_end": 1,
    }
    first, _, also, _ = printed(search(hits=[hit])).split("\n")
    assert first.startswith("a\\x0a\\x09b\\x1b[2J\\u202e가.md:1-1  ")
    assert also.endswith(" a\\x0a\\x09b\\x1b[2J\\u202e가.md:9")


def test_a_pipe_gets_no_colour_and_the_text_verbatim() -> None:
    out = printed(search(hits=[{**A_HIT, "text": "\x1b[31mred"}]))
    assert out.split("\n")[1] == "  \x1b[31mred"
    assert "\x1b[1m" not in out


def test_no_colour_on_a_terminal_that_was_asked_to_have_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    assert "\x1b" not in shown(search())


def test_json_is_the_reply_on_one_line() -> None:
    import json

    out = printed(lambda output: write_object(output, A_SEARCH))
    assert out.count("\n") == 1
    assert json.loads(out) == A_SEARCH
    assert "에이전트" in out
    out = printed(lambda output: write_error(output, "busy", "full", ""))
    assert json.loads(out) == {"error": {"code": "busy", "message": "full", "cure": ""}}


def test_a_complaint_is_one_line(capfd: pytest.CaptureFixture[str]) -> None:
    complain("what\nhappened", "do this")
    assert capfd.readouterr().err == "consigliere: what happened; do this\n"


def test_the_setting_decides_the_language_before_the_locale(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LC_ALL", "ko_KR.UTF-8")
    assert [language_of(setting) for setting in ("auto", "ko", "en", "")] == ["ko", "ko", "en", "ko"]
    monkeypatch.setenv("LC_ALL", "C")
    assert language_of("auto") == "en"
