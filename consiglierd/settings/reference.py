"""Writes the reference of all settings; `python -m consiglierd.settings.reference` prints it."""

import sys

from consiglierd.settings import shipped
from consiglierd.settings.describe import toml_value
from consiglierd.settings.kinds import expectation_of
from consiglierd.settings.schema import FILE_TYPES, SETTINGS, TABLES

_INTRODUCTION = """\
# Settings

Made from the schema by `python -m consiglierd.settings.reference`; a test compares the two.

Settings stand in `.consigliere.toml` at the root of a project, and in `config.toml` in your state
directory (`~/.local/state/consigliere`, on macOS `~/Library/Application Support/consigliere`), which
counts for all your projects. The project's file wins over yours, and yours over the defaults. A wrong
key or value is left out and told, with its line and the nearest right key, by `consigliere config` and
`consigliere status`; a file that is not TOML leaves the last good settings in force.

A repository's own file is not trusted: patterns and words are literal (no regular expressions), nothing
outside the root can be named, and the values marked *yours only* are taken from it only where they
name nothing outside of this machine.
"""


def reference() -> str:
    """The whole reference in Markdown."""
    lines = [_INTRODUCTION, "| setting | expected | default | what it does |", "|---|---|---|---|"]
    for setting in SETTINGS:
        expected = expectation_of(setting.kind)
        if setting.harmless is not None:
            harmless = ", ".join(toml_value(value) for value in setting.harmless)
            expected += f"; *yours only*, but for {harmless}"
        lines.append(f"| `{setting.name}` | {expected} | `{toml_value(setting.default)}` | {setting.help} |")
    lines += ["", "## Tables whose keys you name", "", "| section | form | what it does |", "|---|---|---|"]
    lines += [f"| `[{table.name}]` | `{table.form}` | {table.help} |" for table in TABLES]
    lines += ["", "File types: " + ", ".join(f"`{file_type}`" for file_type in FILE_TYPES) + ".", ""]
    lines += ["## Shipped rooms", "", "```toml", "[rooms]"]
    lines += [f"{name} = {toml_value(words)}" for name, words in shipped.ROOMS.items()]
    lines += ["```", "", "## Shipped tags", "", "```toml", "[tags]"]
    lines += [f"{name} = {toml_value(words)}" for name, words in shipped.TAGS.items()]
    lines += ["```", "", "## Shipped roles", "", "```toml", "[roles]"]
    lines += [f"{name} = {toml_value(role)}" for name, role in shipped.ROLES.items()]
    lines += ["```", ""]
    return "\n".join(lines)


if __name__ == "__main__":
    sys.stdout.write(reference())
