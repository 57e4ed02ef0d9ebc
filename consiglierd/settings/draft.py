"""Settings under construction: one file after another laid over the shipped values."""

import difflib
from collections.abc import Callable, Iterable, Mapping

from consiglierd.settings.files import SettingsFile, SettingsProblem
from consiglierd.settings.flat import FlatValue, shipped_values
from consiglierd.settings.kinds import Words, Wrong, check, what_is_wrong_with_glob
from consiglierd.settings.roles import role_from
from consiglierd.settings.schema import (
    FILE_TYPES,
    MAX_ROLES,
    MAX_ROOMS,
    MAX_TAGS,
    MAX_TYPES,
    MAX_WORDS,
    RESERVED_SECTIONS,
    SECTIONS,
    SETTING_BY_NAME,
    RoleSettings,
    Setting,
)

DEFAULT_SOURCE = "default"
_TABLES = ("types", "rooms", "tags", "roles")
_MAX_NAME_CHARACTERS = 32
_MAX_PROBLEMS = 100


class Draft:
    """Guards three mappings that must agree: values by dotted name, their sources, and the problems.

    A wrong value is left out: what stood there before stays, and if the same file gave a good value
    for it the last time (`last_values`, `last_sources`), then that one.
    """

    def __init__(self, last_values: Mapping[str, FlatValue], last_sources: Mapping[str, str]) -> None:
        self.values: dict[str, FlatValue] = shipped_values()
        self.sources: dict[str, str] = dict.fromkeys(self.values, DEFAULT_SOURCE)
        self.problems: list[SettingsProblem] = []
        self._last_values = last_values
        self._last_sources = last_sources

    def lay(self, file: SettingsFile) -> None:
        """Lays a file's values over what is there."""
        tables: Mapping[str, tuple[int, Callable[[SettingsFile, str, object], None]]] = {
            "types": (MAX_TYPES, self._lay_type),
            "rooms": (MAX_ROOMS, self._lay_words),
            "tags": (MAX_TAGS, self._lay_words),
            "roles": (MAX_ROLES, self._lay_role),
        }
        for section, value in file.values.items():
            if section in tables and isinstance(value, dict):
                limit, lay_one = tables[section]
                earlier = self._set_aside_types() if section == "types" else {}
                if len(value) > limit:
                    self._complain(file, (section,), f"`[{section}]` has more than {limit} entries", "remove some")
                for name in list(value)[:limit]:
                    lay_one(file, f"{section}.{name}", value[name])
                self.values.update({name: glob for name, glob in earlier.items() if name not in self.values})
            elif section in SECTIONS and isinstance(value, dict):
                for key in value:
                    self._lay_scalar(file, f"{section}.{key}", (section, key), value[key])
            elif section in (*SECTIONS, *_TABLES):
                self._complain(file, (section,), f"`{section}` is not a section", f"write `[{section}]`")
            elif section in RESERVED_SECTIONS:
                self._complain(file, (section,), f"`[{section}]` is not read by this version", "leave it for later")
            else:
                self._lay_scalar(file, section, (section,), value)

    def add_problem(self, problem: SettingsProblem) -> None:
        """Keeps at most a hundred problems: a hostile file must not fill the log."""
        if len(self.problems) < _MAX_PROBLEMS:
            self.problems.append(problem)

    def _set_aside_types(self) -> dict[str, FlatValue]:
        """Patterns of a weaker file, to be put behind those of the file that is laid: the first match counts."""
        names = [name for name in self.values if name.startswith("types.")]
        return {name: self.values.pop(name) for name in names}

    def _lay_scalar(self, file: SettingsFile, name: str, path: tuple[str, ...], value: object) -> None:
        setting = SETTING_BY_NAME.get(name)
        if setting is None:
            self._complain_of_name(file, name, path, isinstance(value, dict))
            return
        checked = check(setting.kind, value)
        if isinstance(checked, Wrong):
            self._refuse(file, name, path, value, checked.expected)
        elif _needs_trust(setting, checked, file, self.values[name]):
            message = f"`{name}` = {_shown(value)} is not taken from a repository that you have not trusted"
            self._complain(file, path, message, "write it into your own settings file if you want it")
        else:
            self._take(file, name, path, checked)

    def _lay_words(self, file: SettingsFile, name: str, value: object) -> None:
        path = tuple(name.split(".", 1))
        checked = check(Words(MAX_WORDS), value)
        if not _is_name(path[1]):
            self._complain(file, path, f"`{_cut(path[1])}` is not a name", "use letters, digits, `-` and `_`")
        elif isinstance(checked, Wrong):
            self._refuse(file, name, path, value, checked.expected)
        elif not checked:
            # An empty list takes a shipped room or tag away.
            self.values.pop(name, None)
            self.sources.pop(name, None)
        else:
            self._take(file, name, path, checked)

    def _lay_type(self, file: SettingsFile, name: str, value: object) -> None:
        path = tuple(name.split(".", 1))
        wrong = what_is_wrong_with_glob(path[1])
        if wrong is not None:
            self._complain(file, path, f"{_shown(path[1])} is not {wrong}", "correct the pattern")
        elif not isinstance(value, str) or value not in FILE_TYPES:
            expected = "one of " + ", ".join(FILE_TYPES) + _nearest(str(value), FILE_TYPES)
            self._refuse(file, name, path, value, expected)
        else:
            self._take(file, name, path, value)

    def _lay_role(self, file: SettingsFile, name: str, value: object) -> None:
        path = tuple(name.split(".", 1))
        key = path[1].strip().lower()
        roles = {
            other.removeprefix("roles."): role for other, role in self.values.items() if isinstance(role, RoleSettings)
        }
        # A name that is an alias of a shipped role means that role.
        own_name = next((other for other, role in roles.items() if key == other or key in role.aliases), key)
        if not _is_name(own_name):
            self._complain(file, path, f"`{_cut(path[1])}` is not a name", "use letters, digits, `-` and `_`")
            return
        others = {other: role for other, role in roles.items() if other != own_name}
        taken = {word for other, role in others.items() for word in (other, *role.aliases)}
        role, wrongs = role_from(own_name, value, roles.get(own_name), taken)
        for wrong in wrongs:
            at = (*path, *wrong.path)
            self._complain(file, at, f"`{'.'.join(at)}` is wrong", f"expected {wrong.expected}")
        self._take(file, f"roles.{own_name}", path, role)

    def _take(self, file: SettingsFile, name: str, path: tuple[str, ...], value: FlatValue) -> None:
        self.values[name] = value
        self.sources[name] = f"{file.label}:{file.line_of(*path)}"

    def _refuse(self, file: SettingsFile, name: str, path: tuple[str, ...], value: object, expected: str) -> None:
        last_source = self._last_sources.get(name, "")
        kept = ""
        setting = SETTING_BY_NAME.get(name)
        # What a trusted file named does not outlive the trust.
        may_stay = file.is_trusted or setting is None or setting.harmless is None
        if may_stay and last_source.startswith(f"{file.label}:") and name in self._last_values:
            self.values[name] = self._last_values[name]
            self.sources[name] = last_source
            kept = " (the last good value stays)"
        self._complain(file, path, f"`{name}` = {_shown(value)} is wrong{kept}", f"expected {expected}")

    def _complain_of_name(self, file: SettingsFile, name: str, path: tuple[str, ...], is_table: bool) -> None:
        noun = "section" if is_table else "setting"
        known: Iterable[str] = (*SECTIONS, *_TABLES) if is_table else SETTING_BY_NAME
        shown = f"[{name}]" if is_table else name
        cure = _nearest(name, known) or "; see `consigliere config` for the names"
        self._complain(file, path, f"there is no {noun} `{_cut(shown)}`", cure.removeprefix("; "))

    def _complain(self, file: SettingsFile, path: tuple[str, ...], message: str, cure: str) -> None:
        self.add_problem(SettingsProblem(file.label, file.line_of(*path), message, cure))


def _needs_trust(setting: Setting, value: object, file: SettingsFile, before: object) -> bool:
    if file.is_trusted or setting.harmless is None:
        return False
    return value != before and value not in setting.harmless


def _nearest(name: str, known: Iterable[str]) -> str:
    """`; did you mean ...?` for the nearest of the known names, by the whole name or its last part."""
    names = list(known)
    near = difflib.get_close_matches(name[:64], names, n=1, cutoff=0.6)
    if not near:
        by_last_part = {other.rpartition(".")[2]: other for other in names}
        last_part = name.rpartition(".")[2][:64]
        near = [by_last_part[part] for part in difflib.get_close_matches(last_part, by_last_part, n=1, cutoff=0.7)]
    return f"; did you mean `{near[0]}`?" if near else ""


def _is_name(name: str) -> bool:
    letters = name.replace("_", "").replace("-", "")
    return len(name) <= _MAX_NAME_CHARACTERS and letters.isalnum()


def _shown(value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return _cut(f'"{value}"' if isinstance(value, str) else str(value))


def _cut(text: str) -> str:
    """Short and on one line: the value comes from a file that nobody has read yet."""
    printable = "".join(character if character.isprintable() else "?" for character in text[:61])
    return printable if len(text) <= 60 else printable[:57] + "..."
