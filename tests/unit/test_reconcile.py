"""What changed is told from the disk and what is known, and nothing is concluded from what cannot be seen."""

from hypothesis import given
from hypothesis import strategies as st

from consiglierd.model.files import ChangeSet, FileStat, KnownFile, Scan
from consiglierd.watch.reconcile import SETTLED_NS, reconcile

LONG_AGO_NS = 1_000_000_000_000
NOW_NS = LONG_AGO_NS + 60_000_000_000


def stat_of(size: int = 1, *, ino: int = 1, changed_ns: int = LONG_AGO_NS) -> FileStat:
    return FileStat(dev=1, ino=ino, size=size, mtime_ns=LONG_AGO_NS, ctime_ns=changed_ns)


def known_file(stat: FileStat, *, is_stale: bool = False, scanned_ns: int = NOW_NS) -> KnownFile:
    return KnownFile(stat, scanned_ns, is_stale)


def test_an_equal_and_settled_stat_is_unchanged() -> None:
    scan = Scan(("",), {"a.md": stat_of()})
    assert reconcile(scan, {"a.md": known_file(stat_of())}) == ChangeSet((), (), ())


def test_any_difference_in_the_stat_is_read() -> None:
    for other in (stat_of(2), stat_of(ino=2), stat_of(changed_ns=LONG_AGO_NS + 1)):
        assert reconcile(Scan(("",), {"a.md": other}), {"a.md": known_file(stat_of())}).to_read == ("a.md",)


def test_a_stat_that_was_fresh_when_taken_is_read_again() -> None:
    fresh = stat_of(changed_ns=NOW_NS - SETTLED_NS + 1)
    assert reconcile(Scan(("",), {"a.md": fresh}), {"a.md": known_file(fresh)}).to_read == ("a.md",)


def test_a_stale_file_is_tried_again() -> None:
    known = {"a.md": known_file(stat_of(), is_stale=True)}
    assert reconcile(Scan(("",), {"a.md": stat_of()}), known).to_read == ("a.md",)


def test_nothing_below_an_unreadable_folder_vanishes() -> None:
    known = {path: known_file(stat_of()) for path in ("docs/a.md", "docs/x/b.md", "docsy.md")}
    changes = reconcile(Scan(("",), {}, unreadable=("docs",)), known)
    assert changes == ChangeSet((), ("docsy.md",), ("docs/a.md", "docs/x/b.md"))


def test_nothing_vanishes_with_a_missing_root() -> None:
    known = {"a.md": known_file(stat_of()), "b/c.md": known_file(stat_of())}
    assert reconcile(Scan(("",), {}, root_missing=True), known) == ChangeSet((), (), ("a.md", "b/c.md"))


def test_the_last_file_of_a_root_may_vanish() -> None:
    assert reconcile(Scan(("",), {}), {"a.md": known_file(stat_of())}).vanished == ("a.md",)


def test_only_the_scope_is_judged() -> None:
    known = {path: known_file(stat_of()) for path in ("a/b.md", "a/c/d.md", "ab.md", "e.md", "f.md")}
    assert reconcile(Scan(("a", "e.md"), {}), known).vanished == ("a/b.md", "a/c/d.md", "e.md")


_PATHS = st.lists(st.sampled_from("abc"), min_size=1, max_size=3).map("/".join)
_STATS = st.builds(
    stat_of, st.integers(1, 2), ino=st.integers(1, 2), changed_ns=st.integers(NOW_NS - SETTLED_NS, NOW_NS)
)


def _is_at_or_below(path: str, place: str) -> bool:
    return place == "" or path == place or path.startswith(place + "/")


@given(
    files=st.dictionaries(_PATHS, _STATS, max_size=8),
    known=st.dictionaries(_PATHS, st.builds(known_file, _STATS, is_stale=st.booleans()), max_size=8),
    scope=st.lists(_PATHS | st.just(""), min_size=1, max_size=3),
    unreadable=st.lists(_PATHS, max_size=2),
    root_missing=st.booleans(),
)
def test_every_path_gets_one_verdict(
    files: dict[str, FileStat],
    known: dict[str, KnownFile],
    scope: list[str],
    unreadable: list[str],
    root_missing: bool,
) -> None:
    seen = {path: stat for path, stat in files.items() if any(_is_at_or_below(path, place) for place in scope)}
    seen = {} if root_missing else seen
    changes = reconcile(Scan(tuple(scope), seen, unreadable=tuple(unreadable), root_missing=root_missing), known)
    for path in {*files, *known}:
        in_scope = any(_is_at_or_below(path, place) for place in scope)
        hidden = root_missing or any(_is_at_or_below(path, place) for place in unreadable)
        is_known = path in known
        same = path in seen and is_known and seen[path] == known[path].stat and not known[path].is_stale
        settled = same and max(seen[path].mtime_ns, seen[path].ctime_ns) + SETTLED_NS <= known[path].scanned_ns
        absent = in_scope and path not in seen and is_known
        assert (path in changes.to_read) == (path in seen and not settled)
        assert (path in changes.vanished) == (absent and not hidden)
        assert (path in changes.unjudged) == (absent and hidden)
    assert set(changes.to_read) | set(changes.vanished) | set(changes.unjudged) <= {*files, *known}
