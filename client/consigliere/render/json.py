"""The form for scripts: one JSON object on standard output, UTF-8, nothing else."""

from __future__ import annotations

import sys

from consigliere.errors import ConsigliereError
from consigliere.exchange import encode_json

# Importing `typing` would cost a quarter of what a whole search may take.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def write_object(reply: dict[str, Any]) -> None:
    """The reply as it came, with the protocol's names."""
    sys.stdout.buffer.write(encode_json(reply).encode("utf-8", "replace") + b"\n")


def write_error(error: ConsigliereError) -> None:
    write_object({"error": {"code": error.code, "message": error.message, "cure": error.cure}})
    sys.stdout.flush()
