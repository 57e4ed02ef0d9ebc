"""What happened in the daemon: numbered events, kept for a while, for whoever listens in this process."""

import datetime
import threading
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import islice
from types import MappingProxyType

KEPT_EVENTS = 10_000
PAGE_EVENTS = 1_000

EventValue = str | int | float | bool | None


@dataclass(frozen=True, slots=True)
class HubEvent:
    """One thing that happened; `serial` grows by one an event of the daemon's life; `at` is UTC in ISO form."""

    serial: int
    topic: str
    root: str
    at: str
    detail: Mapping[str, EventValue]


@dataclass(frozen=True, slots=True)
class EventPage:
    """Events after a serial, at most PAGE_EVENTS; ask again after `last_serial` for what follows.

    `is_complete` is False where events after the serial asked for were already forgotten, or where
    the serial is not of this daemon's life.
    """

    events: tuple[HubEvent, ...]
    last_serial: int
    is_complete: bool


def _utc_now() -> str:
    return datetime.datetime.now(datetime.UTC).isoformat(timespec="milliseconds")


class EventHub:
    """Takes events from any thread; gives them to waiting threads and to listeners.

    A listener is told only that something happened, on the publishing thread, outside the lock:
    it must return at once, and it reads what happened with `since`.
    """

    def __init__(self, *, kept: int = KEPT_EVENTS, now: Callable[[], str] = _utc_now) -> None:
        self._happened = threading.Condition()
        self._ring: deque[HubEvent] = deque(maxlen=kept)
        self._last_serial = 0
        self._listeners: tuple[Callable[[], None], ...] = ()
        self._now = now

    @property
    def last_serial(self) -> int:
        with self._happened:
            return self._last_serial

    def publish(self, topic: str, root: str, detail: Mapping[str, EventValue] | None = None) -> int:
        """Records one event and wakes everyone; its serial."""
        frozen = MappingProxyType(dict(detail or {}))
        at = self._now()
        with self._happened:
            self._last_serial += 1
            serial = self._last_serial
            self._ring.append(HubEvent(serial, topic, root, at, frozen))
            listeners = self._listeners
            self._happened.notify_all()
        for listener in listeners:
            listener()
        return serial

    def since(self, serial: int, *, root: str | None = None) -> EventPage:
        """Events after `serial`, of `root` or of every workspace."""
        with self._happened:
            return self._page(serial, root)

    def wait_since(self, serial: int, timeout_s: float, *, root: str | None = None) -> EventPage:
        """As `since`, but waits up to `timeout_s` for a first one."""
        with self._happened:
            self._happened.wait_for(lambda: self._has_news(serial, root), timeout_s)
            return self._page(serial, root)

    def listen(self, listener: Callable[[], None]) -> Callable[[], None]:
        """Calls `listener` after every event until the function returned is called."""
        with self._happened:
            self._listeners = (*self._listeners, listener)

        def stop() -> None:
            with self._happened:
                self._listeners = tuple(kept for kept in self._listeners if kept is not listener)

        return stop

    def _has_news(self, serial: int, root: str | None) -> bool:
        page = self._page(serial, root)
        return bool(page.events) or not page.is_complete

    def _page(self, serial: int, root: str | None) -> EventPage:
        is_of_this_life = 0 <= serial <= self._last_serial
        after = serial if is_of_this_life else 0
        first_kept = self._last_serial - len(self._ring) + 1
        is_complete = is_of_this_life and after + 1 >= first_kept
        found: list[HubEvent] = []
        for event in islice(self._ring, max(0, after + 1 - first_kept), None):
            if root is not None and event.root != root:
                continue
            if len(found) == PAGE_EVENTS:
                return EventPage(tuple(found), found[-1].serial, is_complete)
            found.append(event)
        return EventPage(tuple(found), self._last_serial, is_complete)
