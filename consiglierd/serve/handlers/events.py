"""Handles questions for past events; the publisher does the waiting."""

from consiglierd.events import EventPage
from consiglierd.model.deadline import Deadline
from consiglierd.serve.publisher import event_to_wire
from consigliere.protocol.events import EventsSince, EventsSinceReply


def wait_of(call: EventsSince, deadline: Deadline) -> float:
    """How long, in seconds, the call may wait for a first event."""
    return min(max(0, call.wait_ms) / 1000, deadline.remaining_s)


def events_reply(page: EventPage) -> EventsSinceReply:
    return EventsSinceReply(
        events=tuple(event_to_wire(event) for event in page.events),
        last_serial=page.last_serial,
        is_complete=page.is_complete,
    )
