"""Words and vectors together: how long, how much, how soon; and a million vectors alone."""

import time
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from benchmarks.corpus import questions
from benchmarks.footprint import family, pss_bytes
from benchmarks.living import BenchDaemon
from benchmarks.stage import Stage
from benchmarks.table import Row, median, quantile, spread_ms
from consiglierd.embed.static_table import StaticTable
from consiglierd.index.segment import coded, nearest, segment_of

SMALL = 10_000
QUESTIONS, WARM_UP = 400, 40
SAVES = 20
GIVE_UP_S = 30.0
MANY = 1_000_000
WANTED = 50


def rows(stage: Stage) -> Iterator[Row]:
    for chunks in sorted({SMALL, stage.large}):
        root, words_s, all_s = stage.hybrid_indexed(chunks)
        yield Row(
            f"first index of {chunks:,} sections, words / vectors too", "reported", f"{words_s:.1f} / {all_s:.1f} s"
        )
        target = "16 (p99 50) ms" if chunks >= 100_000 else "4 (p99 15) ms"
        asked = questions(QUESTIONS, chunks)
        yield Row(
            f"hybrid search in the daemon, {chunks:,} chunks", target, spread_ms(_times(stage.hybrid, root, asked))
        )
    yield _embedding(stage)
    root, _, _ = stage.hybrid_indexed(SMALL)
    saved = _saves(stage.hybrid, root)
    measured = f"{median(saved) * 1e3:.0f} (p95 {quantile(saved, 0.95) * 1e3:.0f}) ms"
    yield Row("saved file -> searchable by its meaning", "500 (p95 1,500) ms", measured)
    yield from _restart(stage)
    yield _many()


def _times(daemon: BenchDaemon, root: Path, asked: Sequence[str]) -> list[float]:
    """Seconds as the daemon counts them; every question is new to it."""
    found = []
    for number, question in enumerate(asked):
        reply = daemon.call("search", root, query=question, limit=10)
        took_ms = reply["took_ms"]
        assert isinstance(took_ms, float)
        assert reply["partial"] == [], reply["partial"]
        if number >= WARM_UP:
            found.append(took_ms / 1e3)
    return found


def _embedding(stage: Stage) -> Row:
    began = time.perf_counter()
    table = StaticTable.bundled()
    load_s = time.perf_counter() - began
    times = []
    for question in questions(QUESTIONS, stage.large):
        began = time.perf_counter()
        table.embed_queries([question])
        times.append(time.perf_counter() - began)
    return Row("embedding of a question, bundled model", "reported", spread_ms(times), f"loaded in {load_s:.2f} s")


def _saves(daemon: BenchDaemon, root: Path) -> list[float]:
    """Seconds from the end of a write to an answer that knows the new text's vector."""
    found = []
    for number in range(SAVES):
        word = f"zq{number}kx"
        began = time.perf_counter()
        (root / "saved.md").write_text(
            f"# Saved {number}\n\n{word} order of the database migration\n", encoding="utf-8"
        )
        while not _has_vector(daemon, root, word):
            if time.perf_counter() - began > GIVE_UP_S:
                raise RuntimeError("what was saved was not found by its meaning")
        found.append(time.perf_counter() - began)
    return found


def _has_vector(daemon: BenchDaemon, root: Path, word: str) -> bool:
    hits = daemon.hits(root, f"{word} database migration")
    return any(isinstance(hit, dict) and word in hit["text"] and hit["scores"]["vector"] is not None for hit in hits)


def _restart(stage: Stage) -> Iterator[Row]:
    """A daemon that has only the large project open, as on an ordinary day."""
    root, _, _ = stage.hybrid_indexed(stage.large)
    daemon, question = stage.hybrid, questions(1, stage.large)[0]
    daemon.stop()
    began = time.perf_counter()
    daemon.start()
    while not daemon.hits(root, question):
        if time.perf_counter() - began > GIVE_UP_S:
            raise RuntimeError("no answer after the start")
    answers_s = time.perf_counter() - began
    daemon.call("settle", root)
    daemon.wait_for_vectors(root)
    all_s = time.perf_counter() - began
    yield Row(
        f"cold start, {stage.large:,} chunks with vectors: an answer / everything",
        "1 s / 3 s",
        f"{answers_s:.2f} s / {all_s:.2f} s",
    )
    _times(daemon, root, questions(100, stage.large))
    size = sum(pss_bytes(pid) for pid in family(daemon.pid))
    yield Row(f"memory (PSS, children included), {stage.large:,} chunks with vectors", "500 MB", f"{size / 1e6:.0f} MB")


def _many() -> Row:
    """Every vector is compared, so that what FAISS proposes can be held against what is exact."""
    random = np.random.default_rng(1)
    vectors = np.concatenate([_unit(random, MANY // 20) for _ in range(20)])
    segment = segment_of(np.arange(MANY, dtype=np.int64), vectors)
    times, found = [], 0
    for question in _unit(random, 20).astype(np.float32):
        began = time.perf_counter()
        proposed = nearest(segment, coded(question), WANTED, None)
        times.append(time.perf_counter() - began)
        exact = np.concatenate([part.astype(np.float32) @ question for part in np.array_split(vectors, 20)])
        found += len(np.intersect1d(proposed.chunks, np.argpartition(-exact, WANTED)[:WANTED]))
    recall = found / (20 * WANTED)
    return Row(
        f"{MANY:,} vectors, the nearest {WANTED}", "reported, recall >= .93", f"{spread_ms(times)}, recall {recall:.3f}"
    )


def _unit(random: np.random.Generator, count: int) -> NDArray[np.float16]:
    rows = random.standard_normal((count, 256), dtype=np.float32)
    return (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float16)
