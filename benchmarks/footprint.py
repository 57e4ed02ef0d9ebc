"""What the daemon takes while it only sits there: memory of it and its children, and processor time."""

import os
import threading
import time
from collections.abc import Iterator
from pathlib import Path

from benchmarks.corpus import questions
from benchmarks.stage import Stage
from benchmarks.table import Row
from tests.support.children import children_of

IDLE_S = 20.0
QUESTIONS = 100


def rows(stage: Stage) -> Iterator[Row]:
    if not Path("/proc/self/smaps_rollup").exists():
        yield Row("memory and idle processor time", "250 MB, < 0.5 %", "this system has no /proc")
        return
    root = stage.indexed(stage.large)
    stage.daemon.call("settle", root)
    after_indexing = sum(pss_bytes(pid) for pid in family(stage.daemon.pid))
    # A daemon that has only this project open, as on an ordinary day.
    stage.daemon.stop()
    stage.daemon.start()
    stage.daemon.call("settle", root)
    for question in questions(QUESTIONS, stage.large):
        stage.daemon.hits(root, question)
    sizes = {pid: pss_bytes(pid) for pid in family(stage.daemon.pid)}
    own, whole = sizes[stage.daemon.pid], sum(sizes.values())
    beside = f"without {len(sizes) - 1} children {own / 1e6:.0f} MB; before a restart {after_indexing / 1e6:.0f} MB"
    yield Row(f"memory (PSS, children included), {stage.large:,} chunks", "250 MB", f"{whole / 1e6:.0f} MB", beside)
    before, began = _cpu_s(stage.daemon.pid), time.monotonic()
    # Nothing is waited for here: the time that passes is what is measured.
    threading.Event().wait(IDLE_S)
    share = (_cpu_s(stage.daemon.pid) - before) / (time.monotonic() - began)
    yield Row(f"idle, over {IDLE_S:.0f} s", "< 0.5 % of a core", f"{share:.2%}")


def family(pid: int) -> list[int]:
    """The process and all below it; a child belongs to the thread that made it."""
    family = [pid]
    for member in family:
        family.extend(children_of(member))
    return family


def pss_bytes(pid: int) -> int:
    for line in Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines():
        if line.startswith("Pss:"):
            return int(line.split()[1]) * 1024
    return 0


def _cpu_s(pid: int) -> float:
    ticks = 0
    for member in family(pid):
        fields = Path(f"/proc/{member}/stat").read_text().rpartition(")")[2].split()
        ticks += int(fields[11]) + int(fields[12])
    return ticks / os.sysconf("SC_CLK_TCK")
