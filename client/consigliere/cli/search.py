"""The command `search`."""

from __future__ import annotations

from consigliere.cli.session import ask
from consigliere.errors import UsageError
from consigliere.render.terminal import Output

# Importing `typing` would cost a quarter of what a whole search may take.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

FILTERS = (("type", "types"), ("tag", "tags"), ("status", "statuses"), ("path", "path_globs"))


def search(values: dict[str, Any], words: list[str]) -> int:
    """Exit status 0 with hits, 1 without."""
    for name, what in (("at", "searching as of a commit"), ("unified", "searching code and documents together")):
        if name in values:
            raise UsageError(f"--{name} is not there yet ({what} comes with a later version)", f"leave --{name} out")
    query = " ".join(words)
    if not query.strip():
        raise UsageError("the query is empty", 'for example: consigliere search "보안 관련 결정"')
    reply = ask(values, "search", search_params(query, values))
    if values.get("json"):
        from consigliere.render.json import write_object

        write_object(reply)
    else:
        from consigliere.render.plain import write_search

        write_search(Output(), reply, is_explaining=bool(values.get("explain")))
    return 0 if reply["hits"] else 1


def search_params(query: str, values: dict[str, Any]) -> dict[str, Any]:
    """The parameters of the call `search`."""
    filters: dict[str, Any] = {wire: values[name] for name, wire in FILTERS if name in values}
    filters.update({name: values[name] for name in ("after", "before") if name in values})
    params: dict[str, Any] = {"query": query}
    if filters:
        params["filters"] = filters
    if "top" in values:
        params["limit"] = values["top"]
    params.update({name: values[name] for name in ("role", "min_score", "explain", "fresh", "full") if name in values})
    return params
