"""Whether the files of a Tantivy directory are as they were written: each ends with the checksum of the rest.

Tantivy itself trusts what it maps: a flipped bit gives other answers, or ends in a panic.
"""

import json
import os
import zlib
from collections.abc import Callable
from pathlib import Path

_MAGIC = 1337
_TRAILER_BYTES = 8
_LONGEST_FOOTER = 4096
_PIECE_BYTES = 1 << 20


def is_whole(directory: Path) -> bool:
    """Whether every file of the committed segments agrees with its checksum. What was left by a
    crash before its commit belongs to no segment."""
    try:
        segments = json.loads((directory / "meta.json").read_bytes())["segments"]
        names = {str(segment["segment_id"]).replace("-", "") for segment in segments}
        files = [entry for entry in directory.iterdir() if entry.name.partition(".")[0] in names]
        return names <= {file.name.partition(".")[0] for file in files} and all(map(_agrees, files))
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return False


def _agrees(path: Path) -> bool:
    with path.open("rb") as file:
        size = os.fstat(file.fileno()).st_size
        file.seek(max(0, size - _TRAILER_BYTES))
        trailer = file.read(_TRAILER_BYTES)
        length = int.from_bytes(trailer[:4], "little")
        content = size - _TRAILER_BYTES - length
        if int.from_bytes(trailer[4:], "little") != _MAGIC or length > _LONGEST_FOOTER or content < 0:
            return False
        file.seek(content)
        expected = int(json.loads(file.read(length))["crc"])
        file.seek(0)
        return _checksum(file.read, content) == expected


def _checksum(read: Callable[[int], bytes], length: int) -> int:
    found, left = 0, length
    while left > 0 and (piece := read(min(left, _PIECE_BYTES))):
        found = zlib.crc32(piece, found)
        left -= len(piece)
    return found
