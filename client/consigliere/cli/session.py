"""One command's surroundings: its root, its language, and the daemon it speaks to."""

from __future__ import annotations

import os
import sys

from consigliere.client import Client
from consigliere.endpoint import find_endpoint, find_root
from consigliere.errors import DaemonUnreachable, UsageError
from consigliere.render.terminal import language_of

# Importing `typing` would cost a quarter of what a whole search may take.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

SETTINGS_FILE = ".consigliere.toml"
SETTINGS_BYTES = 64 * 1024


def working_directory() -> str:
    try:
        return os.getcwd()
    except OSError as error:
        raise UsageError(f"the working directory cannot be read: {error.strerror}", "go to another folder") from None


def root_of(values: dict[str, Any]) -> str:
    return find_root(working_directory(), values.get("root"), _project_of_program())


def _project_of_program() -> str | None:
    """The project that the one-file client was put into, as its `bin/consigliere`; None for an installed program."""
    program = sys.modules["__main__"]
    place = os.path.realpath(getattr(program, "__file__", None) or "")
    if not hasattr(program, "SOURCES") or os.path.basename(os.path.dirname(place)) != "bin":
        return None
    return os.path.dirname(os.path.dirname(place))


def language_for(root: str) -> str:
    """`ko` or `en`, by `lang` of the project's settings, else by the locale.

    The daemon reads the settings; this one line is looked for here, since messages must be
    understood also where no daemon answers, and TOML's reader would cost more than a search.
    """
    try:
        with open(os.path.join(root, SETTINGS_FILE), "rb") as file:
            lines = file.read(SETTINGS_BYTES).decode("utf-8", "replace").split("\n")
    except OSError:
        return language_of("")
    for line in lines:
        name, equals, value = line.partition("=")
        if line.lstrip().startswith("["):
            break
        if equals and name.strip() == "lang":
            return language_of(value.partition("#")[0].strip().strip("\"'"))
    return language_of("")


def connected(*, may_start: bool = True) -> Client:
    """The daemon's client; starting one is imported only where none runs."""
    endpoint = find_endpoint()
    try:
        return Client(endpoint)
    except DaemonUnreachable as error:
        if not may_start or error.kind in ("silent", "unsafe"):
            raise
    from consigliere.launch import start_and_connect  # costs as much as all the rest

    return start_and_connect(endpoint, lambda: Client(endpoint), lambda client: client.call("hello")["pid"])
