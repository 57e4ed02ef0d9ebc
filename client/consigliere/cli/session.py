"""One command's connection: the root it is about and the daemon it speaks to."""

from __future__ import annotations

import os

from consigliere.client import Client
from consigliere.endpoint import find_endpoint, find_root
from consigliere.errors import DaemonUnreachable

# Importing `typing` would cost a quarter of what a whole search may take.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

HOT_DEADLINE_S = 30.0


def root_of(values: dict[str, Any]) -> str:
    return find_root(os.getcwd(), values.get("root"))


def connected(*, may_start: bool = True) -> Client:
    """The daemon's client; starting one is imported only where none runs."""
    endpoint = find_endpoint()
    try:
        return Client(endpoint)
    except DaemonUnreachable as error:
        if not may_start or error.kind == "silent":
            raise
    from consigliere.launch import start_and_connect  # costs as much as all the rest

    return start_and_connect(endpoint)


def ask(
    values: dict[str, Any], call: str, params: dict[str, Any] | None = None, *, deadline_s: float = HOT_DEADLINE_S
) -> dict[str, Any]:
    """One call about the workspace that one stands in."""
    root = root_of(values)
    client = connected()
    try:
        return client.call(call, params, root=root, deadline_s=deadline_s)
    finally:
        client.close()
