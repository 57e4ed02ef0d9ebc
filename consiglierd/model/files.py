"""Files as the disk shows them, before anything is read."""

from dataclasses import dataclass, field
from typing import Literal

LeftOutReason = Literal["binary", "too_large", "unreadable", "secret", "link", "special", "ignored", "name"]


@dataclass(frozen=True, slots=True)
class FileStat:
    """What stat said of one regular file; times in nanoseconds since the epoch."""

    dev: int
    ino: int
    size: int
    mtime_ns: int
    ctime_ns: int


@dataclass(frozen=True, slots=True)
class LeftOut:
    """A file (or folder) that is not indexed, and why; `detail` names the rule."""

    path: str
    reason: LeftOutReason
    detail: str = ""


@dataclass(frozen=True, slots=True)
class Scan:
    """What a look at the disk found. Paths are relative to the root, "/"-separated, as the disk spells them.

    `scope` are the paths looked at: "" is the whole root, otherwise files or folders. `unreadable`
    are paths (files or folders) that could not be looked into: nothing may be concluded about them.
    """

    scope: tuple[str, ...]
    files: dict[str, FileStat]
    left_out: tuple[LeftOut, ...] = ()
    unreadable: tuple[str, ...] = field(default=())
    root_missing: bool = False


@dataclass(frozen=True, slots=True)
class KnownFile:
    """A file as the store knows it. `scanned_ns` is when its stat was taken (wall clock)."""

    stat: FileStat
    scanned_ns: int
    is_stale: bool


@dataclass(frozen=True, slots=True)
class ChangeSet:
    """The difference between the disk and the store: paths to read, paths gone, paths not to be judged now."""

    to_read: tuple[str, ...]
    vanished: tuple[str, ...]
    unjudged: tuple[str, ...]
