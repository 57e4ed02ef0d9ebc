"""What one open workspace is made of."""

from contextlib import ExitStack
from dataclasses import dataclass

from consiglierd.catalog.files import SafeRoot
from consiglierd.git.repository import Git
from consiglierd.index.lexical import LexicalIndex
from consiglierd.indexer.loop import Indexer
from consiglierd.search.service import SearchService
from consiglierd.store.authored import AuthoredStore
from consiglierd.store.derived import DerivedStore
from consiglierd.store.folder import DataFolder
from consiglierd.workspaces.background_thread import BackgroundThread
from consiglierd.workspaces.disk import ProjectDisk
from consiglierd.workspaces.gate import RevisionGate
from consiglierd.workspaces.vector_side import VectorSideOfWorkspace


@dataclass(frozen=True, slots=True)
class WorkspaceParts:
    """What `opening` built; the workspace owns all of it and closes it in reverse."""

    root: str
    git: Git
    folder: DataFolder
    files: SafeRoot
    store: DerivedStore
    authored: AuthoredStore
    lexical: LexicalIndex
    vectors: VectorSideOfWorkspace
    disk: ProjectDisk
    indexer: Indexer
    search: SearchService
    gate: RevisionGate
    thread: BackgroundThread
    vector_thread: BackgroundThread
    resources: ExitStack
