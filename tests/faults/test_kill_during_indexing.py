"""kill -9 at random moments of indexing loses nothing, invents nothing, and leaves no process behind."""

import contextlib
import random
import sqlite3
import threading
from pathlib import Path

import pytest

from tests.support.judge import judged
from tests.support.living_daemon import CallFailed, LivingDaemon, wait_until_gone
from tests.support.rebuilt import Rebuilder
from tests.support.view import places, view_of
from tests.support.written_tree import document, paragraph, write_tree

QUERIES = ("로그인 오류", "token refresh", "getUserName", "1.0.21", "영상 재생 결제")


def kill_again_and_again(folder: Path, *, kills: int, files: int, compare_every: int, seed: int) -> None:
    rng = random.Random(seed)
    root = folder / "project"
    written = write_tree(root, rng, files)
    daemon = LivingDaemon()
    never = threading.Event()
    rounds_with_commits = 0
    try:
        with Rebuilder() as rebuilder:
            for round_number in range(1, kills + 1):
                daemon.start()
                daemon.call("index", root)
                for path in rng.sample(written, files // 3):
                    path.write_text(document(rng)) if path.exists() and rng.random() < 0.8 else path.unlink(
                        missing_ok=True
                    )
                extra = root / f"new-{round_number}.md"
                extra.write_text(f"# {paragraph(rng, 3)}\n\nround {round_number}\n")
                before = head_of(root)
                if round_number % 2:
                    # Into the middle of the writing: behind the first commit of this round.
                    with contextlib.suppress(CallFailed):
                        daemon.search(root, "x", after_revision=before + 1, timeout_s=10.0)
                never.wait(rng.uniform(0.0, 0.3))
                for child in daemon.kill():
                    assert wait_until_gone(child), f"a worker outlived kill {round_number} (seed {seed})"
                rounds_with_commits += head_of(root) > before
                if round_number % compare_every == 0 or round_number == kills:
                    daemon.start()
                    daemon.settle(root)
                    compare(daemon, rebuilder, root)
                    for child in daemon.kill():
                        assert wait_until_gone(child)
        assert rounds_with_commits >= kills // 3, "the kills did not reach the write path"
    finally:
        daemon.close()


def head_of(root: Path) -> int:
    """The revision that is committed, as the file says; 0 before there is one."""
    database = root / ".consigliere" / "consigliere.db"
    if not database.exists():
        return 0
    connection = sqlite3.connect(f"file:{database}?mode=ro", uri=True)
    try:
        return int(connection.execute("SELECT revision FROM totals").fetchone()[0])
    except sqlite3.OperationalError:
        return 0
    finally:
        connection.close()


def compare(daemon: LivingDaemon, rebuilder: Rebuilder, root: Path) -> None:
    living = view_of(root / ".consigliere" / "consigliere.db")
    with rebuilder.rebuilt(root) as rebuilt:
        assert living == rebuilt.view()
        for query in QUERIES:
            found = places(daemon.search(root, query, limit=10))
            assert found == rebuilt.search(query, limit=10)
            assert found == judged(root, query, limit=10)
            assert found


def test_twenty_kills_leave_what_a_new_index_holds(tmp_path: Path) -> None:
    kill_again_and_again(tmp_path, kills=20, files=90, compare_every=5, seed=11)


@pytest.mark.slow
def test_two_hundred_kills_leave_what_a_new_index_holds(tmp_path: Path) -> None:
    kill_again_and_again(tmp_path, kills=200, files=150, compare_every=1, seed=12)


def test_killed_in_the_middle_of_the_first_index_it_finishes_after_a_restart(tmp_path: Path) -> None:
    root = tmp_path / "project"
    write_tree(root, random.Random(3), 400)
    daemon = LivingDaemon()
    try:
        daemon.start()
        ticket = daemon.call("index", root)["ticket"]
        while True:
            progress = daemon.call("index_progress", root, ticket=ticket, wait_ms=10)
            assert not progress["is_done"], "the tree is too small to be killed in the middle"
            if progress["files_done"] > 0 and progress["files_done"] * 2 >= progress["files_total"]:
                break
        for child in daemon.kill():
            assert wait_until_gone(child)
        daemon.start()
        daemon.settle(root)
        status = daemon.call("status", root)
        assert (status["state"], status["files"], status["pending_files"]) == ("fresh", 400, 0)
        with Rebuilder() as rebuilder:
            compare(daemon, rebuilder, root)
    finally:
        daemon.close()
