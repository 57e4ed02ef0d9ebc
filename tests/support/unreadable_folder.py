"""Run without the right to read everything: a folder becomes unreadable, and the index keeps what it had."""

import os
import shutil
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from tests.support.living_daemon import LivingDaemon


def main() -> str:
    root = Path(tempfile.mkdtemp(prefix="csg-perm-", dir="/tmp"))
    (root / "docs").mkdir()
    (root / "docs" / "a.md").write_text("zqperm one\n")
    (root / "b.md").write_text("zqperm two\n")
    daemon = LivingDaemon()
    try:
        daemon.start()
        daemon.settle(root)
        os.chmod(root / "docs", 0)
        ticket = daemon.call("index", root)["ticket"]
        while not daemon.call("index_progress", root, ticket=ticket, wait_ms=1000)["is_done"]:
            pass
        status = daemon.call("status", root)
        if (status["files"], status["stale_files"]) != (2, 1):
            return f"lost: {status}"
        os.chmod(root / "docs", 0o700)
        daemon.settle(root)
        status = daemon.call("status", root)
        if (status["files"], status["stale_files"]) != (2, 0):
            return f"not read again: {status}"
        found = sorted(hit["file"] for hit in daemon.search(root, "zqperm")["hits"])
        return "kept" if found == ["b.md", "docs/a.md"] else f"not found: {found}"
    finally:
        os.chmod(root / "docs", 0o700)
        daemon.close()
        shutil.rmtree(root)


print(main())
