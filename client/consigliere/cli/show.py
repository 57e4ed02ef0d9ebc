"""The command `show`."""

from __future__ import annotations

import os

from consigliere.cli.session import connected, root_of
from consigliere.errors import CallFailed, UsageError
from consigliere.render.terminal import Output

# Importing `typing` would cost a quarter of what a whole search may take.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def show(values: dict[str, Any], words: list[str]) -> int:
    """Lines of a document, verbatim; a path is looked for from here, then from the root."""
    path, line_start, line_end = split_place(words[0])
    root = root_of(values)
    params: dict[str, Any] = {"line_start": line_start, "line_end": line_end, "section": bool(values.get("section"))}
    here = os.path.relpath(os.path.realpath(path), root)
    candidates = [path] if here == path or here.startswith("..") else [here, path]
    with connected() as client:
        for position, candidate in enumerate(candidates):
            try:
                reply = client.call("show", {**params, "file": candidate}, root=root)
            except CallFailed as error:
                if error.code != "not_found" or position == len(candidates) - 1:
                    raise
            else:
                break
    if values.get("json"):
        from consigliere.render.json import write_object

        write_object(reply)
    else:
        output = Output()
        output.line(output.fit(reply["text"]))
    return 0


def split_place(word: str) -> tuple[str, int | None, int | None]:
    """`a.md:12-18` to its path and lines; a colon that no number follows belongs to the path."""
    path, colon, lines = word.rpartition(":")
    first, dash, last = lines.partition("-")
    if not (path and colon and _is_number(first) and (_is_number(last) if dash else not last)):
        return word, None, None
    start, end = int(first), int(last or first)
    if not 1 <= start <= end:
        raise UsageError(f"{word} names no lines", "write FILE:12 or FILE:12-18")
    return path, start, end


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdigit() and len(text) < 10
