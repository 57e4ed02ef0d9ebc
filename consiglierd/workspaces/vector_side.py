"""The vectors of one workspace: which model answers, which one is being filled, and how far that is."""

import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from consiglierd.errors import EmbeddingUnavailable, Unavailable
from consiglierd.index.stored_vectors import StoredVectors
from consiglierd.index.vector import VectorIndex
from consiglierd.index.vector_files import forget_folders
from consiglierd.index.vector_question import VectorQuestion
from consiglierd.model.deadline import Deadline
from consiglierd.model.hit import UNKNOWN_WORDS
from consiglierd.model.ids import NO_REVISION, Revision
from consiglierd.store.connection import StoreCorrupt
from consiglierd.store.derived import DerivedStore
from consiglierd.store.vectors import EmbeddingModel, VectorStore
from consiglierd.workspaces.text_embedder import EmbedderChoice, TextEmbedder
from consiglierd.workspaces.vector_state import VectorState

FIRST_PAUSE_S, LONGEST_PAUSE_S = 1.0, 60.0
LOOK_EVERY_S = 30.0
RETRY_EVERY_S = 300.0
START_S = 0.5
# A question is answered by words alone rather than wait longer than this share of its time.
QUERY_SHARE = 0.3
FEW_WAITING = 500
LONGEST_QUERY_S = 2.0
_FOLDER_PREFIX = "vector-"


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


def folder_of(model: EmbeddingModel) -> str:
    return f"{_FOLDER_PREFIX}{model.id}"


def _told(trouble: Unavailable | OSError) -> tuple[str, str | None]:
    """What stands in the way, and the cure."""
    if isinstance(trouble, Unavailable):
        return trouble.message, trouble.cure
    return f"they cannot be written: {trouble.strerror or trouble}", "look at the disk and at the rights of its folders"


class VectorSideOfWorkspace:
    """`run` is the body of its thread; `side`, `state`, `lag` and `wake` may be called from any."""

    def __init__(
        self,
        folder: Path,
        store: DerivedStore,
        vectors: VectorStore,
        choice: EmbedderChoice,
        *,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._folder = folder
        self._store = store
        self._choice = choice
        self._clock = clock
        self._vectors = vectors
        self._answering: _Filled | None = None
        self._filling: _Filled | None = None
        self._is_off = False
        self._failure: str | None = None
        self._cure: str | None = None
        self._rate = 0.0
        self._retried_s = clock()
        # From then on nobody waits for the first turn any more.
        self._started_s = time.monotonic() + START_S
        self._is_decided = False
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
        self._wait_for_start(deadline)
        answering = self._answering
        if self._is_off:
            return "vector: off"
        if answering is None:
            return f"vector: {self._failure or 'not ready'}"
        vector = answering.embedder.embed_query(text, min(LONGEST_QUERY_S, deadline.remaining_s * QUERY_SHARE))
        if vector is None:
            # The model may have become another.
            self.wake()
            return f"vector: {self._failure or 'the question was not embedded in time'}"
        if not vector.any():
            return UNKNOWN_WORDS
        return VectorQuestion(
            answering.index.snapshot(),
            vector,
            lambda ids: self._vectors.live_at(ids, revision),
            unrelated=answering.embedder.unrelated,
            identical=answering.embedder.identical,
            near=answering.embedder.near,
        )

    def _wait_for_start(self, deadline: Deadline) -> None:
        """What is stored is read in a moment after the opening: the first questions are answered with it."""
        left_s = min(self._started_s - time.monotonic(), deadline.remaining_s * QUERY_SHARE)
        if self._answering is None and left_s > 0:
            self.wait_until(lambda: self._is_decided, left_s)

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
        return self.wait_until(lambda: self.lag(revision) == 0, timeout_s)

    def wait_until(self, is_so: Callable[[], bool], timeout_s: float) -> bool:
        """Whether something came true within the time; it is looked at after each piece of work."""
        with self._progress:
            return self._progress.wait_for(is_so, timeout_s)

    def state(self) -> VectorState:
        answering, filling = self._answering, self._filling
        current = filling or answering
        return VectorState(
            model=answering.model.fingerprint if answering is not None else None,
            filling=filling.model.fingerprint if filling is not None else None,
            waiting=current.index.waiting - current.index.left_out if current is not None else 0,
            left_out=current.index.left_out if current is not None else 0,
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
        """Until `stop`. What stands in the way now, an embedding that cannot be had, a full disk or a database that is
        in use, is tried again after growing pauses, or when the settings ask for something else."""
        pause_s, resumed_s = FIRST_PAUSE_S, 0.0
        asked: object = None
        while not self._must_stop:
            self._has_news = False
            is_paused = self._clock() < resumed_s and self._choice.asked() == asked
            try:
                if is_paused:
                    self._look()
                    wait_s = resumed_s - self._clock()
                else:
                    asked, resumed_s = self._choice.asked(), 0.0
                    wait_s = 0.0 if self._turn() else LOOK_EVERY_S
                    self._failure, self._cure, pause_s = None, None, FIRST_PAUSE_S
            except StoreCorrupt:
                # Whoever asks next finds the workspace unsound and opens it anew.
                self._failure, self._cure = "the database is damaged, it is built anew", None
                return
            except (Unavailable, OSError) as trouble:
                self._failure, self._cure = _told(trouble)
                wait_s = pause_s if is_paused else 0.0
                resumed_s = self._clock() + pause_s
                pause_s = min(LONGEST_PAUSE_S, 2 * pause_s)
            with self._progress:
                self._is_decided = True
                self._progress.notify_all()
            with self._news:
                self._news.wait_for(lambda: self._must_stop or self._has_news, wait_s)

    def _look(self) -> None:
        """What was removed must not be proposed, though nothing can be embedded."""
        for filled in (self._answering, self._filling):
            if filled is not None:
                filled.index.look()

    def _turn(self) -> bool:
        """One piece of work; whether there is more."""
        try:
            embedder = self._choice.wanted(self.is_stopping)
        except EmbeddingUnavailable:
            self._take_up_earlier()
            raise
        self._is_off = embedder is None
        if embedder is None:
            self._answering = self._filling = None
            return False
        current = self._filling or self._answering
        if current is None or current.embedder is not embedder:
            self._take_up(embedder)
        if self._filling is None:
            assert self._answering is not None
            if self._step(self._answering) or self._answering.index.tidy():
                return True
            self._vectors.prune()
            return self._retries(self._answering.index)
        if self._answering is not None:
            self._answering.index.look()
        if not self._step(self._filling):
            self._answer_with(self._filling)
        return True

    def _retries(self, index: VectorIndex) -> bool:
        """Whether what could not be embedded is tried again now."""
        is_due = index.left_out > 0 and self._clock() - self._retried_s >= RETRY_EVERY_S
        if is_due:
            self._retried_s = self._clock()
            index.retry()
        return is_due

    def _step(self, filled: _Filled) -> bool:
        before, began = filled.index.waiting, self._clock()
        is_busy = filled.index.step()
        done, took_s = before - filled.index.waiting, self._clock() - began
        if done > 0 and took_s > 0:
            self._rate = done / took_s if self._rate == 0 else 0.7 * self._rate + 0.3 * done / took_s
        return is_busy

    def _take_up(self, embedder: TextEmbedder) -> None:
        """Another model: it answers at once where its vectors are the stored ones, or where there are no others."""
        active = self._vectors.active_model()
        if active is None or active.fingerprint != embedder.fingerprint:
            self._take_up_earlier()
        filled = self._filled(embedder)
        answering = self._answering
        if answering is None or answering.model == filled.model:
            self._answer_with(filled)
        else:
            self._filling = filled
            self._forget_others()

    def _take_up_earlier(self) -> None:
        """After a restart in the middle of a change: the vectors that answered before answer until it is complete."""
        active = self._vectors.active_model() if self._answering is None else None
        if active is None:
            return
        embedder = self._choice.again(active.recipe, self.is_stopping)
        if embedder is not None and embedder.fingerprint == active.fingerprint:
            self._answering = self._filled(embedder)

    def _filled(self, embedder: TextEmbedder) -> _Filled:
        model = self._vectors.model(embedder.fingerprint, embedder.dimensions, embedder.recipe)
        stored = StoredVectors(self._vectors, model, _WhileOpen(embedder, self.is_stopping), embedder.windows_of)
        index = VectorIndex(self._folder / folder_of(model), self._store, stored)
        index.open()
        index.read()
        return _Filled(embedder, model, index)

    def _answer_with(self, filled: _Filled) -> None:
        """Its vectors are complete, or there are no others: from now on they answer, and all others are forgotten."""
        self._vectors.activate(filled.model)
        self._answering, self._filling = filled, None
        self._forget_others()

    def _forget_others(self) -> None:
        """What was stored of models that are not in use any more."""
        models = [filled.model for filled in (self._answering, self._filling) if filled is not None]
        self._vectors.forget_others(models)
        forget_folders(self._folder, _FOLDER_PREFIX, {folder_of(model) for model in models})
