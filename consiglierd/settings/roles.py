"""Reads one `[roles.NAME]` table over the role that it changes."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass

from consiglierd.settings.kinds import Words, check, is_word
from consiglierd.settings.kinds import Wrong as WrongValue
from consiglierd.settings.schema import FILE_TYPES, MAX_WEIGHT, MIN_WEIGHT, RoleSettings

MAX_ALIASES = 32
MAX_MAIN_ROOMS = 16
_KEYS = ("rooms", "types", "aliases", "group")


@dataclass(frozen=True, slots=True)
class WrongPart:
    """A part of a role that was left out: the path of keys under the role, and what was expected."""

    path: tuple[str, ...]
    expected: str


def role_from(
    name: str, table: object, before: RoleSettings | None, taken: Collection[str]
) -> tuple[RoleSettings, tuple[WrongPart, ...]]:
    """The role that `table` makes of the role `before` (None: a new one), without its wrong parts.

    `taken` are names and aliases of other roles, in lower case: one name must mean one role.
    """
    before = before or RoleSettings(group=name, aliases=(), rooms=(), weights={})
    if not isinstance(table, dict):
        return before, (WrongPart((), f"a table with the keys {', '.join(_KEYS)}"),)
    wrongs = [WrongPart((str(key)[:32],), f"one of the keys {', '.join(_KEYS)}") for key in table if key not in _KEYS]
    rooms = _rooms(table, before, wrongs)
    weights = _weights(table, before, wrongs)
    aliases = _aliases(table, before, taken, wrongs)
    group = table.get("group", before.group)
    if not is_word(group):
        wrongs.append(WrongPart(("group",), "a name"))
        group = before.group
    return RoleSettings(str(group).strip().lower(), aliases, rooms, weights), tuple(wrongs)


def _rooms(table: Mapping[str, object], before: RoleSettings, wrongs: list[WrongPart]) -> tuple[str, ...]:
    if "rooms" not in table:
        return before.rooms
    rooms = check(Words(MAX_MAIN_ROOMS), table["rooms"])
    if isinstance(rooms, WrongValue) or not isinstance(rooms, tuple):
        wrongs.append(WrongPart(("rooms",), f"a list of at most {MAX_MAIN_ROOMS} names of rooms"))
        return before.rooms
    return rooms


def _weights(table: Mapping[str, object], before: RoleSettings, wrongs: list[WrongPart]) -> Mapping[str, float]:
    given = table.get("types", {})
    if not isinstance(given, dict):
        wrongs.append(WrongPart(("types",), "a table of file types and weights"))
        return before.weights
    weights = dict(before.weights)
    for file_type, weight in given.items():
        is_number = isinstance(weight, int | float) and not isinstance(weight, bool)
        if file_type not in FILE_TYPES:
            wrongs.append(WrongPart(("types", str(file_type)[:32]), f"one of {', '.join(FILE_TYPES)}"))
        elif not is_number or not MIN_WEIGHT <= weight <= MAX_WEIGHT:
            wrongs.append(WrongPart(("types", file_type), f"a number from {MIN_WEIGHT:g} to {MAX_WEIGHT:g}"))
        else:
            weights[file_type] = float(weight)
    return weights


def _aliases(
    table: Mapping[str, object], before: RoleSettings, taken: Collection[str], wrongs: list[WrongPart]
) -> tuple[str, ...]:
    aliases = check(Words(MAX_ALIASES), table.get("aliases", []))
    if isinstance(aliases, WrongValue) or not isinstance(aliases, tuple):
        wrongs.append(WrongPart(("aliases",), f"a list of at most {MAX_ALIASES} other names of the role"))
        return before.aliases
    folded = tuple(alias.strip().lower() for alias in aliases)
    for alias in folded:
        if alias in taken:
            wrongs.append(WrongPart(("aliases",), f'names that no other role has; "{alias}" is another role'))
    free = (alias for alias in folded if alias not in taken)
    return tuple(dict.fromkeys((*before.aliases, *free)))
