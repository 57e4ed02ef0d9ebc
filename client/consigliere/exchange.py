"""Requests to bytes and bytes to results, without any socket: failures are raised here.

The client speaks JSON in plain dicts; `shapes.py` says which keys there are.
"""

from __future__ import annotations

from consigliere.errors import FailureReceived, NotADaemon, UsageError
from consigliere.protocol.codec import NotJson, decode_json, encode_json

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

PROTOCOL_VERSION = 1
MAX_REQUEST_BYTES = 4 * 1024 * 1024


def build_request(
    request_id: str, call: str, params: Mapping[str, object], *, root: str | None, deadline_s: float
) -> bytes:
    """One frame that asks for `call`; raises UsageError where it is longer than the daemon takes."""
    request = {
        "v": PROTOCOL_VERSION,
        "id": request_id,
        "call": call,
        "deadline_ms": max(1, int(deadline_s * 1000)),
        "root": root,
        "params": params,
    }
    frame = encode_json(request).encode("utf-8", "replace")
    if len(frame) > MAX_REQUEST_BYTES:
        raise UsageError(f"the request has {len(frame)} bytes", f"keep it under {MAX_REQUEST_BYTES} bytes")
    return frame


def parse_response(frames: list[bytes], request_id: str) -> dict[str, object] | None:
    """The result; None where the message answers another request; raises FailureReceived or NotADaemon."""
    if len(frames) != 1:
        raise NotADaemon(f"the answer has {len(frames)} frames, and one is expected", _FOREIGN_CURE)
    try:
        response = decode_json(frames[0])
    except NotJson as trouble:
        raise NotADaemon(f"the answer is not JSON: {trouble}", _FOREIGN_CURE) from None
    if not isinstance(response, dict):
        raise NotADaemon("the answer is not a JSON object", _FOREIGN_CURE)
    failure, result = response.get("failure"), response.get("result")
    # A daemon that could not read the request cannot know its id, and answers with an empty one.
    if response.get("id") != request_id and not (response.get("id") == "" and failure is not None):
        return None
    if isinstance(failure, dict):
        raise failure_of(failure)
    if not isinstance(result, dict):
        raise NotADaemon("the answer has neither a result nor a failure", _FOREIGN_CURE)
    return result


def failure_of(failure: Mapping[str, object]) -> FailureReceived:
    """The exception that stands for a failure on the wire, whatever it lacks."""
    cure, retry_after_ms = failure.get("cure"), failure.get("retry_after_ms")
    return FailureReceived(
        str(failure.get("message") or "the daemon failed and did not say why"),
        cure if isinstance(cure, str) and cure else None,
        code=str(failure.get("code") or "internal"),
        is_retryable=failure.get("retryable") is True,
        retry_after_ms=retry_after_ms if isinstance(retry_after_ms, int) else None,
    )


_FOREIGN_CURE = "run `consigliere restart`"
