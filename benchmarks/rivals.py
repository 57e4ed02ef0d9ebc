"""What stands beside our search over the same texts: Tantivy by itself, and every chunk scored with numpy."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice

import numpy as np
import tantivy
from numpy.typing import NDArray

from benchmarks.corpus import Section, sections
from consiglierd.text.analyzer import analyze_query, term_key
from consiglierd.text.counts import TermCounts, count_section

K1, B = 1.2, 0.75


@dataclass(frozen=True, slots=True)
class BruteForce:
    """Postings of all chunks, sorted by term key; lengths in terms."""

    keys: NDArray[np.uint64]
    chunks: NDArray[np.int32]
    counts: NDArray[np.float64]
    lengths: NDArray[np.float64]

    def best(self, question: str, limit: int) -> NDArray[np.intp]:
        """The `limit` best chunks by BM25, every chunk scored."""
        scores = np.zeros(len(self.lengths))
        average = self.lengths.mean()
        for term in analyze_query(question):
            key = np.uint64(term_key(term.term))
            first, last = np.searchsorted(self.keys, key, "left"), np.searchsorted(self.keys, key, "right")
            chunks, counts = self.chunks[first:last], self.counts[first:last]
            if len(chunks):
                idf = np.log(1 + (len(self.lengths) - len(chunks) + 0.5) / (len(chunks) + 0.5))
                share = K1 * (1 - B + B * self.lengths[chunks] / average)
                scores[chunks] += idf * counts * (K1 + 1) / (counts + share)
        top = np.argpartition(-scores, limit)[:limit]
        return top[np.argsort(-scores[top], kind="stable")]


@dataclass(frozen=True, slots=True)
class TantivyAlone:
    """An index in memory over the same terms, asked without filters, roles or rescoring."""

    index: tantivy.Index
    searcher: tantivy.Searcher

    def best(self, question: str, limit: int) -> int:
        """The number of hits of a plain OR query."""
        schema = self.index.schema
        terms = [
            (tantivy.Occur.Should, tantivy.Query.term_query(schema, "terms", f"{term_key(term.term):016x}", "freq"))
            for term in analyze_query(question)
        ]
        return len(self.searcher.search(tantivy.Query.boolean_query(terms), limit=limit, count=False).hits)


def build_rivals(chunks: int) -> tuple[BruteForce, TantivyAlone]:
    """Both over the first `chunks` sections of the corpus."""
    counted = [_counts_of(section) for section in islice(sections(chunks), chunks)]
    return _brute_force(counted), _tantivy_alone(counted)


def _counts_of(section: Section) -> TermCounts:
    return count_section(f"## {section.heading}\n\n{section.body}", (section.heading,))


def _brute_force(counted: Sequence[TermCounts]) -> BruteForce:
    keys = np.concatenate([counts.keys for counts in counted])
    chunks = np.repeat(np.arange(len(counted), dtype=np.int32), [len(counts.keys) for counts in counted])
    weights = np.concatenate([counts.counts for counts in counted]).astype(np.float64)
    order = np.argsort(keys, kind="stable")
    lengths = np.array([counts.length for counts in counted], dtype=np.float64)
    return BruteForce(keys[order], chunks[order], weights[order], lengths)


def _tantivy_alone(counted: Sequence[TermCounts]) -> TantivyAlone:
    builder = tantivy.SchemaBuilder()
    builder.add_text_field("terms", tokenizer_name="whitespace", index_option="freq")
    schema = builder.build()
    index = tantivy.Index(schema)
    writer = index.writer(heap_size=100_000_000, num_threads=1)
    for counts in counted:
        repeated = np.repeat(counts.keys, counts.counts)
        writer.add_document(
            tantivy.Document.from_dict({"terms": " ".join(f"{key:016x}" for key in repeated.tolist())}, schema)
        )
    writer.commit()
    writer.wait_merging_threads()
    index.reload()
    return TantivyAlone(index, index.searcher())
