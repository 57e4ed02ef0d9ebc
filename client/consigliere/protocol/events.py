"""What the daemon publishes, and how a gap is filled."""

from typing import ClassVar

import msgspec

from consigliere.protocol.call import Call, Lane, Reply


class Event(msgspec.Struct, frozen=True, kw_only=True):
    """One thing that happened. `serial` grows by one an event of the daemon's life; `topic` is
    `indexed`, `status`, `doc-request` or `conflict`; `at` is UTC in ISO form."""

    serial: int
    topic: str
    root: str
    at: str
    detail: dict[str, str | int | float | bool | None] = {}


class EventsSinceReply(Reply, frozen=True, kw_only=True):
    """`is_complete` is False where older events after `serial` were already forgotten."""

    events: tuple[Event, ...]
    last_serial: int
    is_complete: bool


class EventsSince(Call[EventsSinceReply], frozen=True, kw_only=True):
    """Events after `serial`, of every workspace or of the envelope's root; waits up to `wait_ms` for one."""

    call_name: ClassVar[str] = "events_since"
    lane: ClassVar[Lane] = "control"
    needs_workspace: ClassVar[bool] = False
    reply_type: ClassVar[type[Reply]] = EventsSinceReply

    serial: int = 0
    wait_ms: int = 0
