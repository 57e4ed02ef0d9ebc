"""Worker processes: the same parses as in this process, one bad file harms no other, nothing is left behind."""

import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from consiglierd.indexer.workers import Ingested, Work, WorkerPool
from consiglierd.ingest.docs.parse import parse_document
from consiglierd.model.ids import digest_of
from consiglierd.model.rules import DocumentRules
from consiglierd.text.counts import count_section, pack
from tests.support.living_daemon import wait_until_gone

RULES = DocumentRules()
MEMORY = 1 << 30


def work(path: str, text: str) -> Work:
    content = text.encode()
    return Work(path, content, digest_of(content))


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
        endless = work("big.md", "".join(f"- 항목 {number} 보안 결정과 auth\n" for number in range(120_000)))
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
        hungry = work("hungry.txt", "가나다 word " * 20_000_000)
        small = work("small.md", "작은 글\n")
        results = {result.path: result for result in pool.ingest_many([hungry, small], RULES)}
    finally:
        pool.close()
    assert [problem.code for problem in results["hungry.txt"].parsed.problems] == ["quarantined"]
    assert len(results["small.md"].parsed.sections) == 1


def test_two_callers_take_turns(pool: WorkerPool) -> None:
    many = [work(f"m{number}.md", "## 절\n\n" + "보안 결정 문서 " * 2000) for number in range(60)]
    order: list[str] = []

    def long_batch() -> None:
        for result in pool.ingest_many(many, RULES):
            order.append(result.path)

    thread = threading.Thread(target=long_batch)
    source = pool.ingest_many(many[:1], RULES)
    next(source)
    thread.start()
    for result in pool.ingest_many([work("one.md", "짧은 글\n")], RULES):
        order.append(result.path)
    thread.join()
    assert order.index("one.md") < 40


def test_workers_end_with_a_daemon_that_is_killed(tmp_path: Path) -> None:
    script = (
        "import sys, pathlib\n"
        "from consiglierd.indexer.workers import Work, WorkerPool\n"
        "from consiglierd.model.ids import digest_of\n"
        "from consiglierd.model.rules import DocumentRules\n"
        "pool = WorkerPool(count=2, deadline_s=60.0, memory_limit_bytes=1 << 30)\n"
        "pool.start()\n"
        "content = ('- item\\n' * 300_000).encode()\n"
        "works = [Work(f'{n}.md', content + bytes([48 + n]), digest_of(bytes([n]))) for n in range(9)]\n"
        "source = pool.ingest_many(works, DocumentRules())\n"
        "next(source)\n"
        "me = pathlib.Path('/proc/self/task')\n"
        "children = [c for t in me.iterdir() for c in (t / 'children').read_text().split()]\n"
        "print(' '.join(children), flush=True)\n"
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
