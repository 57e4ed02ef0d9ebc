"""Real events of a real tree reach the workspace: nothing is lost, and what is ignored is not told."""

import itertools
import os
import shutil
import subprocess
import tempfile
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from consiglierd.watch.ignore import IgnoreRules
from consiglierd.watch.places import Places
from consiglierd.watch.service import (
    BarrierDelivery,
    Delivery,
    FileWatch,
    PathsDelivery,
    RescanDelivery,
    RootBackDelivery,
    RootGoneDelivery,
)
from consiglierd.watch.watcher import WatchMode, open_watcher

WAIT_S = 20.0


def run_git(folder: Path, *arguments: str) -> None:
    identity = ("-c", "user.name=Tester", "-c", "user.email=tester@example.org", "-c", "init.defaultBranch=main")
    subprocess.run(["git", *identity, *arguments], cwd=folder, check=True, capture_output=True)


class Watched:
    """A watch whose deliveries are kept; settle() gives what was told since the last time."""

    def __init__(self, root: Path, mode: WatchMode = "auto") -> None:
        self.root = root
        self.told: list[Delivery] = []
        self.arrived = threading.Condition()
        self.tokens = itertools.count(1)
        self.ignore = IgnoreRules(str(root))
        self.watch = FileWatch(str(root), self.ignore, self.deliver, mode=mode, look_interval_s=0.05)
        self.watch.start()

    def deliver(self, delivery: Delivery) -> None:
        with self.arrived:
            self.told.append(delivery)
            self.arrived.notify_all()

    def settle(self) -> list[Delivery]:
        """Everything told up to a barrier, without the barrier itself."""
        token = next(self.tokens)
        was_seen = self.watch.ask_barrier(token, WAIT_S)
        with self.arrived:
            assert self.told.pop() == BarrierDelivery(token)
            told, self.told = self.told, []
        assert was_seen
        return told

    def places(self) -> set[str]:
        """The files and folders told up to a barrier; a rescan stands as ""."""
        found: set[str] = set()
        for delivery in self.settle():
            match delivery:
                case PathsDelivery(paths, folders):
                    found |= paths | folders
                case RescanDelivery():
                    found.add("")
                case _:
                    raise AssertionError(delivery)
        return found

    def wait_for(self, holds: Callable[[list[Delivery]], bool]) -> None:
        with self.arrived:
            assert self.arrived.wait_for(lambda: holds(self.told), WAIT_S), self.told


def covers(places: set[str], path: str) -> bool:
    parents = itertools.accumulate(path.split("/"), lambda folder, name: f"{folder}/{name}")
    return "" in places or any(folder in places for folder in parents)


@pytest.fixture
def root() -> Iterator[Path]:
    folder = Path(tempfile.mkdtemp(prefix="watch-", dir="/tmp")) / "root"
    folder.mkdir()
    yield folder
    shutil.rmtree(folder.parent)


@pytest.fixture
def open_watch(root: Path) -> Iterator[Callable[..., Watched]]:
    opened: list[Watched] = []

    def open_one(mode: WatchMode = "auto") -> Watched:
        opened.append(Watched(root, mode))
        return opened[-1]

    yield open_one
    for watched in opened:
        watched.watch.stop()


# On Linux the Observer warns, for itself, when it finds a folder twice; as an error that would end its thread.
_OBSERVER = pytest.param("observer", marks=pytest.mark.filterwarnings("ignore:Callback with id:RuntimeWarning"))


@pytest.fixture(params=["auto", _OBSERVER])
def watched(request: pytest.FixtureRequest, root: Path, open_watch: Callable[..., Watched]) -> Watched:
    (root / "a.md").write_text("a")
    (root / "docs").mkdir()
    (root / "docs" / "b.md").write_text("b")
    found = open_watch(request.param)
    assert found.watch.mode == {"auto": "inotify", "observer": "observer"}[request.param]
    return found


def test_a_quiet_tree_tells_nothing(watched: Watched) -> None:
    assert watched.places() == set()


def test_our_own_reading_tells_nothing(watched: Watched) -> None:
    assert (watched.root / "docs" / "b.md").read_text() == "b"
    assert sorted(os.listdir(watched.root / "docs")) == ["b.md"]
    assert watched.places() == set()


def test_create_edit_delete_and_rename_are_told(watched: Watched) -> None:
    (watched.root / "new.md").write_text("new")
    assert "new.md" in watched.places()
    with (watched.root / "docs" / "b.md").open("a") as file:
        file.write("more")
    assert "docs/b.md" in watched.places()
    (watched.root / "a.md").rename(watched.root / "docs" / "c.md")
    assert {"a.md", "docs/c.md"} <= watched.places()
    (watched.root / "new.md").unlink()
    assert "new.md" in watched.places()


def test_a_write_that_is_not_closed_yet_is_told(open_watch: Callable[..., Watched], root: Path) -> None:
    watched = open_watch()
    with (root / "log.md").open("w") as file:
        watched.settle()
        file.write("a line\n")
        file.flush()
        assert watched.places() == {"log.md"}


def test_a_change_of_permissions_is_told(watched: Watched) -> None:
    (watched.root / "a.md").chmod(0o600)
    assert "a.md" in watched.places()


def test_an_atomic_save_is_told_as_a_change(watched: Watched) -> None:
    (watched.root / "a.md.tmp").write_text("A")
    (watched.root / "a.md.tmp").replace(watched.root / "a.md")
    assert "a.md" in watched.places()
    (watched.root / "a.md").rename(watched.root / "a.md~")
    (watched.root / "a.md").write_text("B")
    (watched.root / "a.md~").unlink()
    assert "a.md" in watched.places()
    (watched.root / "a.md").write_text("C")
    assert "a.md" in watched.places()


def test_files_in_folders_made_at_once_are_not_lost(watched: Watched) -> None:
    for number in range(30):
        folder = watched.root / f"n{number}" / "x" / "y"
        folder.mkdir(parents=True)
        (folder / "f.md").write_text("f")
    places = watched.places()
    assert [number for number in range(30) if not covers(places, f"n{number}/x/y/f.md")] == []
    for number in range(30):
        (watched.root / f"n{number}" / "x" / "y" / "f.md").write_text("again")
    places = watched.places()
    assert [number for number in range(30) if not covers(places, f"n{number}/x/y/f.md")] == []


def test_a_folder_moved_in_is_told_and_watched(watched: Watched) -> None:
    outside = watched.root.parent / "outside"
    (outside / "deep").mkdir(parents=True)
    (outside / "deep" / "f.md").write_text("f")
    outside.rename(watched.root / "inside")
    assert covers(watched.places(), "inside/deep/f.md")
    (watched.root / "inside" / "deep" / "f.md").write_text("F")
    assert covers(watched.places(), "inside/deep/f.md")


def test_a_folder_moved_out_is_told_and_forgotten(open_watch: Callable[..., Watched], root: Path) -> None:
    (root / "docs" / "deep").mkdir(parents=True)
    watched = open_watch()
    before = watched.watch.watch_count
    (root / "docs").rename(root.parent / "gone")
    assert watched.places() == {"docs"}
    assert watched.watch.watch_count == before - 2
    (root.parent / "gone" / "deep" / "f.md").write_text("f")
    assert watched.places() == set()


def test_a_renamed_folder_reports_under_its_new_name(open_watch: Callable[..., Watched], root: Path) -> None:
    (root / "docs" / "deep").mkdir(parents=True)
    watched = open_watch()
    before = watched.watch.watch_count
    (root / "docs").rename(root / "papers")
    assert watched.places() == {"docs", "papers"}
    (root / "papers" / "deep" / "f.md").write_text("f")
    assert watched.places() == {"papers/deep/f.md"}
    for _ in range(20):
        (root / "papers").rename(root / "docs")
        (root / "docs").rename(root / "papers")
    watched.settle()
    (root / "papers" / "deep" / "f.md").write_text("F")
    assert watched.places() == {"papers/deep/f.md"}
    assert watched.watch.watch_count == before


def test_swapped_folders_report_under_their_new_names(open_watch: Callable[..., Watched], root: Path) -> None:
    for name in ("p/x", "q/y"):
        (root / name).mkdir(parents=True)
    watched = open_watch()
    (root / "p").rename(root / "t")
    (root / "q").rename(root / "p")
    (root / "t").rename(root / "q")
    watched.settle()
    (root / "p" / "y" / "f.md").write_text("f")
    (root / "q" / "x" / "g.md").write_text("g")
    assert watched.places() == {"p/y/f.md", "q/x/g.md"}


def test_a_deleted_folder_made_again_is_watched(watched: Watched) -> None:
    for text in ("one", "two"):
        shutil.rmtree(watched.root / "docs")
        (watched.root / "docs").mkdir()
        (watched.root / "docs" / "b.md").write_text(text)
        assert covers(watched.places(), "docs/b.md")
        (watched.root / "docs" / "b.md").write_text(text + text)
        assert covers(watched.places(), "docs/b.md")


def test_touching_ignored_files_tells_nothing(open_watch: Callable[..., Watched], root: Path) -> None:
    run_git(root, "init", "-q")
    (root / ".git" / "info" / "exclude").write_text("junk/\nloose-*\n")
    (root / "junk" / "deep").mkdir(parents=True)
    paths = [root / "junk" / "deep" / f"{number}.md" for number in range(9_000)]
    paths += [root / f"loose-{number}.md" for number in range(1_000)]
    for path in paths:
        path.touch()
    watched = open_watch()
    assert watched.watch.watch_count < 6
    for path in paths:
        path.touch()
    assert watched.places() == set()


def test_links_are_told_but_not_walked(open_watch: Callable[..., Watched], root: Path) -> None:
    watched = open_watch()
    (root / "d").symlink_to(".")
    (root / "notes.md").symlink_to("/etc/hostname")
    assert watched.places() == {"d", "notes.md"}
    assert watched.watch.watch_count == 2


def test_a_branch_switch_tells_every_file(open_watch: Callable[..., Watched], root: Path) -> None:
    names = [f"docs/{number}.md" for number in range(20)]
    run_git(root, "init", "-q")
    (root / "docs").mkdir()
    for branch in ("main", "other"):
        if branch == "other":
            run_git(root, "checkout", "-qb", "other")
        for name in names:
            (root / name).write_text(branch * 3)
        run_git(root, "add", ".")
        run_git(root, "commit", "-qm", branch)
    run_git(root, "checkout", "-q", "main")
    watched = open_watch()
    for branch in ("other", "main"):
        run_git(root, "checkout", "-q", branch)
        places = watched.places()
        assert [name for name in names if not covers(places, name)] == []


def test_a_checkout_of_many_files_loses_none(open_watch: Callable[..., Watched], root: Path) -> None:
    names = [f"d{number % 40}/e{number % 7}/{number}.md" for number in range(2_000)]
    run_git(root, "init", "-q")
    run_git(root, "commit", "-q", "--allow-empty", "-m", "empty")
    run_git(root, "checkout", "-qb", "full")
    for name in names:
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(name)
    run_git(root, "add", ".")
    run_git(root, "commit", "-qm", "full")
    watched = open_watch()
    run_git(root, "checkout", "-q", "main")
    places = watched.places()
    assert [name for name in names if not covers(places, name)] == []
    run_git(root, "checkout", "-q", "full")
    places = watched.places()
    assert [name for name in names if not covers(places, name)] == []
    (root / names[0]).write_text("edited")
    assert watched.places() == {names[0]}


def test_a_changed_ignore_file_asks_for_a_rescan_and_moves_the_watches(
    open_watch: Callable[..., Watched], root: Path
) -> None:
    (root / "build").mkdir()
    (root / ".gitignore").write_text("build/\n")
    watched = open_watch()
    before = watched.watch.watch_count
    (root / "build" / "a.md").write_text("a")
    assert watched.places() == set()
    (root / ".gitignore").write_text("other/\n")
    assert watched.settle()[-1] == RescanDelivery("the ignore rules changed")
    (root / "build" / "a.md").write_text("A")
    assert watched.places() == {"build/a.md"}
    assert watched.watch.watch_count == before + 1


def test_rules_from_settings_move_the_watches_when_asked(root: Path) -> None:
    (root / "build").mkdir()
    rules = {"now": IgnoreRules(str(root), exclude=("build",))}

    class Switched:
        git_dir = common_dir = None

        def is_ignored(self, path: str, is_dir: bool) -> bool:
            return rules["now"].is_ignored(path, is_dir)

        def refresh(self) -> bool:
            return rules["now"].refresh()

    watch = FileWatch(str(root), Switched(), lambda delivery: None)
    watch.start()
    before = watch.watch_count
    rules["now"] = IgnoreRules(str(root))
    watch.resync_ignores()
    assert watch.watch_count == before + 1
    watch.stop()


def test_a_file_that_becomes_tracked_asks_for_a_rescan(open_watch: Callable[..., Watched], root: Path) -> None:
    run_git(root, "init", "-q")
    (root / ".gitignore").write_text("*.md\n")
    (root / "a.md").write_text("a")
    watched = open_watch()
    run_git(root, "add", "-f", "a.md")
    assert "" in watched.places()
    (root / "a.md").write_text("A")
    assert "a.md" in watched.places()


def test_a_repository_born_under_the_watch_counts(open_watch: Callable[..., Watched], root: Path) -> None:
    watched = open_watch()
    run_git(root, "init", "-q")
    watched.settle()
    (root / ".git" / "info" / "exclude").write_text("no.md\n")
    assert "" in watched.places()
    (root / "no.md").write_text("no")
    assert watched.places() == set()


def test_a_repository_that_was_not_finished_when_it_was_seen_counts(
    open_watch: Callable[..., Watched], root: Path
) -> None:
    watched = open_watch()
    (root / ".git").mkdir()
    watched.settle()
    run_git(root, "init", "-q")
    watched.settle()
    (root / ".git" / "info" / "exclude").write_text("no.md\n")
    assert "" in watched.places()
    (root / "no.md").write_text("no")
    assert watched.places() == set()


def test_settings_are_told_even_where_they_are_ignored(open_watch: Callable[..., Watched], root: Path) -> None:
    (root / ".gitignore").write_text("*\n")
    watched = open_watch()
    (root / ".consigliere.toml").write_text("")
    assert watched.places() == {".consigliere.toml"}


def test_a_lost_event_queue_asks_for_a_rescan_and_goes_on(open_watch: Callable[..., Watched], root: Path) -> None:
    limit = Path("/proc/sys/fs/inotify/max_queued_events")
    if not limit.exists():
        pytest.skip("no inotify on this system")
    for number in range(3000):
        (root / f"{number}.md").touch()
    watched = open_watch()
    watcher = watched.watch._watcher
    with watcher._lock:  # type: ignore[union-attr]  # the reading thread waits here while the queue fills
        # Two neighbours that are equal are folded into one by the system; these differ.
        for number in range(int(limit.read_text()) + 3000):
            (root / f"{number % 3000}.md").chmod(0o600)
        (root / "late").mkdir()
    assert RescanDelivery("the event queue overflowed") in watched.settle()
    (root / "late" / "a.md").write_text("a")
    assert watched.places() == {"late/a.md"}


def test_without_watches_it_polls_and_says_why(root: Path) -> None:
    def is_ignored(path: str, is_dir: bool) -> bool:
        raise OSError(28, "inotify watch limit reached")

    (root / "docs").mkdir()
    watcher = open_watcher(Places(str(root), str(root / "c"), lambda: None), is_ignored, lambda hint: None)
    watcher.stop()
    assert (watcher.mode, watcher.reason) == (
        "polling",
        "the system gives no more watches: inotify watch limit reached",
    )


def test_polling_asks_for_rescans_and_its_barrier_does_too(root: Path) -> None:
    told: list[Delivery] = []
    arrived = threading.Event()

    def deliver(delivery: Delivery) -> None:
        told.append(delivery)
        arrived.set()

    watch = FileWatch(str(root), IgnoreRules(str(root)), deliver, mode="polling", poll_interval_s=0.05)
    watch.start()
    assert arrived.wait(WAIT_S)
    assert not watch.ask_barrier(7, WAIT_S)
    watch.stop()
    assert told[0] == RescanDelivery("polling")
    position = told.index(BarrierDelivery(7))
    assert isinstance(told[position - 1], RescanDelivery)
    assert "polling was asked for" in "".join(told_warnings(root))


def told_warnings(root: Path) -> tuple[str, ...]:
    watch = FileWatch(str(root), IgnoreRules(str(root)), lambda delivery: None, mode="polling")
    watch.start()
    warnings = watch.warnings
    watch.stop()
    return warnings


def test_a_root_that_goes_and_comes_back_is_told_and_watched_again(watched: Watched) -> None:
    watched.settle()
    watched.root.rename(watched.root.parent / "aside")
    watched.wait_for(lambda told: RootGoneDelivery() in told)
    (watched.root.parent / "aside").rename(watched.root)
    watched.wait_for(lambda told: told[-1] == RootBackDelivery())
    watched.settle()
    (watched.root / "docs" / "b.md").write_text("B")
    assert covers(watched.places(), "docs/b.md")


def test_a_root_replaced_by_another_is_told_and_watched(open_watch: Callable[..., Watched], root: Path) -> None:
    watched = open_watch()
    shutil.rmtree(root)
    root.mkdir()
    watched.wait_for(lambda told: RootBackDelivery() in told)
    assert watched.told.index(RootGoneDelivery()) < watched.told.index(RootBackDelivery())
    watched.settle()
    (root / "a.md").write_text("a")
    assert watched.places() == {"a.md"}


def test_a_barrier_right_after_a_root_was_replaced_hides_nothing(
    open_watch: Callable[..., Watched], root: Path
) -> None:
    watched = open_watch()
    for token in range(1, 6):
        shutil.rmtree(root)
        root.mkdir()
        (root / "a.md").write_text("a")
        watched.watch.ask_barrier(token, WAIT_S)
        with watched.arrived:
            told, watched.told = watched.told, []
        before = told[: told.index(BarrierDelivery(token))]
        assert any(isinstance(each, RescanDelivery | RootBackDelivery) for each in before), told


def test_a_barrier_survives_a_clean_of_the_data_folder(watched: Watched) -> None:
    watched.settle()
    shutil.rmtree(watched.root / ".consigliere")
    (watched.root / "a.md").write_text("A")
    assert "a.md" in watched.places()


def test_a_barrier_never_writes_through_a_link(open_watch: Callable[..., Watched], root: Path) -> None:
    elsewhere = root.parent / "elsewhere"
    elsewhere.mkdir()
    (root / ".consigliere").symlink_to(elsewhere)
    watched = open_watch()
    assert not watched.watch.ask_barrier(1, WAIT_S)
    assert list(elsewhere.iterdir()) == []
    assert [type(delivery) for delivery in watched.told] == [RescanDelivery, BarrierDelivery]


def test_no_thread_and_no_descriptor_is_left_behind(root: Path) -> None:
    before = threading.active_count(), len(os.listdir("/dev/fd"))
    for mode in ("auto", "observer", "polling"):
        watch = FileWatch(str(root), IgnoreRules(str(root)), lambda delivery: None, mode=mode)  # type: ignore[arg-type]  # a plain list of modes
        watch.start()
        watch.stop()
    assert (threading.active_count(), len(os.listdir("/dev/fd"))) == before
