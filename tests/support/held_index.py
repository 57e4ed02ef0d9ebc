"""The read path over documents held in memory: the real store, Tantivy index and search, no daemon."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from consiglierd.catalog.files import FileUnavailable
from consiglierd.index.lexical import LexicalIndex
from consiglierd.index.stored_vectors import StoredVectors
from consiglierd.index.vector import VectorIndex
from consiglierd.index.vector_question import VectorQuestion
from consiglierd.indexer.term_delta import TermDelta
from consiglierd.ingest.docs.parse import parse_document
from consiglierd.model.deadline import Deadline
from consiglierd.model.document import ParsedDocument, Section, Span
from consiglierd.model.files import FileStat
from consiglierd.model.hit import SearchResult
from consiglierd.model.ids import Revision, digest_of
from consiglierd.model.query import Query
from consiglierd.model.roles import RoleTable
from consiglierd.model.rules import DocumentRules
from consiglierd.search.service import SearchService
from consiglierd.store.derived import DerivedStore
from consiglierd.store.plan import CommitPlan, DocumentWrite, NewParse
from consiglierd.store.vectors import VectorStore
from consiglierd.text.counts import count_section, pack

TIMEOUT_S = 300.0
_STAT = FileStat(1, 2, 3, 4, 5)


@dataclass(frozen=True, slots=True)
class Options:
    """The settings of a search."""

    roles: RoleTable = field(default_factory=lambda: RoleTable({}))
    beta: float = 0.0
    alpha: float = 0.35
    min_score: float = 0.3
    max_file_bytes: int = 5_000_000


class HeldEmbedder(Protocol):
    """An embedder, with what its cosines are for unrelated and for identical texts."""

    unrelated: float
    identical: float
    near: float

    @property
    def fingerprint(self) -> str: ...

    @property
    def dimensions(self) -> int: ...

    def windows_of(self, title: str, text: str) -> list[str]: ...

    def embed_documents(self, texts: Sequence[str]) -> NDArray[np.float32]: ...

    def embed_queries(self, texts: Sequence[str]) -> NDArray[np.float32]: ...


@dataclass(frozen=True, slots=True)
class _Patient:
    """Nothing is urgent here."""

    embedder: HeldEmbedder

    def embed_documents(self, texts: Sequence[str], *, is_urgent: bool) -> NDArray[np.float32]:
        return self.embedder.embed_documents(texts)


class HeldIndex:
    """Documents by path; `write` and `remove` make one revision each, `search` answers at the head."""

    def __init__(
        self,
        folder: Path,
        *,
        options: Options | None = None,
        honour_tombstones: bool = True,
        rules: DocumentRules | None = None,
        embedder: "HeldEmbedder | None" = None,
    ) -> None:
        self.rules = rules if rules is not None else DocumentRules()
        self.folder = folder
        self.options = options if options is not None else Options()
        self.contents: dict[str, bytes] = {}
        self.documents: dict[str, ParsedDocument] = {}
        self.changed: list[str] = []
        self.follows = True
        self.indexing: tuple[int, int] | None = None
        self.ignored: Mapping[str, str] = {}
        self.store = DerivedStore(folder / "consigliere.db")
        self.lexical = LexicalIndex(folder / "lexical", self.store, honour_tombstones=honour_tombstones)
        self.lexical.open()
        self.embedder = embedder
        self.vector_store = VectorStore(self.store)
        self.vector: VectorIndex | None = None
        if embedder is not None:
            self.embed_with(embedder)
        self.service = SearchService(
            snapshot=lambda: self.lexical.snapshot(),
            chunks=self.store,
            files=self,
            options=lambda: self.options,
            changed=self.changed.append,
            ignored_by=lambda path: self.ignored.get(path),
            indexing=lambda: self.indexing,
            vectors=self._vectors,
        )

    def embed_with(self, embedder: "HeldEmbedder") -> VectorIndex:
        """Another embedder from now on; its index is filled by `fill`."""
        model = self.vector_store.model(embedder.fingerprint, embedder.dimensions)
        stored = StoredVectors(self.vector_store, model, _Patient(embedder), embedder.windows_of)
        self.embedder, self.vector = embedder, VectorIndex(self.folder / "vector", self.store, stored)
        self.vector.open()
        return self.vector

    def fill(self) -> None:
        """Give every chunk its vectors."""
        while self.vector is not None and self.vector.step():
            pass

    def _vectors(self, text: str, revision: Revision, deadline: Deadline) -> VectorQuestion | str:
        if self.vector is None or self.embedder is None:
            return "vector: off"
        return VectorQuestion(
            self.vector.snapshot(),
            self.embedder.embed_queries([text])[0],
            lambda ids: self.vector_store.live_at(ids, revision),
            unrelated=self.embedder.unrelated,
            identical=self.embedder.identical,
            near=self.embedder.near,
        )

    def close(self) -> None:
        self.lexical.close()
        self.vector_store.close()
        self.store.close()

    def read(self, path: str, max_bytes: int) -> bytes:
        """The Files of the search."""
        if path not in self.contents:
            raise FileUnavailable(path, "missing")
        return self.contents[path]

    def write(self, texts: Mapping[str, str]) -> Revision:
        """Files as they would be read from the disk, parsed by the real parser."""
        parsed = {path: parse_document(path, text.encode(), self.rules) for path, text in texts.items()}
        return self.put({path: (text.encode(), parsed[path]) for path, text in texts.items()})

    def put(self, documents: Mapping[str, tuple[bytes, ParsedDocument]]) -> Revision:
        """Files with their sections given."""
        writes = tuple(_write_of(path, content, parsed) for path, (content, parsed) in documents.items())
        self._commit(writes, ())
        self.contents.update({path: content for path, (content, _) in documents.items()})
        self.documents.update({path: parsed for path, (_, parsed) in documents.items()})
        return self.lexical.follow() if self.follows else self.store.head()

    def remove(self, paths: Sequence[str]) -> Revision:
        self._commit((), tuple(paths))
        for path in paths:
            del self.contents[path], self.documents[path]
        return self.lexical.follow() if self.follows else self.store.head()

    def search(self, text: str, limit: int = 5, **more: Any) -> SearchResult:
        return self.service.search(Query(text=text, limit=limit, **more), Deadline.after(TIMEOUT_S))

    def _commit(self, writes: tuple[DocumentWrite, ...], removed: tuple[str, ...]) -> None:
        delta = TermDelta()
        known = self.store.known_files()
        for path in (*removed, *(write.path for write in writes)):
            if path in known:
                delta.remove(path, self.store.live_terms_of(path))
        for write in writes:
            assert write.parse is not None
            delta.add(write.path, write.parse.terms)
        self.store.commit(CommitPlan(writes, (), (), removed, delta.total()))


def one_section(text: str, heading: str = "", **more: object) -> ParsedDocument:
    """A document that is one section whole."""
    content = text.encode()
    section = Section(
        ordinal=0,
        span=Span(1, text.count("\n") + 1, 0, len(content)),
        text=text,
        kind="document",
        heading=heading,
        heading_path=(heading,) if heading else (),
        date=None,
        status="active",
        tags=(),
        rooms=(),
        metadata={},
    )
    return ParsedDocument("general", "utf-8", (section,))


def held(folder: Path, texts: Iterable[tuple[str, str]] = (), **more: Any) -> HeldIndex:
    index = HeldIndex(folder, **more)
    index.write(dict(texts))
    return index


def _write_of(path: str, content: bytes, parsed: ParsedDocument) -> DocumentWrite:
    counts = [count_section(section.text, section.heading_path) for section in parsed.sections]
    parse = NewParse(parsed, tuple(pack(each) for each in counts), tuple(each.length for each in counts))
    # The recipe holds the path, for the sections that a test gives need not follow from the content alone.
    return DocumentWrite(path, _STAT, 9, digest_of(content), f"test/{path}", parse)
