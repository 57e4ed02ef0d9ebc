"""The command `show`."""

import os
import re
from typing import Any

from consigliere.cli.session import connected, root_of
from consigliere.errors import CallFailed, UsageError
from consigliere.render.terminal import Output

_PLACE = re.compile(r"(.+?):(\d+)(?:-(\d+))?")


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
    match = _PLACE.fullmatch(word)
    if match is None:
        return word, None, None
    start = int(match.group(2))
    end = int(match.group(3)) if match.group(3) else start
    if not 1 <= start <= end:
        raise UsageError(f"{word} names no lines", "write FILE:12 or FILE:12-18")
    return match.group(1), start, end
