"""What travels between the daemon and its children: whole messages, or none."""

import io
import struct

import msgspec
import pytest

from consiglierd.child.frames import MAX_FRAME_BYTES, Ready, read_frame, write_frame


def written(message: msgspec.Struct) -> bytes:
    pipe = io.BytesIO()
    write_frame(pipe, message)
    return pipe.getvalue()


def test_messages_come_back_one_after_the_other() -> None:
    pipe = io.BytesIO(written(Ready(1)) + written(Ready(2)))
    assert [read_frame(pipe, Ready) for _ in range(3)] == [Ready(1), Ready(2), None]


@pytest.mark.parametrize(
    "sent",
    [
        b"",
        b"\0\0",
        written(Ready(1))[:-1],
        struct.pack(">I", MAX_FRAME_BYTES + 1) + b"x",
        struct.pack(">I", 3) + b"\xff\xff\xff",
        struct.pack(">I", 3) + b"\x91\xa1x",
        struct.pack(">I", 0),
        struct.pack(">I", 6) + b"\x91\xa4\xed\xa0\x80x",
    ],
    ids=["closed", "half a length", "cut short", "too long", "no message", "another type", "empty", "no Unicode"],
)
def test_what_is_no_message_is_the_end(sent: bytes) -> None:
    assert read_frame(io.BytesIO(sent), Ready) is None


def test_a_text_that_cannot_be_written_leaves_the_pipe_as_it_was() -> None:
    class Said(msgspec.Struct):
        text: str

    pipe = io.BytesIO()
    with pytest.raises(UnicodeEncodeError):
        write_frame(pipe, Said("\ud800"))
    assert pipe.getvalue() == b""
