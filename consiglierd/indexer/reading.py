"""From a change set to what each file needs: nothing, a new stat, a stored parse, or the workers."""

import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from consiglierd.catalog.files import FileUnavailable, SafeRoot
from consiglierd.indexer.workers import Ingested, Work
from consiglierd.model.files import FileStat, KnownFile
from consiglierd.model.ids import Digest, digest_of
from consiglierd.store.plan import DocumentWrite, NewParse, StaleWrite, StatWrite

AT_ONCE = 64


@dataclass(frozen=True, slots=True)
class FileGone:
    """The file was there at the scan and is not now."""

    path: str


@dataclass(frozen=True, slots=True)
class FileLeftOut:
    """The file cannot be a document (a link, a special file, too large); nothing is known of it yet."""

    path: str
    reason: str


@dataclass(frozen=True, slots=True)
class PendingParse:
    """A file whose bytes have gone to the workers."""

    path: str
    stat: FileStat
    scanned_ns: int
    digest: Digest
    recipe: str

    def done(self, ingested: Ingested) -> DocumentWrite:
        parse = NewParse(ingested.parsed, ingested.terms, ingested.lengths)
        return DocumentWrite(self.path, self.stat, self.scanned_ns, self.digest, self.recipe, parse)


Outcome = DocumentWrite | StatWrite | StaleWrite | FileGone | FileLeftOut


class FileReader:
    """Reads files one after another and decides what each needs; used on the indexer's thread.

    `recipe_of` names how a path is parsed; `has_parse` says whether the store can do without the
    workers; `ingest` gives parses back in any order.
    """

    def __init__(
        self,
        files: SafeRoot,
        *,
        max_bytes: int,
        recipe_of: Callable[[str], str],
        has_parse: Callable[[Digest, str], bool],
        ingest: Callable[[Iterable[Work]], Iterator[Ingested]],
    ) -> None:
        self._files = files
        self._max_bytes = max_bytes
        self._recipe_of = recipe_of
        self._has_parse = has_parse
        self._ingest = ingest

    def outcomes(
        self, paths: Iterable[str], known: Callable[[str], tuple[KnownFile, Digest, str] | None]
    ) -> Iterator[Outcome]:
        """One outcome a path, as they come."""
        pending: dict[str, PendingParse] = {}
        at_once: list[Outcome] = []
        rest = iter(paths)
        is_over = False

        def works() -> Iterator[Work]:
            nonlocal is_over
            # What needs no worker is handed out now and then, or a long row of it could not be stopped.
            while len(at_once) < AT_ONCE:
                path = next(rest, None)
                if path is None:
                    is_over = True
                    return
                read = self._read(path, known(path))
                if isinstance(read, tuple):
                    waiting, content = read
                    pending[path] = waiting
                    yield Work(path, content, waiting.digest)
                else:
                    at_once.append(read)

        while not is_over:
            for ingested in self._ingest(works()):
                yield from at_once
                at_once.clear()
                yield pending.pop(ingested.path).done(ingested)
            yield from at_once
            at_once.clear()

    def _read(self, path: str, known: tuple[KnownFile, Digest, str] | None) -> Outcome | tuple[PendingParse, bytes]:
        scanned_ns = time.time_ns()
        try:
            content, stat = self._files.read_with_stat(path, self._max_bytes)
        except FileUnavailable as unavailable:
            if unavailable.reason == "missing":
                return FileGone(path)
            if unavailable.reason == "unreadable":
                return StaleWrite(path, f"unreadable: {unavailable.message}")
            return FileLeftOut(path, unavailable.reason)
        digest = digest_of(content)
        recipe = self._recipe_of(path)
        if known is not None and (known[1], known[2]) == (digest, recipe):
            return StatWrite(path, stat, scanned_ns)
        if self._has_parse(digest, recipe):
            return DocumentWrite(path, stat, scanned_ns, digest, recipe, None)
        return PendingParse(path, stat, scanned_ns, digest, recipe), content
