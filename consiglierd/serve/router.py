"""The socket for calls: frames in, frames out; whatever is no frame of ours stops here.

The socket is read from the event loop by its descriptor: a whole `hello` takes 0.16 ms that way,
as long as zmq.asyncio, which makes a future for every message, takes only to send one back.
"""

import asyncio
import errno
import os
import sys
from collections.abc import Callable
from dataclasses import dataclass, field

import zmq
from zmq.utils.monitor import parse_monitor_message

from consiglierd.serve.peers import Peers, uid_of

# A turn of the loop reads no more than this, so that a flood leaves room for replies.
_FRAMES_A_TURN = 128
_QUEUED_A_PEER = 512
_HANDSHAKE_MS = 5_000
_LINGER_MS = 200
_MONITORED = zmq.Event.ACCEPTED | zmq.Event.DISCONNECTED


@dataclass(frozen=True, slots=True)
class Incoming:
    """One payload frame of one peer. `is_client` is False for a peer beyond the limit of clients."""

    sender: bytes
    payload: bytes
    is_client: bool


@dataclass(slots=True)
class RouterCounts:
    """What was dropped, by why."""

    received: int = 0
    sent: int = 0
    malformed: int = 0
    strangers: int = 0
    vanished: int = 0
    unread: int = 0


@dataclass(slots=True)
class _Assembly:
    """The frames of one message so far: the sender, the first payload frame, and how many there are."""

    sender: bytes = b""
    payload: bytes = b""
    descriptor: int = -1
    frames: int = field(default=0)


def harden(socket: zmq.Socket[bytes], max_message_bytes: int) -> None:
    """Bounds that every socket of the daemon has; other users are refused when they connect."""
    socket.setsockopt(zmq.MAXMSGSIZE, max_message_bytes)
    socket.setsockopt(zmq.RCVHWM, _QUEUED_A_PEER)
    socket.setsockopt(zmq.SNDHWM, _QUEUED_A_PEER)
    socket.setsockopt(zmq.HANDSHAKE_IVL, _HANDSHAKE_MS)
    socket.setsockopt(zmq.LINGER, _LINGER_MS)
    if sys.platform == "linux":
        socket.setsockopt(zmq.IPC_FILTER_UID, os.getuid())


class Router:
    """Reads messages on the loop and hands them to `on_call`; sends replies.

    A message that is not exactly one payload frame, or comes from another user, is dropped and counted.
    """

    def __init__(
        self,
        context: zmq.Context[zmq.Socket[bytes]],
        on_call: Callable[[Incoming], None],
        *,
        max_message_bytes: int,
        peers: Peers | None = None,
    ) -> None:
        self.counts = RouterCounts()
        self.peers = peers or Peers()
        self._on_call = on_call
        self._loop = asyncio.get_running_loop()
        self._socket = context.socket(zmq.ROUTER)
        harden(self._socket, max_message_bytes)
        self._socket.setsockopt(zmq.ROUTER_MANDATORY, 1)
        self._monitor = self._socket.get_monitor_socket(_MONITORED)
        self._assembly = _Assembly()
        self._is_reading = False
        self._is_scheduled = False

    def bind(self, address: str, listener: int) -> None:
        """Takes over a listening descriptor; `address` is where it listens."""
        self._socket.setsockopt(zmq.USE_FD, listener)
        self._socket.bind(address)

    def start(self) -> None:
        self._is_reading = True
        self._loop.add_reader(self._socket.fileno(), self._on_readable)
        self._loop.add_reader(self._monitor.fileno(), self._on_monitor)
        self._schedule()
        self._on_monitor()

    def send(self, receiver: bytes, payload: bytes) -> None:
        """Sends a reply; one for a peer that is gone or does not read is dropped and counted."""
        try:
            self._socket.send_multipart((receiver, payload), zmq.NOBLOCK)
            self.counts.sent += 1
        except zmq.Again:
            self.counts.unread += 1
        except zmq.ZMQError as problem:
            if problem.errno != zmq.EHOSTUNREACH:
                raise
            self.counts.vanished += 1
        # Sending takes in what the descriptor had to tell; it will not tell of it again.
        self._schedule()

    def stop_reading(self) -> None:
        if self._is_reading:
            self._is_reading = False
            self._loop.remove_reader(self._socket.fileno())
            self._loop.remove_reader(self._monitor.fileno())

    def close(self) -> None:
        self.stop_reading()
        self._socket.disable_monitor()
        self._monitor.close(linger=0)
        self._socket.close()

    def _schedule(self) -> None:
        if self._is_reading and not self._is_scheduled:
            self._is_scheduled = True
            self._loop.call_soon(self._on_scheduled)

    def _on_scheduled(self) -> None:
        self._is_scheduled = False
        self._on_readable()

    def _on_readable(self) -> None:
        for _ in range(_FRAMES_A_TURN):
            if not self._is_reading:
                return
            try:
                frame = self._socket.recv(zmq.NOBLOCK, copy=False)
            except zmq.Again:
                return
            self._take(frame)
        self._schedule()

    def _take(self, frame: zmq.Frame) -> None:
        assembly = self._assembly
        assembly.frames += 1
        if assembly.frames == 1:
            assembly.sender = frame.bytes
        elif assembly.frames == 2:
            assembly.payload = frame.bytes
            assembly.descriptor = _descriptor_of(frame)
        if not frame.more:
            self._assembly = _Assembly()
            self._judge(assembly)

    def _judge(self, message: _Assembly) -> None:
        self.counts.received += 1
        if message.frames != 2 or not message.payload:
            self.counts.malformed += 1
            return
        # Asked for every message: a descriptor's number may have gone to another peer.
        uid = uid_of(message.descriptor)
        if uid is None:
            self.counts.vanished += 1
        elif uid != os.getuid():
            self.counts.strangers += 1
        else:
            is_client = self.peers.admit(message.descriptor)
            self._on_call(Incoming(message.sender, message.payload, is_client))

    def _on_monitor(self) -> None:
        while self._is_reading:
            try:
                frames = self._monitor.recv_multipart(zmq.NOBLOCK)
            except zmq.Again:
                return
            event = parse_monitor_message(frames)
            if event["event"] == zmq.Event.ACCEPTED:
                self.peers.connected(int(event["value"]))
            elif event["event"] == zmq.Event.DISCONNECTED:
                self.peers.disconnected(int(event["value"]))


def _descriptor_of(frame: zmq.Frame) -> int:
    """The connection a frame came by; -1 where the library does not know, as with peers of ZMTP 1."""
    try:
        value = frame.get(zmq.SRCFD)
    except zmq.ZMQError as problem:
        if problem.errno != errno.EINVAL:
            raise
        return -1
    return value if isinstance(value, int) else -1
