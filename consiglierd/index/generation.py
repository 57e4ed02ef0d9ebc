"""One Tantivy directory: append-only, one document a chunk, terms as 64-bit keys in hexadecimal.

Nothing is ever deleted from it, so that what Tantivy counts (documents, frequencies, lengths) is
exactly what was added. Every exception of Tantivy becomes IndexCorrupt here.
"""

import contextlib
import datetime
import json
import re
import unicodedata
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import tantivy

from consiglierd.errors import DaemonError, StorageFull
from consiglierd.model.stored import ScoringRow
from consiglierd.text.counts import TermCounts, count_chunk

SCHEMA_FINGERPRINT = "lexical-1"

# Below 15 MB a thread Tantivy refuses; one thread keeps the documents in the order of their ids.
_WRITER_BYTES = 20_000_000
_NO_ROOM = ("os error 28", "os error 122", "No space left", "Disk quota exceeded", "StorageFull", "QuotaExceeded")
_AVERAGE = "avgdl, average length of field"


class IndexCorrupt(DaemonError):
    """The directory cannot be read as this index; it is derived, so the cure is to build it anew."""


@dataclass(frozen=True, slots=True)
class CorpusView:
    """What Tantivy takes a searcher's documents for: their number, and their average length in terms."""

    documents: int
    average_length: float


def build_schema() -> tantivy.Schema:
    builder = tantivy.SchemaBuilder()
    builder.add_text_field("terms", tokenizer_name="whitespace", index_option="freq")
    builder.add_unsigned_field("id", indexed=True, fast=True)
    for name in ("type", "status", "tag", "private", "path", "content"):
        builder.add_text_field(name, tokenizer_name="raw", index_option="basic")
    builder.add_integer_field("day", indexed=True, fast=True)
    return builder.build()


SCHEMA = build_schema()


@contextmanager
def tantivy_errors(action: str) -> Iterator[None]:
    """Tantivy raises ValueError for nearly everything; OSError and RuntimeError come from its files and threads.

    What it meets in damaged files it may also panic about, which is no Exception.
    """
    try:
        yield
    except (ValueError, OSError, RuntimeError) as error:
        # Tantivy keeps nothing of the system's error but its words.
        if any(words in str(error) for words in _NO_ROOM):
            raise StorageFull("there is no room on the disk for the index", cure="make room on the disk") from error
        raise IndexCorrupt(f"the lexical index failed to {action}: {error}") from error
    except BaseException as error:
        if type(error).__name__ == "PanicException":
            raise IndexCorrupt(f"the lexical index failed to {action}: {error}") from error
        raise


class Generation:
    """A directory open for adding; one thread uses it, searchers may be used by any."""

    def __init__(self, directory: Path) -> None:
        directory.mkdir(mode=0o700, exist_ok=True)
        with tantivy_errors("open"):
            self._index = tantivy.Index(SCHEMA, path=str(directory))
            self._index.config_reader("manual")
            self._writer = self._index.writer(heap_size=_WRITER_BYTES, num_threads=1)

    def add(self, rows: Sequence[ScoringRow]) -> None:
        with tantivy_errors("add documents"):
            for row in rows:
                self._writer.add_document(tantivy.Document.from_dict(_fields_of(row), SCHEMA))

    def commit(self) -> None:
        with tantivy_errors("commit"):
            self._writer.commit()

    def searcher(self) -> tantivy.Searcher:
        """The documents of the last commit, for as long as it is held."""
        with tantivy_errors("reload"):
            self._index.reload()
            return self._index.searcher()

    def close(self) -> None:
        """What was committed stands. What fails here, or was not committed, is derived anew."""
        with contextlib.suppress(IndexCorrupt, StorageFull), tantivy_errors("close"):
            self._writer.wait_merging_threads()


def held_ids(searcher: tantivy.Searcher) -> set[int]:
    """The chunk ids of all documents."""
    count = searcher.num_docs
    if count == 0:
        return set()
    with tantivy_errors("read"):
        hits = searcher.search(tantivy.Query.all_query(), limit=count, count=False).hits
        values = searcher.fast_field_values("id", [address for _, address in hits])
    return {int(value) for value in values if value is not None}


def corpus_view(searcher: tantivy.Searcher, probe: str | None) -> CorpusView:
    """Asks Tantivy's own explanation of a score; `probe` is any term of any document."""
    if probe is None or searcher.num_docs == 0:
        return CorpusView(searcher.num_docs, 1.0)
    with tantivy_errors("explain"):
        query = tantivy.Query.term_query(SCHEMA, "terms", probe, "freq")
        hits = searcher.search(query, limit=1, count=False).hits
        if not hits:
            raise IndexCorrupt("the lexical index has lost a term that it held")
        explanation = json.loads(query.explain(searcher, hits[0][1]).to_json())
    average = _value_of(explanation, _AVERAGE)
    if average is None:
        raise IndexCorrupt("the lexical index does not say how long its documents are")
    return CorpusView(searcher.num_docs, average)


def term_text(key: int) -> str:
    """A term as the index spells it."""
    return f"{key:016x}"


def folded(name: str) -> str:
    """A type, status or tag as it is compared: case and normal form make no difference."""
    return unicodedata.normalize("NFC", name).casefold()


def day_number(date: str | None) -> int | None:
    """The proleptic ordinal of an ISO day; None for what is not one."""
    if date is None or not re.fullmatch(r"\d{4}-\d{2}-\d{2}", date):
        return None
    try:
        return datetime.date.fromisoformat(date).toordinal()
    except ValueError:
        return None


def _fields_of(row: ScoringRow) -> dict[str, object]:
    fields: dict[str, object] = {
        "terms": _repeated_terms(count_chunk(row.terms, row.path)),
        "id": int(row.chunk_id),
        "type": folded(row.file_type),
        "status": folded(row.status),
        "path": unicodedata.normalize("NFC", row.path),
        "content": row.content_hash,
    }
    if row.tags:
        fields["tag"] = sorted({folded(tag) for tag in row.tags})
    if row.private_to is not None:
        # The star marks every private chunk, whomever it is private to.
        fields["private"] = ["*", "=" + folded(row.private_to)]
    if (day := day_number(row.date)) is not None:
        fields["day"] = day
    return fields


def _repeated_terms(counts: TermCounts) -> str:
    repeated = np.repeat(counts.keys, counts.counts)
    # Sixteen digits a term, all in one call: this is the hot line of indexing.
    return repeated.astype(">u8").tobytes().hex(" ", 8)


def _value_of(explanation: object, description: str) -> float | None:
    if isinstance(explanation, dict):
        if explanation.get("description") == description:
            return float(explanation["value"])
        return _value_of(explanation.get("details", []), description)
    if isinstance(explanation, list):
        found = (_value_of(part, description) for part in explanation)
        return next((value for value in found if value is not None), None)
    return None
