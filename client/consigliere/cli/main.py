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

    Body = Callable[[Output, dict[str, Any], list[str]], int]

INTERRUPTED = 130


def run() -> None:
    sys.exit(main([recover_text(word) for word in sys.argv[1:]]))


def main(words: list[str]) -> int:
    """Run one command; its exit status (0 found or done, 1 nothing found, 2 usage, 3 no daemon, 4 failure)."""
    _fill_closed_streams()
    output = Output()
    try:
        return _run_and_report(output, words)
    except BrokenPipeError:
        # Whoever read us has seen enough.
        return 0
    except KeyboardInterrupt:
        return INTERRUPTED


def _fill_closed_streams() -> None:
    """Where a standard stream is closed, its number would go to the next file opened, and that be written to."""
    for descriptor in (0, 1, 2):
        try:
            os.fstat(descriptor)
        except OSError:
            os.open(os.devnull, os.O_RDWR)


def _run_and_report(output: Output, words: list[str]) -> int:
    try:
        status = _run(output, words)
        output.flush()
        return status
    except BrokenPipeError:
        raise
    except OSError as error:
        place = f": {error.filename}" if error.filename else ""
        return _report(output, words, ConsigliereError(f"{error.strerror}{place}", "mend that and try again"))
    except ConsigliereError as error:
        return _report(output, words, error)


def _report(output: Output, words: list[str], error: ConsigliereError) -> int:
    if "--json" in words:
        from consigliere.render.json import write_error  # only for an error

        output.drop()
        write_error(output, error.code, error.message, error.cure)
        output.flush()
    else:
        complain(error.message, error.cure)
    return error.exit_status


def _run(output: Output, words: list[str]) -> int:
    words = _command_first(words)
    if not words or words[0] in ("-h", "--help", "help"):
        from consigliere.cli.help import write_help, write_overview  # only for help

        if len(words) > 1 and words[1] in COMMANDS:
            write_help(output, COMMANDS[words[1]])
        else:
            write_overview(output)
        return 0 if words else 2
    if words[0] in ("--version", "version"):
        from consigliere import __version__

        output.line(f"consigliere {__version__}")
        return 0
    command = COMMANDS.get(words[0])
    if command is None:
        from consigliere.cli.help import nearest_command  # only for an error

        raise UsageError(f"there is no command {words[0]}", nearest_command(words[0]))
    values, others = parse_words(words[1:], command)
    if values.get("help"):
        from consigliere.cli.help import write_help

        write_help(output, command)
        return 0
    return _body_of(command.name)(output, values, others)


def _command_first(words: list[str]) -> list[str]:
    """The command before the options that every command has; `--search Q` is the other spelling of `search Q`."""
    before: list[str] = []
    while words and (words[0] in ("--json", "--root") or words[0].startswith("--root=")):
        count = 2 if words[0] == "--root" else 1
        before += words[:count]
        words = words[count:]
    if words and words[0].partition("=")[0] == "--search":
        words = ["search", *words[0].partition("=")[2:], *words[1:]] if "=" in words[0] else ["search", *words[1:]]
    return [*words[:1], *before, *words[1:]]


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
        case "init" | "completion" | "eval" | "tune":
            return _installed_only(name)
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


def _installed_only(name: str) -> Body:
    """The commands that the one-file client leaves out."""
    try:
        from consigliere.cli import evaluation, setup
    except ImportError:
        raise UsageError(f"the one-file client has no `{name}`", f"run `consigliere {name}` as installed") from None
    return {
        "init": setup.init,
        "completion": setup.completion,
        "eval": evaluation.evaluate,
        "tune": evaluation.tune,
    }[name]
