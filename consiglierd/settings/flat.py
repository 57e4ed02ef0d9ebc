"""Settings as a flat mapping of dotted names to values, and back."""

from collections.abc import Mapping
from dataclasses import fields

import msgspec

from consiglierd.settings import shipped
from consiglierd.settings.kinds import Value
from consiglierd.settings.schema import SECTIONS, SETTING_BY_NAME, SETTINGS, RoleSettings, Settings

FlatValue = Value | RoleSettings

_TABLES = ("types", "rooms", "tags", "roles")


def shipped_values() -> dict[str, FlatValue]:
    """What is in force without any settings file."""
    values: dict[str, FlatValue] = {setting.name: setting.default for setting in SETTINGS}
    values.update({f"rooms.{name}": words for name, words in shipped.ROOMS.items()})
    values.update({f"tags.{name}": words for name, words in shipped.TAGS.items()})
    values.update({f"roles.{name}": role for name, role in shipped.ROLES.items()})
    return values


def flatten(settings: Settings) -> dict[str, FlatValue]:
    """Every value under its dotted name, in the order of the schema."""
    values: dict[str, FlatValue] = {}
    for name in SETTING_BY_NAME:
        section, _, key = name.rpartition(".")
        values[name] = getattr(getattr(settings, section) if section else settings, key)
    for table in _TABLES:
        values.update({f"{table}.{name}": value for name, value in getattr(settings, table).items()})
    return values


def build(values: Mapping[str, FlatValue]) -> Settings:
    """The settings that these values make; each must be there and be of its kind."""
    nested: dict[str, object] = {section: {} for section in (*SECTIONS, *_TABLES)}
    for name, value in values.items():
        section, dot, key = name.partition(".")
        if not dot:
            nested[section] = value
            continue
        table = nested[section]
        assert isinstance(table, dict)
        table[key] = _as_mapping(value) if isinstance(value, RoleSettings) else value
    return msgspec.convert(nested, Settings)


def _as_mapping(role: RoleSettings) -> dict[str, object]:
    return {field.name: getattr(role, field.name) for field in fields(role)}
