"""The blocking client: one connection, one call at a time; imports nothing heavy."""

from __future__ import annotations

import os
import time

from consigliere.endpoint import Endpoint, check_socket_folder
from consigliere.errors import DaemonUnreachable
from consigliere.exchange import decode_response, encode_request
from consigliere.zmtp import Connection, NobodyListens, OutOfTime, WireTrouble

# Importing `typing` would cost a quarter of what a whole search may take.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from types import TracebackType
    from typing import Literal, overload

    from consigliere.protocol import shapes

CONNECT_TIMEOUT_S = 2.0
# The daemon keeps the deadline itself; this is for the way there and back.
GRACE_S = 0.5


class Client:
    """Speaks to the daemon of `endpoint`; raises DaemonUnreachable where there is none, CallFailed for failures."""

    def __init__(self, endpoint: Endpoint, *, connect_timeout_s: float = CONNECT_TIMEOUT_S) -> None:
        check_socket_folder(endpoint)
        self._path = endpoint.socket
        try:
            self._connection = Connection(endpoint.socket, deadline_s=time.monotonic() + connect_timeout_s)
        except WireTrouble as trouble:
            raise self._unreachable(trouble) from trouble

    if TYPE_CHECKING:

        @overload
        def call(
            self, name: Literal["search"], params: shapes.SearchParams, *, root: str, deadline_s: float = ...
        ) -> shapes.SearchReplyShape: ...
        @overload
        def call(
            self, name: Literal["show"], params: shapes.ShowParams, *, root: str, deadline_s: float = ...
        ) -> shapes.ShowReplyShape: ...
        @overload
        def call(
            self, name: Literal["index"], params: shapes.IndexParams, *, root: str, deadline_s: float = ...
        ) -> shapes.IndexReplyShape: ...
        @overload
        def call(
            self, name: Literal["index_progress"], params: shapes.IndexProgressParams, *, root: str
        ) -> shapes.IndexProgressReplyShape: ...
        @overload
        def call(
            self, name: Literal["settle"], params: shapes.NoParams | None = ..., *, root: str, deadline_s: float = ...
        ) -> shapes.SettleReplyShape: ...
        @overload
        def call(
            self, name: Literal["status"], params: shapes.NoParams | None = ..., *, root: str
        ) -> shapes.StatusReplyShape: ...
        @overload
        def call(
            self, name: Literal["doctor"], params: shapes.NoParams | None = ..., *, root: str, deadline_s: float = ...
        ) -> shapes.DoctorReplyShape: ...
        @overload
        def call(
            self, name: Literal["evaluate"], params: shapes.EvaluateParams, *, root: str, deadline_s: float = ...
        ) -> shapes.EvaluateReplyShape: ...
        @overload
        def call(
            self, name: Literal["tune"], params: shapes.EvaluateParams, *, root: str, deadline_s: float = ...
        ) -> shapes.TuneReplyShape: ...
        @overload
        def call(
            self,
            name: Literal["history_questions"],
            params: shapes.NoParams | None = ...,
            *,
            root: str,
            deadline_s: float = ...,
        ) -> shapes.HistoryQuestionsReplyShape: ...
        @overload
        def call(
            self, name: Literal["forget_tuning"], params: shapes.NoParams | None = ..., *, root: str
        ) -> shapes.NoParams: ...
        @overload
        def call(
            self, name: Literal["config"], params: shapes.NoParams | None = ..., *, root: str
        ) -> shapes.ConfigReplyShape: ...
        @overload
        def call(
            self, name: Literal["forget"], params: shapes.NoParams | None = ..., *, root: str
        ) -> shapes.ForgetReplyShape: ...
        @overload
        def call(
            self, name: Literal["workspaces"], params: shapes.NoParams | None = ...
        ) -> shapes.WorkspacesReplyShape: ...
        @overload
        def call(
            self, name: Literal["hello"], params: shapes.HelloParams | None = ..., *, deadline_s: float = ...
        ) -> shapes.HelloReplyShape: ...
        @overload
        def call(self, name: Literal["shutdown"], params: shapes.ShutdownParams) -> shapes.ShutdownReplyShape: ...
        @overload
        def call(
            self,
            name: Literal["events_since"],
            params: shapes.EventsSinceParams,
            *,
            root: str | None = ...,
            deadline_s: float = ...,
        ) -> shapes.EventsSinceReplyShape: ...

    def call(
        self,
        name: str,
        params: Mapping[str, object] | None = None,
        *,
        root: str | None = None,
        deadline_s: float = 30.0,
    ) -> object:
        """The result of one call, as a plain dictionary with the protocol's names."""
        request_id = os.urandom(8).hex()
        end_s = time.monotonic() + deadline_s + GRACE_S
        request = encode_request(request_id, name, params or {}, root=root, deadline_s=deadline_s)
        try:
            self._connection.send(request, deadline_s=end_s)
            while True:
                result = decode_response(self._connection.receive(deadline_s=end_s), request_id)
                if result is not None:
                    return result
        except WireTrouble as trouble:
            raise self._unreachable(trouble) from trouble

    def wait_for_close(self, timeout_s: float) -> bool:
        """Whether the daemon closed the connection within `timeout_s`."""
        return self._connection.wait_for_close(deadline_s=time.monotonic() + timeout_s)

    def close(self) -> None:
        self._connection.close()

    def __enter__(self) -> Client:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _unreachable(self, trouble: WireTrouble) -> DaemonUnreachable:
        if isinstance(trouble, NobodyListens):
            return DaemonUnreachable(f"no daemon listens at {self._path}", "refused", "run `consigliere start`")
        if isinstance(trouble, OutOfTime):
            return DaemonUnreachable(f"the daemon at {self._path} does not answer in time: {trouble}", "silent")
        return DaemonUnreachable(f"the connection to {self._path} broke: {trouble}", "broken")
