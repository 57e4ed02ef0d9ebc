"""A small server on loopback that speaks as much of Ollama as we ask of it, and fails on command."""

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from tests.support.hashed_embedder import HashedEmbedder

MODEL = "nomic-embed-text"
DIMENSIONS = 64
FIRST_DIGEST = "sha-1"


class OllamaServer:
    """`failure` names what goes wrong from now on; `asked` holds the texts that came."""

    def __init__(self, port: int = 0) -> None:
        self.failure = ""
        self.digest = FIRST_DIGEST
        # A text with this in it cannot be embedded.
        self.poison = ""
        self.on_poison: Callable[[], object] = lambda: None
        self.asked: list[str] = []
        self.paths: list[str] = []
        # While answers may not be given, texts with this in them wait.
        self.holds = ""
        self.may_answer = threading.Event()
        self.may_answer.set()
        self.holds_tags = threading.Event()
        self.holds_tags.set()
        self.seconds_a_text = 0.0
        self._batches = 0
        self._arrived = threading.Condition()
        owner = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                owner.answer(self, {})

            def do_POST(self) -> None:
                owner.answer(self, json.loads(self.rfile.read(int(self.headers["Content-Length"]))))

            def log_message(self, format: str, *arguments: Any) -> None:
                return

        self._server = ThreadingHTTPServer(("127.0.0.1", port), Handler)
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.02})
        self._thread.start()

    @property
    def port(self) -> int:
        return int(self._server.server_address[1])

    @property
    def endpoint(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def wait_until(self, is_so: Callable[[], bool], timeout_s: float = 20.0) -> bool:
        """Whether it is so at last; looked at after each arrival."""
        with self._arrived:
            return self._arrived.wait_for(is_so, timeout_s)

    def close(self) -> None:
        self.may_answer.set()
        self.holds_tags.set()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def answer(self, handler: BaseHTTPRequestHandler, asked: dict[str, Any]) -> None:
        status, content = self._reply(handler.path, asked)
        handler.send_response(status)
        handler.send_header("Content-Type", "application/json")
        if status == 307:
            handler.send_header("Location", f"{self.endpoint}/moved{handler.path}")
        handler.send_header("Content-Length", str(len(content) + (99 if self.failure == "truncated" else 0)))
        handler.end_headers()
        try:
            handler.wfile.write(content)
        except BrokenPipeError:
            # Whoever asked has stopped waiting, as some tests mean it to.
            handler.close_connection = True
        if self.failure == "truncated":
            handler.close_connection = True

    def _reply(self, path: str, asked: dict[str, Any]) -> tuple[int, bytes]:
        with self._arrived:
            self.paths.append(path)
            self._arrived.notify_all()
        if path == "/api/tags":
            self.holds_tags.wait(30)
            names = [] if self.failure == "unknown model" else [f"{MODEL}:latest"]
            return 200, json.dumps({"models": [{"model": name, "digest": self.digest} for name in names]}).encode()
        if asked["model"] != MODEL or self.failure == "unknown model":
            return 404, json.dumps({"error": f"model {asked['model']!r} not found"}).encode()
        texts = asked["input"]
        with self._arrived:
            self.asked.extend(texts)
            self._arrived.notify_all()
        for text in texts:
            if self.poison and self.poison in text:
                self.on_poison()
                return 500, b'{"error": "failed to encode response: json: unsupported value: NaN"}'
        if self.holds in texts[0]:
            self.may_answer.wait(30)
        threading.Event().wait(self.seconds_a_text * len(texts))
        self._batches += 1
        # Another model gives other vectors.
        salt = "a" if self.digest == FIRST_DIGEST else self.digest
        rows: list[Any] = HashedEmbedder(DIMENSIONS, salt).embed_queries(texts).tolist()
        match self.failure:
            case "500 in the middle" if self._batches > 1:
                return 500, b'{"error": "out of memory"}'
            case "wrong dimensions":
                rows = [row[:10] for row in rows]
            case "too few":
                rows = rows[1:]
            case "zero":
                rows[0] = [0.0] * DIMENSIONS
            case "not a number":
                return 200, json.dumps(
                    {"model": MODEL, "embeddings": [[float("nan")] * DIMENSIONS] * len(rows)}
                ).encode()
            case "garbage":
                return 200, b"<html>a proxy's login page</html>"
            case "a list":
                return 200, b'["embeddings"]'
            case "an error as a list":
                return 503, b"[]"
            case "a number for an error":
                return 400, b"3"
            case "elsewhere":
                return 307, b""
            case "other JSON":
                return 200, b'{"model": 3, "embeddings": "none"}'
        return 200, json.dumps({"model": MODEL, "embeddings": rows}).encode()


@contextmanager
def ollama_server() -> Iterator[OllamaServer]:
    server = OllamaServer()
    try:
        yield server
    finally:
        server.close()
