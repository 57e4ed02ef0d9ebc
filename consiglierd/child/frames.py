"""What travels over the pipes between the daemon and its children: length-prefixed MessagePack."""

import struct
from typing import IO, TypeVar

import msgspec

MAX_FRAME_BYTES = 256 * 1024 * 1024
_LENGTH = struct.Struct(">I")

F = TypeVar("F")


class Ready(msgspec.Struct, frozen=True, array_like=True):
    """A child's first message: it has everything loaded."""

    pid: int


def write_frame(pipe: IO[bytes], message: msgspec.Struct) -> None:
    """Raises UnicodeEncodeError, before anything is written, for a text with a lone surrogate."""
    encoded = msgspec.msgpack.encode(message)
    pipe.write(_LENGTH.pack(len(encoded)))
    pipe.write(encoded)
    pipe.flush()


def read_frame(pipe: IO[bytes], kind: type[F]) -> F | None:
    """The next message; None when the other side has closed the pipe, also in the middle of a message, or when
    what it sent is none: such a side cannot be spoken with any more."""
    header = pipe.read(_LENGTH.size)
    if len(header) < _LENGTH.size:
        return None
    (length,) = _LENGTH.unpack(header)
    if length > MAX_FRAME_BYTES:
        return None
    encoded = pipe.read(length)
    if len(encoded) < length:
        return None
    try:
        return msgspec.msgpack.decode(encoded, type=kind)
    except msgspec.DecodeError:
        return None
