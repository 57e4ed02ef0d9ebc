"""The command `index`: start, show how far it is, and, if asked, go on telling what is indexed."""

from __future__ import annotations

import time

from consigliere.cli.session import connected, root_of
from consigliere.cli.show import paths_from_root
from consigliere.client import Client
from consigliere.errors import CallFailed, DaemonUnreachable, UsageError
from consigliere.render.json import write_object
from consigliere.render.terminal import Output, is_terminal, one_line, write_whole

# Importing `typing` would cost a quarter of what a whole search may take.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from consigliere.protocol.shapes import EventShape, IndexProgressReplyShape, StatusReplyShape

WAIT_MS = 500
EVENT_WAIT_MS = 20_000
# Each of WAIT_MS: what is tried again after a moment is no reason to give up.
WAITS_FOR_OBSTACLE = 20
BAR_WIDTH = 30
_STDERR = 2


def index(output: Output, values: dict[str, Any], words: list[str]) -> int:
    """Returns when every file is committed and lexical search is at the head."""
    root = root_of(values)
    paths = [_from_root(word, root) for word in words]
    began_s = time.monotonic()
    with connected() as client:
        serial = _latest_event(client, root)
        ticket = client.call("index", {"paths": paths, "rebuild": bool(values.get("rebuild"))}, root=root)["ticket"]
        progress = _wait(client, root, ticket, serial, is_for_all=bool(values.get("wait")))
        status = client.call("status", root=root)
        _tell(output, status, progress, time.monotonic() - began_s, is_json=bool(values.get("json")))
        output.flush()
        if values.get("watch"):
            _watch(client, output, root, serial, is_json=bool(values.get("json")))
    return 0


def _from_root(word: str, root: str) -> str:
    """A path as typed here, relative to the root; "" is all of it."""
    relative = paths_from_root(word, root)[0]
    if relative.split("/")[0] == "..":
        raise UsageError(f"{word} is outside of {root}", "name the project with --root DIR")
    return "" if relative == "." else relative


def _latest_event(client: Client, root: str) -> int:
    """The serial number of the last event so far; events come in pages."""
    serial = 0
    while True:
        reply = client.call("events_since", {"serial": serial}, root=root)
        serial = reply["last_serial"]
        if not reply["events"]:
            return serial


def _wait(client: Client, root: str, ticket: int, serial: int, *, is_for_all: bool) -> IndexProgressReplyShape:
    """Until the files are committed; `is_for_all` also waits for every index to be at the head."""
    bar = Bar()
    hindered = 0
    while True:
        progress = client.call("index_progress", {"ticket": ticket, "wait_ms": WAIT_MS}, root=root)
        if progress["is_done"] and not (is_for_all and any(progress["lag"].values())):
            bar.clear()
            return progress
        obstacle = progress.get("obstacle")
        hindered = hindered + 1 if obstacle else 0
        if hindered > WAITS_FOR_OBSTACLE:
            bar.clear()
            message = f"not everything is indexed: {obstacle}"
            raise CallFailed("unavailable", message, "the daemon goes on trying; ask again later", None)
        bar.draw(progress["files_done"], progress["files_total"])
        if progress["is_done"] or obstacle:
            # The ticket answers at once from here on; an index that catches up is an event.
            page = client.call("events_since", {"serial": serial, "wait_ms": WAIT_MS}, root=root)
            serial = page["last_serial"]


class Bar:
    """A line on standard error with how much is done and how long the rest may take; on a terminal only."""

    def __init__(self) -> None:
        self._began_s = time.monotonic()
        self._is_shown = is_terminal(_STDERR)
        self._is_drawn = False

    def draw(self, done: int, total: int) -> None:
        if self._is_shown:
            line = bar_line(done, total, time.monotonic() - self._began_s)
            write_whole(_STDERR, f"\r\x1b[K{line}".encode())
            self._is_drawn = True

    def clear(self) -> None:
        if self._is_drawn:
            write_whole(_STDERR, b"\r\x1b[K")


def bar_line(done: int, total: int, elapsed_s: float) -> str:
    """`[####......] 40/100 files, about 9 s left`."""
    filled = BAR_WIDTH * min(done, total) // max(1, total)
    left = f", about {elapsed_s / done * (total - done):.0f} s left" if 0 < done < total else ""
    return f"[{'#' * filled}{'.' * (BAR_WIDTH - filled)}] {done}/{total} files{left}"


def _tell(
    output: Output,
    status: StatusReplyShape,
    progress: IndexProgressReplyShape,
    took_s: float,
    *,
    is_json: bool,
) -> None:
    if is_json:
        facts = {"files": status["files"], "chunks": status["chunks"], "took_s": round(took_s, 3)}
        return write_object(output, {**progress, **facts})
    output.line(
        output.fit(
            f"{one_line(status['root'])}: {status['files']} files, {status['chunks']} chunks,"
            f" revision {progress['revision']}, {took_s:.1f} s"
        )
    )
    if any(progress["lag"].values()):
        output.line(output.fit("  search by words is complete, vectors follow; `--wait` waits for them"))
    for problem in status["problems"]:
        output.line(output.fit(f"  ⚠ {one_line(problem['file'])}: {problem['message']}"))
    for warning in status["warnings"]:
        output.line(output.fit(f"  ⚠ {warning}"))
    return None


def _watch(client: Client, output: Output, root: str, serial: int, *, is_json: bool) -> None:
    """Until Ctrl-C, or until the daemon ends."""
    while True:
        try:
            reply = client.call(
                "events_since",
                {"serial": serial, "wait_ms": EVENT_WAIT_MS},
                root=root,
                deadline_s=EVENT_WAIT_MS / 1000 + 10,
            )
        except DaemonUnreachable as error:
            raise DaemonUnreachable("the daemon ended", error.kind, "run `consigliere index --watch` again") from error
        for event in reply["events"]:
            if is_json:
                write_object(output, event)
            else:
                output.line(output.fit(_event_line(event)))
        output.flush()
        serial = reply["last_serial"]


def _event_line(event: EventShape) -> str:
    told = ", ".join(f"{name} {value}" for name, value in event["detail"].items())
    return f"{event['at']}  {event['topic']}  {told}"
