"""The socket for events, and the calls that wait for one."""

import asyncio
import threading
from collections.abc import Callable
from dataclasses import dataclass

import msgspec
import zmq

from consiglierd.errors import Busy
from consiglierd.events import EventHub, EventPage, HubEvent
from consiglierd.serve.router import harden
from consigliere.protocol.events import Event

MAX_WAITERS = 256
_EVENTS_A_TURN = 200


def event_to_wire(event: HubEvent) -> Event:
    return Event(serial=event.serial, topic=event.topic, root=event.root, at=event.at, detail=dict(event.detail))


def topic_of(event: HubEvent) -> bytes:
    """What subscribers match by prefix, so it ends with a slash: `indexed/home/ann/project/`, `status/`."""
    parts = [part for part in (event.topic, event.root.strip("/")) if part]
    return ("/".join(parts) + "/").encode("utf-8", "backslashreplace")


@dataclass(slots=True, eq=False)
class _Waiter:
    serial: int
    root: str | None
    answer: Callable[[EventPage], None]
    timer: asyncio.TimerHandle


class Publisher:
    """Publishes what the hub records, in order, and answers who waits for it; used on the loop only.

    A subscriber that does not keep up loses events without an error on either side; the serial
    numbers show the gap, and `events_since` fills it.
    """

    def __init__(self, context: zmq.Context[zmq.Socket[bytes]], hub: EventHub, *, max_message_bytes: int) -> None:
        self._hub = hub
        self._loop = asyncio.get_running_loop()
        self._socket = context.socket(zmq.PUB)
        harden(self._socket, max_message_bytes)
        self._waiters: set[_Waiter] = set()
        self._published = hub.last_serial
        self._wake_lock = threading.Lock()
        self._is_woken = False
        self._is_closed = False
        self._stop_listening: Callable[[], None] | None = None

    def bind(self, address: str, listener: int) -> None:
        """Takes over a listening descriptor; `address` is where it listens."""
        self._socket.setsockopt(zmq.USE_FD, listener)
        self._socket.bind(address)

    def start(self) -> None:
        self._stop_listening = self._hub.listen(self._wake)
        self._wake()

    def wait_since(
        self, serial: int, root: str | None, wait_s: float, answer: Callable[[EventPage], None]
    ) -> Callable[[], None]:
        """Calls `answer` with the events after `serial`: at once if there are any, else when one comes.

        After `wait_s` it is called with none. The function returned ends the wait, with what is there.
        """
        page = self._hub.since(serial, root=root)
        if wait_s <= 0 or page.events or not page.is_complete:
            answer(page)
            return lambda: None
        if len(self._waiters) >= MAX_WAITERS:
            raise Busy(f"{MAX_WAITERS} calls wait for events already", cure="subscribe instead", retry_after_ms=1000)
        waiter: _Waiter
        waiter = _Waiter(serial, root, answer, self._loop.call_later(wait_s, lambda: self._release(waiter)))
        self._waiters.add(waiter)
        return lambda: self._release(waiter)

    @property
    def waiters(self) -> int:
        return len(self._waiters)

    def release_waiters(self) -> None:
        """Answers everyone who waits with what there is."""
        for waiter in tuple(self._waiters):
            self._release(waiter)

    def close(self) -> None:
        self._is_closed = True
        if self._stop_listening is not None:
            self._stop_listening()
        self.release_waiters()
        self._socket.close()

    def _wake(self) -> None:
        """Runs on any thread: one pending turn of the loop serves all events until then."""
        with self._wake_lock:
            if self._is_woken or self._is_closed:
                return
            self._is_woken = True
        try:
            self._loop.call_soon_threadsafe(self._publish_news)
        except RuntimeError:
            # An indexer may publish a last event while the loop is gone already.
            if not self._loop.is_closed():
                raise

    def _publish_news(self) -> None:
        with self._wake_lock:
            self._is_woken = False
        if self._is_closed:
            return
        page = self._hub.since(self._published)
        for event in page.events[:_EVENTS_A_TURN]:
            self._socket.send_multipart((topic_of(event), msgspec.msgpack.encode(event_to_wire(event))), zmq.NOBLOCK)
            self._published = event.serial
        if self._published < self._hub.last_serial:
            self._wake()
        for waiter in tuple(self._waiters):
            self._tell(waiter)

    def _tell(self, waiter: _Waiter) -> None:
        page = self._hub.since(waiter.serial, root=waiter.root)
        if page.events or not page.is_complete:
            self._answer(waiter, page)

    def _release(self, waiter: _Waiter) -> None:
        if waiter in self._waiters:
            self._answer(waiter, self._hub.since(waiter.serial, root=waiter.root))

    def _answer(self, waiter: _Waiter, page: EventPage) -> None:
        self._waiters.discard(waiter)
        waiter.timer.cancel()
        waiter.answer(page)
