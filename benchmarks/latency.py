"""How long a search takes in the daemon, alone and during a full index, beside Tantivy and brute force."""

import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from benchmarks.corpus import questions
from benchmarks.living import BenchDaemon
from benchmarks.rivals import build_rivals
from benchmarks.stage import Stage
from benchmarks.table import Row, quantile, spread_ms

SMALL = 10_000
QUESTIONS = 400
WARM_UP = 40
LIMIT = 10


def rows(stage: Stage) -> Iterator[Row]:
    for chunks in sorted({SMALL, stage.large}):
        target = "2 (p99 15) ms" if chunks >= 100_000 else "reported"
        asked = questions(QUESTIONS, chunks)
        in_daemon, round_trip = _search_times(stage.daemon, stage.indexed(chunks), asked)
        brute_force, tantivy_alone = build_rivals(chunks)
        tantivy_s = _times(lambda question: tantivy_alone.best(question, LIMIT), asked)  # noqa: B023  (called here)
        brute_s = _times(lambda question: brute_force.best(question, LIMIT), asked)  # noqa: B023  (called here)
        beside = f"Tantivy alone {spread_ms(tantivy_s)}; brute force {spread_ms(brute_s)}"
        yield Row(f"lexical search in the daemon, {chunks:,} chunks", target, spread_ms(in_daemon), beside)
        yield Row("  the same, with the socket's round trip", "reported", spread_ms(round_trip))
    yield _during_index(stage)


def _search_times(daemon: BenchDaemon, root: Path, asked: list[str]) -> tuple[list[float], list[float]]:
    """Seconds as the daemon counts them, and as the caller does."""
    for question in asked[:WARM_UP]:
        daemon.call("search", root, query=question, limit=LIMIT)
    in_daemon, round_trip = [], []
    for question in asked[WARM_UP:]:
        began = time.perf_counter()
        reply = daemon.call("search", root, query=question, limit=LIMIT)
        round_trip.append(time.perf_counter() - began)
        took_ms = reply["took_ms"]
        assert isinstance(took_ms, float)
        in_daemon.append(took_ms / 1e3)
    return in_daemon, round_trip


def _times(ask: Callable[[str], object], asked: list[str]) -> list[float]:
    for question in asked[:WARM_UP]:
        ask(question)
    times = []
    for question in asked[WARM_UP:]:
        began = time.perf_counter()
        ask(question)
        times.append(time.perf_counter() - began)
    return times


def _during_index(stage: Stage) -> Row:
    """Searches of one project while another call makes the daemon index it anew."""
    root, asked = stage.indexed(SMALL), questions(QUESTIONS, SMALL)
    idle, _ = _search_times(stage.daemon, root, asked)
    ticket = stage.daemon.call("index", root, rebuild=True)["ticket"]
    is_done = threading.Event()
    busy: list[float] = []
    while not is_done.is_set():
        for question in asked[:50]:
            took_ms = stage.daemon.call("search", root, query=question, limit=LIMIT)["took_ms"]
            assert isinstance(took_ms, float)
            busy.append(took_ms / 1e3)
        if stage.daemon.call("index_progress", root, ticket=ticket, wait_ms=0)["is_done"]:
            is_done.set()
    ratio = quantile(busy, 0.99) / quantile(idle, 0.99)
    return Row(
        "search p99 while a full re-index runs",
        "<= 3x idle",
        f"{ratio:.1f}x ({spread_ms(busy)})",
        f"idle {spread_ms(idle)}",
    )
