"""The vectors of one workspace: which model answers, which one is being filled, and how far that is."""

import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from consiglierd.errors import EmbeddingUnavailable
from consiglierd.index.stored_vectors import StoredVectors
from consiglierd.index.vector import VectorIndex
from consiglierd.index.vector_question import VectorQuestion
from consiglierd.model.deadline import Deadline
from consiglierd.model.ids import NO_REVISION, Revision
from consiglierd.store.derived import DerivedStore
from consiglierd.store.vectors import EmbeddingModel, VectorStore

FIRST_PAUSE_S, LONGEST_PAUSE_S = 1.0, 60.0
LOOK_EVERY_S = 30.0
# A question is answered by words alone rather than wait longer than this share of its time.
QUERY_SHARE = 0.3
FEW_WAITING = 500
LONGEST_QUERY_S = 2.0


class TextEmbedder(Protocol):
    """One model. `fingerprint` covers the cutting into windows too; rows are float32 of unit length."""

    @property
    def fingerprint(self) -> str: ...

    @property
    def dimensions(self) -> int: ...

    @property
    def unrelated(self) -> float: ...

    @property
    def identical(self) -> float: ...

    def windows_of(self, title: str, text: str) -> list[str]: ...

    def embed_documents(
        self, texts: Sequence[str], *, is_urgent: bool, is_abandoned: Callable[[], bool]
    ) -> NDArray[np.float32]:
        """Raises EmbeddingUnavailable, soon after it is not wanted any more, too."""
        ...

    def embed_query(self, text: str, timeout_s: float) -> NDArray[np.float32] | None:
        """None where it cannot be had within the time."""
        ...


@dataclass(frozen=True, slots=True)
class VectorState:
    """How the vectors do: `model` is None in the light mode; `waiting` sections have none yet (of the model that
    is being filled, if that is another); `failure` says why no more are being made, None where they are."""

    model: str | None
    filling: str | None
    waiting: int
    failure: str | None
    cure: str | None
    sections_per_s: float

    @property
    def told(self) -> str:
        """For people: the model, and how far another one is."""
        if self.model is None and self.filling is None:
            return "none"
        shown = self.model or self.filling or ""
        if self.filling is not None and self.model is not None:
            shown += f", until {self.filling} is complete"
        if self.waiting:
            left_s = f", about {round(self.waiting / self.sections_per_s)} s" if self.sections_per_s > 0 else ""
            shown += f" ({self.waiting} sections wait{left_s})"
        return shown

    @property
    def warnings(self) -> tuple[str, ...]:
        if self.failure is None:
            return ()
        cure = f"; {self.cure}" if self.cure else ""
        return (f"no vectors are being made: {self.failure}{cure}",)


@dataclass(frozen=True, slots=True)
class _WhileOpen:
    """The embedder, asked only for as long as the workspace is open."""

    embedder: TextEmbedder
    is_abandoned: Callable[[], bool]

    def embed_documents(self, texts: Sequence[str], *, is_urgent: bool) -> NDArray[np.float32]:
        return self.embedder.embed_documents(texts, is_urgent=is_urgent, is_abandoned=self.is_abandoned)


@dataclass(frozen=True, slots=True)
class _Filled:
    """A model and its index."""

    embedder: TextEmbedder
    model: EmbeddingModel
    index: VectorIndex


class VectorSideOfWorkspace:
    """`run` is the body of its thread; `side`, `state`, `lag` and `wake` may be called from any.

    `wanted` gives the embedder that the settings ask for now (the same one while they ask for the
    same; None for the light mode), and raises EmbeddingUnavailable where it cannot be had. It is told how to
    find out whether it is wanted still.
    """

    def __init__(
        self,
        folder: Path,
        store: DerivedStore,
        vectors: VectorStore,
        wanted: Callable[[Callable[[], bool]], TextEmbedder | None],
        *,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._folder = folder
        self._store = store
        self._wanted = wanted
        self._clock = clock
        self._vectors = vectors
        self._answering: _Filled | None = None
        self._filling: _Filled | None = None
        self._is_off = False
        self._failure: str | None = None
        self._cure: str | None = None
        self._rate = 0.0
        self._news = threading.Condition()
        self._progress = threading.Condition()
        self._has_news = True
        self._must_stop = False

    # -- any thread ---------------------------------------------------------------------------

    def wake(self) -> None:
        """Something was committed, or the settings may have changed: a look at both costs little."""
        with self._news:
            self._has_news = True
            self._news.notify_all()

    def is_stopping(self) -> bool:
        return self._must_stop

    def stop(self) -> None:
        with self._news:
            self._must_stop = True
            self._news.notify_all()

    def give_up(self, failure: str) -> None:
        """The thread has ended for good; words are searched all the same."""
        self._answering = self._filling = None
        self._failure, self._cure = f"the vectors have given up: {failure}", "consigliere restart"

    def side(self, text: str, revision: Revision, deadline: Deadline) -> VectorQuestion | str:
        """The vectors for one question, or why there are none."""
        answering = self._answering
        if self._is_off:
            return "vector: off"
        if answering is None:
            return f"vector: {self._failure or 'not ready'}"
        vector = answering.embedder.embed_query(text, min(LONGEST_QUERY_S, deadline.remaining_s * QUERY_SHARE))
        if vector is None:
            return f"vector: {self._failure or 'the question was not embedded in time'}"
        return VectorQuestion(
            answering.index.snapshot(),
            vector,
            lambda ids: self._vectors.live_at(ids, revision),
            unrelated=answering.embedder.unrelated,
            identical=answering.embedder.identical,
        )

    @property
    def is_nearly_there(self) -> bool:
        """Whether vectors are being made, and few wait."""
        answering = self._answering
        return (
            answering is not None
            and self._filling is None
            and self._failure is None
            and answering.index.waiting <= FEW_WAITING
        )

    def wait_for(self, revision: Revision, timeout_s: float) -> bool:
        """Whether everything that is live at a revision has its vectors within the time."""
        with self._progress:
            return self._progress.wait_for(lambda: self.lag(revision) == 0, timeout_s)

    def state(self) -> VectorState:
        answering, filling = self._answering, self._filling
        current = filling or answering
        return VectorState(
            model=answering.model.fingerprint if answering is not None else None,
            filling=filling.model.fingerprint if filling is not None else None,
            waiting=current.index.waiting if current is not None else 0,
            failure=self._failure,
            cure=self._cure,
            sections_per_s=self._rate,
        )

    def lag(self, head: Revision) -> int:
        """How many revisions the vectors are behind; 0 in the light mode, which has none."""
        if self._is_off:
            return 0
        answering, filling = self._answering, self._filling
        if answering is None:
            return int(head)
        current = filling.index.revision if filling is not None else answering.index.revision
        return max(0, head - max(current, NO_REVISION))

    # -- its thread ---------------------------------------------------------------------------

    def run(self) -> None:
        """Until `stop`. Where the embedding cannot be had it is tried again after growing pauses."""
        pause_s = FIRST_PAUSE_S
        while not self._must_stop:
            self._has_news = False
            try:
                is_busy = self._turn()
            except EmbeddingUnavailable as trouble:
                self._failure, self._cure = trouble.message, trouble.cure
                self._look()
                self._wait(pause_s, is_for_news=False)
                pause_s = min(LONGEST_PAUSE_S, 2 * pause_s)
                continue
            self._failure, self._cure, pause_s = None, None, FIRST_PAUSE_S
            with self._progress:
                self._progress.notify_all()
            if not is_busy:
                self._wait(LOOK_EVERY_S, is_for_news=True)

    def _wait(self, timeout_s: float, *, is_for_news: bool) -> None:
        with self._news:
            self._news.wait_for(lambda: self._must_stop or (is_for_news and self._has_news), timeout_s)

    def _look(self) -> None:
        """What was removed must not be proposed, though nothing can be embedded."""
        for filled in (self._answering, self._filling):
            if filled is not None:
                filled.index.look()

    def _turn(self) -> bool:
        """One piece of work; whether there is more."""
        embedder = self._wanted(self.is_stopping)
        self._is_off = embedder is None
        if embedder is None:
            self._answering = self._filling = None
            return False
        current = self._filling or self._answering
        if current is None or current.embedder is not embedder:
            self._take_up(embedder)
        if self._filling is None:
            assert self._answering is not None
            return self._step(self._answering) or self._answering.index.tidy()
        if self._answering is not None:
            self._answering.index.look()
        if self._step(self._filling):
            return True
        self._switch(self._filling)
        return True

    def _step(self, filled: _Filled) -> bool:
        before, began = filled.index.waiting, self._clock()
        is_busy = filled.index.step()
        done, took_s = before - filled.index.waiting, self._clock() - began
        if done > 0 and took_s > 0:
            self._rate = done / took_s if self._rate == 0 else 0.7 * self._rate + 0.3 * done / took_s
        return is_busy

    def _take_up(self, embedder: TextEmbedder) -> None:
        """Another model: it answers at once where its vectors are the stored ones, or where there are no others."""
        model = self._vectors.model(embedder.fingerprint, embedder.dimensions)
        stored = StoredVectors(self._vectors, model, _WhileOpen(embedder, self.is_stopping), embedder.windows_of)
        index = VectorIndex(self._folder / f"vector-{model.id}", self._store, stored)
        index.open()
        filled = _Filled(embedder, model, index)
        answering = self._answering
        if answering is None or answering.model == model:
            self._vectors.activate(model)
            self._answering, self._filling = filled, None
        else:
            self._filling = filled

    def _switch(self, filled: _Filled) -> None:
        """The new vectors are complete: from now on they answer, and the old ones are forgotten."""
        old = self._answering
        self._answering, self._filling = filled, None
        self._vectors.activate(filled.model)
        self._vectors.prune()
        if old is not None and old.model != filled.model:
            old.index.forget()
