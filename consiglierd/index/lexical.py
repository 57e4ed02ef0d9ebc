"""The lexical index as a follower of the journal: append-only generations, tombstones, snapshots."""

import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from consiglierd.index.checksums import is_whole
from consiglierd.index.cursor import Cursor, read_cursor, write_cursor
from consiglierd.index.generation import (
    SCHEMA_FINGERPRINT,
    CorpusView,
    Generation,
    IndexCorrupt,
    corpus_view,
    held_ids,
    term_text,
)
from consiglierd.index.snapshot import Snapshot
from consiglierd.index.statistics import LiveStatistics
from consiglierd.model.ids import NO_REVISION, ChunkId, Revision
from consiglierd.model.stored import RevisionChanges, ScoringRow, Statistics
from consiglierd.text.analyzer import ANALYZER_FINGERPRINT
from consiglierd.text.counts import HEADING_WEIGHT, PATH_WEIGHT

BATCH_ROWS = 2000
CHANGES_AT_ONCE = 200
COMPACT_SHARE = 0.2
COMPACT_AT_LEAST = 500
_PROBES_AT_ONCE = 256
FINGERPRINT = f"{SCHEMA_FINGERPRINT}/{ANALYZER_FINGERPRINT}/{HEADING_WEIGHT}/{PATH_WEIGHT}"


class JournalReader(Protocol):
    """What the index follows; every call is one consistent read."""

    @property
    def nonce(self) -> str: ...

    def head(self) -> Revision: ...

    def changes_after(self, revision: Revision, limit: int) -> tuple[RevisionChanges, ...] | None: ...

    def scoring_rows(self, ids: Sequence[ChunkId]) -> list[ScoringRow]: ...

    def live_ids(self) -> tuple[Revision, NDArray[np.int64]]: ...

    def statistics(self) -> Statistics: ...


class LexicalIndex:
    """One thread opens, follows and closes; `snapshot` and `revision` may be read by any.

    With `honour_tombstones` off, removed chunks are found again: the property test shows with it
    that it would notice.
    """

    name = "lexical"

    def __init__(self, directory: Path, journal: JournalReader, *, honour_tombstones: bool = True) -> None:
        self._directory = directory
        self._journal = journal
        self._honours_tombstones = honour_tombstones
        self._generation: Generation | None = None
        self._number = 0
        self._held: set[int] = set()
        self._removed: set[int] = set()
        self._snapshot: Snapshot | None = None
        # After a failure the generation is taken up anew; after a search that failed, not even that.
        self._is_broken = False
        self._is_distrusted = False

    @property
    def revision(self) -> Revision:
        snapshot = self._snapshot
        return snapshot.revision if snapshot is not None else NO_REVISION

    def snapshot(self) -> Snapshot:
        snapshot = self._snapshot
        if snapshot is None:
            raise IndexCorrupt("the lexical index is not open")
        return snapshot

    def distrust(self) -> None:
        """A search found the index damaged: the next `follow` builds it anew. Any thread."""
        self._is_distrusted = True

    def open(self) -> None:
        """Take up what is there, or build it anew where it is missing, foreign, ahead or damaged."""
        if self._directory.is_symlink() or not self._directory.is_dir():
            self._directory.unlink(missing_ok=True)
            self._directory.mkdir(mode=0o700)
        cursor = None if self._is_distrusted else read_cursor(self._directory)
        if cursor is None or not self._is_ours(cursor) or not self._took_up(cursor):
            self.rebuild()
        self._is_broken = self._is_distrusted = False

    def _is_ours(self, cursor: Cursor) -> bool:
        return (
            (cursor.nonce, cursor.fingerprint) == (self._journal.nonce, FINGERPRINT)
            and cursor.revision <= self._journal.head()
            and is_whole(self._path_of(cursor.generation))
        )

    def _took_up(self, cursor: Cursor) -> bool:
        """Open a generation that was left here. What it holds is asked of it, so that a crash between its
        commit and the cursor's leaves nothing out and nothing twice; what is live is asked of the store."""
        try:
            self._generation = Generation(self._path_of(cursor.generation))
            self._number = cursor.generation
            self._held = held_ids(self._generation.searcher())
            self._catch_up()
        except IndexCorrupt:
            self._drop_generation()
            return False
        self._remove_others()
        return True

    def rebuild(self) -> None:
        """A new generation of the live chunks; the old one answers until it is complete, and goes on if it fails."""
        before = (self._generation, self._number, self._held, self._removed)
        number = self._number + 1
        while self._path_of(number).exists():
            number += 1
        try:
            self._generation, self._number = Generation(self._path_of(number)), number
            self._held, self._removed = set(), set()
            self._catch_up()
        except BaseException:
            if self._generation is not before[0]:
                self._drop_generation()
            self._generation, self._number, self._held, self._removed = before
            shutil.rmtree(self._path_of(number), ignore_errors=True)
            raise
        if before[0] is not None:
            before[0].close()
        self._remove_others()

    def follow(self) -> Revision:
        """Apply the journal to its head. What failed in the middle is taken up anew by the next call."""
        if self._is_broken or self._is_distrusted:
            self._drop_generation()
            self.open()
        try:
            return self._followed(self.snapshot())
        except BaseException:
            self._is_broken = True
            raise

    def _followed(self, snapshot: Snapshot) -> Revision:
        while True:
            changes = self._journal.changes_after(snapshot.revision, CHANGES_AT_ONCE)
            if changes is None:
                self.rebuild()
                return self.revision
            if not changes:
                return snapshot.revision
            snapshot = self._apply(snapshot, changes)

    def _apply(self, snapshot: Snapshot, changes: Sequence[RevisionChanges]) -> Snapshot:
        removed = {int(chunk_id) for each in changes for chunk_id in each.removed}
        added = [chunk_id for each in changes for chunk_id in each.added if chunk_id not in removed]
        self._add(added)
        statistics = snapshot.statistics
        for each in changes:
            statistics = statistics.apply(each.revision, each.statistics)
        self._removed |= removed & self._held
        return self._publish(statistics)

    def _catch_up(self) -> None:
        """From whatever the generation holds to the store's head, by what is live there."""
        while True:
            revision, live = self._journal.live_ids()
            missing = [ChunkId(number) for number in live.tolist() if number not in self._held]
            self._add(missing)
            statistics = self._journal.statistics()
            if statistics.revision == revision:
                break
        self._removed = self._held - set(live.tolist())
        self._publish(LiveStatistics.of(statistics))

    def _add(self, ids: Sequence[ChunkId]) -> None:
        generation = self._open_generation()
        for start in range(0, len(ids), BATCH_ROWS):
            rows = self._journal.scoring_rows(ids[start : start + BATCH_ROWS])
            fresh = sorted((row for row in rows if row.chunk_id not in self._held), key=lambda row: row.chunk_id)
            generation.add(fresh)
            self._held.update(int(row.chunk_id) for row in fresh)
        if ids:
            generation.commit()

    def _publish(self, statistics: LiveStatistics) -> Snapshot:
        searcher = self._open_generation().searcher()
        snapshot = Snapshot(
            revision=statistics.revision,
            statistics=statistics,
            searcher=searcher,
            removed=frozenset(self._removed) if self._honours_tombstones else frozenset(),
            corpus=corpus_view(searcher, _any_term(statistics)) if self._held else CorpusView(0, 1.0),
        )
        write_cursor(self._directory, Cursor(self._journal.nonce, FINGERPRINT, int(statistics.revision), self._number))
        self._snapshot = snapshot
        return snapshot

    def compact_if_needed(self) -> bool:
        """Build anew when more than a fifth of the documents are dead."""
        if len(self._removed) < COMPACT_AT_LEAST or len(self._removed) <= COMPACT_SHARE * len(self._held):
            return False
        self.rebuild()
        return True

    def close(self) -> None:
        self._drop_generation()

    def _drop_generation(self) -> None:
        generation, self._generation = self._generation, None
        if generation is not None:
            generation.close()

    def _open_generation(self) -> Generation:
        if self._generation is None:
            raise IndexCorrupt("the lexical index is not open")
        return self._generation

    def _path_of(self, number: int) -> Path:
        return self._directory / f"generation-{number}"

    def _remove_others(self) -> None:
        for entry in self._directory.iterdir():
            if entry.is_dir() and not entry.is_symlink() and entry != self._path_of(self._number):
                shutil.rmtree(entry, ignore_errors=True)


def _any_term(statistics: LiveStatistics) -> str | None:
    """A term that some live chunk holds; a level alone also counts chunks that a later one takes away."""
    for keys, df in reversed(statistics.levels):
        candidates = keys[df > 0]
        for start in range(0, len(candidates), _PROBES_AT_ONCE):
            some = candidates[start : start + _PROBES_AT_ONCE]
            held = some[statistics.document_frequencies(some) > 0]
            if len(held):
                return term_text(int(held[0]))
    return None
