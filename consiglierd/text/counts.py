"""How often each term stands in a piece of text, weighted, as two packed arrays."""

import struct
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from consiglierd.text.analyzer import ANALYZER_FINGERPRINT, keys_of_token, tokens
from consiglierd.text.pairs import pair_keys

# Beside the heading's own line, which is part of the section's text, where the heading begins there.
HEADING_WEIGHT = 1
PATH_WEIGHT = 1
# How the stored terms of a section were made: other terms than these are of no use to a query.
SECTION_TERMS_FINGERPRINT = f"{ANALYZER_FINGERPRINT}-{HEADING_WEIGHT}"

_WIDTHS: dict[int, str] = {1: "u1", 2: "<u2", 4: "<u4"}
_HEADER_STRUCT = struct.Struct("<BIQ")
_HEADER = np.dtype([("width", "u1"), ("terms", "<u4"), ("length", "<u8")])


@dataclass(frozen=True, slots=True)
class TermCounts:
    """`keys` are sorted and unique, `counts` their weighted counts (> 0); `length` is the sum of the counts."""

    keys: NDArray[np.uint64]
    counts: NDArray[np.uint32]
    length: int


def count_section(text: str, heading_path: Iterable[str]) -> TermCounts:
    """The terms of a section's text with its pairs of words, and those of its headings HEADING_WEIGHT times."""
    words = tokens(text)
    token_counts = Counter(words)
    for heading in heading_path:
        for token in tokens(heading):
            token_counts[token] += HEADING_WEIGHT
    by_key = _by_key(token_counts)
    for key in pair_keys(words):
        by_key[key] = by_key.get(key, 0) + 1
    return _as_arrays(by_key)


@lru_cache(maxsize=4096)
def count_path(path: str) -> TermCounts:
    """The terms of a path, PATH_WEIGHT times."""
    return _as_arrays(path_terms(path))


@lru_cache(maxsize=1 << 13)
def path_terms(path: str) -> Mapping[int, int]:
    """The same as a mapping of a key to its count: a few are looked at faster so than as arrays."""
    return _by_key({token: count * PATH_WEIGHT for token, count in Counter(tokens(path)).items()})


def count_chunk(packed_section: bytes, path: str) -> TermCounts:
    """The terms of a chunk as it is scored: those of its section and those of its path."""
    return merge(unpack(packed_section), count_path(path))


def pack(counts: TermCounts) -> bytes:
    """A compact form that is equal for equal counts, on every machine."""
    largest = int(counts.counts.max()) if len(counts.counts) else 0
    width = 1 if largest < 1 << 8 else 2 if largest < 1 << 16 else 4
    header = np.array([(width, len(counts.keys), counts.length)], dtype=_HEADER)
    return header.tobytes() + counts.keys.astype("<u8").tobytes() + counts.counts.astype(_WIDTHS[width]).tobytes()


def unpack(packed: bytes) -> TermCounts:
    """The counts that `pack` packed; `keys` is a view of `packed`."""
    width = packed[0]
    terms = int.from_bytes(packed[1:5], "little")
    length = int.from_bytes(packed[5:13], "little")
    keys = np.frombuffer(packed, dtype="<u8", count=terms, offset=13)
    counts = np.frombuffer(packed, dtype=_WIDTHS[width], count=terms, offset=13 + 8 * terms)
    return TermCounts(keys, counts.astype(np.uint32), length)


@dataclass(frozen=True, slots=True)
class ManyCounts:
    """The counts of several texts, one after another: `sizes` and `lengths` are one a text."""

    keys: NDArray[np.uint64]
    counts: NDArray[np.uint32]
    sizes: list[int]
    lengths: list[int]


def unpack_many(packed: Sequence[bytes]) -> ManyCounts:
    """What `pack` packed, of many texts at once: as `unpack` of each, in a few calls."""
    sizes: list[int] = []
    lengths: list[int] = []
    widths: list[int] = []
    keys: list[bytes] = []
    counts: list[bytes] = []
    for each in packed:
        width, terms, length = _HEADER_STRUCT.unpack_from(each)
        end = _HEADER_STRUCT.size + 8 * terms
        sizes.append(terms)
        lengths.append(length)
        widths.append(width)
        keys.append(each[_HEADER_STRUCT.size : end])
        counts.append(each[end:])
    if set(widths) <= {1}:
        amounts = np.frombuffer(b"".join(counts), dtype=_WIDTHS[1])
    else:
        parts = zip(counts, widths, strict=True)
        amounts = np.concatenate([np.frombuffer(part, dtype=_WIDTHS[width]) for part, width in parts])
    return ManyCounts(np.frombuffer(b"".join(keys), dtype="<u8"), amounts.astype(np.uint32), sizes, lengths)


def merge(first: TermCounts, second: TermCounts) -> TermCounts:
    """The counts of both texts together."""
    keys, inverse = np.unique(np.concatenate([first.keys, second.keys]), return_inverse=True)
    counts = np.zeros(len(keys), dtype=np.uint32)
    np.add.at(counts, inverse, np.concatenate([first.counts, second.counts]))
    return TermCounts(keys, counts, first.length + second.length)


def _by_key(token_counts: dict[str, int]) -> dict[int, int]:
    by_key: dict[int, int] = {}
    for token, count in token_counts.items():
        for key in keys_of_token(token):
            by_key[key] = by_key.get(key, 0) + count
    return by_key


def _as_arrays(by_key: Mapping[int, int]) -> TermCounts:
    keys = np.fromiter(by_key.keys(), dtype=np.uint64, count=len(by_key))
    counts = np.fromiter(by_key.values(), dtype=np.uint32, count=len(by_key))
    order = np.argsort(keys)
    return TermCounts(keys[order], counts[order], int(counts.sum(dtype=np.uint64)))
