"""Full queues, deadlines, fairness, waiting calls and the end, over a real socket."""

from collections.abc import Iterator

import pytest

from consiglierd.serve.lanes import LaneSize
from consiglierd.serve.server import ServeLimits
from tests.support.served import Served, code_of, serving

SMALL = {
    "control": LaneSize(slots=1, slots_per_root=1, queue=2),
    "interactive": LaneSize(slots=2, slots_per_root=1, queue=4),
    "batch": LaneSize(slots=1, slots_per_root=1, queue=2),
    "waiting": LaneSize(slots=2, slots_per_root=2, queue=2),
}


@pytest.fixture
def served() -> Iterator[Served]:
    with serving(ServeLimits(lanes=SMALL, drain_s=0.2)) as running:
        yield running


def test_full_queue_is_busy_and_says_when_to_come_back(served: Served) -> None:
    dealer = served.dealer()
    dealer.ask("search", root="/a", query="wait a", id="runs")
    served.workspaces.wait_noted(1)
    for number in range(5):
        dealer.ask("search", root="/a", query="x", id=f"q{number}")
    answer = dealer.answer()
    assert (code_of(answer), answer["id"], answer["failure"]["retryable"]) == ("busy", "q4", True)
    assert answer["failure"]["retry_after_ms"] >= 50
    served.workspaces.gate("a").set()
    assert sorted(dealer.answer()["id"] for _ in range(5)) == ["q0", "q1", "q2", "q3", "runs"]
    dealer.close()


def test_root_that_fills_the_queue_gives_way_to_another(served: Served) -> None:
    dealer = served.dealer()
    for root in ("/a", "/b"):
        dealer.ask("search", root=root, query="wait gate", id=f"runs{root}")
    served.workspaces.wait_noted(2)
    for number in range(4):
        dealer.ask("search", root="/a", query="x", id=f"a{number}")
    dealer.ask("search", root="/b", query="x", id="b0")
    refused = dealer.answer()
    assert (code_of(refused), refused["id"]) == ("busy", "a3")
    served.workspaces.gate("gate").set()
    answers = [dealer.answer() for _ in range(6)]
    assert "b0" in [answer["id"] for answer in answers if code_of(answer) is None]
    dealer.close()


def test_root_whose_calls_hang_leaves_a_slot_to_others(served: Served) -> None:
    dealer = served.dealer()
    for _ in range(3):
        dealer.ask("search", root="/a", query="wait a")
    assert code_of(dealer.call("search", root="/b", query="x", id="b")) is None
    dealer.close()


def test_roots_take_turns(served: Served) -> None:
    dealer = served.dealer()
    for name in ("a", "b"):
        dealer.ask("search", root=f"/{name}", query="wait gate")
    served.workspaces.wait_noted(2)
    for root, query in (("/a", "a1"), ("/a", "a2"), ("/c", "c1"), ("/b", "b1")):
        dealer.ask("search", root=root, query=query)
    # Admission is over once a call behind them on the same connection is answered.
    dealer.call("hello")
    served.workspaces.gate("gate").set()
    for _ in range(6):
        dealer.answer()
    order = [note.removeprefix("search ") for note in served.workspaces.noted[2:]]
    assert order.index("c1") < order.index("a2")
    dealer.close()


def test_call_whose_deadline_passes_in_the_queue_never_runs(served: Served) -> None:
    dealer = served.dealer()
    dealer.ask("search", root="/a", query="wait a", id="runs")
    served.workspaces.wait_noted(1)
    answer = dealer.call("search", root="/a", query="too late", deadline_ms=50)
    assert code_of(answer) == "deadline_exceeded"
    served.workspaces.gate("a").set()
    assert dealer.answer()["id"] == "runs"
    assert code_of(dealer.call("search", root="/a", query="next")) is None
    assert served.workspaces.noted == ["search wait a", "search next"]
    dealer.close()


def test_result_after_the_deadline_is_dropped_and_its_slot_held_till_then(served: Served) -> None:
    dealer = served.dealer()
    answer = dealer.call("search", root="/a", query="wait a", deadline_ms=80)
    assert code_of(answer) == "deadline_exceeded"
    # The only slot of this root is still taken by the call that nobody waits for.
    assert code_of(dealer.call("search", root="/a", query="x", deadline_ms=80)) == "deadline_exceeded"
    served.workspaces.gate("a").set()
    assert code_of(dealer.call("search", root="/a", query="after", id="after")) is None
    assert served.workspaces.noted == ["search wait a", "search after"]
    dealer.close()


def test_waiting_calls_do_not_take_the_slots_of_control(served: Served) -> None:
    dealer = served.dealer()
    for _ in range(2):
        dealer.ask("index_progress", root="/a", ticket=11, wait_ms=15_000, id="waits")
    for _ in range(50):
        dealer.ask("events_since", serial=0, wait_ms=15_000, id="listens")
    assert code_of(dealer.call("status", root="/a")) is None
    served.workspaces.gate("progress").set()
    for _ in range(2):
        answer = dealer.answer()
        assert (answer["id"], answer["result"]["is_done"]) == ("waits", True)
    dealer.close()


def test_hello_is_answered_however_full_the_lanes_are(served: Served) -> None:
    dealer = served.dealer()
    for root in ("/a", "/b"):
        for _ in range(5):
            dealer.ask("search", root=root, query="wait a")
    client = served.dealer()
    assert code_of(client.call("hello")) is None
    client.close()
    dealer.close()


def test_stop_turns_waiting_calls_away_and_finishes_running_ones() -> None:
    with serving(ServeLimits(lanes=SMALL, drain_s=20)) as served:
        dealer = served.dealer()
        dealer.ask("search", root="/a", query="wait a", id="runs")
        served.workspaces.wait_noted(1)
        dealer.ask("search", root="/a", query="x", id="waits")
        dealer.ask("events_since", wait_ms=15_000, id="listens")
        dealer.call("hello")
        served.ask_stop()
        answers = {(answer := dealer.answer())["id"]: code_of(answer) for _ in range(2)}
        assert answers == {"listens": None, "waits": "unavailable"}
        assert code_of(dealer.call("search", root="/a", query="new", id="new")) == "unavailable"
        served.workspaces.gate("a").set()
        answer = dealer.answer()
        assert (answer["id"], code_of(answer)) == ("runs", None)
        served.wait_ended()
        dealer.close()


def test_stop_does_not_wait_for_a_call_that_hangs(served: Served) -> None:
    dealer = served.dealer()
    dealer.ask("search", root="/a", query="wait a", id="hangs")
    served.workspaces.wait_noted(1)
    served.ask_stop()
    assert code_of(dealer.answer()) == "unavailable"
    served.wait_ended()
    dealer.close()
