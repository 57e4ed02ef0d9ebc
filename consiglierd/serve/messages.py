"""Frames to requests and answers to frames, in both codecs; the first byte says which."""

import os
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import msgspec

from consiglierd.errors import BadRequest, DaemonError, UnknownCall, UpgradeRequired
from consiglierd.serve.calls import CALLS, AnyCall, Handled
from consigliere.protocol.envelope import MAX_MESSAGE_BYTES, PROTOCOL_VERSION, Failure, Response

Codec = Literal["json", "msgpack"]

MAX_ID_CHARACTERS = 64
MAX_DEADLINE_MS = 600_000
_MAX_ROOT_BYTES = 4096


class _Head(msgspec.Struct, frozen=True):
    """envelope.Request, with the parameters left undecoded until it is known whose they are."""

    v: int
    id: str
    call: str
    deadline_ms: int
    root: str | None = None
    params: msgspec.Raw = msgspec.Raw()


class _Stub(msgspec.Struct, frozen=True):
    """What can be hoped for in a request of any version."""

    v: int = PROTOCOL_VERSION
    id: str = ""


@dataclass(frozen=True, slots=True)
class Asked:
    """One sound request: what is asked, for which root ("" for none), and how long the caller waits."""

    handled: Handled
    call: AnyCall
    root: str
    deadline_ms: int


_head_from: dict[Codec, Callable[[bytes], _Head]] = {
    "json": msgspec.json.Decoder(_Head).decode,
    "msgpack": msgspec.msgpack.Decoder(_Head).decode,
}
_stub_from: dict[Codec, Callable[[bytes], _Stub]] = {
    "json": msgspec.json.Decoder(_Stub).decode,
    "msgpack": msgspec.msgpack.Decoder(_Stub).decode,
}
_encode: dict[Codec, Callable[[Response], bytes]] = {"json": msgspec.json.encode, "msgpack": msgspec.msgpack.encode}


def codec_of(payload: bytes) -> Codec:
    return "json" if payload[:1] == b"{" else "msgpack"


def id_of(payload: bytes) -> str:
    """The caller's id, as far as it can be made out: a failure needs one to be understood."""
    stub = _stub_of(payload)
    return stub.id[:MAX_ID_CHARACTERS] if stub is not None else ""


def read_request(payload: bytes, daemon_version: str) -> Asked:
    """A frame as a request; raises BadRequest and its kinds."""
    head = _head_of(payload, daemon_version)
    _check_version(head.v, daemon_version)
    if len(head.id) > MAX_ID_CHARACTERS:
        raise BadRequest(f"the id has {len(head.id)} characters; at most {MAX_ID_CHARACTERS} are allowed")
    handled = CALLS.get(head.call)
    if handled is None:
        raise UnknownCall(
            f"there is no call named {head.call[:MAX_ID_CHARACTERS]!r}",
            cure=f"the daemon is version {daemon_version}; a newer client needs a newer daemon",
        )
    if head.deadline_ms < 1:
        raise BadRequest(f"deadline_ms must be at least 1, not {head.deadline_ms}")
    call = _call_of(head, handled, codec_of(payload))
    root = _root_of(head.root, head.call, needs_workspace=handled.call_type.needs_workspace)
    return Asked(handled, call, root, min(head.deadline_ms, MAX_DEADLINE_MS))


def write_result(
    request_id: str, codec: Codec, result: dict[str, object], revision: int | None, lag: dict[str, int] | None
) -> bytes:
    """An answer as a frame; raises BadRequest if it is larger than a message may be."""
    answer = Response(v=PROTOCOL_VERSION, id=request_id, result=result, revision=revision, lag=lag)
    frame = _encode[codec](answer)
    if len(frame) > MAX_MESSAGE_BYTES:
        raise BadRequest(
            f"the answer has {len(frame)} bytes; a message has at most {MAX_MESSAGE_BYTES}",
            cure="ask for fewer lines or hits",
        )
    return frame


def write_failure(request_id: str, codec: Codec, error: DaemonError) -> bytes:
    failure = Failure(
        code=error.code,
        message=_sayable(error.message),
        cure=_sayable(error.cure) if error.cure is not None else None,
        retryable=error.is_retryable,
        retry_after_ms=error.retry_after_ms,
    )
    return _encode[codec](Response(v=PROTOCOL_VERSION, id=_sayable(request_id), failure=failure))


def _head_of(payload: bytes, daemon_version: str) -> _Head:
    try:
        return _head_from[codec_of(payload)](payload)
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError) as problem:
        stub = _stub_of(payload)
        if stub is not None:
            # Another version may have another envelope: that is the better thing to say.
            _check_version(stub.v, daemon_version)
        raise BadRequest(f"not a request: {problem}", cure="see PROTOCOL.md") from problem


def _stub_of(payload: bytes) -> _Stub | None:
    try:
        return _stub_from[codec_of(payload)](payload)
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError):
        return None


def _check_version(version: int, daemon_version: str) -> None:
    if version != PROTOCOL_VERSION:
        newer = "daemon: consigliere restart" if version > PROTOCOL_VERSION else "client"
        raise UpgradeRequired(
            f"the request is of protocol version {version}; daemon {daemon_version} speaks {PROTOCOL_VERSION}",
            cure=f"upgrade the {newer}",
        )


def _call_of(head: _Head, handled: Handled, codec: Codec) -> AnyCall:
    try:
        if codec == "json":
            return handled.from_json.decode(head.params or b"{}")
        return handled.from_msgpack.decode(head.params or b"\x80")
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError) as problem:
        raise BadRequest(f"{head.call}: {problem}", cure="see the call in PROTOCOL.md") from problem


def _root_of(root: str | None, call_name: str, *, needs_workspace: bool) -> str:
    if root is None:
        if needs_workspace:
            raise BadRequest(f"{call_name} needs a root directory", cure="name it in the envelope's root")
        return ""
    if not os.path.isabs(root) or "\0" in root or len(root.encode("utf-8", "surrogateescape")) > _MAX_ROOT_BYTES:
        raise BadRequest(f"the root must be an absolute path, not {root[:200]!r}")
    # Two slashes in front are kept by POSIX, and one directory must have one name.
    return os.path.normpath("/" + root.lstrip("/"))


def _sayable(text: str) -> str:
    """Text that can be encoded: names of files may hold bytes that are no UTF-8."""
    return text.encode("utf-8", "backslashreplace").decode()
