"""The part of ZMTP 3.0 that a client needs (NULL mechanism, DEALER), from the standard library alone."""

# The module under `socket`: the public one imports `enum` and `selectors`, half of a whole search's time.
import _socket
import struct
import time

from consigliere.errors import DaemonUnreachable

SIGNATURE = b"\xff\x00\x00\x00\x00\x00\x00\x00\x01\x7f"
GREETING = SIGNATURE + b"\x03\x00" + b"NULL".ljust(20, b"\x00") + b"\x00" + b"\x00" * 31
GREETING_BYTES = 64
MAX_FRAME_BYTES = 64 * 1024 * 1024
MORE, LONG, COMMAND = 1, 2, 4
READY = b"\x05READY" + b"\x0bSocket-Type" + struct.pack(">I", 6) + b"DEALER" + b"\x08Identity" + struct.pack(">I", 0)


class Connection:
    """One connection to a ROUTER. Nothing is sent before the peer has said READY.

    Every failure is DaemonUnreachable: `refused` where nobody listens, `silent` where the time ran
    out, `broken` where the peer does not speak ZMTP or went away.
    """

    def __init__(self, path: str, deadline: float) -> None:
        self._path = path
        self._deadline = deadline
        self._received = bytearray()
        self._socket = _socket.socket(_socket.AF_UNIX, _socket.SOCK_STREAM)
        try:
            self._connect()
            self._shake_hands()
        except BaseException:
            self._socket.close()
            raise

    def _connect(self) -> None:
        self._socket.settimeout(self._remaining())
        try:
            self._socket.connect(self._path)
        except TimeoutError as error:
            raise self._silent() from error
        except OSError as error:
            raise DaemonUnreachable(f"nothing listens at {self._path}", "refused") from error

    def _shake_hands(self) -> None:
        self._send(GREETING)
        greeting = self._take(GREETING_BYTES)
        if greeting[0] != 0xFF or greeting[9] != 0x7F or greeting[10] < 3:
            raise self._broken("the peer does not speak ZMTP 3")
        if greeting[12:32].rstrip(b"\x00") != b"NULL":
            raise self._broken("the peer asks for a security mechanism that we do not have")
        self._send(bytes([COMMAND, len(READY)]) + READY)
        flags, body = self._frame()
        if not flags & COMMAND or not body.startswith(b"\x05READY"):
            raise self._broken("the peer did not say READY")

    def send(self, message: bytes) -> None:
        """One message of one frame."""
        if len(message) < 256:
            self._send(bytes([0, len(message)]) + message)
        else:
            self._send(bytes([LONG]) + struct.pack(">Q", len(message)) + message)

    def receive(self, deadline: float) -> bytes:
        """The next message; its frames joined (ours have one)."""
        self._deadline = deadline
        parts: list[bytes] = []
        while True:
            flags, body = self._frame()
            if flags & COMMAND:
                # PING and what later versions may say between messages.
                continue
            parts.append(body)
            if not flags & MORE:
                return b"".join(parts)

    def close(self) -> None:
        self._socket.close()

    def _frame(self) -> tuple[int, bytes]:
        flags = self._take(1)[0]
        size = struct.unpack(">Q", self._take(8))[0] if flags & LONG else self._take(1)[0]
        if flags & ~(MORE | LONG | COMMAND) or size > MAX_FRAME_BYTES:
            raise self._broken("the peer sent a frame that makes no sense")
        return flags, self._take(size)

    def _take(self, count: int) -> bytes:
        while len(self._received) < count:
            self._socket.settimeout(self._remaining())
            try:
                piece = self._socket.recv(max(65536, count - len(self._received)))
            except TimeoutError as error:
                raise self._silent() from error
            except OSError as error:
                raise self._broken(str(error)) from error
            if not piece:
                raise self._broken("the peer closed the connection")
            self._received += piece
        taken = bytes(self._received[:count])
        del self._received[:count]
        return taken

    def _send(self, message: bytes) -> None:
        self._socket.settimeout(self._remaining())
        try:
            self._socket.sendall(message)
        except TimeoutError as error:
            raise self._silent() from error
        except OSError as error:
            raise self._broken(str(error)) from error

    def _remaining(self) -> float:
        remaining = self._deadline - time.monotonic()
        if remaining <= 0:
            raise self._silent()
        return remaining

    def _silent(self) -> DaemonUnreachable:
        return DaemonUnreachable(f"the daemon at {self._path} does not answer in time", "silent")

    def _broken(self, why: str) -> DaemonUnreachable:
        return DaemonUnreachable(f"the connection to {self._path} broke: {why}", "broken")
