"""The standard-library ZMTP client against the real library, and against peers that speak something else."""

import socket
import struct
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
import zmq

from consigliere import zmtp
from tests.support.answering_router import short_folder

GREETING = b"\xff" + bytes(8) + b"\x7f\x03\x00" + b"NULL".ljust(20, b"\0") + bytes(32)
READY_BODY = b"\x05READY\x0bSocket-Type" + struct.pack(">I", 6) + b"ROUTER"
READY = bytes((4, len(READY_BODY))) + READY_BODY


def soon(seconds: float = 10.0) -> float:
    return time.monotonic() + seconds


@contextmanager
def router() -> Iterator[tuple[Path, "zmq.Socket[bytes]"]]:
    with short_folder() as folder:
        context = zmq.Context()
        peer = context.socket(zmq.ROUTER)
        peer.linger = 0
        peer.rcvtimeo = 10_000
        peer.bind(f"ipc://{folder}/s")
        try:
            yield folder / "s", peer
        finally:
            peer.close()
            context.term()


@contextmanager
def peer_that(speaks: Callable[[socket.socket], None]) -> Iterator[Path]:
    """A listener whose one connection is handed to `speaks` in a thread, and then closed."""
    with short_folder() as folder, socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(folder / "s"))
        listener.listen(1)

        def serve() -> None:
            connection, _ = listener.accept()
            with connection:
                connection.settimeout(10)
                speaks(connection)

        thread = threading.Thread(target=serve)
        thread.start()
        try:
            yield folder / "s"
        finally:
            thread.join(timeout=10)
            assert not thread.is_alive()


def until_closed(connection: socket.socket) -> None:
    while connection.recv(65536):
        pass


def take(connection: socket.socket, size: int) -> bytes:
    content = b""
    while len(content) < size:
        piece = connection.recv(size - len(content))
        assert piece, "the client closed too early"
        content += piece
    return content


def shake_hands(connection: socket.socket) -> None:
    connection.sendall(GREETING + READY)
    take(connection, 64 + 2 + 0x29)


@pytest.mark.parametrize("size", [0, 1, 255, 256, 65_536, 3_000_000])
def test_frames_of_every_length_go_there_and_back(size: int) -> None:
    content = bytes(range(256)) * (size // 256 + 1)
    with router() as (path, peer):
        connection = zmtp.Connection(str(path), deadline_s=soon())
        connection.send(content[:size], deadline_s=soon())
        sender, received = peer.recv_multipart()
        peer.send_multipart([sender, received])
        assert received == content[:size]
        assert connection.receive(deadline_s=soon()) == [content[:size]]
        connection.close()


def test_a_message_of_several_frames_keeps_them_apart() -> None:
    with router() as (path, peer):
        connection = zmtp.Connection(str(path), deadline_s=soon())
        connection.send(b"x", deadline_s=soon())
        sender, _ = peer.recv_multipart()
        peer.send_multipart([sender, b"", b"a" * 300, b"b"])
        assert connection.receive(deadline_s=soon()) == [b"", b"a" * 300, b"b"]
        connection.close()


def test_many_messages_in_one_piece_are_told_apart() -> None:
    with router() as (path, peer):
        connection = zmtp.Connection(str(path), deadline_s=soon())
        connection.send(b"x", deadline_s=soon())
        sender, _ = peer.recv_multipart()
        for number in range(500):
            peer.send_multipart([sender, b"%d" % number])
        assert [connection.receive(deadline_s=soon()) for _ in range(500)] == [[b"%d" % n] for n in range(500)]
        connection.close()


def test_nothing_is_sent_before_the_peer_is_ready() -> None:
    seen: list[bytes] = []

    def speaks(connection: socket.socket) -> None:
        seen.append(take(connection, 64))
        connection.setblocking(False)
        with pytest.raises(BlockingIOError):
            connection.recv(1)
        connection.settimeout(10)
        connection.sendall(GREETING)
        seen.append(take(connection, 2 + 0x29))
        connection.sendall(READY)
        seen.append(take(connection, 3))

    with peer_that(speaks) as path:
        connection = zmtp.Connection(str(path), deadline_s=soon())
        connection.send(b"!", deadline_s=soon())
        connection.close()
    assert seen[0][:10] == b"\xff\x00\x00\x00\x00\x00\x00\x00\x01\x7f"
    assert seen[0][10:] == b"\x03\x00NULL" + bytes(48)
    assert seen[1] == b"\x04\x29\x05READY\x0bSocket-Type\x00\x00\x00\x06DEALER\x08Identity\x00\x00\x00\x00"
    assert seen[2] == b"\x00\x01!"


def test_ping_is_answered_with_its_context() -> None:
    def speaks(connection: socket.socket) -> None:
        shake_hands(connection)
        ping = b"\x04PING\x00\x0actx"
        connection.sendall(bytes((4, len(ping))) + ping + b"\x00\x02ok")
        assert take(connection, 2 + 8) == b"\x04\x08\x04PONGctx"

    with peer_that(speaks) as path:
        connection = zmtp.Connection(str(path), deadline_s=soon())
        assert connection.receive(deadline_s=soon()) == [b"ok"]
        connection.close()


def answering_with(content: bytes) -> Callable[[socket.socket], None]:
    def speaks(connection: socket.socket) -> None:
        connection.sendall(content)
        connection.shutdown(socket.SHUT_WR)
        until_closed(connection)

    return speaks


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (b"", "closed"),
        (GREETING[:30], "closed"),
        (b"HTTP/1.1 400 Bad Request\r\n\r\n", "not ZMTP"),
        (b"\xff" + bytes(8) + b"\x7f\x01\x00" + bytes(52), "ZMTP 1"),
        (GREETING[:12] + b"CURVE".ljust(20, b"\0") + bytes(32), "CURVE"),
        (GREETING, "closed"),
        (GREETING + READY[:9], "closed"),
        (GREETING + b"\x00\x03abc", "READY"),
        (GREETING + b"\x04\x0b\x05ERROR\x04nope", "nope"),
        (GREETING + READY.replace(b"ROUTER", b"PULLER"), "ROUTER"),
        (GREETING + b"\x04\x0c\x05READY\x0bSocke", "cut off"),
        (GREETING + b"\x80\x00", "flags"),
        (GREETING + b"\x02" + b"\x7f" + bytes(7), "limit"),
    ],
)
def test_a_foreign_peer_is_named_when_connecting(content: bytes, why: str) -> None:
    with peer_that(answering_with(content)) as path, pytest.raises(zmtp.ForeignPeer, match=why):
        zmtp.Connection(str(path), deadline_s=soon())


@pytest.mark.parametrize(
    ("content", "error"),
    [
        (b"", zmtp.ConnectionLost),
        (b"\x00", zmtp.ForeignPeer),
        (b"\x00\x05ab", zmtp.ForeignPeer),
        (b"\x01\x01a", zmtp.ForeignPeer),
        (b"\x02" + struct.pack(">Q", 1 << 62), zmtp.ForeignPeer),
        (b"\x05\x01a", zmtp.ForeignPeer),
        (b"\x01\x01a" * 100, zmtp.ForeignPeer),
    ],
)
def test_a_peer_that_breaks_off_later_is_named(content: bytes, error: type[Exception]) -> None:
    with peer_that(answering_with(GREETING + READY + content)) as path:
        connection = zmtp.Connection(str(path), deadline_s=soon())
        with pytest.raises(error):
            connection.receive(deadline_s=soon())
        connection.close()


def test_silence_ends_at_the_deadline() -> None:
    with peer_that(until_closed) as path:
        began = time.monotonic()
        with pytest.raises(zmtp.OutOfTime):
            zmtp.Connection(str(path), deadline_s=soon(0.2))
        assert 0.1 < time.monotonic() - began < 5


def test_a_peer_that_trickles_does_not_stretch_the_deadline() -> None:
    def speaks(connection: socket.socket) -> None:
        connection.settimeout(0.02)
        for byte in GREETING[:20]:
            try:
                connection.sendall(bytes((byte,)))
                if connection.recv(4096) == b"":
                    return
            except TimeoutError:
                continue
            except ConnectionError:
                # The other side has given up, as it should.
                return

    with peer_that(speaks) as path, pytest.raises(zmtp.OutOfTime):
        zmtp.Connection(str(path), deadline_s=soon(0.1))


def test_nobody_listens_where_there_is_no_socket_and_behind_a_stale_one(tmp_path: Path) -> None:
    with short_folder() as folder:
        with pytest.raises(zmtp.NobodyListens):
            zmtp.Connection(str(folder / "missing"), deadline_s=soon())
        with socket.socket(socket.AF_UNIX) as stale:
            stale.bind(str(folder / "stale"))
        with pytest.raises(zmtp.NobodyListens):
            zmtp.Connection(str(folder / "stale"), deadline_s=soon())
        (folder / "file").write_text("")
        with pytest.raises(zmtp.NobodyListens):
            zmtp.Connection(str(folder / "file"), deadline_s=soon())


def test_a_full_queue_of_the_listener_is_waited_for_until_the_deadline() -> None:
    with short_folder() as folder, socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(folder / "s"))
        listener.listen(0)
        waiting = [socket.socket(socket.AF_UNIX) for _ in range(4)]
        try:
            for other in waiting:
                other.setblocking(False)
                other.connect_ex(str(folder / "s"))
            with pytest.raises(zmtp.OutOfTime):
                zmtp.Connection(str(folder / "s"), deadline_s=soon(0.2))
        finally:
            for other in waiting:
                other.close()


def test_the_end_of_a_connection_is_waited_for() -> None:
    def speaks(connection: socket.socket) -> None:
        shake_hands(connection)
        connection.sendall(b"\x00\x03bye")

    with peer_that(speaks) as path:
        connection = zmtp.Connection(str(path), deadline_s=soon())
        assert connection.wait_for_close(deadline_s=soon())
        connection.close()
