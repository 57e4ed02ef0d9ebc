"""A real daemon process on a socket of its own, that tests may kill."""

import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import uuid
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgpack
import zmq

from tests.support.children import children_of

START_TIMEOUT_S = 30.0


class CallFailed(Exception):
    """The daemon answered with a failure."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(f"{code}: {message}")
        self.code = code


class LivingDaemon:
    """Starts `consiglierd` on a short socket path; `call` speaks the protocol; nothing of it outlives `close`.

    `embedding` is the backend in its user's settings: words alone, where a test is not about vectors.
    """

    def __init__(self, embedding: str = "none") -> None:
        self._folder = Path(tempfile.mkdtemp(prefix="csg-", dir="/tmp"))
        self.socket = self._folder / "d.sock"
        self.state = self._folder / "d.state"
        self.state.mkdir(mode=0o700)
        self.set_embedding(embedding)
        self._process: subprocess.Popen[bytes] | None = None
        self._context = zmq.Context()

    @property
    def pid(self) -> int:
        assert self._process is not None
        return self._process.pid

    @property
    def environment(self) -> dict[str, str]:
        return {**os.environ, "CONSIGLIERE_SOCKET": str(self.socket)}

    def set_embedding(self, backend: str, **more: str | int) -> None:
        """Written to the user's own settings; a workspace takes it up when it is told to, or opened."""
        lines = [f"{name} = {value if isinstance(value, int) else repr(value)}" for name, value in more.items()]
        text = "\n".join(["[embedding]", f'backend = "{backend}"', *lines, ""])
        (self.state / "config.toml").write_text(text.replace("'", '"'), encoding="utf-8")

    def start(self) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-I", "-m", "consiglierd", "--socket", str(self.socket)],
            cwd="/",
            stdin=subprocess.DEVNULL,
            start_new_session=True,
        )
        self.call("hello", timeout_s=START_TIMEOUT_S)

    def call(self, name: str, root: Path | None = None, *, timeout_s: float = 60.0, **params: Any) -> dict[str, Any]:
        """The result of one call; raises CallFailed for a failure, TimeoutError for silence."""
        dealer = self._context.socket(zmq.DEALER)
        dealer.linger = 0
        try:
            dealer.connect(f"ipc://{self.socket}")
            request = {
                "v": 1,
                "id": uuid.uuid4().hex,
                "call": name,
                "deadline_ms": int(timeout_s * 1000),
                "root": None if root is None else str(root),
                "params": params,
            }
            dealer.send(msgpack.packb(request))
            if not dealer.poll(int(timeout_s * 1000) + 1000):
                raise TimeoutError(f"no answer to {name}")
            response = msgpack.unpackb(dealer.recv())
        finally:
            dealer.close()
        if response.get("failure"):
            raise CallFailed(response["failure"]["code"], response["failure"]["message"])
        result: dict[str, Any] = response["result"]
        return result

    def search(self, root: Path, query: str, **params: Any) -> dict[str, Any]:
        return self.call("search", root, query=query, **params)

    def settle(self, root: Path) -> int:
        return int(self.call("settle", root)["revision"])

    def until(self, root: Path, is_so: Callable[[dict[str, Any]], bool], timeout_s: float = 60.0) -> dict[str, Any]:
        """The first status of which it is so; each is asked for when the daemon has news, or after a moment."""
        serial, end_s = 0, time.monotonic() + timeout_s
        while not is_so(status := self.call("status", root)):
            assert time.monotonic() < end_s, f"never so: {status}"
            serial = self.call("events_since", root, serial=serial, wait_ms=200)["last_serial"]
        return status

    def settle_all(self, root: Path) -> int:
        """As `settle`, and with the vectors of everything."""
        revision, serial = self.settle(root), 0
        while self.call("status", root)["lag"]["vector"] > 0:
            serial = self.call("events_since", root, serial=serial, wait_ms=20)["last_serial"]
        return revision

    def children(self) -> list[int]:
        """The process ids of the daemon's children."""
        return children_of(self.pid)

    def kill(self) -> list[int]:
        """kill -9, with the process ids of the children that it had."""
        assert self._process is not None
        children = self.children()
        self._process.send_signal(signal.SIGKILL)
        self._process.wait()
        return children

    def stop(self) -> float:
        """SIGTERM; the seconds it took to end."""
        assert self._process is not None
        began = time.monotonic()
        self._process.terminate()
        self._process.wait(timeout=30)
        return time.monotonic() - began

    @property
    def is_running(self) -> bool:
        return self._process is not None and self._process.poll() is None

    def close(self) -> None:
        if self.is_running:
            self.kill()
        self._context.term()
        shutil.rmtree(self._folder, ignore_errors=True)


def wait_until_gone(pid: int, timeout_s: float = 10.0) -> bool:
    """Whether the process ended within the time; it need not be our child."""
    try:
        descriptor = os.pidfd_open(pid)
    except ProcessLookupError:
        return True
    try:
        poller = zmq.Poller()
        poller.register(descriptor, zmq.POLLIN)
        return bool(poller.poll(int(timeout_s * 1000)))
    finally:
        os.close(descriptor)
