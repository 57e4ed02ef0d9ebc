"""A daemon of the benchmark's own, on a socket in a temporary folder, and what is asked of it."""

import os
import shutil
import subprocess
import sys
import tempfile
import time
import uuid
from pathlib import Path

import msgspec
import zmq

START_TIMEOUT_S = 60.0


class CallFailed(Exception):
    """The daemon answered with a failure, or not at all."""


class BenchDaemon:
    """Guards one daemon process and one connection to it; `close` ends both.

    `embedding` is the backend that its user's settings name.
    """

    def __init__(self, embedding: str = "none") -> None:
        self._folder = Path(tempfile.mkdtemp(prefix="csb-", dir="/tmp"))
        self.socket = self._folder / "d.sock"
        state = self._folder / "d.state"
        state.mkdir(mode=0o700)
        (state / "config.toml").write_text(f'[embedding]\nbackend = "{embedding}"\n', encoding="utf-8")
        self._context = zmq.Context()
        self._process: subprocess.Popen[bytes] | None = None
        self._dealer: zmq.Socket[bytes] | None = None

    @property
    def environment(self) -> dict[str, str]:
        """For a client program that is to speak to this daemon."""
        return {**os.environ, "CONSIGLIERE_SOCKET": str(self.socket)}

    @property
    def pid(self) -> int:
        if self._process is None:
            raise CallFailed("the daemon is not running")
        return self._process.pid

    def start(self) -> None:
        """Returns when it answers."""
        self._process = subprocess.Popen(
            [sys.executable, "-I", "-m", "consiglierd", "--socket", str(self.socket)],
            cwd="/",
            stdin=subprocess.DEVNULL,
            start_new_session=True,
        )
        self._dealer = self._context.socket(zmq.DEALER)
        self._dealer.linger = 0
        self._dealer.connect(f"ipc://{self.socket}")
        self.call("hello", timeout_s=START_TIMEOUT_S)

    def call(
        self, name: str, root: Path | None = None, *, timeout_s: float = 600.0, **params: object
    ) -> dict[str, object]:
        """The result of one call; CallFailed for a failure or silence."""
        if self._dealer is None:
            raise CallFailed("the daemon is not running")
        request_id = uuid.uuid4().hex
        request = {
            "v": 1,
            "id": request_id,
            "call": name,
            "deadline_ms": int(timeout_s * 1000),
            "root": str(root) if root else None,
            "params": params,
        }
        self._dealer.send(msgspec.msgpack.encode(request))
        while True:
            response = msgspec.msgpack.decode(self._receive(self._dealer, name, timeout_s))
            if response.get("id") == request_id:
                break
        if response.get("failure"):
            raise CallFailed(f"{name}: {response['failure']['code']}: {response['failure']['message']}")
        result: dict[str, object] = response["result"]
        return result

    def _receive(self, dealer: zmq.Socket[bytes], name: str, timeout_s: float) -> bytes:
        ends_at = time.monotonic() + timeout_s
        while time.monotonic() < ends_at:
            if dealer.poll(500):
                return dealer.recv()
            status = self._process.poll() if self._process else None
            if status is not None:
                raise CallFailed(f"the daemon ended with {status}")
        raise CallFailed(f"no answer to {name} within {timeout_s:g} s")

    def hits(self, root: Path, query: str) -> list[object]:
        found = self.call("search", root, query=query)["hits"]
        return found if isinstance(found, list) else []

    def index(self, root: Path, *, rebuild: bool = False) -> float:
        """Indexes the whole root; the seconds it took."""
        began = time.perf_counter()
        ticket = self.call("index", root, rebuild=rebuild)["ticket"]
        while not self.call("index_progress", root, ticket=ticket, wait_ms=1000)["is_done"]:
            pass
        return time.perf_counter() - began

    def wait_for_vectors(self, root: Path, timeout_s: float = 1800.0) -> None:
        """Until everything that is committed has its vectors."""
        ends_at, serial = time.monotonic() + timeout_s, 0
        while self._vector_lag(root) > 0:
            if time.monotonic() > ends_at:
                raise CallFailed(f"not all vectors were there within {timeout_s:g} s")
            last = self.call("events_since", root, serial=serial, wait_ms=50)["last_serial"]
            serial = last if isinstance(last, int) else serial

    def _vector_lag(self, root: Path) -> int:
        lag = self.call("status", root)["lag"]
        return int(lag["vector"]) if isinstance(lag, dict) else 0

    def stop(self) -> None:
        if self._dealer is not None:
            self._dealer.close()
            self._dealer = None
        if self._process is not None:
            self._process.terminate()
            self._process.wait(timeout=60)
            self._process = None

    def close(self) -> None:
        self.stop()
        self._context.term()
        shutil.rmtree(self._folder, ignore_errors=True)
