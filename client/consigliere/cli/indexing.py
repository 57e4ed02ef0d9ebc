"""The command `index`: start, show how far it is, and, if asked, go on telling what is indexed."""

from __future__ import annotations

import os
import sys
import time

from consigliere.cli.session import connected, root_of
from consigliere.client import Client
from consigliere.render.terminal import Output

# Importing `typing` would cost a quarter of what a whole search may take.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

WAIT_MS = 500
EVENT_WAIT_MS = 20_000
BAR_WIDTH = 30


def index(values: dict[str, Any], words: list[str]) -> int:
    """Returns when every file is committed and lexical search is at the head."""
    root = root_of(values)
    paths = [_from_root(word, root) for word in words]
    output = Output()
    with connected() as client:
        serial = client.call("events_since", {"serial": 0}, root=root)["last_serial"] if values.get("watch") else 0
        began = time.monotonic()
        ticket = client.call("index", {"paths": paths, "rebuild": bool(values.get("rebuild"))}, root=root)["ticket"]
        progress = _wait(client, root, ticket)
        took_s = time.monotonic() - began
        status = client.call("status", root=root)
        if values.get("json"):
            from consigliere.render.json import write_object

            write_object({**progress, "files": status["files"], "chunks": status["chunks"], "took_s": round(took_s, 3)})
        else:
            output.line(
                f"{root}: {status['files']} files, {status['chunks']} chunks, revision {progress['revision']},"
                f" {took_s:.1f} s"
            )
            _tell_problems(output, status)
        if values.get("watch"):
            _watch(client, root, output, serial, is_json=bool(values.get("json")))
    return 0


def _from_root(word: str, root: str) -> str:
    """A path as typed here, relative to the root."""
    relative = os.path.relpath(
        os.path.join(os.path.realpath(os.path.dirname(word) or "."), os.path.basename(word)), root
    )
    return "" if relative == "." else relative


def _wait(client: Client, root: str, ticket: int) -> dict[str, Any]:
    began = time.monotonic()
    is_drawn = False
    while True:
        progress = client.call("index_progress", {"ticket": ticket, "wait_ms": WAIT_MS}, root=root)
        if progress["is_done"]:
            break
        if sys.stderr.isatty():
            _draw(progress, time.monotonic() - began)
            is_drawn = True
    if is_drawn:
        sys.stderr.write("\r\x1b[K")
        sys.stderr.flush()
    return progress


def _draw(progress: dict[str, Any], elapsed_s: float) -> None:
    done, total = progress["files_done"], max(1, progress["files_total"])
    filled = BAR_WIDTH * done // total
    left = f", about {elapsed_s / done * (total - done):.0f} s left" if done else ""
    sys.stderr.write(f"\r\x1b[K[{'#' * filled}{'.' * (BAR_WIDTH - filled)}] {done}/{total} files{left}")
    sys.stderr.flush()


def _tell_problems(output: Output, status: dict[str, Any]) -> None:
    for problem in status["problems"]:
        output.line(output.fit(f"  {problem['file']}: {problem['message']}"))
    for warning in status["warnings"]:
        output.line(output.fit(f"  warning: {warning}"))


def _watch(client: Client, root: str, output: Output, serial: int, *, is_json: bool) -> None:
    """Until Ctrl-C, or until the daemon ends."""
    while True:
        params = {"serial": serial, "wait_ms": EVENT_WAIT_MS}
        reply = client.call("events_since", params, root=root, deadline_s=EVENT_WAIT_MS / 1000 + 10)
        for event in reply["events"]:
            if is_json:
                from consigliere.render.json import write_object

                write_object(event)
            else:
                told = ", ".join(f"{name} {value}" for name, value in event["detail"].items())
                output.line(output.fit(f"{event['at']}  {event['topic']}  {told}"))
        output.flush()
        serial = reply["last_serial"]
