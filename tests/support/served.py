"""A real server on a real socket over workspaces that a test holds in its hands."""

import asyncio
import json
import os
import shutil
import socket
import tempfile
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Self

import msgspec
import zmq

from consiglierd.errors import NotFound
from consiglierd.events import EventHub
from consiglierd.model.calibration import Calibration, Tuning
from consiglierd.model.deadline import Deadline
from consiglierd.model.evaluation import Evaluation, Gain, HistoryQuestions, LabelledQuestion
from consiglierd.model.hit import Annotation, Explanation, Hit, Place, Scores, SearchResult, TermMatch
from consiglierd.model.ids import ChunkId, Revision, digest_of
from consiglierd.model.query import Query
from consiglierd.model.status import (
    FileProblem,
    Finding,
    IndexProgress,
    LeftOutCount,
    SearchDefaults,
    SettingValue,
    ShownLines,
    WorkspaceLine,
    WorkspaceStatus,
)
from consiglierd.serve.claim import claim
from consiglierd.serve.endpoint import Endpoint, find_endpoint
from consiglierd.serve.server import ServeLimits, serve

WAIT_S = 20.0

A_HIT = Hit(
    chunk_id=ChunkId(7),
    file="docs/규칙.md",
    line_start=3,
    line_end=4,
    heading="에이전트",
    text="PM이 관리\n합니다 ✓",
    truncated=True,
    kind="document",
    symbol=None,
    file_type="rules",
    date="2026-03-28",
    tags=("pm",),
    status="active",
    rooms=("architecture",),
    score=0.83,
    scores=Scores(base=0.8, vector=None, bm25=0.8, role=1.3, room=0.0),
    digest=digest_of(b"x"),
    also=(Place("docs/b.md", 9),),
    metadata={"decided_by": "회장"},
    annotations=(Annotation("superseded", "by", "docs/c.md", 4),),
    explanation=Explanation((TermMatch("관리", 1.5, 2, 0.4),), 1.0, 12, 20.5, "pm x1.3", "", "0.7: docs/b.md:9"),
)


class HeldWorkspace:
    """Answers by the query text: `crash` and `panic` raise, `wait NAME` waits for the gate of that name."""

    def __init__(self, root: str, owner: "HeldWorkspaces") -> None:
        self.root = root
        self._owner = owner

    def search(self, query: Query, deadline: Deadline) -> SearchResult:
        self._owner.note(f"search {query.text}")
        match query.text.split():
            case ["crash"]:
                raise KeyError("secret text of a document")
            case ["panic"]:
                raise BaseException("panicked")
            case ["missing"]:
                raise NotFound("no such thing: \udcff", cure="look elsewhere")
            case ["wait", name]:
                self._owner.gate(name).wait(WAIT_S)
            case ["huge"]:
                return self._result(_with_text("x" * 5_000_000))
        return self._result(A_HIT)

    def _result(self, hit: Hit) -> SearchResult:
        return SearchResult((hit,), Revision(5), ("reconciling",), 2, None, None)

    def defaults(self) -> SearchDefaults:
        return SearchDefaults(5, 0.3)

    def show(
        self, file: str, line_start: int | None, line_end: int | None, *, section: bool, deadline: Deadline
    ) -> ShownLines:
        first, last = line_start or 1, line_end or 2
        return ShownLines(file, first, last, 9, "가\n나", digest_of(b"y"), "utf-8", "general", True, Revision(5))

    def start_index(self, paths: tuple[str, ...], *, rebuild: bool) -> int:
        self._owner.note(f"index {','.join(paths)} {rebuild}")
        return 11

    def index_progress(self, ticket: int, wait_s: float) -> IndexProgress:
        self._owner.gate("progress").wait(wait_s)
        return IndexProgress(self._owner.gate("progress").is_set(), 3, 4, Revision(5), {"lexical": 1}, 0, None)

    def settle(self, deadline: Deadline) -> Revision:
        self._owner.note("settle")
        return Revision(6)

    def wait_for_revision(self, revision: Revision, deadline: Deadline) -> None:
        self._owner.note(f"wait for {revision}")

    def status(self) -> WorkspaceStatus:
        return WorkspaceStatus(
            self.root, "fresh", "inotify", Revision(5), {"lexical": 0}, 2, 3, 0, 0, 100, None, {"analyzer": "1"}, None,
            {"rules": 2}, (LeftOutCount("binary", 1, ("a.png",)),), (FileProblem("b.md", "encoding", "odd"),), ("w",),
        )  # fmt: skip

    @property
    def evaluation(self) -> Self:
        return self

    def evaluate(self, questions: Sequence[LabelledQuestion], deadline: Deadline) -> Evaluation:
        return Evaluation((), 0.35, 0.0, 0.3, ())

    def tune(self, questions: Sequence[LabelledQuestion], deadline: Deadline) -> Tuning:
        return Tuning(Calibration(0.4, 0.0, 50, "d", "2026-01-01", Gain("now", 0.1, 0.0, 0.2)), 0.35, 0.0, True, "r")

    def from_history(self, deadline: Deadline) -> HistoryQuestions:
        return HistoryQuestions((LabelledQuestion("q", (), None, "en"),), 1, 2)

    def take_tuning_back(self) -> None:
        self._owner.note("take tuning back")

    def lag(self) -> dict[str, int]:
        return {"lexical": 0}

    def revision(self) -> Revision:
        return Revision(5)

    def settings(self) -> tuple[SettingValue, ...]:
        return (SettingValue("search.min_score", "0.3", "default", "the least score"),)

    def settings_problems(self) -> tuple[str, ...]:
        return ("a problem",)

    def doctor(self) -> tuple[Finding, ...]:
        return (Finding("ok", "store", "sound"),)


def _with_text(text: str) -> Hit:
    fields = {name: getattr(A_HIT, name) for name in A_HIT.__slots__}
    return Hit(**{**fields, "text": text})


class HeldWorkspaces:
    """Every root opens, but those named `/missing/...`; what was called is noted in order."""

    def __init__(self) -> None:
        self._lock = threading.Condition()
        self._gates: dict[str, threading.Event] = {}
        self.noted: list[str] = []

    def gate(self, name: str) -> threading.Event:
        with self._lock:
            return self._gates.setdefault(name, threading.Event())

    def note(self, what: str) -> None:
        with self._lock:
            self.noted.append(what)
            self._lock.notify_all()

    def wait_noted(self, count: int) -> None:
        with self._lock:
            assert self._lock.wait_for(lambda: len(self.noted) >= count, WAIT_S), self.noted

    def open_all_gates(self) -> None:
        with self._lock:
            for gate in self._gates.values():
                gate.set()

    def open(self, root: str, deadline: Deadline) -> HeldWorkspace:
        if root.startswith("/missing"):
            raise NotFound(f"there is no directory {root}", cure="name another")
        return HeldWorkspace(root, self)

    def lines(self) -> tuple[WorkspaceLine, ...]:
        return (WorkspaceLine("/r", True, "fresh", 2, 3),)

    def forget(self, root: str) -> tuple[str, ...]:
        return (f"{root}/.consigliere",)


class Served:
    """A running server; `close` ends it as SIGTERM would."""

    def __init__(self, limits: ServeLimits | None = None) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="csg-", dir="/tmp"))
        self.workspaces = HeldWorkspaces()
        self.hub = EventHub()
        self.endpoint: Endpoint = find_endpoint(str(self.folder / "d.sock"), {})
        self.claim = claim(self.endpoint)
        self._limits = limits
        self._listening = threading.Event()
        self._loop = asyncio.new_event_loop()
        self._stop: asyncio.Event | None = None
        self.failure: BaseException | None = None
        self._thread = threading.Thread(target=self._run, name="served")
        self._thread.start()
        assert self._listening.wait(WAIT_S)
        if self.failure is not None:
            raise self.failure
        self.context = zmq.Context()

    def _run(self) -> None:
        async def run() -> None:
            self._stop = asyncio.Event()
            await serve(
                self.claim, self.workspaces, self.hub,
                version="9.9", stop=self._stop, on_listening=self._listening.set, limits=self._limits,
            )  # fmt: skip

        try:
            self._loop.run_until_complete(run())
        except BaseException as failure:
            self.failure = failure
        finally:
            self._loop.close()
            self._listening.set()

    @property
    def is_running(self) -> bool:
        return self._thread.is_alive()

    def ask_stop(self) -> None:
        assert self._stop is not None
        if not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._stop.set)

    def wait_ended(self) -> None:
        self._thread.join(WAIT_S)
        assert not self._thread.is_alive()
        if self.failure is not None:
            raise self.failure

    def dealer(self) -> "Dealer":
        return Dealer(self.context, self.endpoint.address)

    def raw(self) -> socket.socket:
        connection = socket.socket(socket.AF_UNIX)
        connection.settimeout(WAIT_S)
        connection.connect(os.fspath(self.endpoint.socket))
        return connection

    def close(self) -> None:
        self.workspaces.open_all_gates()
        self.ask_stop()
        self._thread.join(WAIT_S)
        self.claim.release()
        self.context.destroy(linger=0)
        shutil.rmtree(self.folder, ignore_errors=True)
        if self.failure is not None:
            raise self.failure


class Dealer:
    """One client connection."""

    def __init__(self, context: "zmq.Context[zmq.Socket[bytes]]", address: str) -> None:
        self.socket = context.socket(zmq.DEALER)
        self.socket.linger = 0
        self.socket.connect(address)
        self._count = 0

    def ask(self, call: str, *, codec: str = "msgpack", deadline_ms: int = 20_000, **given: Any) -> str:
        """Sends a call; its id. `root`, `v`, `id` and other envelope fields may be given, the rest are parameters."""
        self._count += 1
        envelope = {"v": given.pop("v", 1), "id": given.pop("id", str(self._count)), "call": call}
        envelope |= {"deadline_ms": deadline_ms, "root": given.pop("root", None), "params": given}
        self.socket.send(json.dumps(envelope).encode() if codec == "json" else msgspec.msgpack.encode(envelope))
        return str(envelope["id"])

    def answer(self, timeout_s: float = WAIT_S) -> dict[str, Any]:
        if not self.socket.poll(int(timeout_s * 1000)):
            raise TimeoutError("no answer")
        frames = self.socket.recv_multipart()
        assert len(frames) == 1
        decode = msgspec.json.decode if frames[0].startswith(b"{") else msgspec.msgpack.decode
        answer: dict[str, Any] = decode(frames[0])
        return answer

    def call(self, call: str, **given: Any) -> dict[str, Any]:
        asked = self.ask(call, **given)
        answer = self.answer()
        assert answer["id"] == asked
        return answer

    def close(self) -> None:
        self.socket.close()


@contextmanager
def serving(limits: ServeLimits | None = None) -> Iterator[Served]:
    served = Served(limits)
    try:
        yield served
    finally:
        served.close()


def code_of(answer: dict[str, Any]) -> str | None:
    """The failure's code, None for a result."""
    failure = answer.get("failure")
    return str(failure["code"]) if failure else None
