"""Requests to bytes and bytes to results, without any I/O; plain dictionaries in JSON."""

import json
import os
from typing import Any

from consigliere.errors import CallFailed, DaemonUnreachable

PROTOCOL_VERSION = 1


def new_id() -> str:
    return os.urandom(8).hex()


def encode_request(request_id: str, call: str, params: dict[str, Any], *, root: str | None, deadline_s: float) -> bytes:
    """One request; lone surrogates, which no text of the daemon's holds, are sent as "?"."""
    request = {
        "v": PROTOCOL_VERSION,
        "id": request_id,
        "call": call,
        "deadline_ms": max(1, int(deadline_s * 1000)),
        "root": root,
        "params": params,
    }
    return json.dumps(request, ensure_ascii=False).encode("utf-8", "replace")


def decode_response(message: bytes, request_id: str) -> dict[str, Any] | None:
    """The result; None for a response to another request; raises CallFailed for a failure."""
    try:
        response = json.loads(message)
    except ValueError as error:
        raise DaemonUnreachable("the daemon's answer cannot be read", "broken") from error
    if not isinstance(response, dict) or response.get("id") != request_id:
        return None
    failure = response.get("failure")
    if failure is not None:
        raise CallFailed(
            failure.get("code", "internal"),
            failure.get("message", ""),
            failure.get("cure") or "",
            failure.get("retry_after_ms"),
        )
    result: dict[str, Any] = response.get("result") or {}
    return result
