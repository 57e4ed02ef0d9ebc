"""The shape of a written history: files as they stood before, and the commits that set them."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Draft:
    """A file of the sample, perhaps at an earlier path, with passages as they read before.

    `swaps` are pairs of (the last wording, the wording then); `is_unchecked` clears every checkbox.
    """

    source: str
    path: str = ""
    swaps: tuple[tuple[str, str], ...] = ()
    is_unchecked: bool = False


@dataclass(frozen=True, slots=True)
class Step:
    """One commit. `texts` are files that the last tree does not have; `issue_count` is how many issues exist.

    The changelog, the rules and the issues follow the day of each step on main by themselves.
    `is_last` takes the whole sample as it is.
    """

    day: str
    author: str
    subject: str
    drafts: tuple[Draft, ...] = ()
    texts: tuple[tuple[str, str], ...] = ()
    moves: tuple[tuple[str, str], ...] = ()
    removes: tuple[str, ...] = ()
    issue_count: int = 0
    branch: str = "main"
    merges: str = ""
    tag: str = ""
    hour: int = 18
    is_last: bool = False
