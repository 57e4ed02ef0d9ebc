"""The part of ZMTP 3.0 that a client needs: a DEALER with the NULL mechanism over a Unix socket.

The C module `_socket` is used directly: `socket` itself costs ten milliseconds to import. Every
wait is bounded by one deadline; what the peer announces is checked before it is read.
"""

from __future__ import annotations

import _socket
import time

REPLY_LIMIT_BYTES = 64 * 1024 * 1024
MAX_REPLY_FRAMES = 8
RECEIVE_BYTES = 64 * 1024

_MORE, _LONG, _COMMAND = 1, 2, 4
_GREETING_BYTES = 64
_GREETING = b"\xff" + bytes(7) + b"\x01\x7f" + b"\x03\x00" + b"NULL".ljust(20, b"\x00") + b"\x00" + bytes(31)


class WireTrouble(Exception):
    """Something stands between the two ends; the subclasses say what."""


class NobodyListens(WireTrouble):
    """There is no socket at the path, or nothing behind it."""


class ForeignPeer(WireTrouble):
    """The peer speaks something else than ZMTP 3 with NULL, or breaks off in the middle of it."""


class ConnectionLost(WireTrouble):
    """The peer closed the connection between two messages."""


class OutOfTime(WireTrouble):
    """The deadline passed."""


class Connection:
    """One connected DEALER: `send` a frame, `receive` a message, `close`."""

    def __init__(self, path: str, *, deadline_s: float) -> None:
        """Connect and shake hands by `deadline_s` (monotonic clock)."""
        self._pending = bytearray()
        self._socket = _socket.socket(_socket.AF_UNIX, _socket.SOCK_STREAM)
        try:
            self._connect(path, deadline_s)
            self._shake_hands(deadline_s)
        except BaseException:
            self._socket.close()
            raise

    def send(self, frame: bytes, *, deadline_s: float) -> None:
        """Send one message of one frame."""
        self._write(_header(frame, 0) + frame, deadline_s)

    def receive(self, *, deadline_s: float) -> list[bytes]:
        """The frames of the next message."""
        frames: list[bytes] = []
        while True:
            flags, body = self._read_frame(deadline_s, is_between_messages=not frames)
            if flags & _COMMAND:
                self._obey(body, deadline_s)
                continue
            frames.append(body)
            if not flags & _MORE:
                return frames
            if len(frames) == MAX_REPLY_FRAMES:
                raise ForeignPeer(f"a message of more than {MAX_REPLY_FRAMES} frames")

    def wait_for_close(self, *, deadline_s: float) -> bool:
        """Read until the peer closes; False where it did not in time."""
        try:
            while True:
                self.receive(deadline_s=deadline_s)
        except OutOfTime:
            return False
        except WireTrouble:
            return True

    def close(self) -> None:
        self._socket.close()

    def _connect(self, path: str, deadline_s: float) -> None:
        while True:
            self._allow_until(deadline_s)
            try:
                return self._socket.connect(path)
            except BlockingIOError:
                # The listener's queue is full: the kernel says so at once and signals no room later.
                self._wait_briefly(deadline_s)
            except TimeoutError:
                raise OutOfTime("connecting took too long") from None
            except (FileNotFoundError, ConnectionRefusedError, NotADirectoryError) as trouble:
                raise NobodyListens(str(trouble)) from None
            except OSError as trouble:
                raise ForeignPeer(f"connecting failed: {trouble}") from None

    def _wait_briefly(self, deadline_s: float) -> None:
        import select

        select.select([], [], [], min(0.01, max(0.0, deadline_s - time.monotonic())))

    def _shake_hands(self, deadline_s: float) -> None:
        """Exchange greetings and READY; nothing may be sent before the peer's READY is here."""
        self._write(_GREETING, deadline_s)
        # The ten bytes of the signature are judged first: a peer that never sends 64 is told apart from a slow one.
        greeting = self._read(10, deadline_s, "the greeting")
        if greeting[0] != 0xFF or greeting[9] != 0x7F:
            raise ForeignPeer(f"it greets with {greeting!r}, which is not ZMTP")
        greeting += self._read(_GREETING_BYTES - 10, deadline_s, "the greeting")
        if greeting[10] < 3:
            raise ForeignPeer(f"it speaks ZMTP {greeting[10]}, and 3 is needed")
        mechanism = greeting[12:32].rstrip(b"\x00")
        if mechanism != b"NULL":
            raise ForeignPeer(f"it asks for the security mechanism {mechanism!r}, and only NULL is spoken")
        ready = b"\x05READY" + _property(b"Socket-Type", b"DEALER") + _property(b"Identity", b"")
        self._write(_header(ready, _COMMAND) + ready, deadline_s)
        flags, body = self._read_frame(deadline_s, is_between_messages=False)
        if not flags & _COMMAND or not body.startswith(b"\x05READY"):
            self._obey(body if flags & _COMMAND else b"", deadline_s)
            raise ForeignPeer("it did not say READY")
        kind = _properties(body[6:]).get(b"socket-type")
        if kind != b"ROUTER":
            raise ForeignPeer(f"it is a {kind!r} socket, not a ROUTER")

    def _obey(self, command: bytes, deadline_s: float) -> None:
        """Answer PING, raise what ERROR says, and leave every other command alone."""
        if command.startswith(b"\x05ERROR"):
            raise ForeignPeer(f"it says: {command[7:].decode('utf-8', 'replace')}")
        if command.startswith(b"\x04PING"):
            pong = b"\x04PONG" + command[7:]
            self._write(_header(pong, _COMMAND) + pong, deadline_s)

    def _read_frame(self, deadline_s: float, *, is_between_messages: bool) -> tuple[int, bytes]:
        if is_between_messages and not self._pending:
            self._fill(deadline_s, "a message", ConnectionLost)
        flags = self._read(1, deadline_s, "a frame")[0]
        if flags & ~(_MORE | _LONG | _COMMAND) or (flags & _COMMAND and flags & _MORE):
            raise ForeignPeer(f"a frame with the flags 0x{flags:02x}")
        size = int.from_bytes(self._read(8 if flags & _LONG else 1, deadline_s, "a frame"), "big")
        if size > REPLY_LIMIT_BYTES:
            raise ForeignPeer(f"a frame of {size} bytes is announced, and {REPLY_LIMIT_BYTES} is the limit")
        return flags, self._read(size, deadline_s, "a frame")

    def _read(self, size: int, deadline_s: float, what: str) -> bytes:
        while len(self._pending) < size:
            self._fill(deadline_s, what, ForeignPeer)
        content = bytes(self._pending[:size])
        del self._pending[:size]
        return content

    def _fill(self, deadline_s: float, what: str, at_end: type[WireTrouble]) -> None:
        self._allow_until(deadline_s)
        try:
            content = self._socket.recv(RECEIVE_BYTES)
        except TimeoutError:
            raise OutOfTime(f"waiting for {what} took too long") from None
        except OSError as trouble:
            raise at_end(f"reading {what} failed: {trouble}") from None
        if not content:
            raise at_end(f"the connection was closed while {what} was awaited")
        self._pending += content

    def _write(self, content: bytes, deadline_s: float) -> None:
        self._allow_until(deadline_s)
        try:
            self._socket.sendall(content)
        except TimeoutError:
            raise OutOfTime("sending took too long") from None
        except OSError as trouble:
            raise ConnectionLost(f"sending failed: {trouble}") from None

    def _allow_until(self, deadline_s: float) -> None:
        remaining_s = deadline_s - time.monotonic()
        if remaining_s <= 0:
            raise OutOfTime("the deadline has passed")
        self._socket.settimeout(remaining_s)


def _header(body: bytes, flags: int) -> bytes:
    if len(body) > 255:
        return bytes((flags | _LONG,)) + len(body).to_bytes(8, "big")
    return bytes((flags, len(body)))


def _property(name: bytes, value: bytes) -> bytes:
    return bytes((len(name),)) + name + len(value).to_bytes(4, "big") + value


def _properties(content: bytes) -> dict[bytes, bytes]:
    """The metadata of READY, names in lower case; raises ForeignPeer where it is cut off."""
    found: dict[bytes, bytes] = {}
    at = 0
    while at < len(content):
        name_end = at + 1 + content[at]
        value_end = name_end + 4 + int.from_bytes(content[name_end : name_end + 4], "big")
        if value_end > len(content):
            raise ForeignPeer("its READY is cut off")
        found[content[at + 1 : name_end].lower()] = content[name_end + 4 : value_end]
        at = value_end
    return found
