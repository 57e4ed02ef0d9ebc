"""The outer form of a message: one frame, a map in MessagePack, or in JSON if its first byte is "{"."""

import msgspec

PROTOCOL_VERSION = 1
MAX_MESSAGE_BYTES = 4 * 1024 * 1024


class Request(msgspec.Struct, frozen=True, kw_only=True):
    """`v` is the protocol version, `id` the caller's own (at most 64 characters), `deadline_ms` how
    long the caller will wait, `root` the absolute root directory for calls that need one."""

    v: int
    id: str
    call: str
    deadline_ms: int
    root: str | None = None
    params: dict[str, object] = {}


class Failure(msgspec.Struct, frozen=True, kw_only=True):
    """`code` is one of codes.py; `message` says what happened, `cure` what to do next."""

    code: str
    message: str
    cure: str | None = None
    retryable: bool = False
    retry_after_ms: int | None = None


class Response(msgspec.Struct, frozen=True, kw_only=True):
    """Exactly one of `result` and `failure` is set.

    `revision` and `lag` (by index, in revisions) are the workspace's when the answer left; null
    where the call opened no workspace.
    """

    v: int
    id: str
    result: dict[str, object] | None = None
    failure: Failure | None = None
    revision: int | None = None
    lag: dict[str, int] | None = None
