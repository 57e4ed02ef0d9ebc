"""`consigliere eval`: labelled questions about the sample, asked of a real daemon."""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from examples.build_history import build
from tests.support.living_daemon import CallFailed, LivingDaemon
from tests.support.tree_machine import git

REPOSITORY = Path(__file__).resolve().parents[2]
QUESTIONS = REPOSITORY / "examples" / "questions.jsonl"


@pytest.fixture(scope="module")
def daemon() -> Iterator[LivingDaemon]:
    started = LivingDaemon("bundled")
    started.start()
    yield started
    started.close()


@pytest.fixture(scope="module")
def sample(tmp_path_factory: pytest.TempPathFactory, daemon: LivingDaemon) -> Path:
    root = tmp_path_factory.mktemp("evaluation") / "streamapp"
    shutil.copytree(REPOSITORY / "examples" / "streamapp", root)
    daemon.settle_all(root)
    return root


def run(daemon: LivingDaemon, root: Path, *words: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [sys.executable, "-m", "consigliere.cli", *words],
        cwd=root,
        env={**os.environ, "CONSIGLIERE_SOCKET": str(daemon.socket)},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


def test_the_questions_of_the_sample_are_measured(daemon: LivingDaemon, sample: Path) -> None:
    done = run(daemon, sample, "eval", str(QUESTIONS), "--json")
    assert (done.returncode, done.stderr) == (0, "")
    reply = json.loads(done.stdout)
    assert reply["notes"] == []
    groups = {group["name"]: group for group in reply["groups"]}
    lines = [json.loads(line) for line in QUESTIONS.read_text(encoding="utf-8").splitlines()]
    everything = groups["all"]
    assert everything["answerable"] + everything["unanswerable"] == len(lines)
    assert everything["unanswerable"] == sum(not line["answers"] for line in lines)
    assert groups["language ko"]["answerable"] + groups["language en"]["answerable"] == everything["answerable"]
    assert groups["role cfo"]["answerable"] >= 1
    ndcg = {side["side"]: side["ndcg"] for side in everything["sides"]}
    assert ndcg["both"] > ndcg["words"] > 0
    assert ndcg["both"] > ndcg["meaning"] > 0
    for side in everything["sides"]:
        assert side["ndcg_low"] <= side["ndcg"] <= side["ndcg_high"]
    (over_words,) = [gain for gain in everything["gains"] if gain["over"] == "words"]
    assert over_words["mean"] == pytest.approx(ndcg["both"] - ndcg["words"])
    assert over_words["low"] <= over_words["mean"] <= over_words["high"]
    assert 0 <= everything["lost"] < 0.5
    assert 0 <= everything["false_answers"] < 1


def test_the_table_is_for_people(daemon: LivingDaemon, sample: Path) -> None:
    done = run(daemon, sample, "eval", str(QUESTIONS))
    assert done.returncode == 0
    for part in ("all: 72 questions", "both - words", "recall@5", "language ko", "role cto", "kept back", "get hits"):
        assert part in done.stdout, part


def test_what_is_measured_is_what_a_search_gives(daemon: LivingDaemon, sample: Path) -> None:
    """One question at a time, worked out from the answers of searches."""
    for text, place in (
        ("커밋 메시지는 어떤 형식으로 쓰나", "docs/rules.md:20"),
        ("rate limit missing", "docs/ISSUES.md:130"),
    ):
        file, line = place.split(":")
        asked = {"question": text, "answers": [{"file": file, "line_start": int(line), "line_end": int(line)}]}
        (group,) = daemon.call("evaluate", sample, questions=[asked])["groups"]
        hits = daemon.search(sample, text, limit=10, min_score=0.0, full=True)["hits"]
        ranks = [
            number
            for number, hit in enumerate(hits, start=1)
            if hit["file"] == file and hit["line_start"] <= int(line) <= hit["line_end"]
        ]
        both = next(side for side in group["sides"] if side["side"] == "both")
        assert both["mrr"] == pytest.approx(1 / ranks[0])
        assert (group["lost"], group["false_answers"]) == (0.0, None)


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("{", ":1:"),
        ("[]", ":1: no JSON object"),
        ('{"question": ""}', '"question" must be a text'),
        ('{"question": "a", "answer": []}', "unknown key 'answer'"),
        ('{"question": "a", "answers": "b.md:1"}', "must be a list"),
        ('{"question": "a", "answers": ["b.md"]}', "FILE:LINE"),
        ('{"question": "a", "answers": ["b.md:3-1"]}', "run backwards"),
        ('{"question": "a", "role": 3}', '"role" must be a text'),
        ("", "holds no question"),
        ('{"question": "a", "answers": ["no/such.md:1"]}', "question 1: no section holds no/such.md:1-1"),
        ('{"question": "a", "answers": ["docs/rules.md:9999"]}', "no section holds docs/rules.md:9999"),
        ("[" * 100_000, ":1:"),
    ],
)
def test_a_wrong_line_is_named(daemon: LivingDaemon, sample: Path, tmp_path: Path, line: str, said: str) -> None:
    file = tmp_path / "questions.jsonl"
    file.write_text(line + "\n")
    done = run(daemon, sample, "eval", str(file))
    assert done.returncode == 2
    assert said in done.stderr
    assert done.stderr.count("\n") == 1


def test_without_vectors_the_words_are_measured_and_it_is_said(tmp_path: Path) -> None:
    light = LivingDaemon("none")
    light.start()
    try:
        root = tmp_path / "project"
        root.mkdir()
        (root / "a.md").write_text("# A\n\nrefresh token\n")
        light.settle(root)
        asked: dict[str, Any] = {"question": "token", "answers": [{"file": "a.md", "line_start": 3, "line_end": 3}]}
        reply = light.call("evaluate", root, questions=[asked])
        assert reply["notes"] == ["vector: off"]
        assert {side["side"]: side["ndcg"] for side in reply["groups"][0]["sides"]}["words"] == 1.0
    finally:
        light.close()


def test_bad_calls_are_refused(daemon: LivingDaemon, sample: Path) -> None:
    for questions in ([], [{"question": " "}], [{"question": "a"}] * 5001):
        with pytest.raises(CallFailed) as failed:
            daemon.call("evaluate", sample, questions=questions)
        assert failed.value.code == "bad_request"
    backwards = [{"question": "a", "answers": [{"file": "b.md", "line_start": 2, "line_end": 1}]}]
    with pytest.raises(CallFailed, match="no lines"):
        daemon.call("evaluate", sample, questions=backwards)


def test_time_that_is_not_enough_is_said(daemon: LivingDaemon, sample: Path) -> None:
    with pytest.raises(CallFailed) as failed:
        daemon.call("evaluate", sample, timeout_s=0.2, questions=[{"question": f"token {n}"} for n in range(5000)])
    assert failed.value.code == "deadline_exceeded"


TOPICS = (
    ("database migration", "데이터베이스 이전"),
    ("video playback", "동영상 재생"),
    ("payment refund", "결제 환불"),
    ("user login", "사용자 로그인"),
    ("search index", "검색 색인"),
)


def chosen(daemon: LivingDaemon, root: Path) -> tuple[str, str]:
    settings = daemon.call("config", root)["settings"]
    return next((each["value"], each["source"]) for each in settings if each["name"] == "search.alpha")


@pytest.fixture
def misleading(daemon: LivingDaemon, tmp_path: Path) -> tuple[Path, Path]:
    """A project, and questions whose answers the words find while the meaning leads to another topic."""
    root, questions = tmp_path / "project", tmp_path / "questions.jsonl"
    root.mkdir()
    lines = []
    for number in range(60):
        topic, following = TOPICS[number % len(TOPICS)][0], TOPICS[(number + 1) % len(TOPICS)][1]
        (root / f"{number:02}.md").write_text(f"# {topic}\n\nzq{number}x {topic} and {topic}\n")
        lines.append(json.dumps({"question": f"zq{number}x {following}", "answers": [f"{number:02}.md:3"]}))
    (root / ".consigliere.toml").write_text("")
    questions.write_text("\n".join(lines))
    daemon.settle_all(root)
    return root, questions


def test_tuning_is_adopted_where_it_earns_it_and_can_be_taken_back(
    daemon: LivingDaemon, misleading: tuple[Path, Path]
) -> None:
    root, questions = misleading
    assert chosen(daemon, root) == ("0.35", "default")
    (daemon.state / "config.toml").write_text('[embedding]\nbackend = "bundled"\n[search]\nalpha = 1.0\n')
    assert chosen(daemon, root)[0] == "1.0"
    adopted = run(daemon, root, "tune", str(questions), "--json")
    assert (adopted.returncode, adopted.stderr) == (0, "")
    reply = json.loads(adopted.stdout)
    assert (reply["is_adopted"], reply["alpha_before"], reply["questions"]) == (True, 1.0, 60)
    assert reply["alpha"] < 1.0
    assert reply["gain"]["low"] > 0
    assert chosen(daemon, root)[0] == "1.0", "what the user has written goes before"
    daemon.set_embedding("bundled")
    value, source = chosen(daemon, root)
    assert (float(value), source[:8]) == (reply["alpha"], "tuned on")
    daemon.stop()
    daemon.start()
    assert chosen(daemon, root) == (value, source)
    again = run(daemon, root, "tune", str(questions))
    assert (again.returncode, again.stdout.splitlines()[1]) == (1, "  what is in force is the best (nDCG@10)")
    assert run(daemon, root, "tune", "--reset").returncode == 0
    assert chosen(daemon, root) == ("0.35", "default")


def test_the_questions_of_the_sample_are_enough_to_tune_by(daemon: LivingDaemon, sample: Path) -> None:
    done = run(daemon, sample, "tune", str(QUESTIONS))
    assert done.returncode in (0, 1)
    assert "by 60 questions" in done.stdout
    assert run(daemon, sample, "tune", "--reset").returncode == 0


@pytest.mark.parametrize("words", [(), ("questions.jsonl", "--reset")])
def test_tune_takes_a_file_or_reset(daemon: LivingDaemon, sample: Path, words: tuple[str, ...]) -> None:
    done = run(daemon, sample, "tune", *words)
    assert done.returncode == 2
    assert "a file of questions, or --reset" in done.stderr


def test_too_few_questions_to_tune_by_are_refused(daemon: LivingDaemon, sample: Path, tmp_path: Path) -> None:
    few = tmp_path / "few.jsonl"
    few.write_text("\n".join(QUESTIONS.read_text(encoding="utf-8").splitlines()[:49]), encoding="utf-8")
    done = run(daemon, sample, "tune", str(few))
    assert done.returncode == 2
    assert "49 questions with an answer are too few to tune by; label at least 50" in done.stderr


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory, daemon: LivingDaemon) -> Path:
    target = tmp_path_factory.mktemp("history") / "repository"
    build(target)
    daemon.settle_all(target)
    return target


def test_a_first_set_comes_from_the_history_and_is_measured(
    daemon: LivingDaemon, repository: Path, tmp_path: Path
) -> None:
    made = run(daemon, repository, "eval", "--from-git")
    assert made.returncode == 0
    lines = [json.loads(line) for line in made.stdout.splitlines()]
    assert f"{len(lines)} questions;" in made.stderr
    assert len(lines) >= 10
    logged = subprocess.run(["git", "log", "--format=%s"], cwd=repository, capture_output=True, text=True, check=True)
    subjects = set(logged.stdout.splitlines())
    for line in lines:
        assert any(subject.endswith(line["question"]) for subject in subjects), line
        assert 1 <= len(line["answers"]) <= 6
    file = tmp_path / "from-git.jsonl"
    file.write_text(made.stdout, encoding="utf-8")
    measured = json.loads(run(daemon, repository, "eval", str(file), "--json").stdout)
    everything = measured["groups"][0]
    assert (everything["answerable"], everything["unanswerable"]) == (len(lines), 0)
    assert everything["sides"][2]["ndcg"] > 0.3, "what a commit says is found in what it left"


def test_what_a_commit_says_cannot_steer_a_terminal(daemon: LivingDaemon, tmp_path: Path) -> None:
    root = tmp_path / "project"
    root.mkdir()
    git(root, "init", "-q")
    commit(root, root / "notes.md", "## Notes\n\ntext\n", "write \x9b2J \u202e down 말")
    daemon.settle(root)
    made = run(daemon, root, "eval", "--from-git")
    assert not {"\x9b", "\u202e"} & set(made.stdout)
    assert json.loads(made.stdout)["question"] == "write \x9b2J \u202e down 말"


def test_the_history_names_exactly_the_sections_whose_lines_a_commit_left(daemon: LivingDaemon, tmp_path: Path) -> None:
    root = tmp_path / "project"
    root.mkdir()
    git(root, "init", "-q")
    notes = root / "notes.md"
    sections = [f"## Section {number}\n\nfirst text {number}\n" for number in range(4)]
    commit(root, notes, "\n".join(sections), "docs: write the first notes")
    sections[2] = sections[2].replace("first text", "changed text")
    commit(root, notes, "\n".join(sections), "docs(notes): change the third section")
    commit(root, root / "crlf.md", "## 줄 끝\r\n\r\n내용\r\n", "줄 끝이 다른 문서를 더한다")
    commit(root, root / "moved.md", "## Moved\n\ntext\n", "this one is edited later on")
    (root / "moved.md").write_text("## New\n\n## Moved\n\ntext\n")
    (root / "untracked.md").write_text("## Untracked\n\ntext\n")
    daemon.settle(root)
    reply = daemon.call("history_questions", root)
    found = {
        each["question"]: [(answer["file"], answer["line_start"]) for answer in each["answers"]]
        for each in reply["questions"]
    }
    starts = [1, 5, 9, 13]
    lines = notes.read_text().splitlines()
    assert [lines[start - 1] for start in starts] == [f"## Section {number}" for number in range(4)]
    assert found["write the first notes"] == [("notes.md", start) for start in starts]
    assert found["change the third section"] == [("notes.md", 9)]
    assert found["줄 끝이 다른 문서를 더한다"] == [("crlf.md", 1)]
    assert "this one is edited later on" not in found
    assert (reply["files_read"], reply["files_total"]) == (2, 4)


def test_without_a_history_there_are_no_questions(daemon: LivingDaemon, tmp_path: Path) -> None:
    root = tmp_path / "plain"
    root.mkdir()
    (root / "a.md").write_text("# A\n")
    daemon.settle(root)
    done = run(daemon, root, "eval", "--from-git")
    assert (done.returncode, done.stdout) == (1, "")
    assert "0 questions; 0 of 1 documents" in done.stderr
    assert run(daemon, root, "eval").returncode == 2


def commit(root: Path, file: Path, text: str, message: str) -> None:
    file.write_bytes(text.encode())
    git(root, "add", "--all")
    git(root, "commit", "-q", "-m", message)


def test_wide_answers_cost_what_the_file_has_and_large_numbers_are_refused(daemon: LivingDaemon, sample: Path) -> None:
    wide = {"file": "docs/CHANGELOG.md", "line_start": 1, "line_end": 10_000}
    asked = [{"question": f"token {number}", "answers": [wide] * 2000} for number in range(5)]
    assert daemon.call("evaluate", sample, questions=asked, timeout_s=30)["groups"][0]["answerable"] == 5
    far = {"file": "docs/CHANGELOG.md", "line_start": 2**63, "line_end": 2**63}
    with pytest.raises(CallFailed) as failed:
        daemon.call("evaluate", sample, questions=[{"question": "token", "answers": [far]}])
    assert failed.value.code == "bad_request"


def test_the_first_call_in_a_repository_waits_for_its_index(daemon: LivingDaemon, tmp_path: Path) -> None:
    target = tmp_path / "repository"
    build(target)
    reply = daemon.call("history_questions", target)
    assert len(reply["questions"]) >= 10
    asked = [{"question": each["question"], "answers": each["answers"]} for each in reply["questions"]]
    other = tmp_path / "again"
    shutil.copytree(target, other, ignore=shutil.ignore_patterns(".consigliere"))
    assert daemon.call("evaluate", other, questions=asked)["notes"] == [], "with all its vectors"
