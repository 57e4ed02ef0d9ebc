"""A ROUTER of the real library, in a thread, that answers calls from a table: the client's other end."""

import json
import os
import shutil
import tempfile
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import zmq

Answer = Mapping[str, Any] | Callable[[dict[str, Any]], Mapping[str, Any] | bytes | list[bytes] | None]

EMPTY_SEARCH: dict[str, Any] = {
    "query": "q",
    "workspace": "/p",
    "revision": 3,
    "at": None,
    "pinned": None,
    "took_ms": 1.5,
    "lag": {"lexical": 0, "vector": 0},
    "partial": [],
    "withheld": 0,
    "reason": "nothing in the indexed documents matches",
    "reason_code": "no_match",
    "hits": [],
}

A_HIT: dict[str, Any] = {
    "file": "docs/rules.md",
    "line_start": 12,
    "line_end": 14,
    "heading": "에이전트 관리",
    "text": "## 에이전트 관리\n\nPM이 관리 ✓",
    "truncated": False,
    "kind": "document",
    "symbol": None,
    "file_type": "rules",
    "date": "2026-03-28",
    "tags": ["pm"],
    "status": "decided",
    "rooms": ["architecture"],
    "score": 0.834,
    "scores": {"base": 0.6, "vector": None, "bm25": 0.6, "role": 1.39, "room": 0.0},
    "digest": "0" * 40,
    "commit": None,
    "also": [],
    "annotations": [],
    "metadata": {},
    "explanation": None,
}

A_SEARCH: dict[str, Any] = {**EMPTY_SEARCH, "reason": None, "reason_code": None, "hits": [A_HIT]}


class AnsweringRouter:
    """Remembers every request; answers each call with what `answers` holds for its name.

    A function gets the request and may give a result, whole frames (bytes, or a list of them), or
    None for silence. A result with the key `failure` alone is sent as a failure.
    """

    def __init__(self, socket: Path, answers: Mapping[str, Answer]) -> None:
        self.requests: list[dict[str, Any]] = []
        self.raw: list[bytes] = []
        self._answers = dict(answers)
        self._context = zmq.Context()
        self._router = self._context.socket(zmq.ROUTER)
        self._router.linger = 0
        self._router.bind(f"ipc://{socket}")
        self._stop_receiver = self._context.socket(zmq.PAIR)
        self._stop_receiver.bind(f"inproc://stop-{id(self)}")
        self._thread = threading.Thread(target=self._serve, daemon=True)
        self._thread.start()

    def close(self) -> None:
        stop = self._context.socket(zmq.PAIR)
        stop.connect(f"inproc://stop-{id(self)}")
        stop.send(b"")
        self._thread.join(timeout=10)
        for socket in (stop, self._stop_receiver, self._router):
            socket.close()
        self._context.term()

    def _serve(self) -> None:
        poller = zmq.Poller()
        poller.register(self._router, zmq.POLLIN)
        poller.register(self._stop_receiver, zmq.POLLIN)
        while True:
            ready = dict(poller.poll())
            if self._stop_receiver in ready:
                return
            sender, *payload = self._router.recv_multipart()
            self.raw.append(payload[0])
            request = json.loads(payload[0])
            self.requests.append(request)
            frames = self._frames(request)
            if frames:
                self._router.send_multipart([sender, *frames])

    def _frames(self, request: dict[str, Any]) -> list[bytes]:
        found = self._answers.get(request["call"])
        answer = found(request) if callable(found) else found
        if isinstance(answer, bytes):
            return [answer]
        if isinstance(answer, list):
            return answer
        if answer is None:
            return []
        body = dict(answer) if set(answer) == {"failure"} else {"result": dict(answer)}
        return [json.dumps({"v": 1, "id": request["id"], **body}, ensure_ascii=False).encode()]


@contextmanager
def short_folder() -> Iterator[Path]:
    """A folder of mode 0700 with a path short enough for sockets."""
    folder = Path(tempfile.mkdtemp(prefix="csg-", dir="/tmp"))
    try:
        yield folder
    finally:
        shutil.rmtree(folder)


@contextmanager
def answering(answers: Mapping[str, Answer]) -> Iterator[tuple[Path, AnsweringRouter]]:
    """The socket's path and the router behind it."""
    with short_folder() as folder:
        socket = folder / "d.sock"
        router = AnsweringRouter(socket, answers)
        try:
            yield socket, router
        finally:
            router.close()


def environment_for(socket: Path, **more: str) -> dict[str, str]:
    """The environment of a program that shall speak to `socket`."""
    return {**os.environ, "CONSIGLIERE_SOCKET": str(socket), **more}
