"""Requests to handlers and back; the one place where whatever a call raises becomes a failure."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import TypeVar, cast

import msgspec
import structlog

from consiglierd.errors import Busy, DaemonError, InternalError
from consiglierd.events import EventPage
from consiglierd.model.deadline import Deadline
from consiglierd.serve import messages
from consiglierd.serve.handlers.events import events_reply, wait_of
from consiglierd.serve.lanes import Job, Lanes
from consiglierd.serve.messages import Asked, Codec
from consiglierd.serve.publisher import Publisher
from consiglierd.serve.router import Incoming
from consiglierd.serve.services import Workspaces
from consiglierd.serve.visit import Daemon, Visit
from consiglierd.supervisor import place_of
from consigliere.protocol.call import Reply
from consigliere.protocol.events import EventsSince

# A call's work is to end a little before its caller stops waiting, so that a partial answer gets there.
_RESERVE_S = 0.05
_RESERVE_SHARE = 0.1

_log = structlog.get_logger("serve")

Frame = TypeVar("Frame", bytes, bytes | None)


@dataclass(frozen=True, slots=True)
class _Return:
    """Where an answer goes: `send` may be called once, on the loop."""

    request_id: str
    codec: Codec
    call_name: str
    root: str
    send: Callable[[bytes], None]


class Dispatcher:
    """Takes payloads on the event loop; answers each exactly once through `send(peer, frame)`."""

    def __init__(
        self,
        daemon: Daemon,
        workspaces: Workspaces,
        lanes: Lanes,
        publisher: Publisher,
        send: Callable[[bytes, bytes], None],
    ) -> None:
        self._daemon = daemon
        self._workspaces = workspaces
        self._lanes = lanes
        self._publisher = publisher
        self._send = send
        self._loop = asyncio.get_running_loop()

    def receive(self, incoming: Incoming) -> None:
        payload = incoming.payload
        back = _Return(
            messages.id_of(payload), messages.codec_of(payload), "", "", partial(self._send, incoming.sender)
        )
        frame = self._guard(back, partial(self._admit, back, incoming))
        if frame is not None:
            back.send(frame)

    def _guard(self, back: _Return, produce: Callable[[], Frame]) -> Frame | bytes:
        """Runs on the loop and on the lanes' threads; what it guards never awaits."""
        try:
            return produce()
        except DaemonError as error:
            failure = error
        # Native libraries raise panics that are no Exception; nothing a call does may end the daemon.
        except BaseException as error:
            _log.error("a call failed", call=back.call_name, root=back.root, failure=place_of(error))
            failure = InternalError(
                f"{back.call_name or 'the call'} failed inside the daemon ({type(error).__name__})",
                cure="see the log: consigliere logs",
            )
        return messages.write_failure(back.request_id, back.codec, failure)

    def _admit(self, back: _Return, incoming: Incoming) -> bytes | None:
        """The answer, or None if it comes later."""
        if not incoming.is_client:
            raise Busy("as many clients as the daemon serves are connected", cure="close some", retry_after_ms=1000)
        asked = messages.read_request(incoming.payload, self._daemon.version)
        back = _Return(back.request_id, back.codec, asked.handled.call_type.call_name, asked.root, back.send)
        wait_s = asked.deadline_ms / 1000
        reserve_s = min(_RESERVE_S, _RESERVE_SHARE * wait_s)
        visit = Visit(self._daemon, self._workspaces, asked.root, Deadline.after(wait_s - reserve_s))
        match asked.handled.runs:
            case "loop":
                return self._run(back, asked, visit)
            case "events":
                self._wait_for_events(back, cast(EventsSince, asked.call), visit)
                return None
            case "lane":
                work = partial(self._guard, back, partial(self._run, back, asked, visit))
                settle = partial(self._settle, back)
                job = Job(asked.root, Deadline.after(wait_s), work, settle)
                self._lanes.submit(asked.handled.lane(asked.call), job)
                return None

    def _run(self, back: _Return, asked: Asked, visit: Visit) -> bytes:
        return self._answer(back, asked.handled.run(asked.call, visit), visit)

    def _answer(self, back: _Return, reply: Reply, visit: Visit) -> bytes:
        workspace = visit.opened
        revision = int(workspace.revision()) if workspace is not None else None
        lag = workspace.lag() if workspace is not None else None
        result = cast("dict[str, object]", msgspec.to_builtins(reply))
        return messages.write_result(back.request_id, back.codec, result, revision, lag)

    def _wait_for_events(self, back: _Return, call: EventsSince, visit: Visit) -> None:
        def answer(page: EventPage) -> None:
            back.send(self._guard(back, lambda: self._answer(back, events_reply(page), visit)))

        wait_s = wait_of(call, visit.deadline)
        self._publisher.wait_since(max(0, call.serial), visit.root or None, wait_s, answer)

    def _settle(self, back: _Return, outcome: bytes | DaemonError) -> None:
        if isinstance(outcome, DaemonError):
            outcome = messages.write_failure(back.request_id, back.codec, outcome)
        back.send(outcome)
