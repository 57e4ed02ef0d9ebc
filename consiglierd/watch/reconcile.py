"""The difference between a look at the disk and what is known: the same at start-up, after an event, every night."""

from collections.abc import Iterable, Mapping

from consiglierd.model.files import ChangeSet, FileStat, KnownFile, Scan

# A write in the same tick of a coarse file system clock leaves the same times behind.
SETTLED_NS = 2_000_000_000


def reconcile(scan: Scan, known: Mapping[str, KnownFile]) -> ChangeSet:
    """Pure. Nothing outside `scan.scope` is mentioned; nothing below an unreadable path is judged.

    A file is unchanged only if its stat is equal and was already 2 s old when it was last taken;
    a stale file is always tried again. When the root is missing nothing vanishes.
    """
    covers = _Places(scan.scope)
    if scan.root_missing:
        return ChangeSet((), (), tuple(sorted(path for path in known if covers.hold(path))))
    hidden = _Places(scan.unreadable)
    to_read = [path for path, stat in scan.files.items() if not _is_unchanged(stat, known.get(path))]
    vanished: list[str] = []
    unjudged: list[str] = []
    for path in known:
        if path not in scan.files and covers.hold(path):
            (unjudged if hidden.hold(path) else vanished).append(path)
    return ChangeSet(tuple(sorted(to_read)), tuple(sorted(vanished)), tuple(sorted(unjudged)))


def _is_unchanged(stat: FileStat, known: KnownFile | None) -> bool:
    if known is None or known.is_stale or stat != known.stat:
        return False
    return max(stat.mtime_ns, stat.ctime_ns) + SETTLED_NS <= known.scanned_ns


class _Places:
    """Paths that stand for themselves and everything below them; "" is the whole root."""

    def __init__(self, paths: Iterable[str]) -> None:
        self._paths = frozenset(paths)
        self._is_root = "" in self._paths

    def hold(self, path: str) -> bool:
        if self._is_root or path in self._paths:
            return True
        end = path.rfind("/")
        while end > 0:
            if path[:end] in self._paths:
                return True
            end = path.rfind("/", 0, end)
        return False
