"""Events reach subscribers in order, and gaps can be filled."""

import threading
from collections.abc import Iterator

import msgspec
import pytest
import zmq

from consiglierd.events import PAGE_EVENTS, EventHub
from consigliere.protocol.events import Event
from tests.support.served import WAIT_S, Served, serving


@pytest.fixture
def served() -> Iterator[Served]:
    with serving() as running:
        yield running


def subscribe(served: Served, prefix: bytes) -> "zmq.Socket[bytes]":
    """A subscription that is in force: events are published until the first arrives."""
    subscriber = served.context.socket(zmq.SUB)
    subscriber.linger = 0
    subscriber.subscribe(prefix)
    subscriber.subscribe(b"probe/")
    subscriber.connect(served.endpoint.events_address)
    for _ in range(1000):
        served.hub.publish("probe", "")
        if subscriber.poll(20):
            break
    while subscriber.poll(50):
        subscriber.recv_multipart()
    return subscriber


def receive(subscriber: "zmq.Socket[bytes]") -> tuple[bytes, Event]:
    assert subscriber.poll(int(WAIT_S * 1000))
    topic, payload = subscriber.recv_multipart()
    return topic, msgspec.msgpack.decode(payload, type=Event)


def test_subscriber_gets_events_of_its_topic_in_order(served: Served) -> None:
    subscriber = subscribe(served, b"indexed/home/a/")
    for number in range(300):
        served.hub.publish("indexed", "/home/a", {"revision": number})
        served.hub.publish("indexed", "/home/ab", {"revision": number})
    events = [receive(subscriber) for _ in range(300)]
    assert {topic for topic, _ in events} == {b"indexed/home/a/"}
    assert [event.detail["revision"] for _, event in events] == list(range(300))
    serials = [event.serial for _, event in events]
    assert serials == sorted(set(serials))
    subscriber.close()


def test_events_since_fills_a_gap(served: Served) -> None:
    for number in range(5):
        served.hub.publish("indexed", "/a" if number % 2 else "/b", {"revision": number})
    dealer = served.dealer()
    result = dealer.call("events_since", serial=2)["result"]
    assert [event["serial"] for event in result["events"]] == [3, 4, 5]
    assert (result["last_serial"], result["is_complete"]) == (5, True)
    of_root = dealer.call("events_since", serial=0, root="/a")["result"]
    assert [event["detail"]["revision"] for event in of_root["events"]] == [1, 3]
    dealer.close()


def test_events_since_waits_for_the_next_one(served: Served) -> None:
    dealer = served.dealer()
    dealer.ask("events_since", root="/a", serial=0, wait_ms=15_000, id="waits")
    dealer.call("hello")
    served.hub.publish("indexed", "/b")
    served.hub.publish("indexed", "/a")
    answer = dealer.answer()
    assert [event["serial"] for event in answer["result"]["events"]] == [2]
    dealer.close()


def test_events_since_gives_up_after_its_wait(served: Served) -> None:
    dealer = served.dealer()
    result = dealer.call("events_since", serial=0, wait_ms=30)["result"]
    assert (result["events"], result["last_serial"], result["is_complete"]) == ([], 0, True)
    dealer.close()


def test_more_waiters_than_allowed_are_busy(served: Served) -> None:
    dealer = served.dealer()
    for _ in range(256):
        dealer.ask("events_since", serial=0, wait_ms=15_000, id="waits")
    answer = dealer.call("events_since", serial=0, wait_ms=15_000, id="one more")
    assert answer["failure"]["code"] == "busy"
    dealer.close()


def test_forgotten_events_are_said_to_be_missing() -> None:
    hub = EventHub(kept=3)
    for _ in range(5):
        hub.publish("status", "/a")
    assert hub.since(1).is_complete is False
    assert [event.serial for event in hub.since(1).events] == [3, 4, 5]
    assert hub.since(2).is_complete


def test_serial_of_another_life_is_said_to_be_unknown() -> None:
    hub = EventHub()
    hub.publish("status", "/a")
    page = hub.since(700)
    assert (len(page.events), page.last_serial, page.is_complete) == (1, 1, False)
    assert hub.wait_since(700, WAIT_S).is_complete is False


def test_many_events_come_in_pages_that_join() -> None:
    hub = EventHub()
    for _ in range(PAGE_EVENTS + 10):
        hub.publish("status", "/a")
    first = hub.since(0)
    assert first.last_serial == PAGE_EVENTS
    assert [event.serial for event in hub.since(first.last_serial).events] == list(
        range(PAGE_EVENTS + 1, PAGE_EVENTS + 11)
    )


def test_serials_have_no_gap_when_threads_publish_at_once() -> None:
    hub = EventHub()
    threads = [threading.Thread(target=lambda: [hub.publish("status", "/a") for _ in range(200)]) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [event.serial for event in hub.since(0).events] == list(range(1, 801))
