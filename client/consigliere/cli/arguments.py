"""From words on the command line to values, with errors that name the right form.

Our own few lines, since importing argparse costs a third of what the whole client may take.
"""

from __future__ import annotations

import os

from consigliere.cli.grammar import COMMON, Command, Option
from consigliere.errors import UsageError

# Importing `typing` would cost a quarter of what a whole search may take.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

ALIASES = {"--limit": "--top", "-h": "--help"}


def recover_text(word: str) -> str:
    """The UTF-8 text that was typed, also where the locale made Python take its bytes for something else."""
    try:
        return os.fsencode(word).decode("utf-8")
    except (UnicodeDecodeError, UnicodeEncodeError):
        return word.encode("utf-8", "replace").decode("utf-8")


def parse_words(words: list[str], command: Command) -> tuple[dict[str, Any], list[str]]:
    """Option values by name without dashes, and the other words; raises UsageError."""
    options = {option[0]: option for option in (*command.options, *COMMON)}
    values: dict[str, Any] = {}
    others: list[str] = []
    position = 0
    while position < len(words):
        word = words[position]
        position += 1
        if word == "--":
            others.extend(words[position:])
            break
        if not word.startswith("-") or word == "-" or (len(word) > 1 and word[1].isdigit()):
            others.append(word)
            continue
        name, has_value, value = word.partition("=")
        name = ALIASES.get(name, name)
        option = options.get(name)
        if option is None:
            raise UsageError(f"{command.name} has no option {name}", _nearest(name, options, command))
        if option[1] == "flag":
            if has_value:
                raise UsageError(f"{name} takes no value", f"write {name} alone")
            values[_key(name)] = True
            continue
        if not has_value:
            if position >= len(words):
                raise UsageError(f"{name} needs a value", f"for example: {command.example}")
            value = words[position]
            position += 1
        _put(values, option, value)
    if not values.get("help"):
        _check_count(others, command)
    return values, others


def _key(name: str) -> str:
    return name.lstrip("-").replace("-", "_")


def _put(values: dict[str, Any], option: Option, value: str) -> None:
    name, kind = option[0], option[1]
    key = _key(name)
    if kind == "list":
        values.setdefault(key, []).append(value)
    elif kind == "whole":
        if not value.isdecimal() or not 1 <= int(value) <= 1000:
            raise UsageError(f"{name} {value} is no number from 1 to 1000", f"write {name} 5")
        values[key] = int(value)
    elif kind == "number":
        try:
            values[key] = float(value)
        except ValueError:
            raise UsageError(f"{name} {value} is no number", f"write {name} 0.3") from None
        if not 0.0 <= values[key] <= 1.0:
            raise UsageError(f"{name} {value} is not between 0 and 1", f"write {name} 0.3")
    elif kind == "date":
        values[key] = _day(name, value)
    else:
        values[key] = value


def _day(name: str, value: str) -> str:
    parts = value.split("-")
    if [len(part) for part in parts] == [4, 2, 2] and all(part.isascii() and part.isdigit() for part in parts):
        year, month, day = map(int, parts)
        leap = year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)
        lengths = (31, 29 if leap else 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)
        if year >= 1 and 1 <= month <= 12 and 1 <= day <= lengths[month - 1]:
            return value
    raise UsageError(f"{name} {value} is no day", f"write {name} 2026-03-28")


def _check_count(others: list[str], command: Command) -> None:
    if len(others) < command.needs:
        raise UsageError(f"{command.name} needs {command.places}", f"for example: {command.example}")
    if len(others) > command.most:
        extra = others[command.most]
        raise UsageError(
            f"{command.name} does not know what to do with {extra}", f"see `consigliere {command.name} --help`"
        )


def _nearest(name: str, options: dict[str, Option], command: Command) -> str:
    import difflib  # here, since it is needed only for an error

    near = difflib.get_close_matches(name, options, 1)
    return f"did you mean {near[0]}?" if near else f"see `consigliere {command.name} --help`"
