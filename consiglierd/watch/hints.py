"""What the operating system hints at: never trusted, it only says where to look."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class PathsChanged:
    """Something happened to these files, relative to the root."""

    paths: frozenset[str]


@dataclass(frozen=True, slots=True)
class FolderChanged:
    """Something happened to these folders, or anywhere below them."""

    paths: frozenset[str]


@dataclass(frozen=True, slots=True)
class RescanNeeded:
    """Events were lost or cannot be had: only a look at everything tells."""

    reason: str


@dataclass(frozen=True, slots=True)
class RootGone:
    """The root folder itself was removed, moved or unmounted."""


@dataclass(frozen=True, slots=True)
class CookieSeen:
    """Every event before this file's creation has been reported."""

    name: str


@dataclass(frozen=True, slots=True)
class GitChanged:
    """The index, HEAD or the exclude file of the repository changed."""


@dataclass(frozen=True, slots=True)
class WatchLost:
    """The watcher cannot go on (out of watches); something else must take over."""

    reason: str


Hint = PathsChanged | FolderChanged | RescanNeeded | RootGone | CookieSeen | GitChanged | WatchLost
