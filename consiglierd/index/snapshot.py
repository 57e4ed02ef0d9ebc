"""What a search holds from its beginning to its end: one revision of the index, immutable."""

from dataclasses import dataclass

import tantivy

from consiglierd.index.generation import CorpusView
from consiglierd.index.statistics import LiveStatistics
from consiglierd.model.ids import Revision


@dataclass(frozen=True, slots=True)
class Snapshot:
    """`removed` are ids that the searcher still holds and that are not live; `corpus` is how Tantivy counts."""

    revision: Revision
    statistics: LiveStatistics
    searcher: tantivy.Searcher
    removed: frozenset[int]
    corpus: CorpusView
