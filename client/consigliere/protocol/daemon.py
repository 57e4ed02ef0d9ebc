"""The daemon itself: who it is, how it does, what it has open, and its end."""

from typing import ClassVar

import msgspec

from consigliere.protocol.call import Call, Lane, Reply


class HelloReply(Reply, frozen=True, kw_only=True):
    version: str
    protocol: int
    pid: int
    started_at: str
    events_endpoint: str
    log_file: str
    state_directory: str


class Hello(Call[HelloReply], frozen=True, kw_only=True):
    call_name: ClassVar[str] = "hello"
    lane: ClassVar[Lane] = "control"
    needs_workspace: ClassVar[bool] = False
    reply_type: ClassVar[type[Reply]] = HelloReply

    client_version: str = ""


class LeftOutCount(msgspec.Struct, frozen=True, kw_only=True):
    reason: str
    count: int
    examples: tuple[str, ...] = ()


class FileProblem(msgspec.Struct, frozen=True, kw_only=True):
    file: str
    code: str
    message: str


class StatusReply(Reply, frozen=True, kw_only=True):
    """What is indexed, how fresh, how big, and what was left out and why.

    `state` is "opening", "reconciling", "indexing", "fresh", "root_missing" or "poisoned";
    `watching` is "inotify", "observer", "polling" or "off".
    """

    root: str
    state: str
    watching: str
    revision: int
    lag: dict[str, int]
    files: int
    chunks: int
    stale_files: int
    pending_files: int
    size_bytes: int
    last_indexed_at: str | None
    models: dict[str, str]
    pinned: str | None
    types: dict[str, int]
    left_out: tuple[LeftOutCount, ...]
    problems: tuple[FileProblem, ...]
    warnings: tuple[str, ...]
    version: str
    pid: int


class Status(Call[StatusReply], frozen=True, kw_only=True):
    call_name: ClassVar[str] = "status"
    lane: ClassVar[Lane] = "control"
    reply_type: ClassVar[type[Reply]] = StatusReply


class WorkspaceLine(msgspec.Struct, frozen=True, kw_only=True):
    root: str
    is_open: bool
    state: str
    files: int
    chunks: int


class WorkspacesReply(Reply, frozen=True, kw_only=True):
    workspaces: tuple[WorkspaceLine, ...]


class Workspaces(Call[WorkspacesReply], frozen=True, kw_only=True):
    call_name: ClassVar[str] = "workspaces"
    lane: ClassVar[Lane] = "control"
    needs_workspace: ClassVar[bool] = False
    reply_type: ClassVar[type[Reply]] = WorkspacesReply


class ForgetReply(Reply, frozen=True, kw_only=True):
    """`removed` are the folders and files that were removed; only derived data."""

    removed: tuple[str, ...]


class Forget(Call[ForgetReply], frozen=True, kw_only=True):
    """Close the workspace and remove its derived data (`.consigliere/`)."""

    call_name: ClassVar[str] = "forget"
    lane: ClassVar[Lane] = "control"
    reply_type: ClassVar[type[Reply]] = ForgetReply


class SettingLine(msgspec.Struct, frozen=True, kw_only=True):
    """One setting in force: its value as TOML, and where it comes from ("default" or a file:line)."""

    name: str
    value: str
    source: str
    help: str


class ConfigReply(Reply, frozen=True, kw_only=True):
    settings: tuple[SettingLine, ...]
    problems: tuple[str, ...]


class Config(Call[ConfigReply], frozen=True, kw_only=True):
    call_name: ClassVar[str] = "config"
    lane: ClassVar[Lane] = "control"
    reply_type: ClassVar[type[Reply]] = ConfigReply


class Finding(msgspec.Struct, frozen=True, kw_only=True):
    """`level` is "ok", "warning" or "error"."""

    level: str
    subject: str
    message: str
    cure: str = ""


class DoctorReply(Reply, frozen=True, kw_only=True):
    findings: tuple[Finding, ...]


class Doctor(Call[DoctorReply], frozen=True, kw_only=True):
    call_name: ClassVar[str] = "doctor"
    lane: ClassVar[Lane] = "batch"
    reply_type: ClassVar[type[Reply]] = DoctorReply


class ShutdownReply(Reply, frozen=True, kw_only=True):
    pid: int


class Shutdown(Call[ShutdownReply], frozen=True, kw_only=True):
    call_name: ClassVar[str] = "shutdown"
    lane: ClassVar[Lane] = "control"
    needs_workspace: ClassVar[bool] = False
    reply_type: ClassVar[type[Reply]] = ShutdownReply

    reason: str = ""
