"""Worker processes: the same parses as in this process, one bad file harms no other, nothing is left behind."""

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from consiglierd.errors import Unavailable
from consiglierd.indexer.workers import Ingested, Work, WorkerPool
from consiglierd.ingest.docs.parse import parse_document
from consiglierd.model.ids import digest_of
from consiglierd.model.rules import DocumentRules
from consiglierd.text.counts import count_section, pack
from tests.support.children import children_of
from tests.support.living_daemon import wait_until_gone

RULES = DocumentRules()
MEMORY = 1 << 30


def work(path: str, text: str) -> Work:
    content = text.encode()
    return Work(path, content, digest_of(content))


def big_work(path: str) -> Work:
    """A file that takes a worker most of a second."""
    return work(path, "".join(f"- 항목 {number} 보안 결정과 auth\n" for number in range(30_000)))


def children_of_this_process() -> set[int]:
    return set(children_of("self"))


@pytest.fixture
def pool() -> Iterator[WorkerPool]:
    made = WorkerPool(count=2, deadline_s=20.0, memory_limit_bytes=MEMORY)
    made.start()
    yield made
    made.close()


def test_a_worker_gives_what_parsing_in_this_process_gives(pool: WorkerPool) -> None:
    works = [work(f"docs/n{number}.md", f"# 제목 {number}\n\n## 절\n\n보안 결정 {number}\n") for number in range(30)]
    works.append(work("docs/CHANGELOG.md", "## [2026-03-28] 결정\n\n내용\n"))
    results = {result.path: result for result in pool.ingest_many(works, RULES)}
    assert set(results) == {each.path for each in works}
    for each in works:
        parsed = parse_document(each.path, each.content, RULES)
        counts = [count_section(section.text, section.heading_path) for section in parsed.sections]
        assert results[each.path] == Ingested(
            each.path, each.digest, parsed, tuple(map(pack, counts)), tuple(one.length for one in counts)
        )


def test_content_that_takes_too_long_twice_is_quarantined_and_harms_no_other() -> None:
    pool = WorkerPool(count=1, deadline_s=0.3, memory_limit_bytes=MEMORY)
    pool.start()
    try:
        endless = big_work("big.md")
        others = [work(f"{number}.md", f"글 {number}\n") for number in range(5)]
        results = {result.path: result for result in pool.ingest_many([others[0], endless, *others[1:]], RULES)}
    finally:
        pool.close()
    assert [problem.code for problem in results["big.md"].parsed.problems] == ["quarantined"]
    assert results["big.md"].parsed.sections == ()
    assert pool.is_quarantined(endless.digest)
    assert all(len(results[each.path].parsed.sections) == 1 for each in others)


def test_a_worker_that_wants_too_much_memory_ends_alone() -> None:
    pool = WorkerPool(count=1, deadline_s=60.0, memory_limit_bytes=400 * 1024 * 1024)
    pool.start()
    try:
        hungry = work("hungry.txt", "가나다 word " * 4_000_000)
        small = work("small.md", "작은 글\n")
        results = {result.path: result for result in pool.ingest_many([hungry, small], RULES)}
    finally:
        pool.close()
    assert [problem.code for problem in results["hungry.txt"].parsed.problems] == ["quarantined"]
    assert len(results["small.md"].parsed.sections) == 1


@pytest.mark.skipif(sys.platform != "linux", reason="finds the worker through /proc")
def test_a_worker_killed_in_the_middle_of_a_file_is_replaced_and_the_file_is_read_again() -> None:
    before = children_of_this_process()
    pool = WorkerPool(count=1, deadline_s=60.0, memory_limit_bytes=MEMORY)
    pool.start()
    big = big_work("big.md")

    def works_with_a_murder() -> Iterator[Work]:
        yield big
        # The pool asks for the next file once the first one is under way.
        os.kill(worker, signal.SIGKILL)

    try:
        list(pool.ingest_many([work("small.md", "작은 글\n")], RULES))
        (worker,) = children_of_this_process() - before
        (result,) = pool.ingest_many(works_with_a_murder(), RULES)
        (successor,) = children_of_this_process() - before
    finally:
        pool.close()
    assert successor != worker
    assert result.parsed == parse_document(big.path, big.content, RULES)
    assert not pool.is_quarantined(big.digest)


@pytest.mark.skipif(sys.platform != "linux", reason="finds the worker through /proc")
def test_a_worker_that_hangs_and_hears_no_alarm_is_replaced() -> None:
    before = children_of_this_process()
    pool = WorkerPool(count=1, deadline_s=0.2, memory_limit_bytes=MEMORY)
    pool.start()

    def works_after_a_stop() -> Iterator[Work]:
        os.kill(worker, signal.SIGSTOP)
        yield work("b.md", "둘\n")

    try:
        list(pool.ingest_many([work("a.md", "하나\n")], RULES))
        (worker,) = children_of_this_process() - before
        (result,) = pool.ingest_many(works_after_a_stop(), RULES)
    finally:
        pool.close()
    assert [section.text for section in result.parsed.sections] == ["둘"]


def test_closing_in_the_middle_of_a_file_raises_and_blames_no_content() -> None:
    pool = WorkerPool(count=1, deadline_s=60.0, memory_limit_bytes=MEMORY)
    pool.start()
    works = [big_work(f"{number}.md") for number in range(4)]

    def works_with_a_close() -> Iterator[Work]:
        yield from works
        pool.close()

    with pytest.raises(Unavailable):
        list(pool.ingest_many(works_with_a_close(), RULES))
    assert not pool.is_quarantined(works[0].digest)
    with pytest.raises(Unavailable):
        list(pool.ingest_many(works, RULES))


@pytest.mark.parametrize("interpreter", ["/nonexistent/python", "/bin/true"])
def test_a_worker_that_cannot_start_is_an_error_and_not_the_content_s_fault(
    interpreter: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "executable", interpreter)
    pool = WorkerPool(count=1, deadline_s=5.0, memory_limit_bytes=MEMORY)
    pool.start()
    innocent = work("a.md", "글\n")
    try:
        for _ in range(3):
            with pytest.raises(Unavailable, match="could not be started"):
                list(pool.ingest_many([innocent], RULES))
        assert not pool.is_quarantined(innocent.digest)
        monkeypatch.undo()
        (result,) = pool.ingest_many([innocent], RULES)
    finally:
        pool.close()
    assert len(result.parsed.sections) == 1


def test_a_caller_that_stops_early_leaves_the_pool_to_others(pool: WorkerPool) -> None:
    abandoned = pool.ingest_many([work(f"{number}.md", f"글 {number}\n") for number in range(50)], RULES)
    next(abandoned)
    abandoned.close()  # type: ignore[attr-defined]  # the iterator is a generator
    results = list(pool.ingest_many([work("a.md", "글\n"), work("b.md", "다른 글\n")], RULES))
    assert {result.path for result in results} == {"a.md", "b.md"}


def test_a_worker_loads_neither_sockets_nor_indexes_nor_the_database() -> None:
    script = (
        "import sys; from consiglierd.indexer.worker import main; "
        "print(sorted({'zmq', 'tantivy', 'sqlite3', 'asyncio'} & set(sys.modules)))"
    )
    ran = subprocess.run([sys.executable, "-I", "-c", script], capture_output=True, text=True, check=True, cwd="/")
    assert ran.stdout.strip() == "[]"


def test_two_callers_take_turns(pool: WorkerPool) -> None:
    many = [work(f"m{number}.md", "## 절\n\n" + "보안 결정 문서 " * 2000) for number in range(60)]
    order: list[str] = []
    has_asked = threading.Event()

    def most_of_it_after_the_other_asked() -> Iterator[Work]:
        for number, each in enumerate(many):
            if number == 20:
                has_asked.wait(60)
            yield each

    def only_one() -> Iterator[Work]:
        yield work("one.md", "짧은 글\n")
        has_asked.set()

    def long_batch() -> None:
        for result in pool.ingest_many(most_of_it_after_the_other_asked(), RULES):
            order.append(result.path)

    thread = threading.Thread(target=long_batch)
    thread.start()
    for result in pool.ingest_many(only_one(), RULES):
        order.append(result.path)
    thread.join()
    assert order.index("one.md") < 40


def test_workers_end_with_a_daemon_that_is_killed(tmp_path: Path) -> None:
    script = (
        "import sys\n"
        "from tests.support.children import children_of\n"
        "from consiglierd.indexer.workers import Work, WorkerPool\n"
        "from consiglierd.model.ids import digest_of\n"
        "from consiglierd.model.rules import DocumentRules\n"
        "pool = WorkerPool(count=2, deadline_s=60.0, memory_limit_bytes=1 << 30)\n"
        "pool.start()\n"
        "content = ('- item\\n' * 5_000).encode()\n"
        "works = [Work(f'{n}.md', content + bytes([48 + n]), digest_of(bytes([n]))) for n in range(9)]\n"
        "source = pool.ingest_many(works, DocumentRules())\n"
        "next(source)\n"
        "print(*children_of('self'), flush=True)\n"
        "next(source); next(source); next(source); sys.stdin.read()\n"
    )
    parent = subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, stdin=subprocess.PIPE, text=True)
    assert parent.stdout is not None
    assert parent.stdin is not None
    children = [int(word) for word in parent.stdout.readline().split()]
    assert children
    parent.send_signal(signal.SIGKILL)
    parent.wait()
    parent.stdout.close()
    parent.stdin.close()
    assert all(wait_until_gone(child) for child in children)
