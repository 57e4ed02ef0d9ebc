"""The vector index as a follower of the journal: embeds what is new, publishes immutable segments.

It runs on a thread of its own, so that words can be searched for while vectors are being made.
"""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from consiglierd.index.segment import Segment, merged, rows_of, segment_of, without
from consiglierd.index.vector_files import VectorFiles
from consiglierd.index.vector_snapshot import VectorSnapshot
from consiglierd.model.ids import NO_REVISION, ChunkId, Revision
from consiglierd.model.stored import RevisionChanges

CHANGES_AT_ONCE = 200
# A change of so few chunks is what somebody just saved: its vectors are made first.
URGENT_CHUNKS = 200
BATCH_S = 0.25
FEWEST_CHUNKS, MOST_CHUNKS = 4, 512
DEAD_SHARE = 0.2
UNSAVED_SHARE = 0.25
SAVE_AT_LEAST = 2000


class Journal(Protocol):
    """What the index follows; every call is one consistent read."""

    @property
    def nonce(self) -> str: ...

    def head(self) -> Revision: ...

    def changes_after(self, revision: Revision, limit: int) -> tuple[RevisionChanges, ...] | None: ...

    def live_ids(self) -> tuple[Revision, NDArray[np.int64]]: ...


class Vectors(Protocol):
    """The stored vectors of one model: `embed` makes those that some chunks lack, `of` reads what there is."""

    @property
    def fingerprint(self) -> str: ...

    @property
    def dimensions(self) -> int: ...

    def embed(self, ids: Sequence[ChunkId], *, is_urgent: bool) -> None: ...

    def of(self, ids: Sequence[ChunkId]) -> tuple[NDArray[np.int64], NDArray[np.float16]]: ...


@dataclass(slots=True)
class _Waiting:
    """Chunks that have no rows yet: `urgent` ones are taken first, the last that were saved before all."""

    urgent: dict[int, None]
    others: dict[int, None]

    def add(self, ids: Sequence[ChunkId]) -> None:
        target = self.urgent if len(ids) <= URGENT_CHUNKS else self.others
        target.update(dict.fromkeys(map(int, ids)))

    def discard(self, ids: set[int]) -> None:
        for number in ids:
            self.urgent.pop(number, None)
            self.others.pop(number, None)

    def take(self, limit: int) -> tuple[list[ChunkId], bool]:
        """At most `limit` chunks, and whether they are urgent; they stay until they are discarded."""
        source = self.urgent or self.others
        ids = list(reversed(source)) if self.urgent else list(source)
        return [ChunkId(number) for number in ids[:limit]], bool(self.urgent)

    def __len__(self) -> int:
        return len(self.urgent) + len(self.others)


class VectorIndex:
    """One thread opens, steps and closes; `snapshot` may be read by any."""

    name = "vector"

    def __init__(
        self,
        directory: Path,
        journal: Journal,
        vectors: Vectors,
        *,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._files = VectorFiles(directory)
        self._journal = journal
        self._vectors = vectors
        self._clock = clock
        self._segments: list[Segment] = []
        self._removed: set[int] = set()
        self._held: set[int] = set()
        self._waiting = _Waiting({}, {})
        # Chunks that could not be embedded where others could, until they are tried again.
        self._left_out: set[int] = set()
        self._seen = NO_REVISION
        self._done = NO_REVISION
        self._saved_rows = 0
        self._batch = FEWEST_CHUNKS * 8
        self._snapshot = self._new_snapshot()

    @property
    def fingerprint(self) -> str:
        return self._vectors.fingerprint

    @property
    def revision(self) -> Revision:
        return self._snapshot.revision

    def snapshot(self) -> VectorSnapshot:
        return self._snapshot

    @property
    def waiting(self) -> int:
        return self._snapshot.waiting

    # -- its own thread -----------------------------------------------------------------------

    def open(self) -> None:
        """Take up what was saved, if it is of this database and these vectors; the rest is read or made by `step`."""
        self._files.prepare()
        self._segments, self._removed, self._held, self._saved_rows = [], set(), set(), 0
        cursor = self._files.cursor()
        if cursor is not None and (cursor.nonce, cursor.fingerprint) == (self._journal.nonce, self.fingerprint):
            segment = self._files.load(cursor.generation, self._vectors.dimensions)
            if segment is not None:
                self._segments = [segment]
                self._saved_rows = len(segment.chunks)
                self._held = set(segment.chunks.tolist())
        self._look_at_all()

    def _look_at_all(self) -> None:
        revision, live = self._journal.live_ids()
        alive = set(live.tolist())
        self._waiting = _Waiting({}, dict.fromkeys(number for number in live.tolist() if number not in self._held))
        self._removed = self._held - alive
        self._left_out = set()
        self._seen = revision
        self._publish()

    def look(self) -> None:
        """Take in all that the journal has, without making vectors."""
        while self._take_in():
            pass
        self._publish()

    def read(self) -> None:
        """Take up all rows that the store has, without making any."""
        ids = [ChunkId(number) for number in (*self._waiting.urgent, *self._waiting.others)]
        for start in range(0, len(ids), MOST_CHUNKS):
            self._take_rows(ids[start : start + MOST_CHUNKS])
        self._publish()

    def step(self) -> bool:
        """Take in what the journal has, and give vectors to some of what waits; whether there is more to do.

        What the embedding raises is passed on: nothing is lost by it, and the next step tries again.
        """
        has_news = self._take_in()
        ids, is_urgent = self._waiting.take(self._batch)
        if not ids:
            if has_news:
                self._publish()
            return has_news
        if has_news:
            self._publish()
        began = self._clock()
        self._vectors.embed(ids, is_urgent=is_urgent)
        self._pace(self._clock() - began, len(ids))
        self._add(ids)
        self._publish()
        return True

    def _pace(self, took_s: float, count: int) -> None:
        """Batches are as large as the time they may take: what is saved meanwhile waits no longer."""
        if count >= self._batch // 2:
            wanted = int(count * BATCH_S / max(took_s, 1e-4))
            self._batch = min(MOST_CHUNKS, max(FEWEST_CHUNKS, wanted, self._batch // 2), self._batch * 2)

    def _take_in(self) -> bool:
        changes = self._journal.changes_after(self._seen, CHANGES_AT_ONCE)
        if changes is None:
            self._look_at_all()
            return True
        if not changes:
            return False
        removed = {int(number) for each in changes for number in each.removed}
        for each in changes:
            self._waiting.add([number for number in each.added if number not in removed])
        self._waiting.discard(removed)
        self._left_out -= removed
        self._removed |= removed & self._held
        self._seen = changes[-1].revision
        return True

    def _add(self, ids: Sequence[ChunkId]) -> None:
        self._take_rows(ids)
        # What has none by now could not be embedded, or was forgotten meanwhile, as the journal will tell.
        left = {int(number) for number in ids} - self._held
        self._waiting.discard(left)
        self._left_out |= left

    def _take_rows(self, ids: Sequence[ChunkId]) -> None:
        chunks, vectors = self._vectors.of(ids)
        if not len(chunks):
            return
        found = set(chunks.tolist())
        self._waiting.discard(found)
        self._segments.append(segment_of(chunks, vectors))
        self._held |= found
        while len(self._segments) > 1 and len(self._segments[-1].chunks) * 4 >= len(self._segments[-2].chunks):
            newer = self._segments.pop()
            self._segments[-1] = merged(self._segments[-1], newer)

    def _publish(self) -> None:
        if not self._waiting:
            self._done = self._seen
        self._snapshot = self._new_snapshot()

    def _new_snapshot(self) -> VectorSnapshot:
        removed = np.array(sorted(self._removed), dtype=np.int64)
        return VectorSnapshot(
            revision=self._done,
            fingerprint=self._vectors.fingerprint,
            segments=tuple(self._segments),
            removed=removed,
            windows=sum(len(each.chunks) - rows_of(each, removed) for each in self._segments),
            waiting=len(self._waiting) + len(self._left_out),
        )

    @property
    def left_out(self) -> int:
        """How many chunks could not be embedded where others could; `waiting` counts them too."""
        return len(self._left_out)

    def retry(self) -> None:
        """What was left out waits again."""
        self._waiting.others.update(dict.fromkeys(sorted(self._left_out)))
        self._left_out = set()
        self._publish()

    def tidy(self) -> bool:
        """When nothing waits: drop the rows of removed chunks if they are many, save what is large and new."""
        rows = sum(len(segment.chunks) for segment in self._segments)
        is_thin = len(self._removed) > max(SAVE_AT_LEAST // 10, DEAD_SHARE * len(self._held))
        unsaved = rows - self._saved_rows
        if not is_thin and (unsaved < SAVE_AT_LEAST or unsaved <= UNSAVED_SHARE * self._saved_rows):
            return False
        whole = self._segments[0] if self._segments else None
        for segment in self._segments[1:]:
            whole = merged(whole, segment) if whole is not None else segment
        if whole is not None and self._removed:
            dead = np.isin(whole.chunks, np.array(sorted(self._removed), dtype=np.int64))
            whole = without(whole, dead)
        if whole is None or not len(whole.chunks):
            self._files.forget()
            self._files.prepare()
            self._segments, self._saved_rows = [], 0
        else:
            self._segments = [self._files.save(whole, self._journal.nonce, self.fingerprint, int(self._done))]
            self._saved_rows = len(whole.chunks)
        # Only now: where it could not be saved, everything is as it was.
        self._held -= self._removed
        self._removed = set()
        self._publish()
        return True
