"""Who is at the other end of a connection, and how many may be there."""

import errno
import os
import socket
import struct
import sys

MAX_CLIENTS = 256
# A few more may connect, so that they can be told why they are not served; the rest is cut off.
MAX_CONNECTIONS = 320

_SOL_LOCAL = 0
_LOCAL_PEERCRED = 1


def uid_of(descriptor: int) -> int | None:
    """The user at the other end of a connected local socket; None if it is gone or is no socket any more."""
    try:
        duplicate = os.dup(descriptor)
    except OSError as problem:
        if problem.errno == errno.EBADF:
            return None
        raise
    try:
        with socket.socket(fileno=duplicate) as peer:
            if sys.platform == "darwin":
                credentials = peer.getsockopt(_SOL_LOCAL, _LOCAL_PEERCRED, 76)
                return int(struct.unpack_from("=II", credentials)[1])
            return int(struct.unpack("=iII", peer.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12))[1])
    except OSError:
        # The descriptor's number went to something else: whoever sent this has left.
        return None


class Peers:
    """Counts connections by their descriptor; told of them by the socket's monitor.

    The first MAX_CLIENTS that call are clients until they disconnect; the others wait for a place.
    """

    def __init__(self, max_clients: int = MAX_CLIENTS, max_connections: int = MAX_CONNECTIONS) -> None:
        self._max_clients = max_clients
        self._max_connections = max_connections
        self._connected: set[int] = set()
        self._clients: set[int] = set()
        self.cut_off = 0

    @property
    def connections(self) -> int:
        return len(self._connected)

    @property
    def clients(self) -> int:
        return len(self._clients)

    def connected(self, descriptor: int) -> None:
        self._connected.add(descriptor)
        if len(self._connected) > self._max_connections:
            self._cut_off(descriptor)

    def disconnected(self, descriptor: int) -> None:
        self._connected.discard(descriptor)
        self._clients.discard(descriptor)

    def admit(self, descriptor: int) -> bool:
        """Whether a call from there is to be served."""
        if descriptor in self._clients:
            return True
        if len(self._clients) >= self._max_clients:
            return False
        self._clients.add(descriptor)
        return True

    def _cut_off(self, descriptor: int) -> None:
        """Ends a connection that the library accepted; it then sees the end and closes its side."""
        try:
            duplicate = socket.socket(fileno=os.dup(descriptor))
        except OSError:
            return  # It has left by itself.
        self.cut_off += 1
        with duplicate:
            try:
                duplicate.shutdown(socket.SHUT_RDWR)
            except OSError as problem:
                if problem.errno not in (errno.ENOTCONN, errno.ENOTSOCK):
                    raise
