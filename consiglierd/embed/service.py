"""The embedding of the whole daemon: a process for the documents of each backend and server, shared by all.

Questions to the bundled model are embedded in the daemon itself: they cost a tenth of a millisecond,
and would otherwise wait for the documents in hand. Those to slower models have a process of their own.
A server that hangs holds up nobody but those who use it.
"""

import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import CancelledError, Future
from contextlib import contextmanager
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from consiglierd.child.process import BACKGROUND_NICENESS
from consiglierd.embed.cache import WORTH_IT, VectorCache
from consiglierd.embed.embedder import Embedder
from consiglierd.embed.frames import Answer, Ask
from consiglierd.embed.lane import EmbeddingLane
from consiglierd.embed.spec import EmbedderSpec, build, recipe_of
from consiglierd.embed.windows import fingerprint_of, units_of, windows_of
from consiglierd.errors import EmbeddingUnavailable

QUESTION, URGENT, BACKGROUND = 0, 1, 2
TEXTS_AT_ONCE = 64
# To a model whose speed is not known yet; and what an answer may take.
FIRST_TEXTS = 8
ANSWER_S = 10.0
KEPT_QUESTIONS = 512
LOOK_EVERY_S = 0.5
# Embeds without trouble wherever anything does: it tells a text that cannot be embedded from a model that cannot embed.
CONTROL_TEXT = "consigliere"
_FAULTS_OF_TEXTS = ("garbage", "ended")


def never() -> bool:
    return False


def result_of(answer: "Future[Answer]", is_abandoned: Callable[[], bool]) -> Answer:
    """Waits for an answer until nobody wants it any more: then EmbeddingUnavailable."""
    while True:
        try:
            return answer.result(LOOK_EVERY_S)
        except TimeoutError:
            if is_abandoned():
                answer.cancel()
                raise EmbeddingUnavailable("it is not wanted any more", kind="ended") from None


class EmbeddingService:
    """Thread-safe; `close` ends the processes. `cache` keeps what slow models make, and belongs to its owner."""

    def __init__(self, cache: VectorCache | None = None) -> None:
        self._cache = cache
        self._lanes: dict[str, EmbeddingLane] = {}
        self._embedders: dict[EmbedderSpec, ServedEmbedder] = {}
        self._lock = threading.Lock()

    def _lane(self, name: str, *, niceness: int = BACKGROUND_NICENESS) -> EmbeddingLane:
        with self._lock:
            return self._lanes.setdefault(name, EmbeddingLane(name, niceness=niceness))

    def embedder(self, spec: EmbedderSpec, is_abandoned: Callable[[], bool] = never) -> "ServedEmbedder":
        """The embedder of a spec, the same for the same model. Raises EmbeddingUnavailable, soon after it is
        not wanted any more, too."""
        with self._lock:
            known = self._embedders.get(spec)
        if known is not None and not known.is_outdated:
            return known
        place = f"{spec.backend} {spec.endpoint}".rstrip()
        documents = self._lane(f"{place} documents")
        # What is known here already need not wait for a process to start.
        local = build(spec) if spec.backend == "bundled" else None
        facts = local if local is not None else result_of(documents.ask(Ask(spec, (), False), URGENT), is_abandoned)
        served = ServedEmbedder(
            spec,
            facts,
            documents,
            self._lane(f"{place} questions", niceness=0),
            local,
            self._cache if spec.backend in WORTH_IT else None,
        )
        with self._lock:
            if self._embedders.get(spec) is known:
                self._embedders[spec] = served
            return self._embedders[spec]

    def close(self) -> None:
        for lane in self._all_lanes():
            lane.close()

    def pids(self) -> tuple[int, ...]:
        """The processes that run now, those of documents first: for `doctor`, and for tests that end them."""
        return tuple(lane.pid for lane in self._all_lanes() if lane.pid is not None)

    def _all_lanes(self) -> list[EmbeddingLane]:
        with self._lock:
            return list(self._lanes.values())


@dataclass(frozen=True, slots=True)
class _Work:
    """How a piece of work is to be done, and whether it is wanted still."""

    priority: int
    is_abandoned: Callable[[], bool]


@dataclass(slots=True)
class _Asking:
    """A question in the queue or in hand, and how many wait for its answer."""

    answer: "Future[Answer]"
    count: int = 0


class ServedEmbedder:
    """One model of the service. Satisfies workspaces.text_embedder.TextEmbedder."""

    def __init__(
        self,
        spec: EmbedderSpec,
        facts: Embedder | Answer,
        documents: EmbeddingLane,
        questions: EmbeddingLane,
        local: Embedder | None,
        cache: VectorCache | None,
    ) -> None:
        self._cache = cache
        self._spec = spec
        self._texts_at_once = TEXTS_AT_ONCE if local is not None else FIRST_TEXTS
        self.recipe = recipe_of(spec)
        self._documents = documents
        self._questions = questions
        self._local = local
        self.model = facts.fingerprint
        # The server has another model under the same name by now.
        self.is_outdated = False
        self._units = units_of(spec.backend)
        self.fingerprint = f"{facts.fingerprint}/{fingerprint_of(self._units)}"
        self.dimensions = facts.dimensions
        self.unrelated = facts.unrelated
        self.identical = facts.identical
        self.near = facts.near
        self._asking: dict[str, _Asking] = {}
        self._known: OrderedDict[str, NDArray[np.float32]] = OrderedDict()
        self._lock = threading.Lock()

    def windows_of(self, title: str, text: str) -> list[str]:
        return windows_of(title, text, self._units)

    def embed_documents(
        self, texts: Sequence[str], *, is_urgent: bool, is_abandoned: Callable[[], bool] = never
    ) -> NDArray[np.float32]:
        """Waits for as long as it is wanted; a text on which the model fails, while it embeds others, gets a row of
        NaN. Raises EmbeddingUnavailable."""
        kept = self._cache.find(self.model, self.dimensions, texts) if self._cache is not None else {}
        missing = [index for index in range(len(texts)) if index not in kept]
        all_rows = np.zeros((len(texts), self.dimensions), dtype=np.float32)
        for index, row in kept.items():
            all_rows[index] = row
        work = _Work(URGENT if is_urgent else BACKGROUND, is_abandoned)
        all_rows[missing] = self._made([texts[index] for index in missing], work)
        return all_rows

    def _made(self, texts: Sequence[str], work: "_Work") -> NDArray[np.float32]:
        rows = [np.zeros((0, self.dimensions), dtype=np.float32)]
        start = 0
        while start < len(texts):
            batch = tuple(texts[start : start + self._texts_at_once])
            began_s = time.monotonic()
            rows.append(self._rows_or_halves(batch, work))
            self._pace(len(batch), time.monotonic() - began_s)
            if self._cache is not None:
                self._cache.keep(self.model, batch, rows[-1])
            start += len(batch)
        return np.concatenate(rows)

    def _pace(self, count: int, took_s: float) -> None:
        """As many texts at once as an answer may take: a large model on a slow machine needs seconds for each."""
        wanted = int(count * ANSWER_S / max(took_s, 1e-4))
        if wanted < count or count == self._texts_at_once:
            self._texts_at_once = max(1, min(TEXTS_AT_ONCE, wanted, 2 * count))

    def _asked_documents(self, batch: tuple[str, ...], work: "_Work") -> NDArray[np.float32]:
        answer = self._documents.ask(Ask(self._spec, batch, False), work.priority)
        return self._rows(result_of(answer, work.is_abandoned))

    def _rows_or_halves(self, batch: tuple[str, ...], work: "_Work") -> NDArray[np.float32]:
        """Finds the text that spoils a batch by halving it, and halves a batch that takes too long."""
        try:
            return self._asked_documents(batch, work)
        except EmbeddingUnavailable as trouble:
            self.is_outdated = self.is_outdated or trouble.kind == "model"
            is_too_much = trouble.kind == "slow" and len(batch) > 1
            if work.is_abandoned() or not (is_too_much or trouble.kind in _FAULTS_OF_TEXTS):
                raise
        if not is_too_much:
            control = self._asked_documents((CONTROL_TEXT,), work)
            if len(batch) == 1:
                return np.full_like(control, np.nan)
        middle = len(batch) // 2
        return np.concatenate([self._rows_or_halves(half, work) for half in (batch[:middle], batch[middle:])])

    def embed_query(self, text: str, timeout_s: float) -> NDArray[np.float32] | None:
        """None where it cannot be had in time; the same question is then there when it is asked again."""
        with self._lock:
            known: NDArray[np.float32] | None = self._known.get(text)
            if known is not None:
                self._known.move_to_end(text)
                return known
        if self._local is not None:
            return self._keep(text, self._local.embed_queries([text])[0])
        try:
            with self._asked(text) as answer:
                row: NDArray[np.float32] = self._rows(answer.result(timeout_s))[0]
        except (TimeoutError, CancelledError, EmbeddingUnavailable):
            return None
        return row

    @contextmanager
    def _asked(self, text: str) -> "Iterator[Future[Answer]]":
        """The answer to come, shared by all who ask the same; when the last of them has left it is not asked for any
        more, unless it is in hand."""
        with self._lock:
            asking = self._asking.get(text)
            is_new = asking is None
            if asking is None:
                answer = self._questions.ask(Ask(self._spec, (text,), True), QUESTION)
                asking = self._asking[text] = _Asking(answer)
            asking.count += 1
        if is_new:
            asking.answer.add_done_callback(lambda done: self._keep_answer(text, done))
        try:
            yield asking.answer
        finally:
            with self._lock:
                asking.count -= 1
                is_last = asking.count == 0
                if is_last:
                    self._asking.pop(text, None)
            if is_last:
                asking.answer.cancel()

    def _rows(self, answer: Answer) -> NDArray[np.float32]:
        """Raises EmbeddingUnavailable where the model has become another."""
        if answer.fingerprint != self.model:
            self.is_outdated = True
            raise EmbeddingUnavailable(f"{self.model} has become {answer.fingerprint}", kind="model")
        return np.frombuffer(answer.rows, dtype=np.float32).reshape(-1, self.dimensions)

    def _keep_answer(self, text: str, done: "Future[Answer]") -> None:
        if not done.cancelled() and done.exception() is None and done.result().fingerprint == self.model:
            self._keep(text, self._rows(done.result())[0])

    def _keep(self, text: str, row: NDArray[np.float32]) -> NDArray[np.float32]:
        with self._lock:
            self._known[text] = row
            while len(self._known) > KEPT_QUESTIONS:
                self._known.popitem(last=False)
        return row
