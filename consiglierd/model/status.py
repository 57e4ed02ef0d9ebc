"""What a workspace says of itself: how it does, its settings, what is wrong, and lines of its documents."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from consiglierd.model.ids import Digest, Revision

WorkspaceState = Literal["opening", "reconciling", "indexing", "fresh", "root_missing", "poisoned"]
Watching = Literal["inotify", "observer", "polling", "off"]
FindingLevel = Literal["ok", "warning", "error"]


@dataclass(frozen=True, slots=True)
class LeftOutCount:
    """How many files are not indexed for one reason; `examples` are a few of their paths."""

    reason: str
    count: int
    examples: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class FileProblem:
    """Trouble in one file: `code` is stable, `message` is for people."""

    file: str
    code: str
    message: str


@dataclass(frozen=True, slots=True)
class WorkspaceStatus:
    """What is indexed, how fresh, how big, and what was left out and why.

    `lag` is, by index, how many revisions it is behind; `types` counts files by type; `models` names
    what is used by part; `last_indexed_at` is UTC in ISO form, None before the first commit.
    """

    root: str
    state: WorkspaceState
    watching: Watching
    revision: Revision
    lag: Mapping[str, int]
    files: int
    chunks: int
    stale_files: int
    pending_files: int
    size_bytes: int
    last_indexed_at: str | None
    models: Mapping[str, str] = field(default_factory=dict)
    pinned: str | None = None
    types: Mapping[str, int] = field(default_factory=dict)
    left_out: tuple[LeftOutCount, ...] = ()
    problems: tuple[FileProblem, ...] = ()
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class IndexProgress:
    """How far a piece of indexing is. `is_done`: all committed, and lexical search is at the head; `obstacle` is
    what keeps an index from catching up now, while it is tried again."""

    is_done: bool
    files_done: int
    files_total: int
    revision: Revision
    lag: Mapping[str, int]
    problems: int
    obstacle: str | None


@dataclass(frozen=True, slots=True)
class ShownLines:
    """Lines `line_start..line_end` of `file` as the disk has them; `line_count` is of the whole file.

    `is_current`: the index holds this very content.
    """

    file: str
    line_start: int
    line_end: int
    line_count: int
    text: str
    digest: Digest
    encoding: str
    file_type: str
    is_current: bool
    revision: Revision


@dataclass(frozen=True, slots=True)
class SearchDefaults:
    """What a search uses where the call does not say."""

    default_top_k: int
    min_score: float


@dataclass(frozen=True, slots=True)
class SettingValue:
    """One setting in force: its value as TOML, and where it comes from ("default" or a file:line)."""

    name: str
    value: str
    source: str
    help: str


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that `doctor` looked at, and the cure where it is not well."""

    level: FindingLevel
    subject: str
    message: str
    cure: str = ""


@dataclass(frozen=True, slots=True)
class WorkspaceLine:
    """One known workspace in a list; counts are 0 where it is closed and they are not known."""

    root: str
    is_open: bool
    state: str
    files: int
    chunks: int
