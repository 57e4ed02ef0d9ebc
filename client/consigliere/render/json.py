"""The form for scripts: one JSON object on standard output, UTF-8, nothing else."""

import json
import sys
from typing import Any

from consigliere.errors import ConsigliereError


def write_object(reply: dict[str, Any]) -> None:
    """The reply as it came, with the protocol's names."""
    sys.stdout.buffer.write(json.dumps(reply, ensure_ascii=False).encode("utf-8", "replace") + b"\n")


def write_error(error: ConsigliereError) -> None:
    write_object({"error": {"code": error.code, "message": error.message, "cure": error.cure}})
    sys.stdout.flush()
