"""Indexing, its progress, and waiting for the present."""

from typing import ClassVar

from consigliere.protocol.call import Call, Lane, Reply


class IndexReply(Reply, frozen=True, kw_only=True):
    """`ticket` names the work for IndexProgress."""

    ticket: int


class Index(Call[IndexReply], frozen=True, kw_only=True):
    """Look at the whole root, or at `paths` (relative to it), and index what changed; returns at once.

    `rebuild` throws the derived data away first.
    """

    call_name: ClassVar[str] = "index"
    lane: ClassVar[Lane] = "control"
    reply_type: ClassVar[type[Reply]] = IndexReply

    paths: tuple[str, ...] = ()
    rebuild: bool = False


class IndexProgressReply(Reply, frozen=True, kw_only=True):
    """`is_done`: every file found is committed and lexical search is at the head.

    `obstacle` is what keeps an index from catching up now, while it is tried again.
    """

    is_done: bool
    files_done: int
    files_total: int
    revision: int
    lag: dict[str, int]
    problems: int
    obstacle: str | None = None


class IndexProgress(Call[IndexProgressReply], frozen=True, kw_only=True):
    """Answers when the work of `ticket` is done, or after `wait_ms`, whichever is first."""

    call_name: ClassVar[str] = "index_progress"
    lane: ClassVar[Lane] = "control"
    reply_type: ClassVar[type[Reply]] = IndexProgressReply

    ticket: int
    wait_ms: int = 1000


class SettleReply(Reply, frozen=True, kw_only=True):
    revision: int


class Settle(Call[SettleReply], frozen=True, kw_only=True):
    """Wait until everything saved before this call is searchable; the revision that holds it."""

    call_name: ClassVar[str] = "settle"
    lane: ClassVar[Lane] = "batch"
    reply_type: ClassVar[type[Reply]] = SettleReply
