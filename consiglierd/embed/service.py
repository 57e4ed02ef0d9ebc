"""The embedding of the whole daemon: one process for documents, shared by all workspaces, questions before all.

Questions to the bundled model are embedded in the daemon itself: they cost a tenth of a millisecond,
and would otherwise wait for the documents in hand. Those to slower models have a process of their own.
"""

import threading
from collections import OrderedDict
from collections.abc import Sequence
from concurrent.futures import Future

import numpy as np
from numpy.typing import NDArray

from consiglierd.embed.cache import WORTH_IT, VectorCache
from consiglierd.embed.embedder import Embedder
from consiglierd.embed.frames import Answer, Ask
from consiglierd.embed.lane import EmbeddingLane
from consiglierd.embed.spec import EmbedderSpec, build
from consiglierd.embed.windows import WINDOWS_FINGERPRINT, windows_of
from consiglierd.errors import EmbeddingUnavailable

QUESTION, URGENT, BACKGROUND = 0, 1, 2
TEXTS_AT_ONCE = 64
KEPT_QUESTIONS = 512
# Embeds without trouble wherever anything does: it tells a text that cannot be embedded from a model that cannot embed.
CONTROL_TEXT = "consigliere"
_FAULTS_OF_TEXTS = ("garbage", "ended")


class EmbeddingService:
    """Thread-safe; `close` ends the processes. `cache` keeps what slow models make, and belongs to its owner."""

    def __init__(self, cache: VectorCache | None = None) -> None:
        self._cache = cache
        self._documents = EmbeddingLane("embedding")
        self._questions = EmbeddingLane("embedding of questions")
        self._embedders: dict[EmbedderSpec, ServedEmbedder] = {}
        self._lock = threading.Lock()

    def embedder(self, spec: EmbedderSpec) -> "ServedEmbedder":
        """The embedder of a spec, the same for the same model. Raises EmbeddingUnavailable."""
        with self._lock:
            known = self._embedders.get(spec)
        if known is not None and not known.is_outdated:
            return known
        facts = self._documents.ask(Ask(spec, (), False), URGENT).result()
        local = build(spec) if spec.backend == "bundled" else None
        served = ServedEmbedder(
            spec, facts, self._documents, self._questions, local, self._cache if spec.backend in WORTH_IT else None
        )
        with self._lock:
            if self._embedders.get(spec) is known:
                self._embedders[spec] = served
            return self._embedders[spec]

    def close(self) -> None:
        self._questions.close()
        self._documents.close()

    def pids(self) -> tuple[int, ...]:
        """The processes that run now: for `doctor`, and for tests that end them."""
        return tuple(pid for pid in (self._documents.pid, self._questions.pid) if pid is not None)


class ServedEmbedder:
    """One model of the service. Satisfies workspaces.vector_side.TextEmbedder."""

    def __init__(
        self,
        spec: EmbedderSpec,
        facts: Answer,
        documents: EmbeddingLane,
        questions: EmbeddingLane,
        local: Embedder | None,
        cache: VectorCache | None,
    ) -> None:
        self._cache = cache
        self._spec = spec
        self._documents = documents
        self._questions = questions
        self._local = local
        self.model = facts.fingerprint
        # The server has another model under the same name by now.
        self.is_outdated = False
        # Texts that could not be embedded where others could.
        self.left_out = 0
        self.fingerprint = f"{facts.fingerprint}/{WINDOWS_FINGERPRINT}"
        self.dimensions = facts.dimensions
        self.unrelated = facts.unrelated
        self.identical = facts.identical
        self._known: OrderedDict[str, NDArray[np.float32]] = OrderedDict()
        self._lock = threading.Lock()

    def windows_of(self, title: str, text: str) -> list[str]:
        return windows_of(title, text)

    def embed_documents(self, texts: Sequence[str], *, is_urgent: bool) -> NDArray[np.float32]:
        """Waits for as long as it takes; a text on which the model fails while it embeds others gets a row of zeros.
        Raises EmbeddingUnavailable."""
        kept = self._cache.find(self.model, self.dimensions, texts) if self._cache is not None else {}
        missing = [index for index in range(len(texts)) if index not in kept]
        all_rows = np.zeros((len(texts), self.dimensions), dtype=np.float32)
        for index, row in kept.items():
            all_rows[index] = row
        all_rows[missing] = self._made([texts[index] for index in missing], URGENT if is_urgent else BACKGROUND)
        return all_rows

    def _made(self, texts: Sequence[str], priority: int) -> NDArray[np.float32]:
        batches = [tuple(texts[start : start + TEXTS_AT_ONCE]) for start in range(0, len(texts), TEXTS_AT_ONCE)]
        answers = [self._documents.ask(Ask(self._spec, batch, False), priority) for batch in batches]
        try:
            rows = []
            for batch, answer in zip(batches, answers, strict=True):
                rows.append(self._rows_or_halves(batch, answer, priority))
                if self._cache is not None:
                    self._cache.keep(self.model, batch, rows[-1])
        finally:
            for answer in answers:
                answer.cancel()
        return np.concatenate(rows) if rows else np.zeros((0, self.dimensions), dtype=np.float32)

    def _rows_or_halves(self, batch: tuple[str, ...], answer: "Future[Answer]", priority: int) -> NDArray[np.float32]:
        """Finds the text that spoils a batch by halving it."""
        try:
            return self._rows(answer.result())
        except EmbeddingUnavailable as trouble:
            if trouble.kind not in _FAULTS_OF_TEXTS:
                raise
        control = self._rows(self._documents.ask(Ask(self._spec, (CONTROL_TEXT,), False), priority).result())
        if len(batch) == 1:
            self.left_out += 1
            return np.zeros_like(control)
        halves = (batch[: len(batch) // 2], batch[len(batch) // 2 :])
        return np.concatenate(
            [
                self._rows_or_halves(half, self._documents.ask(Ask(self._spec, half, False), priority), priority)
                for half in halves
            ]
        )

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
            answer = self._questions.ask(Ask(self._spec, (text,), True), QUESTION)
            answer.add_done_callback(lambda done: self._keep_answer(text, done))
            row: NDArray[np.float32] = self._rows(answer.result(timeout_s))[0]
        except (TimeoutError, EmbeddingUnavailable):
            return None
        return row

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
