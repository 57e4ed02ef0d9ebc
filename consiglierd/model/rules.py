"""How documents are cut and classified: plain values, so that they can cross a process border."""

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class TypePattern:
    """A path pattern (git-style glob relative to the root, case-insensitive) and its file type."""

    glob: str
    file_type: str


@dataclass(frozen=True, slots=True)
class DocumentRules:
    """Settings that change what a file's sections are.

    `rooms` maps a room to its keywords. `role_words` maps a role tag to the words that give it.
    `extra_types` are tried, in order, before the shipped patterns. Two equal values give equal
    sections for equal bytes and paths; `fingerprint` in ingest.docs says so in a short string.
    """

    rooms: tuple[tuple[str, tuple[str, ...]], ...] = ()
    role_words: tuple[tuple[str, tuple[str, ...]], ...] = ()
    extra_types: tuple[TypePattern, ...] = field(default=())
    split_tokens: int = 400
