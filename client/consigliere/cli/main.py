"""The programs `consigliere` and `consigliere-client`: from words to a command, from errors to an exit status."""

from __future__ import annotations

import os
import sys

from consigliere.cli.arguments import parse_words, recover_text
from consigliere.cli.grammar import COMMANDS
from consigliere.errors import ConsigliereError, UsageError
from consigliere.render.terminal import Output, complain

# Importing `typing` would cost a quarter of what a whole search may take.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    Body = Callable[[dict[str, Any], list[str]], int]

INTERRUPTED = 130


def run() -> None:
    sys.exit(main([recover_text(word) for word in sys.argv[1:]]))


def main(words: list[str]) -> int:
    """Run one command; its exit status (0 found or done, 1 nothing found, 2 usage, 3 no daemon, 4 failure)."""
    is_json = "--json" in words
    try:
        status = _run(words)
        sys.stdout.flush()
        return status
    except ConsigliereError as error:
        if is_json:
            from consigliere.render.json import write_error  # only for an error

            write_error(error)
        else:
            complain(error.message, error.cure)
        return error.exit_status
    except BrokenPipeError:
        # Whoever read us has seen enough. Python would complain once more while it ends.
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        return 0
    except KeyboardInterrupt:
        return INTERRUPTED


def _run(words: list[str]) -> int:
    if not words or words[0] in ("-h", "--help", "help"):
        from consigliere.cli.help import write_overview  # only for help

        write_overview(Output())
        return 0 if words else 2
    if words[0] in ("--version", "version"):
        from consigliere import __version__

        Output().line(f"consigliere {__version__}")
        return 0
    if words[0] == "--search" or words[0].startswith("--search="):
        # The other spelling of the user's specification.
        words = ["search", *([words[0].partition("=")[2]] if "=" in words[0] else []), *words[1:]]
    command = COMMANDS.get(words[0])
    if command is None:
        from consigliere.cli.help import nearest_command  # only for an error

        raise UsageError(f"there is no command {words[0]}", nearest_command(words[0]))
    values, others = parse_words(words[1:], command)
    if values.get("help"):
        from consigliere.cli.help import write_help

        write_help(Output(), command)
        return 0
    return _body_of(command.name)(values, others)


def _body_of(name: str) -> Body:
    """The function of a command; its module is imported now, so that a search imports only what a search needs."""
    match name:
        case "search":
            from consigliere.cli.search import search

            return search
        case "show":
            from consigliere.cli.show import show

            return show
        case "index":
            from consigliere.cli.indexing import index

            return index
        case "init" | "completion":
            from consigliere.cli import setup

            return {"init": setup.init, "completion": setup.completion}[name]
        case "start" | "stop" | "restart" | "logs":
            from consigliere.cli import life

            return {"start": life.start, "stop": life.stop, "restart": life.restart, "logs": life.logs}[name]
        case _:
            from consigliere.cli import state

            return {
                "status": state.status,
                "doctor": state.doctor,
                "config": state.config,
                "workspaces": state.workspaces,
                "forget": state.forget,
            }[name]
