"""Children that are killed while they start, again and again: nothing is given up, and nothing is missing after."""

import contextlib
import os
import signal
import time
from pathlib import Path

import pytest

from tests.support.living_daemon import LivingDaemon

KILLS = {"consiglierd.indexer.worker": 7, "consiglierd.embed.process_main": 4}


def kill_starting(daemon: LivingDaemon, module: str, root: Path) -> None:
    """Every child of a module as soon as it is seen."""
    killed: set[int] = set()
    end_s = time.monotonic() + 90
    while time.monotonic() < end_s:
        for pid in set(daemon.children()) - killed:
            # It may have ended by itself meanwhile.
            with contextlib.suppress(FileNotFoundError, ProcessLookupError):
                if module.encode() in Path(f"/proc/{pid}/cmdline").read_bytes():
                    os.kill(pid, signal.SIGKILL)
                    killed.add(pid)
        if len(killed) >= KILLS[module]:
            return
        daemon.call("status", root)
    raise AssertionError(f"{len(killed)} were started")


@pytest.mark.parametrize("module", KILLS)
def test_children_that_are_killed_at_their_start_are_started_again(tmp_path: Path, module: str) -> None:
    daemon = LivingDaemon("bundled")
    daemon.start()
    try:
        root = tmp_path / "project"
        root.mkdir()
        (root / "old.md").write_text("# Old\n\nlogin token\n")
        daemon.settle_all(root)
        for pid in daemon.children():
            os.kill(pid, signal.SIGKILL)
        (root / "new.md").write_text("# New\n\nzebra crossing\n")
        daemon.call("index", root)
        kill_starting(daemon, module, root)
        assert [hit["file"] for hit in daemon.search(root, "login token")["hits"]] == ["old.md"]
        status = daemon.until(root, lambda status: status["state"] == "fresh")
        assert status["warnings"] == []
        found = daemon.search(root, "zebra crossing")
        assert ([hit["file"] for hit in found["hits"]], found["partial"]) == (["new.md"], [])
        assert found["hits"][0]["scores"]["vector"] is not None
    finally:
        daemon.close()
