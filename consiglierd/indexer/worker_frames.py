"""What the daemon asks of its workers, and what they answer."""

import msgspec

from consiglierd.model.document import ParsedDocument
from consiglierd.model.rules import DocumentRules

# A deadline is counted in processor time, so that a busy machine puts no innocent file into
# quarantine; by the clock a file may take this many times as long.
WALL_FACTOR = 4


class Job(msgspec.Struct, frozen=True, array_like=True):
    """One file to parse; the worker ends itself when it takes more than `deadline_s` of processor time."""

    path: str
    content: bytes
    rules: DocumentRules
    deadline_s: float


class Done(msgspec.Struct, frozen=True, array_like=True):
    """The parse, and for each section its packed terms and its weighted length."""

    parsed: ParsedDocument
    terms: tuple[bytes, ...]
    lengths: tuple[int, ...]
