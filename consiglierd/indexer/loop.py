"""The one writer of a workspace: takes events, looks at the disk, commits, lets the followers follow."""

import errno
import threading
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Protocol

from consiglierd.errors import Unavailable
from consiglierd.indexer.commit import CommitBuilder
from consiglierd.indexer.events import Inbox, IndexerEvent, RescanDue, Turn
from consiglierd.indexer.follower import Follower
from consiglierd.indexer.progress import Progress
from consiglierd.indexer.reading import FileGone, FileLeftOut, FileReader
from consiglierd.model.files import ChangeSet, KnownFile, LeftOut, Scan
from consiglierd.model.ids import Digest, Revision
from consiglierd.store.connection import StoreCorrupt
from consiglierd.store.derived import DerivedStore
from consiglierd.store.plan import StaleWrite
from consiglierd.watch.reconcile import reconcile

IDLE_S = 5.0
RECONCILE_EVERY_S = 600.0
KEEP_REMOVED_S = 10.0
OBSTACLE_PAUSE_S = 2.0


class Disk(Protocol):
    """How the indexer looks at the root; ignore rules and settings are inside."""

    def scan_all(self) -> Scan: ...

    def scan_paths(self, paths: Iterable[str]) -> Scan: ...

    def recipe_of(self, path: str) -> str: ...

    def has_new_settings(self) -> bool:
        """Whether a settings file was touched since they were read."""
        ...

    def reload_settings(self) -> bool:
        """Take up the settings as they stand now; True if documents may be cut differently."""
        ...


@dataclass(frozen=True, slots=True)
class IndexerParts:
    """What the indexer works with; `published` is called after each commit that searches can see."""

    disk: Disk
    store: DerivedStore
    reader: FileReader
    followers: Sequence[Follower]
    published: Callable[[Revision], None]


class Indexer:
    """`post`, `settle_token`, `wait_for` and `progress` may be used from any thread; `run` is the thread's body."""

    def __init__(self, parts: IndexerParts) -> None:
        self._parts = parts
        self._inbox = Inbox()
        self.progress = Progress()
        self._known: dict[str, tuple[KnownFile, Digest, str]] = {}
        self._left_out: dict[str, LeftOut] = {}
        self._answered = threading.Condition()
        self._answered_tokens: set[int] = set()
        self._next_token = 0
        self._is_root_missing = False
        self._has_reconciled = False
        self._is_working = False
        self._obstacle: str | None = None
        self._unanswered: list[int] = []
        self._last_scan_s = 0.0
        self._pruned_s = 0.0
        self._pruned_to = Revision(0)

    # -- any thread ---------------------------------------------------------------------------

    def post(self, event: IndexerEvent) -> None:
        self._inbox.post(event)

    @property
    def waiting_events(self) -> int:
        return len(self._inbox)

    @property
    def is_root_missing(self) -> bool:
        return self._is_root_missing

    @property
    def has_reconciled(self) -> bool:
        """Whether the whole root has been looked at since this indexer began."""
        return self._has_reconciled

    @property
    def is_working(self) -> bool:
        """Whether a round is in hand."""
        return self._is_working

    def has_given(self, token: int) -> bool:
        with self._answered:
            return 0 < token <= self._next_token

    def left_out(self) -> tuple[LeftOut, ...]:
        return tuple(self._left_out.values())

    def new_token(self) -> int:
        with self._answered:
            self._next_token += 1
            return self._next_token

    def wait_for(self, token: int, timeout_s: float) -> bool:
        """Whether the barrier `token` was answered within the time, or before it became clear that it will not be."""
        with self._answered:
            self._answered.wait_for(lambda: token in self._answered_tokens or self._obstacle is not None, timeout_s)
            return token in self._answered_tokens

    @property
    def obstacle(self) -> str | None:
        """What keeps the indexer from working now: a full disk, its end. It is tried again by itself."""
        return self._obstacle

    def give_up(self, obstacle: str) -> None:
        """Nobody is to wait for this indexer any more."""
        self._meet(obstacle)

    # -- the indexer's thread -----------------------------------------------------------------

    def run(self) -> None:
        """Until StopAsked. It may be called again after an error: what was committed stands, all is looked at anew.

        What stands in the way now is no error, a full disk, a database in use, a worker that cannot start: it is
        tried again until it is gone, and searches go on meanwhile.
        """
        while not self._inbox.must_stop:
            try:
                self._run()
            except StoreCorrupt:
                # Whoever asks next finds the workspace unsound and opens it anew.
                self._meet("the database is damaged, it is built anew")
                return
            except Unavailable as trouble:
                self._meet(trouble.message)
            except OSError as trouble:
                is_full = trouble.errno in (errno.ENOSPC, errno.EDQUOT)
                self._meet("there is no room on the disk" if is_full else f"{trouble.strerror or trouble}")
            self._is_working = False
            self._inbox.wait_for_stop(OBSTACLE_PAUSE_S)
        self._meet("the workspace is closing")

    def _run(self) -> None:
        self._known = self._parts.store.known_files()
        self._follow()
        self._inbox.post(RescanDue("start"))
        while True:
            turn = self._inbox.take(IDLE_S)
            if turn is None:
                turn = Turn()
            if turn.rescan_reason is None and time.monotonic() - self._last_scan_s > RECONCILE_EVERY_S:
                turn.rescan_reason = "periodic"
            self._unanswered.extend(turn.tokens)
            if turn.must_stop:
                return
            self._is_working = True
            self._work(turn)
            self._follow()
            self._is_working = False
            self._meet(None)
            # A round that a stop cut short has not done what its barriers ask for.
            if not self._inbox.must_stop:
                self._answer(self._unanswered)
                self._unanswered = []
            # When nothing waits; under a stream of changes that never ends, now and then all the same.
            if len(self._inbox) == 0 or time.monotonic() - self._pruned_s >= KEEP_REMOVED_S:
                self._tidy()

    def _work(self, turn: Turn) -> None:
        has_new_settings = turn.has_new_settings or self._parts.disk.has_new_settings()
        if has_new_settings and self._parts.disk.reload_settings():
            turn.rescan_reason = turn.rescan_reason or "settings"
        if turn.rescan_reason is not None:
            scan = self._parts.disk.scan_all()
            self._last_scan_s = time.monotonic()
        elif turn.paths:
            scan = self._parts.disk.scan_paths(sorted(turn.paths))
        else:
            return
        self._is_root_missing = scan.root_missing
        self._apply(scan, is_rebuild=turn.is_rebuild)
        if turn.rescan_reason is not None and not scan.root_missing and not self._inbox.must_stop:
            self._has_reconciled = True
        self._note_left_out(scan)

    def _apply(self, scan: Scan, *, is_rebuild: bool) -> None:
        if scan.root_missing:
            return
        if is_rebuild:
            self._parts.store.retire_parses()
        changes = reconcile(scan, {path: entry[0] for path, entry in self._known.items()})
        to_read = sorted(self._to_read(scan, changes, is_rebuild=is_rebuild))
        self.progress.begin(len(to_read))
        builder = CommitBuilder(self._parts.store)
        for path in changes.vanished:
            builder.remove(path)
        for path in changes.unjudged:
            entry = self._known.get(path)
            if entry is not None and not entry[0].is_stale:
                builder.add(StaleWrite(path, "unreadable: its folder cannot be looked into"))
        known = (lambda path: None) if is_rebuild else self._known.get
        for outcome in self._parts.reader.outcomes(to_read, known):
            if isinstance(outcome, FileGone | FileLeftOut):
                builder.remove(outcome.path)
            else:
                builder.add(outcome)
            self.progress.advance()
            if builder.is_full or self._inbox.must_stop:
                self._commit(builder)
                if self._inbox.must_stop:
                    return
                builder = CommitBuilder(self._parts.store)
        self._commit(builder)
        self.progress.end()
        if is_rebuild:
            for follower in self._parts.followers:
                follower.rebuild()
            self._follow()

    def _to_read(self, scan: Scan, changes: ChangeSet, *, is_rebuild: bool) -> set[str]:
        if is_rebuild:
            return set(scan.files)
        other_recipe = {
            path
            for path in scan.files
            if (entry := self._known.get(path)) is not None and entry[2] != self._parts.disk.recipe_of(path)
        }
        return set(changes.to_read) | other_recipe

    def _commit(self, builder: CommitBuilder) -> None:
        plan = builder.plan(self._known)
        if plan.is_empty:
            return
        self._parts.store.commit(plan)
        builder.note(self._known)
        if plan.makes_revision:
            self._follow()

    def _follow(self) -> None:
        revision = self._parts.store.head()
        for follower in self._parts.followers:
            revision = min(revision, follower.follow())
        self._parts.published(revision)

    def _note_left_out(self, scan: Scan) -> None:
        if "" in scan.scope:
            self._left_out = {entry.path: entry for entry in scan.left_out}
            return
        gone = [path for path in self._left_out if any(_is_below(path, place) for place in scan.scope)]
        kept = {path: entry for path, entry in self._left_out.items() if path not in set(gone)}
        self._left_out = kept | {entry.path: entry for entry in scan.left_out}

    def _tidy(self) -> None:
        """What nobody is in a hurry for."""
        for follower in self._parts.followers:
            if follower.compact_if_needed():
                self._parts.published(follower.revision)
        # What was removed stays for a while, for searches that began before.
        earlier, now_s = self._pruned_to, time.monotonic()
        if now_s - self._pruned_s >= KEEP_REMOVED_S:
            self._pruned_s = now_s
            self._pruned_to = min(follower.revision for follower in self._parts.followers)
            self._parts.store.prune(earlier)

    def _meet(self, obstacle: str | None) -> None:
        with self._answered:
            self._obstacle = obstacle
            self._answered.notify_all()

    def _answer(self, tokens: Sequence[int]) -> None:
        if not tokens:
            return
        with self._answered:
            self._answered_tokens.update(tokens)
            if len(self._answered_tokens) > 10_000:
                newest = max(self._answered_tokens)
                self._answered_tokens = {token for token in self._answered_tokens if token > newest - 5_000}
            self._answered.notify_all()


def _is_below(path: str, place: str) -> bool:
    return place == "" or path == place or path.startswith(place + "/")
