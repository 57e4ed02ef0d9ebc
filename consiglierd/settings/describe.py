"""What is in force, setting by setting, for people."""

import json
from dataclasses import dataclass

from consiglierd.settings.flat import FlatValue, flatten
from consiglierd.settings.load import Loaded
from consiglierd.settings.schema import SETTING_BY_NAME, TABLES, RoleSettings


@dataclass(frozen=True, slots=True)
class SettingDescription:
    """One setting in force: its dotted name, its value as TOML, its source, and what it does."""

    name: str
    value: str
    source: str
    help: str


def describe(loaded: Loaded) -> tuple[SettingDescription, ...]:
    """Every setting in the order of the schema, then types, rooms, tags and roles."""
    return tuple(
        SettingDescription(name, toml_value(value), loaded.provenance[name], _help_of(name))
        for name, value in flatten(loaded.settings).items()
    )


def toml_value(value: FlatValue) -> str:
    """A value as it would stand behind `=` in a TOML file."""
    if isinstance(value, RoleSettings):
        weights = ", ".join(f"{name} = {toml_value(weight)}" for name, weight in value.weights.items())
        return (
            f"{{ group = {toml_value(value.group)}, rooms = {toml_value(value.rooms)}, "
            f"types = {{ {weights} }}, aliases = {toml_value(value.aliases)} }}"
        )
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        # A JSON string is a TOML basic string, but for DEL, which no setting can hold.
        return json.dumps(value, ensure_ascii=False)
    if isinstance(value, tuple):
        return "[" + ", ".join(toml_value(item) for item in value) + "]"
    return repr(value)


def _help_of(name: str) -> str:
    if name in SETTING_BY_NAME:
        return SETTING_BY_NAME[name].help
    section = name.partition(".")[0]
    return next(table.help for table in TABLES if table.name.partition(".")[0] == section)
