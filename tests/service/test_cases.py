"""Failures that people met in other tools, tried on a living daemon; each test is named after what ours does."""

import contextlib
import os
import random
import shutil
import subprocess
import sys
import threading
import unicodedata
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.support.living_daemon import LivingDaemon, wait_until_gone
from tests.support.tree_machine import git
from tests.support.written_tree import write_tree


@pytest.fixture(scope="module")
def daemon() -> Iterator[LivingDaemon]:
    living = LivingDaemon()
    living.start()
    yield living
    living.close()


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    folder.mkdir()
    return folder


def found_files(reply: dict[str, Any]) -> list[str]:
    return [hit["file"] for hit in reply["hits"]]


def texts(reply: dict[str, Any]) -> str:
    return "\n".join(hit["text"] for hit in reply["hits"])


# -- 1, 2: what was deleted -----------------------------------------------------------------------


def test_a_deleted_file_is_not_returned_even_at_once(daemon: LivingDaemon, root: Path) -> None:
    (root / "a.md").write_text("zq77\n")
    (root / "b.md").write_text("other words\n")
    daemon.settle(root)
    assert found_files(daemon.search(root, "zq77")) == ["a.md"]
    (root / "a.md").unlink()
    assert daemon.search(root, "zq77")["hits"] == []


def test_an_edited_file_is_not_returned_with_its_old_text_even_at_once(daemon: LivingDaemon, root: Path) -> None:
    (root / "a.md").write_text("zq77 was here\n")
    daemon.settle(root)
    (root / "a.md").write_text("now something else\n")
    assert "zq77" not in texts(daemon.search(root, "zq77"))
    daemon.settle(root)
    assert daemon.search(root, "zq77")["hits"] == []
    assert found_files(daemon.search(root, "something else")) == ["a.md"]


def test_deleting_the_last_file_empties_the_index(daemon: LivingDaemon, root: Path) -> None:
    (root / "only.md").write_text("zq78\n")
    daemon.settle(root)
    (root / "only.md").unlink()
    daemon.settle(root)
    reply = daemon.search(root, "zq78")
    assert (reply["hits"], reply["reason_code"]) == ([], "no_match")
    status = daemon.call("status", root)
    assert (status["files"], status["chunks"]) == (0, 0)


# -- 3, 4, 5, 6: text -----------------------------------------------------------------------------


@pytest.mark.parametrize("form", ["NFC", "NFD"])
@pytest.mark.parametrize(
    ("line", "query"),
    [("프로젝트메모리데몬을재시작한다", "메모리"), ("中文合約轉換", "合約"), ("カナの検索語", "検索")],
)
def test_a_word_inside_unspaced_text_is_found(
    daemon: LivingDaemon, root: Path, line: str, query: str, form: Any
) -> None:
    (root / "a.md").write_text(unicodedata.normalize(form, line) + "\n")
    (root / "b.md").write_text("아무 상관 없는 글\n")
    daemon.settle(root)
    for asked in (unicodedata.normalize("NFC", query), unicodedata.normalize("NFD", query)):
        reply = daemon.search(root, asked)
        assert found_files(reply) == ["a.md"]
        assert reply["hits"][0]["text"] == unicodedata.normalize(form, line)


@pytest.mark.parametrize("query", ['"1.0.21"', "1.0.21", "v1.0"])
def test_a_dotted_token_is_found(daemon: LivingDaemon, root: Path, query: str) -> None:
    (root / "a.md").write_text("fixed in 1.0.21\n")
    (root / "b.md").write_text("fixed in another release\n")
    daemon.settle(root)
    assert found_files(daemon.search(root, query))[0] == "a.md"


def test_names_that_differ_in_separators_or_case_stand_beside_each_other(daemon: LivingDaemon, root: Path) -> None:
    names = ["a b.md", "a_b.md", "a-b.md", "README.md", "readme.md"]
    for number, name in enumerate(names):
        (root / name).write_text(f"common word and number {number}\n")
    daemon.settle(root)
    assert sorted(found_files(daemon.search(root, "common word", limit=10))) == sorted(names)
    (root / "README.md").unlink()
    daemon.settle(root)
    assert sorted(found_files(daemon.search(root, "common word", limit=10))) == sorted(set(names) - {"README.md"})


def test_a_long_line_of_emoji_is_never_cut_inside_a_character(daemon: LivingDaemon, root: Path) -> None:
    line = "👩‍👩‍👧‍👦" * 20_000
    (root / "a.md").write_text(f"{line}\n\n그 뒤의 한국어 문장\n")
    daemon.settle(root)
    reply = daemon.search(root, "한국어 문장", full=True)
    lines = [line, "", "그 뒤의 한국어 문장"]
    hit = reply["hits"][0]
    assert hit["text"] == "\n".join(lines[hit["line_start"] - 1 : hit["line_end"]])
    shown = daemon.call("show", root, file="a.md", line_start=1, line_end=1)
    assert shown["text"] == line


# -- 7: filters -----------------------------------------------------------------------------------


def test_a_filter_acts_before_the_cut_to_the_best(daemon: LivingDaemon, root: Path) -> None:
    entries = "".join(f"## [2026-03-{n % 28 + 1:02}] 변경 {n}\n\n공통낱말 항목 {n}\n\n" for n in range(5000))
    (root / "CHANGELOG.md").write_text(entries)
    (root / "docs" / "adr").mkdir(parents=True)
    for number in range(5):
        (root / "docs" / "adr" / f"000{number}-x.md").write_text(
            f"# 결정 {number}\n\n공통낱말 결정 {number} 에 대한 긴 설명\n"
        )
    daemon.settle(root)
    reply = daemon.search(root, "공통낱말", limit=10, filters={"types": ["adr"]})
    assert len(reply["hits"]) == 5
    assert {hit["file_type"] for hit in reply["hits"]} == {"adr"}


# -- 9: process ids -------------------------------------------------------------------------------


def test_a_reused_process_id_neither_stops_a_start_nor_kills_a_stranger(root: Path) -> None:
    stranger = subprocess.Popen(["sleep", "600"])
    living = LivingDaemon()
    try:
        living.start()
        living.kill()
        (living.state / "daemon.lock").write_text(f"{stranger.pid}\n")
        record = living.state / "daemon.json"
        record.write_text(record.read_text().replace('"pid": ', f'"pid": {stranger.pid}, "was": '))
        living.start()
        (root / "a.md").write_text("zq79\n")
        living.settle(root)
        assert found_files(living.search(root, "zq79")) == ["a.md"]
        living.call("shutdown")
        assert wait_until_gone(living.pid)
        assert stranger.poll() is None
    finally:
        living.close()
        stranger.kill()
        stranger.wait()


# -- 12, 13, 14, 15: saving, rights, branches -----------------------------------------------------


def test_an_atomic_save_reads_as_a_save(daemon: LivingDaemon, root: Path) -> None:
    target = root / "a.md"
    target.write_text("first zq80\n")
    daemon.settle(root)
    (root / "tmp").write_text("second zq81\n")
    (root / "tmp").rename(target)
    daemon.settle(root)
    assert daemon.search(root, "zq80")["hits"] == []
    assert found_files(daemon.search(root, "zq81")) == ["a.md"]


def test_a_save_by_an_editor_that_renames_the_old_file_away_reads_as_a_save(daemon: LivingDaemon, root: Path) -> None:
    target = root / "a.md"
    target.write_text("first zq82\n")
    daemon.settle(root)
    # What vim does with backupcopy=no: the old file becomes a backup, a new one is written, the backup goes.
    target.rename(root / "a.md~")
    target.write_text("Xfirst zq82\n")
    (root / "a.md~").unlink()
    daemon.settle(root)
    reply = daemon.search(root, "zq82")
    assert [(hit["file"], hit["text"]) for hit in reply["hits"]] == [("a.md", "Xfirst zq82")]


@pytest.mark.skipif(shutil.which("vim") is None, reason="vim is not installed; the same steps are tested by hand above")
def test_a_save_by_vim_reads_as_a_save(daemon: LivingDaemon, root: Path) -> None:
    (root / "a.md").write_text("first zq83\n")
    daemon.settle(root)
    subprocess.run(["vim", "-u", "NONE", "-es", "-c", "normal iX", "-c", "wq", str(root / "a.md")], check=True)
    daemon.settle(root)
    assert daemon.search(root, "zq83")["hits"][0]["text"] == "Xfirst zq83"


def test_a_branch_switch_and_back_neither_empties_nor_freezes_the_index(daemon: LivingDaemon, root: Path) -> None:
    git(root, "init", "-q", "-b", "main")
    for number in range(20):
        (root / f"f{number}.md").write_text(f"main text zqmain {number}\n")
    git(root, "add", ".")
    git(root, "commit", "-qm", "main")
    git(root, "checkout", "-qb", "other")
    for number in range(20):
        (root / f"f{number}.md").write_text(f"other text zqother {number}\n")
    git(root, "commit", "-qam", "other")
    git(root, "checkout", "-q", "main")
    daemon.settle(root)
    git(root, "checkout", "-q", "other")
    git(root, "checkout", "-q", "main")
    daemon.settle(root)
    assert len(daemon.search(root, "zqmain", limit=50)["hits"]) == 20
    assert daemon.search(root, "zqother")["hits"] == []
    git(root, "checkout", "-q", "other")
    daemon.settle(root)
    assert daemon.search(root, "zqmain")["hits"] == []
    assert len(daemon.search(root, "zqother", limit=50)["hits"]) == 20


def test_a_switch_while_the_daemon_was_down_is_noticed(root: Path) -> None:
    git(root, "init", "-q", "-b", "main")
    (root / "a.md").write_text("only on main zqmain\n")
    (root / "both.md").write_text("zqboth as it is on main\n")
    git(root, "add", ".")
    git(root, "commit", "-qm", "main")
    git(root, "checkout", "-qb", "other")
    git(root, "rm", "-q", "a.md")
    (root / "b.md").write_text("only on other zqother\n")
    (root / "both.md").write_text("zqboth as it is on other\n")
    git(root, "add", ".")
    git(root, "commit", "-qm", "other")
    git(root, "checkout", "-q", "main")
    living = LivingDaemon()
    try:
        living.start()
        living.settle(root)
        assert found_files(living.search(root, "zqmain")) == ["a.md"]
        living.stop()
        git(root, "checkout", "-q", "other")
        living.start()
        # Whether or not all was looked at again, nothing that is gone is returned, and an answer that may lack
        # something says so.
        first = living.search(root, "zqmain")
        assert first["hits"] == []
        assert "reconciling" in first["partial"] or found_files(living.search(root, "zqother")) == ["b.md"]
        living.settle(root)
        assert found_files(living.search(root, "zqother")) == ["b.md"]
        assert texts(living.search(root, "zqboth")) == "zqboth as it is on other"
        assert living.call("status", root)["state"] == "fresh"
    finally:
        living.close()


def test_a_permission_error_never_empties_the_index(tmp_path: Path) -> None:
    """The superuser may read everything, unless that capability is taken away first."""
    script = Path(__file__).resolve().parent.parent / "support" / "unreadable_folder.py"
    bound = [] if os.geteuid() else ["setpriv", "--bounding-set=-dac_override,-dac_read_search"]
    result = subprocess.run([*bound, sys.executable, str(script)], capture_output=True, text=True)
    assert result.stdout.strip() == "kept", result.stderr


# -- 16, 17, 18: links, ignored files -------------------------------------------------------------


def test_links_that_leave_the_root_or_go_in_a_circle_are_left_out_and_counted(daemon: LivingDaemon, root: Path) -> None:
    secret = root.parent / "outside.md"
    secret.write_text("zqoutside\n")
    (root / "notes.md").symlink_to(secret)
    (root / "hostname.md").symlink_to("/etc/hostname")
    (root / "d").symlink_to(".")
    (root / "real.md").write_text("zqinside\n")
    daemon.settle(root)
    assert daemon.search(root, "zqoutside")["hits"] == []
    assert found_files(daemon.search(root, "zqinside")) == ["real.md"]
    left_out = {entry["reason"]: entry["count"] for entry in daemon.call("status", root)["left_out"]}
    assert left_out.get("link", 0) >= 2


def test_ignored_files_cost_nothing_when_they_change(daemon: LivingDaemon, root: Path) -> None:
    git(root, "init", "-q")
    (root / ".git" / "info").mkdir(exist_ok=True)
    (root / ".git" / "info" / "exclude").write_text("scratch/\n")
    scratch = root / "scratch"
    scratch.mkdir()
    for number in range(10_000):
        (scratch / f"f{number}.md").write_text("zqscratch\n")
    (root / "a.md").write_text("zqkept\n")
    kept = root / "kept"
    kept.mkdir()
    daemon.settle(root)
    revision = daemon.call("status", root)["revision"]
    watched = _watched_inodes(daemon.pid)
    assert kept.stat().st_ino in watched, "what is read here is what the kernel watches"
    assert scratch.stat().st_ino not in watched
    for number in range(10_000):
        os.utime(scratch / f"f{number}.md")
    daemon.settle(root)
    assert daemon.call("status", root)["revision"] == revision
    assert daemon.search(root, "zqscratch")["hits"] == []


def _watched_inodes(pid: int) -> set[int]:
    """What the process watches by inotify, as the kernel tells it."""
    lines: list[str] = []
    for info in Path(f"/proc/{pid}/fdinfo").iterdir():
        # Descriptors come and go; the one that watches stays.
        with contextlib.suppress(FileNotFoundError):
            lines.extend(info.read_text().splitlines())
    return {int(line.split("ino:")[1].split()[0], 16) for line in lines if line.startswith("inotify wd:")}


def test_ignore_rules_are_understood_as_git_understands_them(daemon: LivingDaemon, root: Path) -> None:
    git(root, "init", "-q")
    (root / ".gitignore").write_text("plugins/*\n!plugins/app\n/Library/\n")
    for name in ("plugins/app/in.md", "plugins/other/out.md", "Library/out.md", "lib/Library/in.md"):
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text("zqrules\n" + name + "\n")
    daemon.settle(root)
    assert sorted(found_files(daemon.search(root, "zqrules", limit=10))) == ["lib/Library/in.md", "plugins/app/in.md"]


# -- 19 stands in tests/faults --------------------------------------------------------------------
# -- 20: a running indexer blocks nobody ----------------------------------------------------------


def test_searches_and_a_second_start_go_on_while_indexing(root: Path) -> None:
    write_tree(root, random.Random(1), 2500)
    living = LivingDaemon()
    try:
        living.start()
        ticket = living.call("index", root)["ticket"]
        answers: list[dict[str, Any]] = []
        threads = [threading.Thread(target=lambda: answers.append(living.search(root, "로그인"))) for _ in range(20)]
        for thread in threads:
            thread.start()
        second = subprocess.run(
            [sys.executable, "-I", "-m", "consiglierd", "--socket", str(living.socket)], capture_output=True, text=True
        )
        assert second.returncode == 0
        assert str(living.pid) in second.stderr
        for thread in threads:
            thread.join()
        assert len(answers) == 20
        assert not living.call("index_progress", root, ticket=ticket, wait_ms=0)["is_done"], "all waited for the end"
        assert all(reply["hits"] or reply["reason_code"] == "indexing" for reply in answers)
        while not living.call("index_progress", root, ticket=ticket, wait_ms=2000)["is_done"]:
            assert living.is_running
    finally:
        living.close()


def test_the_first_search_of_a_small_project_already_answers(daemon: LivingDaemon, root: Path) -> None:
    (root / "a.md").write_text("zqfirst\n")
    assert found_files(daemon.search(root, "zqfirst")) == ["a.md"]
