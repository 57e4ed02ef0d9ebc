"""Reads one settings file: safely, capped, and with the lines of its keys."""

import errno
import os
import re
import stat
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from consiglierd.settings.schema import MAX_FILE_BYTES
from consiglierd.settings.toml_lines import KeyPath, first_line_too_deep, key_lines


@dataclass(frozen=True, slots=True)
class SettingsProblem:
    """Trouble in a settings file: what it is, where, and what to do; `line` 0 means the file as a whole."""

    file: str
    line: int
    message: str
    cure: str

    def __str__(self) -> str:
        place = f"{self.file}:{self.line}" if self.line else self.file
        return f"{place}: {self.message}; {self.cure}"


@dataclass(frozen=True, slots=True)
class SettingsFile:
    """A settings file as it was read. `label` is how it is called in problems and provenance."""

    label: str
    is_trusted: bool
    values: Mapping[str, object]
    lines: Mapping[KeyPath, int]

    def line_of(self, *path: str) -> int:
        """The line of a key, or of the nearest table around it; 0 if not known."""
        for length in range(len(path), 0, -1):
            if path[:length] in self.lines:
                return self.lines[path[:length]]
        return 0


def read_settings_file(path: Path, *, label: str, is_trusted: bool) -> SettingsFile | SettingsProblem | None:
    """The file's values, or what is wrong with the file as a whole, or None where there is no file."""
    try:
        content = _read_regular(path)
    except FileNotFoundError:
        return None
    except OSError as error:
        if error.errno in (errno.ELOOP, errno.EMLINK):
            return SettingsProblem(label, 0, "is a link, and links are not followed", "put a regular file there")
        return SettingsProblem(label, 0, f"cannot be read ({error.strerror})", "make it readable for this user")
    if content is None:
        return SettingsProblem(label, 0, "is not a regular file", "put a regular file there")
    if len(content) > MAX_FILE_BYTES:
        return SettingsProblem(label, 0, f"is larger than {MAX_FILE_BYTES // 1024} KB", "make it shorter")
    return _parse(content, label, is_trusted)


def _read_regular(path: Path) -> bytes | None:
    """At most one byte more than the cap; None for anything but a regular file."""
    folder = os.open(path.parent, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        # O_NONBLOCK: opening a named pipe must not wait for a writer.
        file = os.open(path.name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, dir_fd=folder)
    finally:
        os.close(folder)
    if not stat.S_ISREG(os.fstat(file).st_mode):
        os.close(file)
        return None
    with os.fdopen(file, "rb") as stream:
        return stream.read(MAX_FILE_BYTES + 1)


def _parse(content: bytes, label: str, is_trusted: bool) -> SettingsFile | SettingsProblem:
    try:
        text = content.decode("utf-8-sig").replace("\r\n", "\n")
    except UnicodeDecodeError as error:
        line = content[: error.start].count(b"\n") + 1
        return SettingsProblem(label, line, "is not UTF-8", "save it as UTF-8")
    deep_line = first_line_too_deep(text)
    if deep_line is not None:
        return SettingsProblem(label, deep_line, "nests too deeply", "write it flat")
    try:
        values = tomllib.loads(text)
    except ValueError as error:
        # Besides TOMLDecodeError this is Python's refusal of numbers with thousands of digits.
        place = re.search(r"\(at line (\d+), column \d+\)", str(error))
        line = int(place[1]) if place else (text.count("\n") + 1 if "end of document" in str(error) else 0)
        return SettingsProblem(label, line, f"is not TOML: {error}", _cure_of_line(text, line))
    return SettingsFile(label, is_trusted, values, key_lines(text))


def _cure_of_line(text: str, line: int) -> str:
    key = text.split("\n")[line - 1].partition("=")[0].strip() if line else ""
    if key and not key.isascii() and '"' not in key and "'" not in key:
        return f'write a name that is not in ASCII letters in quotes: "{key[:32]}" = ...'
    return "correct this line" if line else "correct the file"
