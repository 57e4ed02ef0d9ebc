"""Serves one claimed endpoint until it is told to stop."""

import asyncio
import contextlib
import datetime
import os
import resource
from collections.abc import Callable
from dataclasses import dataclass

import structlog
import zmq

from consiglierd.events import EventHub
from consiglierd.serve.claim import Claim
from consiglierd.serve.dispatch import Dispatcher
from consiglierd.serve.endpoint import Endpoint
from consiglierd.serve.lanes import Lanes, LaneSize
from consiglierd.serve.publisher import Publisher
from consiglierd.serve.router import Router
from consiglierd.serve.services import Workspaces
from consiglierd.serve.visit import Daemon
from consigliere.protocol.envelope import MAX_MESSAGE_BYTES, PROTOCOL_VERSION

# Each connection is a descriptor, and each open workspace has dozens.
_WANTED_DESCRIPTORS = 4096

_log = structlog.get_logger("serve")


@dataclass(frozen=True, slots=True)
class ServeLimits:
    """Times and sizes; the defaults are the daemon's."""

    drain_s: float = 1.5
    claim_check_s: float = 5.0
    lanes: dict[str, LaneSize] | None = None


async def serve(
    claim: Claim,
    workspaces: Workspaces,
    hub: EventHub,
    *,
    version: str,
    stop: asyncio.Event,
    on_listening: Callable[[], None] = lambda: None,
    limits: ServeLimits | None = None,
) -> None:
    """Binds the sockets and answers calls until `stop` is set, or lock or socket are no longer ours.

    Then it takes no more calls, gives running ones `drain_s`, and removes its sockets. The
    caller closes the workspaces after that, and releases the claim last.
    """
    limits = limits or ServeLimits()
    loop = asyncio.get_running_loop()
    loop.set_exception_handler(_log_unhandled)
    _raise_descriptor_limit()
    endpoint = claim.endpoint

    daemon = _describe(endpoint, version, lambda: loop.call_soon_threadsafe(stop.set))
    context: zmq.Context[zmq.Socket[bytes]] = zmq.Context()
    with contextlib.ExitStack() as closing:
        closing.callback(context.term)
        publisher = Publisher(context, hub, max_message_bytes=MAX_MESSAGE_BYTES)
        closing.callback(publisher.close)
        lanes = Lanes(limits.lanes)
        router = Router(context, lambda incoming: dispatcher.receive(incoming), max_message_bytes=MAX_MESSAGE_BYTES)
        closing.callback(router.close)
        dispatcher = Dispatcher(daemon, workspaces, lanes, publisher, router.send)
        closing.callback(claim.remove_sockets)
        publisher.bind(endpoint.events_address, claim.listen(endpoint.events_socket))
        router.bind(endpoint.address, claim.listen(endpoint.socket))
        claim.write_record(version)
        publisher.start()
        router.start()
        _log.info("listening", socket=str(endpoint.socket), version=version, pid=daemon.pid)
        on_listening()
        await _wait_for_end(claim, stop, limits.claim_check_s)
        publisher.release_waiters()
        await lanes.drain(limits.drain_s)
        _log.info("closing", received=router.counts.received, malformed=router.counts.malformed)


def _describe(endpoint: Endpoint, version: str, stop: Callable[[], object]) -> Daemon:
    def ask_stop(reason: str) -> None:
        _log.info("asked to stop", reason=reason[:200])
        stop()

    return Daemon(
        version=version,
        protocol=PROTOCOL_VERSION,
        pid=os.getpid(),
        started_at=datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
        events_endpoint=endpoint.events_address,
        log_file=str(endpoint.log_file),
        state_directory=str(endpoint.state_directory),
        ask_stop=ask_stop,
    )


async def _wait_for_end(claim: Claim, stop: asyncio.Event, check_s: float) -> None:
    while not stop.is_set():
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(stop.wait(), check_s)
        if not stop.is_set() and (lost := claim.lost()) is not None:
            _log.warning("another daemon may have taken over", lost=lost)
            return


def _raise_descriptor_limit() -> None:
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = _WANTED_DESCRIPTORS if hard == resource.RLIM_INFINITY else min(_WANTED_DESCRIPTORS, hard)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))


def _log_unhandled(loop: asyncio.AbstractEventLoop, context: dict[str, object]) -> None:
    error = context.get("exception")
    _log.error("the event loop met an error", what=str(context.get("message")), exc_info=error)
