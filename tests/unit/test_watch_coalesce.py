"""Hints are held for quiet, folded in a storm, and delivered in order."""

import threading

from consiglierd.watch.coalesce import Batch, Coalescer, PendingHints
from consiglierd.watch.hints import FolderChanged, GitChanged, PathsChanged, RescanNeeded
from consiglierd.watch.mounts import polled_file_system


def paths(*names: str) -> PathsChanged:
    return PathsChanged(frozenset(names))


def new_pending() -> PendingHints:
    return PendingHints(lambda path: path.endswith(".gitignore"))


def test_a_hint_waits_for_quiet() -> None:
    pending = new_pending()
    assert pending.wait_s(0.0, False) is None
    pending.add(paths("a.md"), 10.0)
    assert round(pending.wait_s(10.0, False) or 0, 6) == 0.05
    pending.add(paths("b.md"), 10.04)
    assert (pending.wait_s(10.06, False) or 0) > 0
    assert (pending.wait_s(10.09, False) or 0) <= 0
    assert pending.take() == Batch(frozenset({"a.md", "b.md"}), frozenset(), None, False, False)
    assert pending.wait_s(11.0, False) is None


def test_steady_hints_are_delivered_after_half_a_second() -> None:
    pending = new_pending()
    for step in range(51):
        pending.add(paths("a.md"), step / 100)
    assert (pending.wait_s(0.499, False) or 0) > 0
    assert (pending.wait_s(0.5, False) or 0) <= 0


def test_git_at_work_holds_hints_for_ten_seconds_at_most() -> None:
    pending = new_pending()
    pending.add(paths("a.md"), 0.0)
    assert (pending.wait_s(9.9, True) or 0) > 0
    assert (pending.wait_s(9.9, False) or 0) <= 0
    assert (pending.wait_s(10.0, True) or 0) <= 0


def test_a_folder_covers_what_is_below_it() -> None:
    pending = new_pending()
    pending.add(FolderChanged(frozenset({"a", "a/b", "ab"})), 0.0)
    pending.add(paths("a/x.md", "a/b/y.md", "ab", "abc.md", "c.md"), 0.0)
    assert pending.take() == Batch(frozenset({"abc.md", "c.md"}), frozenset({"a", "ab"}), None, False, False)


def test_a_storm_in_one_folder_becomes_that_folder() -> None:
    pending = new_pending()
    pending.add(paths("top.md", "docs/other.md"), 0.0)
    for number in range(1500):
        pending.add(paths(f"src/gen/{number}.md"), 0.0)
    batch = pending.take()
    assert batch.folders == frozenset({"src/gen"})
    assert batch.paths == frozenset({"top.md", "docs/other.md"})


def test_a_storm_everywhere_becomes_a_rescan() -> None:
    pending = new_pending()
    for number in range(1500):
        pending.add(paths(f"{number}.md"), 0.0)
    batch = pending.take()
    assert (batch.paths, batch.folders, batch.rescan_reason) == (frozenset(), frozenset(), "a storm of changes")


def test_a_rescan_swallows_paths_but_not_changes_of_rules() -> None:
    pending = new_pending()
    pending.add(RescanNeeded("overflow"), 0.0)
    pending.add(paths("x/.gitignore"), 0.0)
    pending.add(GitChanged(), 0.0)
    assert pending.take() == Batch(frozenset(), frozenset(), "overflow", True, True)


def test_a_flush_delivers_what_waits_before_its_mark() -> None:
    told: list[object] = []
    coalescer = Coalescer(told.append, lambda: 0.0, lambda: True, lambda path: False)
    coalescer.start()
    coalescer.add(paths("a.md"))
    coalescer.flush(lambda: told.append("mark"))
    coalescer.stop()
    assert [type(each) for each in told] == [Batch, str]


def test_hints_from_many_threads_are_all_delivered() -> None:
    seen: set[str] = set()
    done = threading.Event()

    def keep(batch: Batch) -> None:
        seen.update(batch.paths, batch.folders)
        if len(seen) == 400:
            done.set()

    clock = iter(range(10_000_000))
    coalescer = Coalescer(keep, lambda: float(next(clock)), lambda: False, lambda path: False)
    coalescer.start()

    def add(first: int) -> None:
        for number in range(first, first + 100):
            coalescer.add(paths(f"{number}.md"))

    threads = [threading.Thread(target=add, args=(first,)) for first in (0, 100, 200, 300)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert done.wait(10)
    coalescer.stop()


def test_mounts_that_do_not_report_changes_are_known() -> None:
    table = [
        "22 1 8:1 / / rw - ext4 /dev/a rw",
        "23 22 0:9 / /net/my\\040share rw - nfs4 host:/x rw",
        "24 22 0:8 / /mnt/pass rw - fuse.sshfs host rw",
        "25 22 0:7 / /home rw - overlay overlay rw",
        "26 25 0:6 / /home/me/vm rw - 9p share rw",
    ]
    assert polled_file_system("/srv/p", table) is None
    assert polled_file_system("/net/my share/p", table) == "nfs4"
    assert polled_file_system("/mnt/pass", table) == "fuse.sshfs"
    assert polled_file_system("/mnt/passenger", table) is None
    assert polled_file_system("/home/me/project", table) is None
    assert polled_file_system("/home/me", table) == "9p"
