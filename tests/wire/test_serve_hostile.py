"""Whatever bytes come, the daemon drops them or says what is wrong, and goes on."""

import multiprocessing
import os
import pwd
import resource
import socket
import struct
from collections.abc import Iterator
from multiprocessing.connection import Connection

import msgspec
import pytest
import zmq

from consiglierd.serve.peers import MAX_CLIENTS, Peers, uid_of
from consigliere.protocol.envelope import MAX_MESSAGE_BYTES
from tests.support.served import Dealer, Served, code_of, serving

GREETING = b"\xff" + b"\0" * 8 + b"\x7f\x03\x00" + b"NULL".ljust(20, b"\0") + b"\0" * 32
READY = b"\x04\x1c\x05READY\x0bSocket-Type\x00\x00\x00\x06DEALER"


@pytest.fixture(scope="module")
def served() -> Iterator[Served]:
    with serving() as running:
        yield running


@pytest.fixture
def dealer(served: Served) -> Iterator[Dealer]:
    client = served.dealer()
    yield client
    client.close()


def greeted(served: Served) -> socket.socket:
    """A connection after its handshake; the library hangs up on whoever sends more before that."""
    connection = served.raw()
    connection.sendall(GREETING + READY)
    received = b""
    while b"READY" not in received:
        chunk = connection.recv(4096)
        assert chunk, received
        received += chunk
    return connection


def assert_alive(served: Served) -> None:
    client = served.dealer()
    assert code_of(client.call("hello")) is None
    client.close()


@pytest.mark.parametrize(
    "frame",
    [
        b"\0",
        b"x",
        b"{",
        b"{}",
        b'{"v":1}',
        b"\xc1",
        b"\x80",
        b'{"v":1,"id":"a","call":"hello","deadline_ms":"soon"}',
        b'{"v":1,"id":"\\ud800","call":"hello","deadline_ms":1}',
        b'{"v":1,"id":"\xed\xa0\x80","call":"hello","deadline_ms":1}',
        b'{"v":1,"id":"a","call":"hello","deadline_ms":1e999}',
        b'{"v":1,"id":"a","call":"search","deadline_ms":9,"root":"/r","params":' + b"[" * 100_000 + b"}",
        b'{"v":1,"id":"a","call":"search","deadline_ms":9,"root":"/r","params":' + b'{"a":' * 100_000 + b"}",
        b"\x91" * 100_000,
        b"\x81\xa1v" * 100_000,
        b"\xdd\xff\xff\xff\xff",
        b"\xdf\xff\xff\xff\xff",
        b"\xc6\xff\xff\xff\xff",
        b"\x86\xa1v\x01\xa2id\xa1a\xa4call\xa5index\xabdeadline_ms\x64\xa4root\xa2/r\xa6params"
        b"\x81\xa5paths\xdd\xff\xff\xff\xff",
        b"{" + b" " * (MAX_MESSAGE_BYTES - 1),
    ],
    ids=lambda frame: f"{frame[:12]!r}x{len(frame)}",
)
def test_undecodable_frame_gets_a_failure(served: Served, dealer: Dealer, frame: bytes) -> None:
    dealer.socket.send(frame)
    assert code_of(dealer.answer()) == "bad_request"
    assert code_of(dealer.call("hello")) is None


def test_frame_of_random_bytes_gets_an_answer(dealer: Dealer) -> None:
    sound = msgspec.msgpack.encode({"v": 1, "id": "a", "call": "hello", "deadline_ms": 1000, "params": {}})
    frames = [sound[:end] for end in range(1, len(sound))]
    frames += [sound[:at] + bytes([value]) + sound[at + 1 :] for at in range(len(sound)) for value in (0, 0xC1, 0xFF)]
    for frame in frames:
        dealer.socket.send(frame)
    for _ in frames:
        dealer.answer()
    assert code_of(dealer.call("hello")) is None


def test_messages_of_no_or_many_frames_are_dropped(dealer: Dealer) -> None:
    dealer.socket.send(b"")
    dealer.socket.send_multipart([b"", b"{}"])
    dealer.socket.send_multipart([b"{}"] * 5000)
    # The next answer is the next sound call's: nothing was said to those before it.
    assert code_of(dealer.call("hello", id="after")) is None


def test_oversized_message_ends_its_connection_only(served: Served, dealer: Dealer) -> None:
    other = served.dealer()
    assert code_of(other.call("hello")) is None
    dealer.socket.send(b"{" + b" " * MAX_MESSAGE_BYTES)
    with pytest.raises(TimeoutError):
        dealer.answer(timeout_s=0.3)
    assert code_of(other.call("hello")) is None
    other.close()
    assert_alive(served)


@pytest.mark.parametrize(
    "sent",
    [
        b"",
        b"GET / HTTP/1.1\r\nHost: x\r\n\r\n",
        b"\x01\x00\x06\x00hello",
        b"\x01\x00\x02\x00{",
        os.urandom(4096),
        GREETING[:20],
        GREETING.replace(b"NULL", b"CURV"),
        GREETING + b"\x04\x05HELLO",
        GREETING + READY + READY,
    ],
    ids=lambda sent: f"{sent[:6]!r}x{len(sent)}",
)
def test_garbage_on_the_socket_is_survived(served: Served, sent: bytes) -> None:
    with served.raw() as connection:
        connection.sendall(sent)
        assert_alive(served)
    assert_alive(served)


@pytest.mark.parametrize(
    "sent",
    [
        b"\x02" + b"\xff" * 8,
        b"\x02" + struct.pack(">Q", MAX_MESSAGE_BYTES + 1),
        b"\x02" + struct.pack(">Q", 1000) + b"some",
        b"\x00\x20half",
        b"\x01\x00" * 100 + b"\x00\x00",
        b"\x01\x00" * 100,
        b"\x04\x05\x04PING",
        b"\x07\x00",
        os.urandom(4096),
    ],
    ids=lambda sent: f"{sent[:6]!r}x{len(sent)}",
)
def test_garbage_after_the_handshake_is_survived(served: Served, sent: bytes) -> None:
    with greeted(served) as connection:
        connection.sendall(sent)
        assert_alive(served)
    assert_alive(served)


def test_plain_bytes_without_a_library_are_answered(served: Served) -> None:
    connection = greeted(served)
    request = b'{"v":1,"id":"a","call":"hello","deadline_ms":9000}'
    connection.sendall(bytes([0, len(request)]) + request)
    received = b""
    while b'"id":"a"' not in received:
        chunk = connection.recv(65536)
        assert chunk, received
        received += chunk
    connection.close()


def test_client_that_vanishes_before_its_reply_harms_nobody(served: Served) -> None:
    for _ in range(20):
        client = served.dealer()
        client.ask("search", root="/r", query="wait vanish")
        client.close()
    served.workspaces.gate("vanish").set()
    assert_alive(served)


def test_clients_beyond_the_limit_are_told_to_wait_and_then_served() -> None:
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(4096, hard), hard))
    with serving() as served:
        clients = [served.dealer() for _ in range(300)]
        codes = [code_of(client.call("hello")) for client in clients]
        assert codes == [None] * MAX_CLIENTS + ["busy"] * (300 - MAX_CLIENTS)
        for client in clients[:50]:
            client.close()
        last = clients[-1]
        # Their leaving and this call travel by different ways, so the call may come first.
        answers = (code_of(last.call("hello")) for _ in range(10_000))
        assert any(code is None for code in answers)
        for client in clients[50:]:
            client.close()
    resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


def test_connection_beyond_all_limits_is_cut_off() -> None:
    peers = Peers(max_clients=1, max_connections=2)
    pairs = [socket.socketpair() for _ in range(3)]
    for ours, _ in pairs:
        peers.connected(ours.fileno())
    assert peers.cut_off == 1
    assert pairs[2][1].recv(1) == b""
    pairs[0][0].sendall(b"x")
    assert pairs[0][1].recv(1) == b"x"
    assert [peers.admit(ours.fileno()) for ours, _ in pairs[:2]] == [True, False]
    peers.disconnected(pairs[0][0].fileno())
    assert peers.admit(pairs[1][0].fileno())
    for pair in pairs:
        for end in pair:
            end.close()


def test_peer_that_left_has_no_user() -> None:
    ours, theirs = socket.socketpair()
    descriptor = ours.fileno()
    assert uid_of(descriptor) == os.getuid()
    ours.close()
    theirs.close()
    assert uid_of(descriptor) is None
    with open(os.devnull) as plain:
        assert uid_of(plain.fileno()) is None


def _ask_as(uid: int, path: str, report: "Connection") -> None:
    """In a child: become that user, connect, and say what comes."""
    os.setuid(uid)
    context = zmq.Context()
    dealer = context.socket(zmq.DEALER)
    dealer.linger = 0
    dealer.connect(f"ipc://{path}")
    dealer.send(b'{"v":1,"id":"a","call":"hello","deadline_ms":5000}')
    report.send(bool(dealer.poll(1000)))
    raw = socket.socket(socket.AF_UNIX)
    raw.connect(path)
    raw.settimeout(1)
    # A stranger hears a greeting at most; whoever is served hears READY.
    received = b""
    try:
        raw.sendall(GREETING + READY)
        while chunk := raw.recv(4096):
            received += chunk
    except (TimeoutError, ConnectionError):
        pass
    report.send(b"READY" in received)


@pytest.mark.skipif(os.getuid() != 0, reason="only root can become another user")
def test_another_user_is_refused_by_the_peer_check_itself() -> None:
    nobody = pwd.getpwnam("nobody").pw_uid
    spawning = multiprocessing.get_context("spawn")
    with serving() as served:
        # Open the ways that usually keep others out, so that only the check is left.
        os.chmod(served.folder, 0o711)
        os.chmod(served.endpoint.socket, 0o666)
        for uid, is_served in ((0, True), (nobody, False)):
            here, there = spawning.Pipe()
            child = spawning.Process(target=_ask_as, args=(uid, str(served.endpoint.socket), there))
            child.start()
            there.close()
            assert (here.recv(), here.recv()) == (is_served, is_served), uid
            child.join(20)
        assert_alive(served)


@pytest.mark.skipif(os.getuid() != 0, reason="only root can become another user")
def test_uid_of_names_the_user_at_the_other_end(served: Served) -> None:
    nobody = pwd.getpwnam("nobody").pw_uid
    path = served.folder / "other.sock"
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(os.fspath(path))
        os.chmod(served.folder, 0o711)
        os.chmod(path, 0o666)
        listener.listen(1)
        spawning = multiprocessing.get_context("spawn")
        here, there = spawning.Pipe()
        child = spawning.Process(target=_ask_as, args=(nobody, str(path), there))
        child.start()
        there.close()
        listener.settimeout(20)
        connection, _ = listener.accept()
        assert uid_of(connection.fileno()) == nobody
        connection.close()
        child.terminate()
        child.join(20)
        here.close()
    os.chmod(served.folder, 0o700)
