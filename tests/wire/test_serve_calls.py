"""Every call goes through a real socket and back, in both codecs."""

from collections.abc import Iterator
from typing import Any

import msgspec
import pytest

from consiglierd.serve.calls import CALLS
from consigliere.protocol.call import Call
from consigliere.protocol.envelope import Response
from tests.support.served import Dealer, Served, code_of, serving

PARAMETERS: dict[str, dict[str, Any]] = {
    "search": {"query": "관리 ✓", "filters": {"types": ["rules"]}, "role": "pm", "explain": True},
    "show": {"file": "docs/규칙.md", "line_start": 1, "line_end": 2},
    "index": {"paths": ["docs"], "rebuild": True},
    "index_progress": {"ticket": 11, "wait_ms": 0},
    "settle": {},
    "events_since": {"serial": 0},
    "hello": {"client_version": "1"},
    "status": {},
    "workspaces": {},
    "forget": {},
    "config": {},
    "doctor": {},
    "evaluate": {"questions": [{"question": "관리", "answers": [{"file": "a.md", "line_start": 1, "line_end": 1}]}]},
    "tune": {"questions": [{"question": "관리"}]},
    "forget_tuning": {},
    "history_questions": {},
    "shutdown": {"reason": "test"},
}


@pytest.fixture(scope="module")
def served() -> Iterator[Served]:
    with serving() as running:
        yield running


@pytest.fixture
def dealer(served: Served) -> Iterator[Dealer]:
    client = served.dealer()
    yield client
    client.close()


def test_every_call_of_the_protocol_has_a_handler() -> None:
    def all_calls(parent: type) -> set[str]:
        names = {parent.call_name} if hasattr(parent, "call_name") else set()
        return names.union(*(all_calls(child) for child in parent.__subclasses__()))

    assert set(CALLS) == all_calls(Call) == set(PARAMETERS)


@pytest.mark.parametrize("codec", ["msgpack", "json"])
@pytest.mark.parametrize("name", [name for name in PARAMETERS if name != "shutdown"])
def test_call_round_trips(dealer: Dealer, name: str, codec: str) -> None:
    handled = CALLS[name]
    root = "/r" if handled.call_type.needs_workspace else None
    answer = dealer.call(name, codec=codec, root=root, **PARAMETERS[name])
    response = msgspec.convert(answer, Response)
    assert response.failure is None
    reply = msgspec.convert(response.result, handled.call_type.reply_type)
    assert msgspec.json.decode(msgspec.json.encode(reply)) == response.result
    if root is not None and name != "forget":
        assert (response.revision, response.lag) == (5, {"lexical": 0})


def test_both_codecs_give_the_same_answer(dealer: Dealer) -> None:
    answers = [
        dealer.call("search", codec=codec, root="/r", **PARAMETERS["search"])["result"] for codec in ("json", "msgpack")
    ]
    for answer in answers:
        answer.pop("took_ms")
    assert answers[0] == answers[1]


def test_hit_reaches_the_wire_whole(dealer: Dealer) -> None:
    hit = dealer.call("search", root="/r", query="x")["result"]["hits"][0]
    assert hit["text"] == "PM이 관리\n합니다 ✓"
    assert hit["scores"] == {"base": 0.8, "vector": None, "bm25": 0.8, "role": 1.3, "room": 0.0}
    assert hit["also"] == [{"file": "docs/b.md", "line_start": 9}]
    assert hit["explanation"]["terms"] == [{"term": "관리", "idf": 1.5, "count": 2, "weight": 0.4}]
    assert hit["annotations"][0]["kind"] == "superseded"
    assert hit["metadata"] == {"decided_by": "회장"}


def test_hello_names_the_daemon(served: Served, dealer: Dealer) -> None:
    reply = dealer.call("hello")["result"]
    assert (reply["version"], reply["protocol"]) == ("9.9", 1)
    assert reply["events_endpoint"] == f"ipc://{served.endpoint.socket}.events"


def test_fresh_search_settles_before_it_searches(served: Served, dealer: Dealer) -> None:
    served.workspaces.noted.clear()
    dealer.call("search", root="/r", query="x", fresh=True, after_revision=4)
    assert served.workspaces.noted == ["settle", "wait for 4", "search x"]


def test_wrong_version_is_told_both_versions(dealer: Dealer) -> None:
    answer = dealer.call("hello", v=7)
    assert code_of(answer) == "upgrade_required"
    assert "7" in answer["failure"]["message"]
    assert "9.9 speaks 1" in answer["failure"]["message"]


def test_another_envelope_of_another_version_is_told_so(dealer: Dealer) -> None:
    dealer.socket.send(msgspec.msgpack.encode({"v": 2, "id": "a", "operation": ["search"]}))
    answer = dealer.answer()
    assert (code_of(answer), answer["id"]) == ("upgrade_required", "a")


def test_unknown_call_is_named(dealer: Dealer) -> None:
    answer = dealer.call("divine")
    assert code_of(answer) == "unknown_call"
    assert "divine" in answer["failure"]["message"]


@pytest.mark.parametrize("codec", ["msgpack", "json"])
def test_wrong_parameter_is_named_with_its_place(dealer: Dealer, codec: str) -> None:
    answer = dealer.call("search", codec=codec, root="/r", query="x", limit="five")
    assert code_of(answer) == "bad_request"
    assert "$.limit" in answer["failure"]["message"]


def test_unknown_fields_are_tolerated(dealer: Dealer) -> None:
    assert code_of(dealer.call("search", root="/r", query="x", colour="red")) is None


@pytest.mark.parametrize("root", [None, "relative/path", "", "/a\0b", "/" + "x" * 5000])
def test_call_without_a_sound_root_is_a_bad_request(dealer: Dealer, root: str | None) -> None:
    assert code_of(dealer.call("status", root=root)) == "bad_request"


def test_root_is_normalised(dealer: Dealer) -> None:
    assert dealer.call("status", root="//a/./b/../c/")["result"]["root"] == "/a/c"


@pytest.mark.parametrize(
    ("call", "given"),
    [
        ("search", {"query": "x", "limit": 0}),
        ("search", {"query": "x", "limit": 1001}),
        ("show", {"file": "a.md", "line_start": 0}),
        ("show", {"file": "a.md", "line_start": 5, "line_end": 4}),
        ("show", {"file": "a.md", "section": True}),
        ("search", {"query": "x", "deadline_ms": 0}),
        ("search", {"query": "x", "id": "i" * 65}),
    ],
)
def test_value_out_of_range_is_a_bad_request(dealer: Dealer, call: str, given: dict[str, Any]) -> None:
    dealer.ask(call, root="/r", **given)
    assert code_of(dealer.answer()) == "bad_request"


def test_failure_carries_code_message_and_cure(dealer: Dealer) -> None:
    failure = dealer.call("search", root="/r", query="missing")["failure"]
    # The name of the file holds a byte that is no UTF-8; it is escaped, not lost.
    assert failure == {
        "code": "not_found",
        "message": "no such thing: \\udcff",
        "cure": "look elsewhere",
        "retryable": False,
        "retry_after_ms": None,
    }


def test_root_that_does_not_open_is_a_failure(dealer: Dealer) -> None:
    assert code_of(dealer.call("status", root="/missing/x")) == "not_found"


@pytest.mark.parametrize("query", ["crash", "panic"])
def test_crash_in_a_handler_is_internal_and_the_daemon_goes_on(dealer: Dealer, query: str) -> None:
    answer = dealer.call("search", root="/r", query=query)
    assert code_of(answer) == "internal"
    assert "secret" not in answer["failure"]["message"]
    assert code_of(dealer.call("search", root="/r", query="x")) is None


def test_hits_that_no_message_can_hold_are_named(dealer: Dealer) -> None:
    answer = dealer.call("search", root="/r", query="huge")
    assert code_of(answer) is None
    assert (answer["result"]["hits"], answer["result"]["reason_code"]) == ([], "too_long")


def test_shutdown_answers_and_then_ends() -> None:
    with serving() as served:
        client = served.dealer()
        assert client.call("shutdown")["result"]["pid"] > 0
        served.wait_ended()
        assert not served.endpoint.socket.exists()
        assert not served.endpoint.events_socket.exists()
