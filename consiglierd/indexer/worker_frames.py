"""What travels over the pipes between the daemon and its workers: length-prefixed MessagePack."""

import struct
from typing import IO, TypeVar

import msgspec

from consiglierd.model.document import ParsedDocument
from consiglierd.model.rules import DocumentRules

MAX_FRAME_BYTES = 256 * 1024 * 1024
# A deadline is counted in processor time, so that a busy machine puts no innocent file into
# quarantine; by the clock a file may take this many times as long.
WALL_FACTOR = 4
_LENGTH = struct.Struct(">I")

F = TypeVar("F")


class Job(msgspec.Struct, frozen=True, array_like=True):
    """One file to parse; the worker ends itself when it takes more than `deadline_s` of processor time."""

    path: str
    content: bytes
    rules: DocumentRules
    deadline_s: float


class Done(msgspec.Struct, frozen=True, array_like=True):
    """The parse, and for each section its packed terms and its weighted length."""

    parsed: ParsedDocument
    terms: tuple[bytes, ...]
    lengths: tuple[int, ...]


class Ready(msgspec.Struct, frozen=True, array_like=True):
    """The worker's first message: it has everything loaded."""

    pid: int


def write_frame(pipe: IO[bytes], message: Job | Done | Ready) -> None:
    encoded = msgspec.msgpack.encode(message)
    pipe.write(_LENGTH.pack(len(encoded)))
    pipe.write(encoded)
    pipe.flush()


def read_frame(pipe: IO[bytes], kind: type[F]) -> F | None:
    """The next message; None when the other side has closed the pipe, also in the middle of a message."""
    header = pipe.read(_LENGTH.size)
    if len(header) < _LENGTH.size:
        return None
    (length,) = _LENGTH.unpack(header)
    if length > MAX_FRAME_BYTES:
        return None
    encoded = pipe.read(length)
    return msgspec.msgpack.decode(encoded, type=kind) if len(encoded) == length else None
