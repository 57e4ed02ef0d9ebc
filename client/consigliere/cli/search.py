"""The command `search`."""

from __future__ import annotations

from consigliere.cli.session import connected, language_for, root_of
from consigliere.errors import UsageError
from consigliere.render.terminal import Output

# Importing `typing` would cost a quarter of what a whole search may take.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from consigliere.protocol.shapes import FiltersShape, SearchParams

DEADLINE_S = 30.0


def search(output: Output, values: dict[str, Any], words: list[str]) -> int:
    """Exit status 0 with hits, 1 without."""
    for name, what in (("at", "searching as of a commit"), ("unified", "searching code and documents together")):
        if name in values:
            raise UsageError(f"--{name}: {what} comes with a later version", f"leave --{name} out")
    query = " ".join(words)
    if not query.strip():
        raise UsageError("the query is empty", 'for example: consigliere search "보안 관련 결정"')
    root = root_of(values)
    with connected() as client:
        reply = client.call("search", search_params(query, values), root=root, deadline_s=DEADLINE_S)
    if values.get("json"):
        from consigliere.render.json import write_object

        write_object(output, reply)
    else:
        from consigliere.render.plain import write_search

        write_search(output, reply, language=language_for(root))
    return 0 if reply["hits"] else 1


def search_params(query: str, values: dict[str, Any]) -> SearchParams:
    """The parameters of the call: only what was asked for, so that the daemon's settings decide the rest."""
    filters: FiltersShape = {}
    if "type" in values:
        filters["types"] = values["type"]
    if "tag" in values:
        filters["tags"] = values["tag"]
    if "status" in values:
        filters["statuses"] = values["status"]
    if "path" in values:
        filters["path_globs"] = values["path"]
    if "after" in values:
        filters["after"] = values["after"]
    if "before" in values:
        filters["before"] = values["before"]
    params: SearchParams = {"query": query}
    if filters:
        params["filters"] = filters
    if "top" in values:
        params["limit"] = values["top"]
    if "role" in values:
        params["role"] = values["role"]
    if "min_score" in values:
        params["min_score"] = values["min_score"]
    for flag in ("explain", "full", "fresh"):
        if flag in values:
            params[flag] = True
    return params
