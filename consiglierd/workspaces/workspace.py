"""One open workspace, as the calls see it."""

import os
from collections.abc import Mapping
from dataclasses import replace

from consiglierd.errors import BadRequest, DeadlineExceeded, NotFound, Poisoned, Refused, Unavailable
from consiglierd.index.generation import IndexCorrupt
from consiglierd.indexer.events import (
    BarrierAsked,
    FilesChanged,
    RebuildAsked,
    RescanDue,
    SettingsChanged,
    StopAsked,
)
from consiglierd.model.deadline import Deadline
from consiglierd.model.hit import SearchResult
from consiglierd.model.ids import NO_REVISION, Revision
from consiglierd.model.query import Query
from consiglierd.model.status import (
    Finding,
    IndexProgress,
    SearchDefaults,
    SettingValue,
    ShownLines,
    Watching,
    WorkspaceState,
    WorkspaceStatus,
)
from consiglierd.store.connection import StoreCorrupt
from consiglierd.watch.service import Delivery, FileWatch
from consiglierd.workspaces.deliveries import events_of
from consiglierd.workspaces.disk import kind_at
from consiglierd.workspaces.doctor import examine
from consiglierd.workspaces.evaluating import SearchEvaluation
from consiglierd.workspaces.left_out import file_problem, left_out_counts
from consiglierd.workspaces.parts import WorkspaceParts
from consiglierd.workspaces.show import show_lines
from consiglierd.workspaces.sizes import folder_size_bytes

BARRIER_TIMEOUT_S = 2.0
FIRST_LOOK_S = 2.0
VECTORS_S = 0.5


class OpenWorkspace:
    """Satisfies serve.services.Workspace; every method may be called from any thread."""

    def __init__(self, parts: WorkspaceParts) -> None:
        self._parts = parts
        self._watch: FileWatch | None = None
        self.evaluation = SearchEvaluation(self.search, self.settle, self._take_up_settings, parts)

    @property
    def root(self) -> str:
        return self._parts.root

    @property
    def nonce(self) -> str:
        return self._parts.store.nonce

    # -- asking -------------------------------------------------------------------------------

    def search(self, query: Query, deadline: Deadline) -> SearchResult:
        self._refuse_if_poisoned()
        self._wait_for_first_look(deadline)
        try:
            result = self._parts.search.search(query, deadline)
        except IndexCorrupt as damage:
            self._parts.lexical.distrust()
            self._parts.indexer.post(RescanDue("the index is damaged"))
            raise Unavailable(f"{damage.message}; it is built anew", cure="ask again in a moment") from damage
        except StoreCorrupt as damage:
            raise Unavailable(f"{damage.message}; it is built anew", cure="ask again in a moment") from damage
        notes = [] if self._parts.indexer.has_reconciled else ["reconciling"]
        if not os.path.isdir(self.root):
            notes.append("root_missing")
        if self._parts.indexer.obstacle is not None:
            notes.append(f"not indexed: {self._parts.indexer.obstacle}")
        return replace(result, partial=(*result.partial, *notes)) if notes else result

    def _wait_for_first_look(self, deadline: Deadline) -> None:
        """A project that was never indexed has nothing to answer with: its first search waits a little."""
        indexer = self._parts.indexer
        if not indexer.has_reconciled and self._parts.gate.revision == NO_REVISION:
            token = indexer.new_token()
            indexer.post(BarrierAsked(token))
            indexer.wait_for(token, min(FIRST_LOOK_S, deadline.remaining_s / 2))

    def defaults(self) -> SearchDefaults:
        options = self._parts.disk.options
        return SearchDefaults(options.default_top_k, options.min_score)

    def show(
        self, file: str, line_start: int | None, line_end: int | None, *, section: bool, deadline: Deadline
    ) -> ShownLines:
        self._refuse_if_poisoned()
        return show_lines(
            self.root,
            self._parts.files,
            self._parts.store,
            file,
            line_start,
            line_end,
            section=section,
            max_bytes=self._parts.disk.options.max_file_bytes,
        )

    # -- indexing -----------------------------------------------------------------------------

    def start_index(self, paths: tuple[str, ...], *, rebuild: bool) -> int:
        self._refuse_if_poisoned()
        indexer = self._parts.indexer
        token = indexer.new_token()
        if rebuild:
            indexer.post(RebuildAsked())
        elif paths:
            indexer.post(FilesChanged(frozenset(self._checked(path) for path in paths)))
        else:
            indexer.post(RescanDue("asked for"))
        indexer.post(BarrierAsked(token))
        return token

    def _checked(self, path: str) -> str:
        """The path relative to the root; refuses what is ignored, and what is neither there nor known."""
        if "\0" in path:
            raise BadRequest("a path holds no NUL character")
        relative = path.removeprefix(self.root + "/").removeprefix("./").rstrip("/")
        if relative in (self.root, ".", ""):
            return ""
        found = kind_at(self.root, relative)
        if found == "missing" and self._parts.store.document_at(relative) is None:
            raise NotFound(f"{path} is not there", cure="give a path below the root, or none for everything")
        rule = self._parts.disk.ignore.rule_for(relative, found == "folder")
        if rule is not None:
            raise Refused(f"{path} is left out by {rule}", cure="change that rule, or add the path to git")
        if found == "file" and not self._parts.disk.is_document(relative):
            raise BadRequest(f"{path} is not a document (Markdown, AsciiDoc, reStructuredText or plain text)")
        return relative

    def index_progress(self, ticket: int, wait_s: float) -> IndexProgress:
        self._refuse_if_poisoned()
        indexer = self._parts.indexer
        if not indexer.has_given(ticket):
            raise NotFound(f"no indexing has the ticket {ticket}", cure="ask `index` for one")
        is_done = indexer.wait_for(ticket, wait_s)
        done, total = indexer.progress.counts
        return IndexProgress(
            is_done=is_done,
            files_done=done,
            files_total=total,
            revision=self.revision(),
            lag=self.lag(),
            problems=len(self._parts.store.overview().problems),
            obstacle=indexer.obstacle or self._parts.vectors.state().failure,
        )

    def settle(self, deadline: Deadline) -> Revision:
        self._refuse_if_poisoned()
        indexer = self._parts.indexer
        token = indexer.new_token()
        watch = self._watch
        if watch is not None:
            watch.ask_barrier(token, min(BARRIER_TIMEOUT_S, deadline.remaining_s))
        else:
            # Nothing can be learned from events here: the disk itself is looked at.
            indexer.post(RescanDue("settle"))
            indexer.post(BarrierAsked(token))
        if not indexer.wait_for(token, deadline.remaining_s):
            self._refuse_if_poisoned()
            if indexer.obstacle is not None:
                raise Unavailable(f"not everything saved is indexed yet: {indexer.obstacle}", cure="ask again later")
            raise DeadlineExceeded("not everything saved is indexed yet", cure="ask again, or allow more time")
        # What was just saved has its vectors in a moment; a project that is being embedded is not waited for.
        if self._parts.vectors.is_nearly_there:
            self._parts.vectors.wait_for(self._parts.store.head(), min(VECTORS_S, deadline.remaining_s / 2))
        return self._parts.gate.revision

    def wait_for_revision(self, revision: Revision, deadline: Deadline) -> None:
        if not self._parts.gate.wait_for(revision, deadline.remaining_s):
            raise DeadlineExceeded(f"revision {revision} is not searchable yet (at {self._parts.gate.revision})")

    def watch_with(self, watch: FileWatch) -> None:
        """Start to listen to file events; called once, before the workspace is handed out."""
        self._watch = watch
        watch.start()

    def reload_settings(self) -> None:
        self._parts.indexer.post(SettingsChanged())
        self._parts.indexer.post(RescanDue("asked to read the settings again"))

    def deliver(self, delivery: Delivery) -> None:
        """What the watcher saw, for the indexer; called on the watcher's threads."""
        for event in events_of(delivery):
            self._parts.indexer.post(event)

    # -- how it does --------------------------------------------------------------------------

    def revision(self) -> Revision:
        return self._parts.store.head()

    def lag(self) -> dict[str, int]:
        head = self._parts.store.head()
        return {"lexical": max(0, head - self._parts.gate.revision), "vector": self._parts.vectors.lag(head)}

    def status(self) -> WorkspaceStatus:
        overview = self._parts.store.overview()
        indexer = self._parts.indexer
        lag = self.lag()
        return WorkspaceStatus(
            root=self.root,
            state=self._state(lag),
            watching=self._watching(),
            revision=self.revision(),
            lag=lag,
            files=overview.files,
            chunks=overview.chunks,
            stale_files=overview.stale_files,
            pending_files=indexer.progress.pending,
            size_bytes=folder_size_bytes(self._parts.folder.path),
            last_indexed_at=overview.last_indexed_at,
            models={"lexical": "bm25", "vector": self._parts.vectors.state().told},
            types=overview.types,
            left_out=left_out_counts(self._parts.indexer.left_out()),
            problems=tuple(file_problem(path, problem) for path, problem in overview.problems),
            warnings=self.warnings(),
        )

    def _state(self, lag: Mapping[str, int]) -> WorkspaceState:
        indexer = self._parts.indexer
        if self._parts.thread.failure() is not None:
            return "poisoned"
        if indexer.is_root_missing or not os.path.isdir(self.root):
            return "root_missing"
        if not indexer.has_reconciled:
            return "reconciling"
        is_busy = indexer.is_working or indexer.obstacle is not None or indexer.waiting_events > 0 or any(lag.values())
        return "indexing" if is_busy else "fresh"

    def _watching(self) -> Watching:
        mode = "off" if self._watch is None else self._watch.mode
        return mode if mode in ("inotify", "observer", "polling") else "off"

    def warnings(self) -> tuple[str, ...]:
        found = list(self._parts.disk.ignore.warnings)
        if self._parts.folder.warning is not None:
            found.append(self._parts.folder.warning)
        if self._watch is not None:
            found.extend(self._watch.warnings)
        if self._parts.indexer.obstacle is not None:
            found.append(f"changes are not indexed now: {self._parts.indexer.obstacle}")
        failure = self._parts.thread.failure()
        if failure is not None:
            found.append(f"the indexer has given up: {failure}")
        found.extend(self._parts.vectors.state().warnings)
        return (*found, *self._parts.disk.options.problems)

    def settings(self) -> tuple[SettingValue, ...]:
        """Those in force, what was just saved included."""
        self._take_up_settings()
        return self._parts.disk.options.values

    def _take_up_settings(self) -> None:
        indexer = self._parts.indexer
        if self._parts.disk.has_new_settings():
            token = indexer.new_token()
            indexer.post(BarrierAsked(token))
            indexer.wait_for(token, BARRIER_TIMEOUT_S)

    def settings_problems(self) -> tuple[str, ...]:
        return self._parts.disk.options.problems

    def doctor(self) -> tuple[Finding, ...]:
        return examine(self.status(), self.warnings(), self._parts.store.check())

    def _refuse_if_poisoned(self) -> None:
        failure = self._parts.thread.failure()
        if failure is not None:
            raise Poisoned(
                f"the index of {self.root} cannot be kept right any more: {failure}",
                cure="`consigliere restart`; if that does not help, `consigliere forget` and index anew",
            )

    @property
    def is_in_place(self) -> bool:
        """Whether the data that was opened still lies where it was: `.consigliere/` may be deleted at any time."""
        return self._parts.folder.is_standing and self._parts.store.is_in_place

    @property
    def is_sound(self) -> bool:
        """Whether it can go on as it is. While the root itself is away it waits for it."""
        return not self._parts.store.is_damaged and (self.is_in_place or not os.path.isdir(self.root))

    # -- its end ------------------------------------------------------------------------------

    def stop_working(self) -> None:
        """The indexer finishes the commit in hand; nobody waits for it any more."""
        self._parts.indexer.post(StopAsked())
        self._parts.vectors.stop()

    def close(self, timeout_s: float) -> None:
        """Finish the commit in hand, then let everything go; what was committed stands."""
        if self._watch is not None:
            self._watch.stop()
        self.stop_working()
        self._parts.thread.join(timeout_s)
        self._parts.vector_thread.join(timeout_s)
        self._parts.resources.close()
