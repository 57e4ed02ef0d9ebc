"""Builds one workspace: folder, store, indexes, indexer, search, watcher."""

import errno
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from consiglierd.catalog.files import SafeRoot
from consiglierd.embed.service import EmbeddingService
from consiglierd.errors import Unavailable
from consiglierd.events import EventHub
from consiglierd.git.repository import Git
from consiglierd.git.run import GitError
from consiglierd.index.lexical import LexicalIndex
from consiglierd.indexer.events import FilesChanged
from consiglierd.indexer.loop import Indexer, IndexerParts
from consiglierd.indexer.reading import FileReader
from consiglierd.indexer.workers import Ingested, Work, WorkerPool
from consiglierd.model.ids import Revision
from consiglierd.search.service import SearchService
from consiglierd.store.authored import AuthoredStore, repository_id
from consiglierd.store.connection import StoreCorrupt
from consiglierd.store.derived import DerivedStore
from consiglierd.store.folder import DataFolder, holds_only_ours, is_empty, open_folder, set_aside
from consiglierd.store.vectors import VectorStore
from consiglierd.supervisor import Supervisor
from consiglierd.watch.service import FileWatch
from consiglierd.workspaces.background_thread import BackgroundThread
from consiglierd.workspaces.calibrated import CalibratedSource
from consiglierd.workspaces.disk import ProjectDisk, WatchedRules
from consiglierd.workspaces.embedding_choice import EmbeddingChoice
from consiglierd.workspaces.gate import RevisionGate
from consiglierd.workspaces.options import OptionsSource
from consiglierd.workspaces.parts import WorkspaceParts
from consiglierd.workspaces.vector_side import VectorSideOfWorkspace
from consiglierd.workspaces.workspace import OpenWorkspace

LEXICAL_FOLDER = "lexical"


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What all workspaces share. `known_nonce` is that of a root's database as it was last open."""

    options: OptionsSource
    workers: WorkerPool
    embedding: EmbeddingService
    supervisor: Supervisor
    hub: EventHub
    fallback_folder: Callable[[str], Path]
    authored_folder: Path
    socket: str
    known_nonce: Callable[[str], str | None]
    honour_tombstones: bool = True


def open_workspace(root: str, surroundings: Surroundings) -> OpenWorkspace:
    """Everything that fails on the way closes what was opened before it."""
    try:
        return _open(root, surroundings)
    except OSError as error:
        cure = "make room on the disk" if error.errno == errno.ENOSPC else None
        raise Unavailable(f"the index of {root} cannot be opened: {error.strerror or error}", cure=cure) from error


def _open(root: str, surroundings: Surroundings) -> OpenWorkspace:
    with ExitStack() as stack:
        git = Git(root)
        files = SafeRoot(root)
        stack.callback(files.close)
        folder = open_folder(
            Path(root),
            surroundings.fallback_folder(root),
            is_tracked=partial(_is_tracked, git),
            socket=surroundings.socket,
        )
        stack.callback(folder.release)
        store = _open_store(folder, surroundings.known_nonce(root))
        stack.callback(_leave_damaged, folder, store)
        stack.callback(store.close)
        authored = AuthoredStore(surroundings.authored_folder, repository_id(root, _common_dir(git)), root)
        stack.callback(authored.close)
        disk = ProjectDisk(root, CalibratedSource(surroundings.options, authored))
        lexical = LexicalIndex(folder.path / LEXICAL_FOLDER, store, honour_tombstones=surroundings.honour_tombstones)
        lexical.open()
        stack.callback(lexical.close)
        vector_store = VectorStore(store)
        stack.callback(vector_store.close)
        choice = EmbeddingChoice(surroundings.embedding, vector_store, lambda: disk.options.embedding, Path(root))
        vectors = VectorSideOfWorkspace(folder.path, store, vector_store, choice)
        return _assemble(root, surroundings, git, folder, files, store, authored, lexical, vectors, disk, stack)


def _leave_damaged(folder: DataFolder, store: DerivedStore) -> None:
    """What is damaged is not opened again: the next opening finds nothing and indexes anew."""
    if store.is_damaged and folder.is_standing:
        set_aside(folder.path)


def _is_tracked(git: Git, prefix: str) -> bool:
    """Where there is no git, or git will not answer, nothing is known to be tracked."""
    try:
        return git.is_tracked_under(prefix)
    except GitError:
        return False


def _common_dir(git: Git) -> str | None:
    try:
        return git.common_dir()
    except GitError:
        return None


def _open_store(folder: DataFolder, known_nonce: str | None) -> DerivedStore:
    """The database, made anew where it is corrupt or not the one that this user's daemon left here.

    What no daemon of this user has left is not even opened.
    """
    is_left_by_us = known_nonce and folder.database.is_file() and holds_only_ours(folder.path)
    if not is_left_by_us and not is_empty(folder.path):
        set_aside(folder.path)
    try:
        store = DerivedStore(folder.database)
    except StoreCorrupt:
        set_aside(folder.path)
        return DerivedStore(folder.database)
    if store.head() > 0 and store.nonce != known_nonce:
        store.close()
        set_aside(folder.path)
        return DerivedStore(folder.database)
    return store


def _assemble(
    root: str,
    surroundings: Surroundings,
    git: Git,
    folder: DataFolder,
    files: SafeRoot,
    store: DerivedStore,
    authored: AuthoredStore,
    lexical: LexicalIndex,
    vectors: VectorSideOfWorkspace,
    disk: ProjectDisk,
    stack: ExitStack,
) -> OpenWorkspace:
    """The moving parts: from here on the workspace owns what `stack` held."""
    gate = RevisionGate()
    gate.reach(lexical.revision)

    def published(revision: Revision) -> None:
        vectors.wake()
        if revision != gate.revision:
            gate.reach(revision)
            surroundings.hub.publish("indexed", root, {"revision": int(revision)})

    reader = _reader(files, store, disk, surroundings.workers)
    indexer = Indexer(IndexerParts(disk, store, reader, (lexical,), published))
    search = SearchService(
        snapshot=lexical.snapshot,
        chunks=store,
        files=files,
        options=lambda: disk.options,
        changed=lambda path: indexer.post(FilesChanged(frozenset({path}))),
        ignored_by=lambda path: disk.ignore.rule_for(path, False),
        indexing=lambda: None if indexer.has_reconciled and not indexer.progress.pending else indexer.progress.counts,
        vectors=vectors.side,
    )
    thread = BackgroundThread(f"indexer {root}", surroundings.supervisor)
    vector_thread = BackgroundThread(f"vectors {root}", surroundings.supervisor)
    workspace = OpenWorkspace(
        WorkspaceParts(
            root,
            git,
            folder,
            files,
            store,
            authored,
            lexical,
            vectors,
            disk,
            indexer,
            search,
            gate,
            thread,
            vector_thread,
            stack.pop_all(),
        )
    )
    _watch(workspace, disk, folder)
    thread.start(indexer.run, indexer.give_up)
    vector_thread.start(vectors.run, vectors.give_up)
    return workspace


def _watch(workspace: OpenWorkspace, disk: ProjectDisk, folder: DataFolder) -> None:
    if disk.options.is_watching:
        watch = FileWatch(workspace.root, WatchedRules(disk), workspace.deliver, data_folder=str(folder.path))
        disk.rules_changed = watch.resync_ignores
        workspace.watch_with(watch)


def _reader(files: SafeRoot, store: DerivedStore, disk: ProjectDisk, workers: WorkerPool) -> FileReader:
    def ingest(works: Iterable[Work]) -> Iterator[Ingested]:
        return workers.ingest_many(works, disk.options.rules)

    return FileReader(
        files,
        max_bytes=disk.options.max_file_bytes,
        recipe_of=disk.recipe_of,
        has_parse=lambda digest, recipe: store.parse_terms(digest, recipe) is not None,
        ingest=ingest,
    )
