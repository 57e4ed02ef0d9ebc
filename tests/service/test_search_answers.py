"""What an answer says beside its hits: reasons, what is withheld, passages, files that changed, explanations."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from consiglierd.catalog.files import FileUnavailable
from consiglierd.ingest.docs.decode import split_lines
from consiglierd.model.deadline import Deadline
from consiglierd.model.hit import Hit
from consiglierd.model.query import Filters, Query
from consiglierd.model.roles import Role, RoleTable
from tests.support.held_index import HeldIndex, Options, held

CFO = Role("cfo", "cfo", {"budget": 1.5, "memory": 0.7}, ("security",))
CMO = Role("cmo", "cmo", {"gtm": 1.5}, ())
ROLES = RoleTable({"cfo": CFO, "cmo": CMO})
NOTES = {
    "notes/login.md": "# 로그인\n\n로그인 토큰 갱신 오류\n",
    "notes/deploy.md": "# 배포\n\n서버 배포 절차와 로그인 점검\n",
    "memory/user-token.md": "토큰 갱신은 매일\n",
}
LITTLE_OF_IT = "토큰화면 로그아웃버튼 서버실온도 배포판목록 점검표양식"
LONG = "## 운영 기록\n\n" + "".join(f"줄 {number} 서버 상태\n" for number in range(80)) + "\n결제 오류 발견\n\n끝\n"

# These indexes have no vectors, and every answer says so.
WORDS_ALONE = "vector: off"


class HeldWithUnreadable(HeldIndex):
    """Some of its files are there, and cannot be read."""

    unreadable = frozenset({"notes/login.md"})

    def read(self, path: str, max_bytes: int) -> bytes:
        if path in self.unreadable:
            raise FileUnavailable(path, "unreadable")
        return super().read(path, max_bytes)


@pytest.fixture
def index(tmp_path: Path) -> Iterator[HeldIndex]:
    opened = held(tmp_path, NOTES.items(), options=Options(ROLES))
    yield opened
    opened.close()


def assert_verbatim(index: HeldIndex, hit: Hit) -> None:
    lines = split_lines(index.contents[hit.file].decode())
    assert hit.text == "\n".join(lines[hit.line_start - 1 : hit.line_end])


def test_nothing_matches(index: HeldIndex) -> None:
    result = index.search("zqxv77")
    assert (result.hits, result.reason_code) == ((), "no_match")
    assert result.reason == "nothing in the indexed documents matches"


def test_below_the_minimum_names_the_best_with_its_share_and_place(index: HeldIndex) -> None:
    result = index.search(LITTLE_OF_IT, min_score=0.3)
    assert (result.hits, result.reason_code) == ((), "below_min_score")
    best = index.search(LITTLE_OF_IT, min_score=0.0, explain=True).hits[0]
    assert best.explanation is not None
    assert result.reason is not None
    assert f"{best.file}:{best.line_start}" in result.reason
    assert f"{best.explanation.coverage:.2f}" in result.reason
    assert "0.30" in result.reason


def test_a_share_that_is_just_the_minimum_passes(tmp_path: Path) -> None:
    """Four of five terms with one and the same idf are four fifths, however floats are rounded."""
    for spare in range(1, 40, 2):
        (tmp_path / str(spare)).mkdir()
        index = held(tmp_path / str(spare), [("a.md", "aaa bbb ccc ddd\n"), ("b.md", "eee\n"), *padding(spare)])
        result = index.search("aaa bbb ccc ddd eee", min_score=0.8)
        index.close()
        assert [hit.file for hit in result.hits] == ["a.md"], spare


def padding(count: int) -> list[tuple[str, str]]:
    return [(f"n{number}.md", f"fff{number}\n") for number in range(count)]


def test_filtered_out_names_each_filter_and_how_many(index: HeldIndex) -> None:
    one = index.search("로그인", filters=Filters(types=("budget",)))
    assert (one.hits, one.reason_code) == ((), "filtered_out")
    assert one.reason == "2 matches were filtered out: 2 by --type; they have --type general"
    assert index.search("배포", filters=Filters(types=("budget",))).reason == (
        "1 match was filtered out: 1 by --type; they have --type general"
    )
    both = index.search("로그인", filters=Filters(types=("budget",), path_globs=("notes/deploy.md",)))
    assert both.reason == "2 matches were filtered out: 2 by --type, 1 by --path; they have --type general"
    every = Filters(("budget",), "2026-01-01", "2026-01-02", ("none",), ("done",), ("nowhere/**",))
    told = index.search("로그인", filters=every).reason
    assert told is not None
    for name in ("--type", "--after", "--before", "--tag", "--status", "--path"):
        assert f"2 by {name}" in told


def test_a_query_without_a_word_is_filtered_out_too(index: HeldIndex) -> None:
    assert {hit.file for hit in index.search("#").hits} == {"notes/login.md", "notes/deploy.md"}
    result = index.search("#", filters=Filters(types=("budget",)))
    assert result.reason_code == "filtered_out"
    assert (result.reason or "").startswith("2 matches were filtered out: 2 by --type;")


def test_filters_that_match_nothing_in_a_query_that_matches_nothing_are_not_blamed(index: HeldIndex) -> None:
    assert index.search("zqxv77", filters=Filters(types=("budget",))).reason_code == "no_match"


def test_while_indexing_the_reason_is_how_far_it_is(index: HeldIndex) -> None:
    index.indexing = (3, 10)
    result = index.search("zqxv77")
    assert (result.reason_code, result.reason) == ("indexing", "still indexing, 3 of 10 files")
    assert index.search("로그인").reason is None


@pytest.mark.parametrize("spelling", ["build/out.md", "./build/out.md", "/build/out.md"])
def test_an_ignored_path_is_told_with_its_rule(index: HeldIndex, spelling: str) -> None:
    index.ignored = {"build/out.md": ".gitignore:3 build/"}
    result = index.search("로그인", filters=Filters(path_globs=(spelling,)))
    assert (result.hits, result.reason_code) == ((), "ignored")
    assert result.reason == f"{spelling} is left out by .gitignore:3 build/"


def test_what_is_private_to_another_role_is_withheld_and_counted(index: HeldIndex) -> None:
    index.write(
        {"specs/cfo-budget.md": "# 예산\n\n로그인 예산 비용\n", "specs/cmo-gtm.md": "# 출시\n\n로그인 캠페인\n"}
    )
    everyone = index.search("로그인", min_score=0.0)
    assert (len(everyone.hits), everyone.withheld) == (4, 0)
    for role, sees, withheld in (("cfo", "specs/cfo-budget.md", 1), ("cmo", "specs/cmo-gtm.md", 1), ("x", None, 2)):
        result = index.search("로그인", min_score=0.0, role=role)
        private = {hit.file for hit in result.hits if hit.file.startswith("specs/")}
        assert private == ({sees} if sees else set()), role
        assert result.withheld == withheld, role
    only = index.search("캠페인", role="cfo")
    assert (only.hits, only.withheld, only.reason_code) == ((), 1, "no_match")
    assert index.search("#", role="x").withheld == 2
    assert index.search("로그인", role="x", filters=Filters(types=("gtm",))).withheld == 1


def test_an_unknown_role_changes_no_score_and_is_said(index: HeldIndex) -> None:
    plain, unknown = index.search("로그인 토큰"), index.search("로그인 토큰", role="astronaut")
    assert [(hit.file, hit.score) for hit in unknown.hits] == [(hit.file, hit.score) for hit in plain.hits]
    assert (plain.partial, unknown.partial) == (
        (WORDS_ALONE,),
        (WORDS_ALONE, "unknown role: astronaut (known: cfo, cmo)"),
    )


@pytest.mark.parametrize("line_end", ["\n", "\r\n", "\r"])
def test_a_long_text_is_shown_by_the_passage_that_matches(index: HeldIndex, line_end: str) -> None:
    index.write({"ops/log.txt": LONG.replace("서버", "서버\u2028\x0b").replace("\n", line_end)})
    (hit,) = index.search("결제 오류 발견", min_score=0.9).hits
    assert hit.truncated
    assert "결제 오류 발견" in hit.text
    assert hit.line_end - hit.line_start < 12
    assert_verbatim(index, hit)
    (whole,) = index.search("결제 오류 발견", min_score=0.9, full=True).hits
    assert not whole.truncated
    assert whole.line_end - whole.line_start > 60
    assert_verbatim(index, whole)


def test_a_short_text_is_never_cut(index: HeldIndex) -> None:
    for hit in index.search("로그인 토큰 갱신", min_score=0.0).hits:
        assert not hit.truncated
        assert_verbatim(index, hit)


def test_moved_lines_are_shown_where_they_stand_now(index: HeldIndex) -> None:
    index.write({"ops/log.txt": LONG})
    before = index.search("결제 오류 발견", min_score=0.9).hits[0]
    index.contents["ops/log.txt"] = ("새 줄\n" * 3 + LONG).encode()
    result = index.search("결제 오류 발견", min_score=0.9)
    assert result.hits[0].line_start == before.line_start + 3
    assert result.hits[0].digest != before.digest
    assert result.partial == (WORDS_ALONE, "changed: ops/log.txt")
    assert index.changed == ["ops/log.txt"]
    assert_verbatim(index, result.hits[0])


def test_an_edited_file_is_left_out_and_the_next_takes_its_place(index: HeldIndex) -> None:
    first, second = index.search("로그인 토큰", limit=2, min_score=0.0).hits
    index.contents[first.file] = b"# else\n\nnothing of it\n"
    result = index.search("로그인 토큰", limit=1, min_score=0.0)
    assert [hit.file for hit in result.hits] == [second.file]
    assert result.partial == (WORDS_ALONE, f"changed: {first.file}")
    assert index.changed == [first.file]


def test_where_nothing_stands_any_more_the_reason_names_the_files(index: HeldIndex) -> None:
    del index.contents["notes/deploy.md"]
    result = index.search("배포 절차", min_score=0.9)
    assert (result.hits, result.reason_code) == ((), "no_match")
    assert result.reason is not None
    assert "changed: notes/deploy.md" in result.reason


def test_a_file_that_cannot_be_read_is_said_and_not_shown(tmp_path: Path) -> None:
    index = HeldWithUnreadable(tmp_path)
    index.write(NOTES)
    result = index.search("로그인 토큰", min_score=0.0)
    index.close()
    assert "notes/login.md" not in {hit.file for hit in result.hits}
    assert result.hits
    assert result.partial == (WORDS_ALONE, "unreadable: notes/login.md")


def test_a_place_of_an_identical_text_that_is_gone_is_not_named(index: HeldIndex) -> None:
    index.write({f"copies/{name}.md": "## 결제 규칙\n\n환불은 칠 일 안에\n" for name in "abc"})
    index.contents["copies/a.md"] = b"gone\n"
    index.contents["copies/c.md"] = "\n## 결제 규칙\n\n환불은 칠 일 안에\n".encode()
    result = index.search("환불은 칠 일", min_score=0.9)
    assert [(hit.file, [(also.file, also.line_start) for also in hit.also]) for hit in result.hits] == [
        ("copies/b.md", [("copies/c.md", 2)])
    ]
    assert set(result.partial) == {WORDS_ALONE, "changed: copies/a.md", "changed: copies/c.md"}


def test_the_numbers_of_an_explanation_add_up(index: HeldIndex) -> None:
    index.options = Options(ROLES, beta=0.2)
    index.write({"specs/cfo-budget.md": "# auth 예산\n\n로그인 auth 비용\n"})
    result = index.search("로그인 토큰 auth 갱신을 zqxv77", role="cfo", min_score=0.0, explain=True)
    assert len(result.hits) == 4
    assert len({hit.scores.role for hit in result.hits}) == 3
    for hit, after in zip(result.hits, [*result.hits[1:], None], strict=True):
        told = hit.explanation
        assert told is not None
        assert sum(term.weight for term in told.terms) == pytest.approx(hit.scores.bm25, abs=1e-9)
        assert hit.scores.base == hit.scores.bm25
        assert round(hit.scores.base * hit.scores.role + hit.scores.room, 6) == hit.score
        assert all(term.count > 0 and term.idf > 0 for term in told.terms)
        assert 0 < told.coverage <= 1
        assert "nothing stands lower" in told.next_lower if after is None else f"{after.file}:" in told.next_lower
        assert_verbatim(index, hit)
    assert all(hit.explanation is None for hit in index.search("로그인").hits)


def test_a_deadline_gives_what_there_is_and_says_so(tmp_path: Path) -> None:
    index = held(tmp_path, [(f"n-{number}.md", f"로그인 오류\n{number} 번\n") for number in range(300)])
    late = index.service.search(Query(text="로그인", limit=5), Deadline.after(0))
    bare = index.service.search(Query(text="->", limit=5), Deadline.after(0))
    index.close()
    assert len(late.hits) == 5
    assert late.partial == (WORDS_ALONE, "deadline")
    assert bare.hits == ()


@pytest.mark.parametrize("text", ["->", "***", '"->"', "“->”", '"-> "', '"->" "***"'])
def test_punctuation_is_found_as_it_stands(index: HeldIndex, text: str) -> None:
    index.write({"code.md": "a -> b\n*** \n"})
    result = index.search(text)
    assert [(hit.file, hit.score) for hit in result.hits] == [("code.md", 1.0)]
    assert_verbatim(index, result.hits[0])


@pytest.mark.parametrize("text", ["%%", "_%", '"->" "%%"', "“", '""', "  ", "\x00", '"', "?:*+"])
def test_punctuation_that_stands_nowhere_finds_nothing(index: HeldIndex, text: str) -> None:
    index.write({"code.md": "a -> b\n*** \n"})
    result = index.search(text)
    assert (result.hits, result.reason_code) == ((), "no_match")


@pytest.mark.parametrize(
    "text", ["로그인 AND (", "+login -x:y", "토큰~2 [a TO b]", "path:/notes/.*/", '토큰 "', "^로그인$"]
)
def test_operators_are_text(index: HeldIndex, text: str) -> None:
    assert index.search(text, min_score=0.0).reason_code in (None, "no_match")
    words = index.search("로그인 토큰", min_score=0.0)
    assert index.search("(로그인) +토큰*", min_score=0.0).hits == words.hits


def test_an_english_question_finds_other_forms_of_its_words(tmp_path: Path) -> None:
    index = held(tmp_path, {"a.md": "The session requires tokens.\n", "b.md": "Nothing of it.\n"}.items())
    (hit,) = index.search("require token", explain=True).hits
    assert hit.file == "a.md"
    assert hit.explanation is not None
    assert hit.explanation.coverage == 1
    index.close()


def test_two_words_side_by_side_come_before_the_same_words_apart(tmp_path: Path) -> None:
    texts = {"a.md": "갱신은 토큰 뒤에 한다\n", "b.md": "뒤에 한다 토큰 갱신은\n", "c.md": "배포 절차\n"}
    index = held(tmp_path, texts.items())
    assert [hit.file for hit in index.search("토큰 갱신").hits] == ["b.md", "a.md"]
    index.close()
