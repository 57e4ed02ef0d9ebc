"""The large part of the vector index on the disk: written whole or not at all, mapped when it is opened."""

import json
import os
import shutil
import struct
import zlib
from collections.abc import Collection
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from consiglierd.index.cursor import Cursor, read_cursor, write_cursor
from consiglierd.index.segment import Segment, codes_of, with_codes

_VECTORS, _CHUNKS, _CODES, _CHECK = "vectors.f16", "chunks.i64", "codes.i8", "check.json"
# The codes begin with their scale and residual.
_HEAD = struct.Struct("<dd")
_PIECE_BYTES = 1 << 22


class VectorFiles:
    """A directory of generations, of which the cursor names one; used by one thread."""

    def __init__(self, directory: Path) -> None:
        self._directory = directory

    def prepare(self) -> None:
        if self._directory.is_symlink() or (self._directory.exists() and not self._directory.is_dir()):
            self._directory.unlink()
        self._directory.mkdir(mode=0o700, exist_ok=True)

    def cursor(self) -> Cursor | None:
        return read_cursor(self._directory)

    def save(self, segment: Segment, nonce: str, fingerprint: str, revision: int) -> Segment:
        """Write a generation and name it; the segment that maps what was written."""
        before = self.cursor()
        number = (before.generation if before is not None else 0) + 1
        folder = self._folder(number)
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(mode=0o700)
        codes = codes_of(segment)
        sums = {
            _VECTORS: _write(folder / _VECTORS, segment.vectors),
            _CHUNKS: _write(folder / _CHUNKS, segment.chunks),
            _CODES: _write_bytes(folder / _CODES, _HEAD.pack(segment.scale, segment.residual), codes.data),
        }
        check = {"rows": len(segment.chunks), "dimensions": int(segment.vectors.shape[1]), "crc": sums}
        _write_bytes(folder / _CHECK, json.dumps(check).encode())
        write_cursor(self._directory, Cursor(nonce, fingerprint, revision, number))
        for entry in self._directory.iterdir():
            if entry.is_dir() and not entry.is_symlink() and entry != folder:
                shutil.rmtree(entry, ignore_errors=True)
        mapped = _mapped(folder / _VECTORS, segment.vectors.shape)
        return with_codes(segment.chunks, mapped, codes, segment.scale, segment.residual)

    def load(self, number: int, dimensions: int) -> Segment | None:
        """A generation that is whole; None for one that is missing, damaged or of other dimensions."""
        folder = self._folder(number)
        try:
            check = json.loads((folder / _CHECK).read_bytes())
            rows, sums = int(check["rows"]), dict(check["crc"])
            if int(check["dimensions"]) != dimensions or rows <= 0:
                return None
            if any(_checksum(folder / name) != int(sums[name]) for name in (_VECTORS, _CHUNKS, _CODES)):
                return None
            chunks = np.fromfile(folder / _CHUNKS, dtype="<i8").astype(np.int64, copy=False)
            if len(chunks) != rows or (folder / _VECTORS).stat().st_size != rows * dimensions * 2:
                return None
            scale, residual = _HEAD.unpack(_first_bytes(folder / _CODES, _HEAD.size))
            codes = np.fromfile(folder / _CODES, dtype=np.uint8, offset=_HEAD.size)
            if len(codes) != rows * dimensions:
                return None
            return with_codes(chunks, _mapped(folder / _VECTORS, (rows, dimensions)), codes, scale, residual)
        except (OSError, ValueError, KeyError, TypeError, RecursionError, struct.error):
            return None

    def forget(self) -> None:
        shutil.rmtree(self._directory, ignore_errors=True)

    def _folder(self, number: int) -> Path:
        return self._directory / f"generation-{number}"


def forget_folders(parent: Path, prefix: str, kept: Collection[str]) -> None:
    """Remove what begins with `prefix` in a folder, but for what is kept; links are not followed."""
    for entry in parent.iterdir():
        if entry.name.startswith(prefix) and entry.name not in kept:
            if entry.is_dir() and not entry.is_symlink():
                shutil.rmtree(entry, ignore_errors=True)
            else:
                entry.unlink(missing_ok=True)


def _mapped(path: Path, shape: tuple[int, ...]) -> NDArray[np.float16]:
    return np.memmap(path, dtype="<f2", mode="r", shape=shape)


def _write(path: Path, array: NDArray[np.float16] | NDArray[np.int64]) -> int:
    return _write_bytes(path, np.ascontiguousarray(array).view(np.uint8).data)


def _write_bytes(path: Path, *contents: bytes | memoryview) -> int:
    """Its checksum; on the disk when this returns."""
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
    with os.fdopen(descriptor, "wb") as file:
        found = 0
        for content in contents:
            file.write(content)
            found = zlib.crc32(content, found)
        file.flush()
        os.fsync(file.fileno())
    return found


def _first_bytes(path: Path, count: int) -> bytes:
    with path.open("rb") as file:
        return file.read(count)


def _checksum(path: Path) -> int:
    found = 0
    with path.open("rb") as file:
        while piece := file.read(_PIECE_BYTES):
            found = zlib.crc32(piece, found)
    return found
