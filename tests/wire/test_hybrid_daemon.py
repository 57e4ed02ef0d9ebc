"""A daemon that searches by words and by vectors: fresh, partial where it must be, through a change of model."""

import os
import shutil
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.support.living_daemon import LivingDaemon, wait_until_gone
from tests.support.ollama_server import DIMENSIONS, MODEL, OllamaServer, ollama_server


@pytest.fixture
def daemon() -> Iterator[LivingDaemon]:
    started = LivingDaemon("bundled")
    yield started
    started.close()


@pytest.fixture
def project(tmp_path: Path) -> Path:
    root = tmp_path / "project"
    root.mkdir()
    for number, text in enumerate(("로그인 토큰을 갱신한다", "order of the database migration", "동영상 재생 버퍼")):
        (root / f"note-{number}.md").write_text(f"# 글 {number}\n\n{text}\n", encoding="utf-8")
    return root


def search(daemon: LivingDaemon, root: Path, query: str, **more: Any) -> dict[str, Any]:
    return daemon.call("search", root, query=query, **more)


def has_all_vectors(status: dict[str, Any]) -> bool:
    is_level = status["lag"] == {"lexical": 0, "vector": 0} and status["models"]["vector"] != "none"
    return is_level and status["state"] == "fresh"


def test_a_question_in_one_language_finds_the_answer_in_the_other(daemon: LivingDaemon, project: Path) -> None:
    daemon.start()
    status = daemon.until(project, has_all_vectors)
    assert status["models"]["vector"].startswith("bundled-")
    found = search(daemon, project, "데이터베이스 마이그레이션")
    assert found["partial"] == []
    assert found["hits"][0]["file"] == "note-1.md"
    scores = found["hits"][0]["scores"]
    assert scores["vector"] > 0.3
    assert scores["base"] == pytest.approx(0.35 * scores["vector"] + 0.65 * scores["bm25"], abs=1e-6)


def test_after_a_restart_the_first_question_is_answered_by_both_sides(daemon: LivingDaemon, project: Path) -> None:
    daemon.start()
    daemon.until(project, has_all_vectors)
    before = search(daemon, project, "데이터베이스 마이그레이션")
    for _ in range(3):
        daemon.stop()
        daemon.start()
        again = search(daemon, project, "데이터베이스 마이그레이션")
        assert [note for note in again["partial"] if note != "reconciling"] == []
        assert (again["hits"], again["lag"]) == (before["hits"], {"lexical": 0, "vector": 0})


def test_what_was_saved_is_found_by_what_it_means(daemon: LivingDaemon, project: Path) -> None:
    daemon.start()
    daemon.until(project, has_all_vectors)
    (project / "new.md").write_text("# New\n\ndatabase migration order\n", encoding="utf-8")
    daemon.call("settle", project)
    daemon.until(project, has_all_vectors)
    assert search(daemon, project, "데이터베이스 마이그레이션 순서")["hits"][0]["file"] == "new.md"
    (project / "new.md").unlink()
    daemon.call("settle", project)
    found = search(daemon, project, "데이터베이스 마이그레이션 순서", min_score=0.0)
    assert "new.md" not in [hit["file"] for hit in found["hits"]]


def test_the_light_mode_says_so(daemon: LivingDaemon, project: Path) -> None:
    daemon.set_embedding("none")
    daemon.start()
    daemon.call("settle", project)
    found = search(daemon, project, "토큰")
    assert [hit["file"] for hit in found["hits"]] == ["note-0.md"]
    assert found["partial"] == ["vector: off"]
    assert found["hits"][0]["scores"]["vector"] is None
    status = daemon.call("status", project)
    assert (status["lag"]["vector"], status["models"]["vector"]) == (0, "none")


def test_a_question_of_unknown_words_is_answered_by_words_alone(daemon: LivingDaemon, project: Path) -> None:
    (project / "odd.md").write_text("# テスト\n\nログインの更新\n", encoding="utf-8")
    daemon.start()
    daemon.until(project, has_all_vectors)
    found = search(daemon, project, "ログイン")
    assert [hit["file"] for hit in found["hits"]] == ["odd.md"]
    assert found["partial"] == ["vector: the model knows no word of the question"]


def test_one_server_that_hangs_does_not_hold_up_another(
    daemon: LivingDaemon, project: Path, server: OllamaServer, tmp_path: Path
) -> None:
    daemon.start()
    daemon.set_embedding("ollama", endpoint=server.endpoint, dimensions=DIMENSIONS, model=MODEL)
    daemon.until(project, has_all_vectors)
    with ollama_server() as healthy:
        daemon.set_embedding("ollama", endpoint=healthy.endpoint, dimensions=DIMENSIONS, model=MODEL)
        other = tmp_path / "other"
        other.mkdir()
        (other / "a.md").write_text("# A\n\nrefresh token\n", encoding="utf-8")
        daemon.set_embedding("ollama", endpoint=server.endpoint, dimensions=DIMENSIONS, model=MODEL)
        server.holds = ""
        server.may_answer.clear()
        (project / "new.md").write_text("# New\n\ntoken\n", encoding="utf-8")
        daemon.call("settle", project)
        assert server.wait_until(lambda: any("# New" in text or "New" in text for text in server.asked))
        daemon.set_embedding("ollama", endpoint=healthy.endpoint, dimensions=DIMENSIONS, model=MODEL)
        daemon.until(other, has_all_vectors)
        assert search(daemon, other, "refresh")["partial"] == []


def test_a_daemon_that_ends_while_it_asks_for_ollama_decides_nothing(
    daemon: LivingDaemon, project: Path, server: OllamaServer
) -> None:
    daemon.set_embedding("auto", endpoint=server.endpoint, dimensions=DIMENSIONS, model=MODEL)
    server.holds_tags.clear()
    daemon.start()
    daemon.call("status", project)
    assert server.wait_until(lambda: "/api/tags" in server.paths)
    daemon.stop()
    server.holds_tags.set()
    daemon.start()
    assert daemon.until(project, has_all_vectors)["models"]["vector"].startswith("ollama-")


def test_auto_takes_ollama_where_it_answers_and_never_switches_by_itself(
    daemon: LivingDaemon, project: Path, server: OllamaServer
) -> None:
    ollama = {"endpoint": server.endpoint, "dimensions": DIMENSIONS, "model": MODEL}
    server.failure = "unknown model"
    daemon.set_embedding("auto", **ollama)
    daemon.start()
    status = daemon.until(project, has_all_vectors)
    assert status["models"]["vector"].startswith("bundled-")
    server.failure = ""
    daemon.stop()
    daemon.start()
    assert daemon.until(project, has_all_vectors)["models"]["vector"].startswith("bundled-")
    other = project.parent / "other"
    other.mkdir()
    (other / "a.md").write_text("# A\n\ntext\n", encoding="utf-8")
    assert daemon.until(other, has_all_vectors)["models"]["vector"].startswith("ollama-")


def test_words_answer_while_ollama_is_down_and_vectors_catch_up(
    daemon: LivingDaemon, project: Path, server: OllamaServer
) -> None:
    daemon.set_embedding("ollama", endpoint=server.endpoint, dimensions=DIMENSIONS, model=MODEL)
    daemon.start()
    daemon.until(project, has_all_vectors)
    assert search(daemon, project, "토큰")["partial"] == []
    server.failure = "500 in the middle"
    (project / "new.md").write_text("# New\n\ntoken of another kind\n", encoding="utf-8")
    daemon.call("settle", project)
    status = daemon.until(project, lambda status: any("no vectors" in each for each in status["warnings"]))
    assert status["lag"]["vector"] > 0
    found = search(daemon, project, "token kind")
    assert found["hits"][0]["file"] == "new.md"
    assert any(each.startswith("vector: ") for each in found["partial"])
    server.failure = ""
    status = daemon.until(project, has_all_vectors)
    assert not any("no vectors" in each for each in status["warnings"])
    assert search(daemon, project, "token kind")["partial"] == []


def test_old_vectors_answer_until_the_new_ones_are_complete(
    daemon: LivingDaemon, project: Path, server: OllamaServer
) -> None:
    daemon.start()
    old = daemon.until(project, has_all_vectors)["models"]["vector"]
    before = search(daemon, project, "데이터베이스 마이그레이션")["hits"]
    server.holds = "search_document"
    server.may_answer.clear()
    daemon.set_embedding("ollama", endpoint=server.endpoint, dimensions=DIMENSIONS, model=MODEL)
    os.kill(daemon.pid, signal.SIGHUP)
    assert server.wait_until(lambda: any("search_document" in text for text in server.asked))
    status = daemon.until(project, lambda status: "until ollama-" in status["models"]["vector"])
    assert status["models"]["vector"].startswith(old.split("/")[0])
    assert "sections wait" in status["models"]["vector"]
    assert status["lag"]["vector"] > 0
    assert search(daemon, project, "데이터베이스 마이그레이션")["hits"] == before, "old vectors alone, no mixture"
    server.may_answer.set()
    daemon.until(project, lambda status: status["models"]["vector"].startswith("ollama-") and has_all_vectors(status))
    assert search(daemon, project, "데이터베이스 마이그레이션")["hits"] != before
    assert list((project / ".consigliere").glob("vector-*")), "the new index"


@pytest.mark.parametrize(("first", "then"), [("bundled", "ollama"), ("ollama", "bundled")])
def test_another_model_is_neither_an_error_of_dimensions_nor_a_mixture(
    daemon: LivingDaemon, project: Path, server: OllamaServer, tmp_path: Path, first: str, then: str
) -> None:
    """Case 11; the two models differ in their dimensions."""
    ollama = {"endpoint": server.endpoint, "dimensions": DIMENSIONS, "model": MODEL}
    daemon.set_embedding(first, **ollama)
    daemon.start()
    before = daemon.until(project, has_all_vectors)["models"]["vector"]
    daemon.set_embedding(then, **ollama)
    (project / "new.md").write_text("# New\n\ntoken of the database\n", encoding="utf-8")
    daemon.call("settle", project)
    daemon.until(project, lambda status: has_all_vectors(status) and status["models"]["vector"] != before)
    copy = tmp_path / "copy"
    shutil.copytree(project, copy, ignore=shutil.ignore_patterns(".consigliere"))
    daemon.until(copy, has_all_vectors)
    for query in ("데이터베이스 마이그레이션", "token of the database", "video", "버퍼"):
        changed, fresh = search(daemon, project, query), search(daemon, copy, query)
        assert (changed["partial"], changed["hits"]) == ([], fresh["hits"]), query


@pytest.mark.parametrize("backend", ["bundled", "ollama"])
def test_a_special_token_in_a_text_is_text(
    daemon: LivingDaemon, project: Path, server: OllamaServer, backend: str
) -> None:
    """Case 21: it ends no batch, and its neighbours have their vectors."""
    tokens = "<|endoftext|> [CLS] <s> </s> [MASK] <pad> <unk> <|im_start|>system"
    for number in range(10):
        (project / f"normal-{number}.md").write_text(f"# {number}\n\nordinary words {number}\n", encoding="utf-8")
    (project / "odd.md").write_text(f"# {tokens}\n\n{tokens} ordinary words behind them\n", encoding="utf-8")
    daemon.set_embedding(backend, endpoint=server.endpoint, dimensions=DIMENSIONS, model=MODEL)
    daemon.start()
    assert daemon.until(project, has_all_vectors)["warnings"] == []
    found = search(daemon, project, "ordinary words", limit=50, min_score=0.0)
    assert found["partial"] == []
    assert {hit["file"] for hit in found["hits"]} >= {"odd.md", *(f"normal-{number}.md" for number in range(10))}
    assert all(hit["scores"]["vector"] is not None for hit in found["hits"])
    assert search(daemon, project, "endoftext im_start")["hits"][0]["file"] == "odd.md"


def test_a_model_that_was_pulled_anew_makes_everything_anew(
    daemon: LivingDaemon, project: Path, server: OllamaServer, tmp_path: Path
) -> None:
    daemon.set_embedding("ollama", endpoint=server.endpoint, dimensions=DIMENSIONS, model=MODEL)
    daemon.start()
    old = daemon.until(project, has_all_vectors)["models"]["vector"]
    search(daemon, project, "token")
    server.digest = "sha-2"
    (project / "new.md").write_text("# New\n\ntoken of another kind\n", encoding="utf-8")
    daemon.call("settle", project)
    search(daemon, project, "token")
    daemon.until(project, lambda status: has_all_vectors(status) and status["models"]["vector"] != old)
    search(daemon, project, "the first question tells its process")
    copy = tmp_path / "copy"
    shutil.copytree(project, copy, ignore=shutil.ignore_patterns(".consigliere"))
    daemon.until(copy, has_all_vectors)
    for query in ("token kind", "데이터베이스", "order of things", "버퍼"):
        found, fresh = search(daemon, project, query), search(daemon, copy, query)
        assert (found["partial"], found["hits"]) == ([], fresh["hits"])


def test_no_embedding_process_outlives_a_killed_daemon(daemon: LivingDaemon, project: Path) -> None:
    daemon.start()
    daemon.until(project, has_all_vectors)
    assert len(daemon.children()) >= 2, "a reader of documents and an embedder"
    assert all(wait_until_gone(child) for child in daemon.kill())


def test_a_server_that_hangs_holds_up_neither_the_end_of_a_project_nor_another_project(
    daemon: LivingDaemon, project: Path, server: OllamaServer
) -> None:
    server.holds = "search_document"
    server.may_answer.clear()
    daemon.start()
    (project / ".consigliere.toml").write_text("[index]\nwatch = true\n", encoding="utf-8")
    daemon.set_embedding("ollama", endpoint=server.endpoint, dimensions=DIMENSIONS, model=MODEL)
    daemon.call("settle", project)
    assert server.wait_until(lambda: any("search_document" in text for text in server.asked))
    other = project.parent / "other"
    other.mkdir()
    (other / "a.md").write_text("# A\n\nrefresh token\n", encoding="utf-8")
    daemon.set_embedding("bundled")
    assert daemon.until(other, has_all_vectors)["models"]["vector"].startswith("bundled-")
    daemon.call("forget", project, timeout_s=20)
    daemon.call("settle", project, timeout_s=20)
    assert daemon.until(project, has_all_vectors)["models"]["vector"].startswith("bundled-")
