"""Help: the overview and one text a command."""

import difflib

from consigliere.cli.grammar import COMMANDS, COMMON, Command
from consigliere.render.terminal import Output


def write_overview(output: Output) -> None:
    output.line("consigliere: a project's memory. It returns what stands in your files, with file:line, or nothing.")
    output.line()
    output.line("usage: consigliere COMMAND [OPTION...]")
    output.line()
    for command in COMMANDS.values():
        output.line(f"  {command.name:<12}{command.summary}")
    output.line()
    output.line("`consigliere COMMAND --help` tells the rest. `consigliere --search Q` is `consigliere search Q`.")
    output.line('example: consigliere search "보안 관련 결정"')


def write_help(output: Output, command: Command) -> None:
    places = f" {command.places}" if command.places else ""
    output.line(f"usage: consigliere {command.name}{places} [OPTION...]")
    output.line()
    output.line(f"  {command.summary}")
    output.line()
    for name, _, metavar, text in (*command.options, *COMMON):
        output.line(f"  {f'{name} {metavar}'.strip():<20}{text}")
    output.line()
    output.line(f"example: {command.example}")


def nearest_command(name: str) -> str:
    near = difflib.get_close_matches(name, COMMANDS, 1)
    return f"did you mean {near[0]}?" if near else "see `consigliere --help`"
