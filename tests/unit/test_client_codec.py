"""The client's own JSON against the standard package, and requests and answers without any socket."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from consigliere.errors import CallFailed, DaemonUnreachable, UsageError
from consigliere.exchange import MAX_REQUEST_BYTES, PROTOCOL_VERSION, decode_response, encode_request
from consigliere.protocol import envelope
from consigliere.protocol.codec import NotJson, decode_json, encode_json

CLIENT = Path(__file__).parents[2] / "client"
TEXT = st.text(st.characters(exclude_categories=["Cs"]))
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | TEXT,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXT, inner, max_size=4),
    max_leaves=12,
)


@given(VALUES)
def test_what_is_written_the_standard_package_reads_and_the_reverse(value: object) -> None:
    assert json.loads(encode_json(value)) == value
    assert decode_json(json.dumps(value).encode()) == value
    assert decode_json(encode_json(value, 2).encode()) == value


@pytest.mark.parametrize(
    "content",
    [b"", b" ", b"{", b"[1] x", b"NaN", b"[" * 100_000, b"\xff", b'{"a":}', b'"\n"', b"{'a':1}", b"[1,]", b'"\\ud8'],
)
def test_what_is_no_json_is_said_to_be_none_also_where_json_was_never_imported(content: bytes) -> None:
    with pytest.raises(NotJson):
        decode_json(content)
    script = (
        "import sys; sys.path.insert(0, sys.argv[1])\n"
        "from consigliere.protocol.codec import NotJson, decode_json\n"
        "try: decode_json(sys.stdin.buffer.read())\n"
        "except NotJson: sys.exit(7)"
    )
    done = subprocess.run([sys.executable, "-IS", "-c", script, str(CLIENT)], input=content, check=False)
    assert done.returncode == 7


def test_values_without_a_json_form_are_refused() -> None:
    for value in (float("nan"), float("inf")):
        with pytest.raises(ValueError, match="no JSON form"):
            encode_json(value)
    with pytest.raises(TypeError):
        encode_json({1, 2})


def test_a_request_is_the_envelope_of_the_protocol() -> None:
    import msgspec

    frame = encode_request("a1", "search", {"query": "로그인 \ud800"}, root="/p", deadline_s=2.5)
    request = msgspec.json.decode(frame, type=envelope.Request)
    assert request == envelope.Request(
        v=envelope.PROTOCOL_VERSION, id="a1", call="search", deadline_ms=2500, root="/p", params={"query": "로그인 ?"}
    )
    assert (PROTOCOL_VERSION, MAX_REQUEST_BYTES) == (envelope.PROTOCOL_VERSION, envelope.MAX_MESSAGE_BYTES)


def test_a_request_that_the_daemon_would_not_take_is_not_sent() -> None:
    with pytest.raises(UsageError, match="bytes"):
        encode_request("a1", "search", {"query": "x" * MAX_REQUEST_BYTES}, root=None, deadline_s=1)


def answer(**fields: object) -> list[bytes]:
    return [json.dumps({"v": 1, "id": "a1", "result": None, "failure": None, **fields}).encode()]


def test_answers_are_results_or_failures_of_the_own_request() -> None:
    assert decode_response(answer(result={"a": 1}, new_field=3), "a1") == {"a": 1}
    assert decode_response(answer(result={"a": 1}), "other") is None
    failure = {"code": "busy", "message": "full", "cure": None, "retryable": True, "retry_after_ms": 50}
    with pytest.raises(CallFailed, match="full") as caught:
        decode_response(answer(failure=failure), "a1")
    assert (caught.value.code, caught.value.retry_after_ms, caught.value.exit_status) == ("busy", 50, 4)
    with pytest.raises(CallFailed):
        decode_response(answer(id="", failure=failure), "a1")
    with pytest.raises(CallFailed, match="did not say why"):
        decode_response(answer(failure={}), "a1")


@pytest.mark.parametrize("frames", [[b"a", b"b"], [b"hello"], [b"[1]"], answer(), answer(result=3)])
def test_answers_that_cannot_be_read_are_said_to_be_so(frames: list[bytes]) -> None:
    with pytest.raises(DaemonUnreachable, match="cannot be read"):
        decode_response(frames, "a1")
