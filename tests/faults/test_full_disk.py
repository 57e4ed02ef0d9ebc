"""A full disk: what is indexed answers on, the answer says what is missing, and it catches up when there is room."""

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path
from random import Random

import pytest

from tests.support.living_daemon import CallFailed, LivingDaemon
from tests.support.rebuilt import Rebuilder
from tests.support.view import places, view_of
from tests.support.written_tree import write_tree

SIZE = "size=24m"
LEFT_BYTES = 100_000


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    disk = tmp_path / "disk"
    disk.mkdir()
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", SIZE, "none", str(disk)], capture_output=True)
    if mounted.returncode != 0:
        pytest.skip("a small file system can be mounted by root only")
    try:
        yield disk
    finally:
        subprocess.run(["umount", "--lazy", str(disk)], check=True)


@pytest.fixture
def daemon() -> Iterator[LivingDaemon]:
    living = LivingDaemon()
    living.start()
    yield living
    living.close()


def fill(path: Path, left: int) -> None:
    found = os.statvfs(path.parent)
    with path.open("wb") as file:
        file.write(b"x" * max(0, found.f_bavail * found.f_frsize - left))


def test_a_full_disk_is_told_and_overcome(small_disk: Path, daemon: LivingDaemon) -> None:
    root = small_disk / "project"
    write_tree(root, Random(3), 40)
    daemon.settle(root)
    before = places(daemon.search(root, "token refresh"))
    fill(root / "filler.bin", LEFT_BYTES)
    for number in range(20):
        (root / f"new-{number}.md").write_text(f"# zq77\n\n{number} " + f"word{number} " * 200)
    with pytest.raises(CallFailed, match="no room on the disk"):
        daemon.settle(root)
    reply = daemon.search(root, "token refresh")
    assert places(reply) == before
    assert any("no room on the disk" in note for note in reply["partial"])
    status = daemon.call("status", root)
    assert status["state"] != "fresh"
    assert any("no room on the disk" in warning for warning in status["warnings"])
    (root / "filler.bin").unlink()
    catch_up(daemon, root)
    assert len(daemon.search(root, "zq77", limit=50)["hits"]) == 20


def test_a_disk_that_is_full_at_the_start_costs_no_index(small_disk: Path, daemon: LivingDaemon) -> None:
    root = small_disk / "project"
    write_tree(root, Random(3), 40)
    revision = daemon.settle(root)
    daemon.stop()
    fill(root / "filler.bin", 0)
    daemon.start()
    with pytest.raises(CallFailed) as failed:
        daemon.settle(root)
    assert failed.value.code == "unavailable"
    (root / "filler.bin").unlink()
    assert daemon.settle(root) == revision


def catch_up(daemon: LivingDaemon, root: Path) -> None:
    """The indexer tries again every few seconds; the first `indexed` event tells that it has."""
    serial = daemon.call("events_since", serial=0, wait_ms=0)["last_serial"]
    daemon.call("events_since", root, serial=serial, wait_ms=30_000)
    daemon.settle(root)
    with Rebuilder() as rebuilder, rebuilder.rebuilt(root) as rebuilt:
        assert view_of(root / ".consigliere" / "consigliere.db") == rebuilt.view()
