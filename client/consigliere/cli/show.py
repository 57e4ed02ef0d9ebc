"""The command `show`."""

from __future__ import annotations

import os

from consigliere.cli.session import connected, root_of, working_directory
from consigliere.errors import CallFailed, UsageError
from consigliere.render.terminal import Output

# Importing `typing` would cost a quarter of what a whole search may take.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from consigliere.client import Client
    from consigliere.protocol.shapes import ShowReplyShape


def show(output: Output, values: dict[str, Any], words: list[str]) -> int:
    """Lines of a document, verbatim; a path is looked for from here, then from the root."""
    path, line_start, line_end = split_place(words[0])
    root = root_of(values)
    if values.get("section") and line_start is None:
        raise UsageError("--section needs a line", f"write {path}:12 --section")
    with connected() as client:
        reply = _ask(client, root, paths_from_root(path, root), line_start, line_end, is_section=values.get("section"))
    if values.get("json"):
        from consigliere.render.json import write_object

        write_object(output, reply)
    elif reply["text"] or reply["line_count"]:
        output.line(output.fit(reply["text"]))
    return 0


def _ask(
    client: Client,
    root: str,
    paths: list[str],
    line_start: int | None,
    line_end: int | None,
    *,
    is_section: bool | None,
) -> ShowReplyShape:
    """The answer for the first path that the daemon knows."""
    for path in paths[:-1]:
        try:
            return client.call(
                "show",
                {"file": path, "line_start": line_start, "line_end": line_end, "section": bool(is_section)},
                root=root,
            )
        except CallFailed as error:
            if error.code != "not_found":
                raise
    return client.call(
        "show",
        {"file": paths[-1], "line_start": line_start, "line_end": line_end, "section": bool(is_section)},
        root=root,
    )


def paths_from_root(path: str, root: str) -> list[str]:
    """The paths, relative to the root, that `path` may mean: as typed here, and as results name it."""
    here = os.path.join(working_directory(), path)
    from_here = os.path.relpath(os.path.join(os.path.realpath(os.path.dirname(here)), os.path.basename(here)), root)
    if from_here.split("/")[0] == "..":
        if os.path.isabs(path):
            raise UsageError(f"{path} is outside of {root}", "name the project with --root DIR")
        return [path]
    return [from_here] if from_here == path or os.path.isabs(path) else [from_here, path]


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
