"""The data folder may be deleted, cut or scribbled over at any time: the index is made anew, and is right again."""

import shutil
import sqlite3
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from random import Random

import pytest

from tests.support.living_daemon import CallFailed, LivingDaemon
from tests.support.rebuilt import Rebuilder
from tests.support.view import places, view_of
from tests.support.written_tree import write_tree

QUERIES = ("token refresh", "로그인 오류", "zq77")
TRIES = 5


@pytest.fixture(scope="module")
def rebuilder() -> Iterator[Rebuilder]:
    with Rebuilder() as made:
        yield made


@pytest.fixture
def daemon() -> Iterator[LivingDaemon]:
    living = LivingDaemon()
    living.start()
    yield living
    living.close()


def delete_all(folder: Path) -> None:
    shutil.rmtree(folder)


def delete_database(folder: Path) -> None:
    (folder / "consigliere.db").unlink()


def delete_lexical(folder: Path) -> None:
    shutil.rmtree(folder / "lexical")


def delete_generations(folder: Path) -> None:
    for generation in (folder / "lexical").glob("generation-*"):
        shutil.rmtree(generation)


def scribble_over_database(folder: Path) -> None:
    with closing(sqlite3.connect(folder / "consigliere.db")) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    with (folder / "consigliere.db").open("r+b") as file:
        file.seek(8192)
        file.write(b"\0" * 200_000)


def cut_database(folder: Path) -> None:
    with closing(sqlite3.connect(folder / "consigliere.db")) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    with (folder / "consigliere.db").open("r+b") as file:
        file.truncate((folder / "consigliere.db").stat().st_size // 2)


def scribble_over_cursor(folder: Path) -> None:
    (folder / "lexical" / "cursor.json").write_text("[" * 100_000)


def flip_bits(folder: Path) -> None:
    rng = Random(7)
    for path in sorted((folder / "lexical").rglob("*.*")):
        content = bytearray(path.read_bytes())
        for _ in range(min(len(content), 5)):
            content[rng.randrange(len(content))] ^= 1 << rng.randrange(8)
        path.write_bytes(content)


def cut_segments(folder: Path) -> None:
    for path in (folder / "lexical").rglob("*.idx"):
        path.write_bytes(path.read_bytes()[:-9])


Hurt = Callable[[Path], None]
WHILE_RUNNING: tuple[Hurt, ...] = (
    delete_all, delete_database, delete_lexical, delete_generations, scribble_over_database, cut_database,
    scribble_over_cursor,
)  # fmt: skip
# Cutting a mapped file under a running process is the system's to punish, not ours to answer.
WHILE_STOPPED = (*WHILE_RUNNING, flip_bits, cut_segments)


def settle(daemon: LivingDaemon, root: Path) -> None:
    """A call that meets the damage may say so and ask to be asked again."""
    for left in reversed(range(TRIES)):
        try:
            daemon.settle(root)
        except CallFailed as failure:
            if failure.code != "unavailable" or left == 0:
                raise
        else:
            return


def assert_right(daemon: LivingDaemon, rebuilder: Rebuilder, root: Path) -> None:
    settle(daemon, root)
    with rebuilder.rebuilt(root) as rebuilt:
        assert view_of(root / ".consigliere" / "consigliere.db") == rebuilt.view()
        for query in QUERIES:
            found = places(daemon.search(root, query, limit=20))
            assert found == rebuilt.search(query, limit=20)
            assert found
    assert daemon.call("status", root)["state"] == "fresh"


@pytest.mark.parametrize("hurt", WHILE_RUNNING)
def test_data_that_is_hurt_while_the_daemon_runs_is_made_anew(
    tmp_path: Path, daemon: LivingDaemon, rebuilder: Rebuilder, hurt: Hurt
) -> None:
    root = tmp_path / "project"
    write_tree(root, Random(3), 30)
    daemon.settle(root)
    hurt(root / ".consigliere")
    (root / "new.md").write_text("# zq77\n\nnew\n")
    assert_right(daemon, rebuilder, root)


@pytest.mark.parametrize("hurt", WHILE_STOPPED)
def test_data_that_is_hurt_while_the_daemon_is_away_is_made_anew(
    tmp_path: Path, daemon: LivingDaemon, rebuilder: Rebuilder, hurt: Hurt
) -> None:
    root = tmp_path / "project"
    write_tree(root, Random(3), 30)
    (root / "new.md").write_text("# zq77\n\nnew\n")
    daemon.settle(root)
    daemon.stop()
    hurt(root / ".consigliere")
    daemon.start()
    assert_right(daemon, rebuilder, root)


def test_a_workspace_without_its_data_folder_can_be_listed_and_forgotten(tmp_path: Path, daemon: LivingDaemon) -> None:
    root = tmp_path / "project"
    write_tree(root, Random(3), 3)
    daemon.settle(root)
    shutil.rmtree(root / ".consigliere")
    assert [line["root"] for line in daemon.call("workspaces")["workspaces"]] == [str(root)]
    daemon.call("forget", root)
    assert daemon.call("workspaces")["workspaces"] == []


def test_it_stops_within_two_seconds_while_somebody_waits_for_the_first_index(
    tmp_path: Path, daemon: LivingDaemon, rebuilder: Rebuilder
) -> None:

    root = tmp_path / "project"
    write_tree(root, Random(3), 700)
    (root / "new.md").write_text("# zq77\n\nnew\n")
    failures: list[str] = []
    ticket = daemon.call("index", root)["ticket"]
    assert not daemon.call("index_progress", root, ticket=ticket, wait_ms=100)["is_done"]

    def wait() -> None:
        try:
            daemon.call("settle", root)
        except CallFailed as failure:
            failures.append(failure.code)

    waiting = threading.Thread(target=wait)
    waiting.start()
    daemon.call("index_progress", root, ticket=ticket, wait_ms=200)
    assert daemon.stop() < 2.0
    waiting.join()
    assert failures == ["unavailable"]
    began = time.monotonic()
    daemon.start()
    assert time.monotonic() - began < 20
    assert_right(daemon, rebuilder, root)
