"""The form for scripts: one JSON object on standard output, UTF-8, nothing else."""

from __future__ import annotations

from consigliere.protocol.codec import encode_json
from consigliere.render.terminal import Output

# Importing `typing` would cost a quarter of what a whole search may take.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping


def write_object(output: Output, reply: Mapping[str, object]) -> None:
    """The reply as it came, with the protocol's names, on one line."""
    output.line(encode_json(reply))


def write_error(output: Output, code: str, message: str, cure: str) -> None:
    write_object(output, {"error": {"code": code, "message": message, "cure": cure}})
