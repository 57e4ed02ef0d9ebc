"""How long the first index takes, and a daemon's start over an index that is already there."""

import time
from collections.abc import Iterator

from benchmarks.corpus import questions
from benchmarks.stage import Stage
from benchmarks.table import Row, median

FIRST = 10_000
STARTS = 3
GIVE_UP_S = 120.0


def rows(stage: Stage) -> Iterator[Row]:
    yield Row(f"first index of {FIRST:,} Markdown sections, lexical", "10 s", f"{stage.index_seconds(FIRST):.1f} s")
    if stage.large != FIRST:
        yield Row(f"  the same, {stage.large:,} sections", "reported", f"{stage.index_seconds(stage.large):.1f} s")
    answers, everything = [], []
    for _ in range(STARTS):
        to_answer, to_fresh = _start(stage)
        answers.append(to_answer)
        everything.append(to_fresh)
    measured = f"{median(answers):.2f} s / {median(everything):.2f} s"
    yield Row(f"cold start, {stage.large:,} chunks: an answer / everything", "1 s / 3 s", measured)


def _start(stage: Stage) -> tuple[float, float]:
    """Seconds from the start of the process to the first hit, and to the state `fresh`."""
    root, question = stage.indexed(stage.large), questions(1, stage.large)[0]
    stage.daemon.stop()
    began = time.perf_counter()
    stage.daemon.start()
    while not stage.daemon.hits(root, question):
        _check_time(began)
    to_answer = time.perf_counter() - began
    serial = 0
    while stage.daemon.call("status", root)["state"] != "fresh":
        _check_time(began)
        # Paces the question: an event may come or not, the state is asked again either way.
        last = stage.daemon.call("events_since", root, serial=serial, wait_ms=20)["last_serial"]
        serial = last if isinstance(last, int) else serial
    return to_answer, time.perf_counter() - began


def _check_time(began: float) -> None:
    if time.perf_counter() - began > GIVE_UP_S:
        raise RuntimeError(f"the daemon was not ready within {GIVE_UP_S:g} s")
