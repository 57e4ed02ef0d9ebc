"""The blocking client: one connection, one call at a time; imports nothing heavy."""

from __future__ import annotations

import time

from consigliere.endpoint import Endpoint, check_socket_folder
from consigliere.exchange import decode_response, encode_request, new_id
from consigliere.zmtp import Connection

# Importing `typing` would cost a quarter of what a whole search may take.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import TracebackType
    from typing import Any

CONNECT_TIMEOUT_S = 2.0
# The daemon keeps the deadline itself; this is for the way there and back.
GRACE_S = 0.5


class Client:
    """Speaks to the daemon of `endpoint`; raises DaemonUnreachable where there is none, CallFailed for failures."""

    def __init__(self, endpoint: Endpoint) -> None:
        check_socket_folder(endpoint)
        self._connection = Connection(endpoint.socket, time.monotonic() + CONNECT_TIMEOUT_S)

    def call(
        self, name: str, params: dict[str, Any] | None = None, *, root: str | None = None, deadline_s: float = 30.0
    ) -> dict[str, Any]:
        """The result of one call, as a plain dictionary with the protocol's names."""
        request_id = new_id()
        end = time.monotonic() + deadline_s + GRACE_S
        self._connection.send(encode_request(request_id, name, params or {}, root=root, deadline_s=deadline_s))
        while True:
            result = decode_response(self._connection.receive(end), request_id)
            if result is not None:
                return result

    def close(self) -> None:
        self._connection.close()

    def __enter__(self) -> Client:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
