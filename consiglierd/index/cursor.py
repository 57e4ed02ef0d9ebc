"""Where an index stands: written beside it, whole or not at all, after each of its commits."""

import json
import os
from dataclasses import asdict, dataclass
from pathlib import Path

FILE_NAME = "cursor.json"
_MAX_BYTES = 4096


@dataclass(frozen=True, slots=True)
class Cursor:
    """`nonce` is the database's, `fingerprint` says how documents were made, `generation` names the directory."""

    nonce: str
    fingerprint: str
    revision: int
    generation: int


def read_cursor(directory: Path) -> Cursor | None:
    """None where there is none, or none that can be read: the index is then built anew."""
    try:
        with open(directory / FILE_NAME, "rb") as file:
            values = json.loads(file.read(_MAX_BYTES))
        return Cursor(
            str(values["nonce"]), str(values["fingerprint"]), int(values["revision"]), int(values["generation"])
        )
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return None


def write_cursor(directory: Path, cursor: Cursor) -> None:
    temporary = directory / f"{FILE_NAME}.new"
    descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
    with os.fdopen(descriptor, "wb") as file:
        file.write(json.dumps(asdict(cursor)).encode())
        file.flush()
        os.fsync(file.fileno())
    os.replace(temporary, directory / FILE_NAME)
