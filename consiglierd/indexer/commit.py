"""Gathers outcomes into one commit."""

import time

from consiglierd.indexer.reading import Outcome
from consiglierd.indexer.term_delta import TermDelta
from consiglierd.model.files import KnownFile
from consiglierd.model.ids import Digest
from consiglierd.store.derived import DerivedStore
from consiglierd.store.plan import CommitPlan, DocumentWrite, StaleWrite, StatWrite

MAX_DOCUMENTS = 500
MAX_SECTIONS = 4000
MAX_AGE_S = 1.0

KnownFiles = dict[str, tuple[KnownFile, Digest, str]]


class CommitBuilder:
    """One commit in the making. It is full at a size or an age, so that searches see a long piece of work grow."""

    def __init__(self, store: DerivedStore) -> None:
        self._store = store
        self._documents: list[DocumentWrite] = []
        self._stats: list[StatWrite] = []
        self._stale: list[StaleWrite] = []
        self._removed: list[str] = []
        self._sections = 0
        self._began_s = time.monotonic()

    def add(self, outcome: Outcome) -> None:
        match outcome:
            case DocumentWrite():
                self._documents.append(outcome)
                self._sections += len(outcome.parse.terms) if outcome.parse else 0
            case StatWrite():
                self._stats.append(outcome)
            case StaleWrite():
                self._stale.append(outcome)
            case _:
                raise TypeError(f"a commit does not hold {type(outcome).__name__}")

    def remove(self, path: str) -> None:
        self._removed.append(path)

    @property
    def is_full(self) -> bool:
        return (
            len(self._documents) >= MAX_DOCUMENTS
            or self._sections >= MAX_SECTIONS
            or time.monotonic() - self._began_s > MAX_AGE_S
        )

    def plan(self, known: KnownFiles) -> CommitPlan:
        """The commit, with what it does to the live statistics."""
        delta = TermDelta()
        removed = tuple(path for path in self._removed if path in known)
        for path in removed:
            delta.remove(path, self._store.live_terms_of(path))
        for document in self._documents:
            if document.path in known:
                delta.remove(document.path, self._store.live_terms_of(document.path))
            delta.add(document.path, self._terms_of(document))
        # A file that could not be read and was never known has nothing to keep.
        stale = tuple(write for write in self._stale if write.path in known)
        return CommitPlan(tuple(self._documents), tuple(self._stats), stale, removed, delta.total())

    def _terms_of(self, document: DocumentWrite) -> list[bytes] | tuple[bytes, ...]:
        if document.parse is not None:
            return document.parse.terms
        stored = self._store.parse_terms(document.digest, document.recipe)
        if stored is None:
            raise LookupError(f"the parse of {document.path} has left the store")
        return stored

    def note(self, known: KnownFiles) -> None:
        """Bring the indexer's picture of the store up to what was committed."""
        for path in self._removed:
            known.pop(path, None)
        for document in self._documents:
            known[document.path] = (
                KnownFile(document.stat, document.scanned_ns, is_stale=False),
                document.digest,
                document.recipe,
            )
        for stat in self._stats:
            _, digest, recipe = known[stat.path]
            known[stat.path] = (KnownFile(stat.stat, stat.scanned_ns, is_stale=False), digest, recipe)
        for stale in self._stale:
            if stale.path in known:
                file, digest, recipe = known[stale.path]
                known[stale.path] = (KnownFile(file.stat, file.scanned_ns, is_stale=True), digest, recipe)
