"""What one commit is to change: made by the indexer, carried out by the store."""

from dataclasses import dataclass

from consiglierd.model.document import ParsedDocument
from consiglierd.model.files import FileStat
from consiglierd.model.ids import Digest
from consiglierd.model.stored import StatisticsDelta


@dataclass(frozen=True, slots=True)
class NewParse:
    """A parse that the store does not have yet, with the packed terms and the length of each section."""

    parsed: ParsedDocument
    terms: tuple[bytes, ...]
    lengths: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class DocumentWrite:
    """A document whose content or recipe is new at this path; `parse` is None where the store has it."""

    path: str
    stat: FileStat
    scanned_ns: int
    digest: Digest
    recipe: str
    parse: NewParse | None


@dataclass(frozen=True, slots=True)
class StatWrite:
    """A document whose content is as before, but whose stat is not."""

    path: str
    stat: FileStat
    scanned_ns: int


@dataclass(frozen=True, slots=True)
class StaleWrite:
    """A document that cannot be read now: its last good chunks stay."""

    path: str
    problem: str


@dataclass(frozen=True, slots=True)
class CommitPlan:
    """One transaction. `statistics` is the sum over all chunks added and removed by it."""

    documents: tuple[DocumentWrite, ...]
    stats: tuple[StatWrite, ...]
    stale: tuple[StaleWrite, ...]
    removed: tuple[str, ...]
    statistics: StatisticsDelta

    @property
    def makes_revision(self) -> bool:
        return bool(self.documents or self.removed)

    @property
    def is_empty(self) -> bool:
        return not (self.documents or self.stats or self.stale or self.removed)
