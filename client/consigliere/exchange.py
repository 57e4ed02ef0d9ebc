"""Requests to bytes and bytes to results, without any I/O; plain dictionaries in JSON."""

from __future__ import annotations

import os

# The C parts of `json`: the package around them imports `re`, a third of a whole search's time.
from _json import encode_basestring, make_scanner

from consigliere.errors import CallFailed, DaemonUnreachable

# Importing `typing` would cost a quarter of what a whole search may take.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

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
    return encode_json(request).encode("utf-8", "replace")


def decode_response(message: bytes, request_id: str) -> dict[str, Any] | None:
    """The result; None for a response to another request; raises CallFailed for a failure."""
    try:
        response = decode_json(message.decode("utf-8"))
    except (ValueError, StopIteration) as error:
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


class _Decoding:
    """What the C scanner asks of a decoder: the plain forms of everything."""

    strict = True
    object_hook = None
    object_pairs_hook = None
    parse_float = float
    parse_int = int
    parse_constant = float
    memo: dict[str, str] = {}  # noqa: RUF012  # the C scanner's own scratch, as in `json`


def decode_json(text: str) -> Any:
    """The value that `text` begins with; raises ValueError or StopIteration where there is none."""
    value, _ = make_scanner(_Decoding)(text, 0)  # type: ignore[arg-type]  # it reads attributes, of whatever holds them
    return value


def encode_json(value: Any) -> str:
    """`value` (text, numbers, None, lists and dictionaries with text keys) as JSON."""
    if isinstance(value, str):
        return str(encode_basestring(value))
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    if isinstance(value, int | float):
        return repr(value)
    if isinstance(value, dict):
        return "{" + ",".join(f"{encode_basestring(name)}:{encode_json(each)}" for name, each in value.items()) + "}"
    return "[" + ",".join(map(encode_json, value)) + "]"
