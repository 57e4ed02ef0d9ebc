"""Requests to bytes and bytes to results, without any I/O; plain dictionaries in JSON.

`protocol/shapes.py` says which keys there are.
"""

from __future__ import annotations

from consigliere.errors import CallFailed, DaemonUnreachable, UsageError
from consigliere.protocol.codec import NotJson, decode_json, encode_json

# Importing `typing` would cost a quarter of what a whole search may take.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

PROTOCOL_VERSION = 1
MAX_REQUEST_BYTES = 4 * 1024 * 1024


def encode_request(
    request_id: str, call: str, params: Mapping[str, object], *, root: str | None, deadline_s: float
) -> bytes:
    """One request; lone surrogates, which no text of the daemon's holds, are sent as "?"."""
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


def decode_response(frames: list[bytes], request_id: str) -> dict[str, object] | None:
    """The result; None for a response to another request; raises CallFailed for a failure."""
    if len(frames) != 1:
        raise _unreadable(f"it has {len(frames)} frames, and one is expected")
    try:
        response = decode_json(frames[0])
    except NotJson as trouble:
        raise _unreadable(str(trouble)) from None
    if not isinstance(response, dict):
        raise _unreadable("it is not a JSON object")
    failure, result = response.get("failure"), response.get("result")
    # A daemon that could not read the request cannot know its id, and answers with an empty one.
    if response.get("id") != request_id and not (response.get("id") == "" and failure is not None):
        return None
    if isinstance(failure, dict):
        raise _failed(failure)
    if not isinstance(result, dict):
        raise _unreadable("it has neither a result nor a failure")
    return result


def _failed(failure: Mapping[str, object]) -> CallFailed:
    retry_after_ms = failure.get("retry_after_ms")
    return CallFailed(
        str(failure.get("code") or "internal"),
        str(failure.get("message") or "the daemon failed and did not say why"),
        str(failure.get("cure") or ""),
        retry_after_ms if isinstance(retry_after_ms, int) else None,
    )


def _unreadable(why: str) -> DaemonUnreachable:
    return DaemonUnreachable(f"the daemon's answer cannot be read: {why}", "broken", "run `consigliere restart`")
