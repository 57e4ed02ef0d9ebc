"""The streamapp sample and the git history that is built from it."""

import os
import subprocess
from pathlib import Path

import pytest

from examples.build_history import HistoryError, build, drafted, sample_tree
from examples.history_steps import Draft


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Path:
    target = tmp_path_factory.mktemp("history") / "한글 이름"
    build(target)
    return target


def git(repository: Path, *arguments: str) -> str:
    environment = os.environ | {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}
    command = ["git", "-C", str(repository), "-c", "core.quotePath=false", *arguments]
    return subprocess.run(command, check=True, capture_output=True, env=environment).stdout.decode()


def test_history_has_at_least_thirty_commits_in_order_of_time(repository: Path) -> None:
    times = [int(line) for line in git(repository, "log", "--first-parent", "--format=%ct", "main").split()]
    assert len(git(repository, "rev-list", "main").split()) >= 30
    assert times == sorted(times, reverse=True)


def test_every_build_gives_the_same_hashes(repository: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    config = tmp_path / "gitconfig"
    config.write_text("[core]\n\tautocrlf = true\n[user]\n\tname = Somebody Else\n", encoding="utf-8")
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(config))
    monkeypatch.setenv("GIT_AUTHOR_DATE", "2001-01-01T00:00:00Z")
    monkeypatch.setenv("TZ", "America/Lima")
    build(tmp_path / "again")
    refs = git(repository, "for-each-ref")
    assert git(tmp_path / "again", "for-each-ref") == refs
    assert len(refs.splitlines()) >= 6


def test_head_and_work_tree_equal_the_sample(repository: Path) -> None:
    sample = sample_tree()
    names = git(repository, "ls-tree", "-r", "-z", "--name-only", "main").rstrip("\0").split("\0")
    assert set(names) == set(sample)
    assert {name: (repository / name).read_bytes() for name in names} == sample
    assert git(repository, "status", "--porcelain", "--ignored") == ""


def test_history_has_renames_deletions_a_merge_tags_and_an_open_branch(repository: Path) -> None:
    changes = [
        line.split("\t") for line in git(repository, "log", "--name-status", "-M", "--format=", "main").splitlines()
    ]
    kinds = {change[0][0] for change in changes if change[0]}
    assert {"A", "M", "D", "R"} <= kinds
    assert ["src/ios/PlayerModel.swift", "src/ios/PlayerViewModel.swift"] in [change[1:] for change in changes]
    assert len(git(repository, "rev-list", "--merges", "main").split()) == 1
    assert git(repository, "tag").split() == ["v0.1.0", "v0.2.0", "v0.3.0-beta"]
    assert git(repository, "branch", "--format=%(refname:short)", "--no-merged", "main").split() == [
        "feature/live-chat"
    ]
    assert git(repository, "branch", "--format=%(refname:short)", "--merged", "main").split() == [
        "feature/offline-download",
        "main",
    ]


def test_earlier_versions_hold_what_was_true_then(repository: Path) -> None:
    def then(revision: str, path: str) -> str:
        return git(repository, "show", f"{revision}:{path}")

    assert "status: accepted" in then("v0.2.0", "docs/adr/0001-supabase.md")
    assert "status: superseded" in then("main", "docs/adr/0001-supabase.md")
    assert "2026-02-27" in then("v0.1.0", "docs/CHANGELOG.md")
    assert "2026-03-02" not in then("v0.1.0", "docs/CHANGELOG.md")
    assert "- 상태: OPEN" in then("v0.2.0", "docs/ISSUES.md").split("## ISSUE-9")[1].split("## ")[0]
    assert "- 상태: CLOSED" in then("main", "docs/ISSUES.md").split("## ISSUE-9")[1].split("## ")[0]
    assert "동시 시청" not in then("v0.2.0", "docs/rules.md")
    assert "MAX_DEVICES = 2" in then("main^{/동시 시청}~1", "src/api/playback.ts")


def test_sample_contradicts_itself_where_it_says_so() -> None:
    sample = sample_tree()
    rules = sample["docs/rules.md"].decode().split("\n")
    assert "에이전트는 PM이 관리한다" in rules[11]
    assert "에이전트 관리는 PM에서 Director로 변경한다" in sample["docs/CHANGELOG.md"].decode()


def test_sample_holds_every_encoding_and_line_end_it_promises() -> None:
    sample = sample_tree()
    korean = sample["docs/legacy/기획서-초안.txt"]
    assert "작은 영화관" in korean.decode("cp949")
    with pytest.raises(UnicodeDecodeError):
        korean.decode("utf-8")
    assert sample["docs/legacy/vendor-contract.markdown"].startswith(b"\xff\xfe")
    report = sample["docs/legacy/qa-report.md"]
    assert report.count(b"\r\n") == report.count(b"\n") > 10


def test_sample_is_large_enough_to_be_worth_searching() -> None:
    sample = sample_tree()
    changelog, issues = sample["docs/CHANGELOG.md"].decode(), sample["docs/ISSUES.md"].decode()
    assert changelog.count("\n## [2026-") >= 40
    assert issues.count("\n## ISSUE-") >= 25
    assert 60 <= len(sample) <= 110


def test_draft_of_a_passage_that_is_gone_is_refused() -> None:
    with pytest.raises(HistoryError, match="does not hold the passage"):
        drafted({"a.md": b"one\n"}, Draft("a.md", swaps=(("two", "three"),)))


def test_folder_that_is_not_empty_is_refused(tmp_path: Path) -> None:
    (tmp_path / "mine.md").write_text("mine\n", encoding="utf-8")
    with pytest.raises(HistoryError, match="not empty"):
        build(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["mine.md"]
