"""What standard output is, and how text is made fit for it."""

from __future__ import annotations

import os

_STDOUT, _STDERR = 1, 2

# What steers a terminal (C0, DEL, C1) and what makes text look like other text (the bidirectional controls).
_STEERING = (*range(0x20), 0x7F, *range(0x80, 0xA0), *range(0x202A, 0x202F), *range(0x2066, 0x206A))
_IN_NAMES = {code: f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}" for code in _STEERING}
# Inside JSON, where C0 is escaped anyhow.
_IN_JSON = {code: f"\\u{code:04x}" for code in _STEERING if code >= 0x7F}
_ESCAPES = {code: shown for code, shown in _IN_NAMES.items() if code not in (9, 10)}


def one_line(name: str) -> str:
    """The name of a file as a part of a line: control characters are shown as escapes everywhere, for one of them might
    end the line. `--json` gives it as it is."""
    return name.translate(_IN_NAMES)


def plain_json(encoded: str) -> str:
    """The same JSON, in which nothing steers a terminal or hides what a text says."""
    return encoded.translate(_IN_JSON)


class Output:
    """Standard output as UTF-8 whatever the locale; colour and escaped control characters on a terminal only.

    What is written is kept until `flush`, and then goes out past Python's own streams: those may be
    missing, have another encoding, or give up on a pipe that does not block.
    """

    def __init__(self) -> None:
        self.is_terminal = is_terminal(_STDOUT)
        self._has_colour = self.is_terminal and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
        self._pieces: list[str] = []

    def write(self, text: str) -> None:
        self._pieces.append(text)

    def line(self, text: str = "") -> None:
        self._pieces.append(text + "\n")

    def drop(self) -> None:
        """Forget what is not written yet."""
        self._pieces.clear()

    def flush(self) -> None:
        """Raises BrokenPipeError where nobody reads any more."""
        content = "".join(self._pieces).encode("utf-8", "replace")
        self._pieces.clear()
        write_whole(_STDOUT, content)

    def fit(self, text: str) -> str:
        """Text of a file for people's eyes: verbatim in a pipe, control characters shown as escapes on a terminal."""
        return text.translate(_ESCAPES) if self.is_terminal else text

    def bold(self, text: str) -> str:
        return f"\x1b[1m{text}\x1b[0m" if self._has_colour else text

    def faint(self, text: str) -> str:
        return f"\x1b[2m{text}\x1b[0m" if self._has_colour else text


def is_terminal(descriptor: int) -> bool:
    try:
        return os.isatty(descriptor)
    except OSError:
        return False


def write_whole(descriptor: int, content: bytes) -> None:
    """Every byte, also into a pipe that its reader has set not to block."""
    view = memoryview(content)
    while view:
        try:
            view = view[os.write(descriptor, view) :]
        except BlockingIOError:
            import select  # not at the top: it is rarely needed

            select.select([], [descriptor], [])


def complain(message: str, cure: str) -> None:
    """One line on standard error: what, to what, what to do next."""
    text = f"consigliere: {message}" + (f"; {cure}" if cure else "")
    text = " ".join(text.split("\n"))
    if is_terminal(_STDERR):
        text = text.translate(_ESCAPES)
    try:
        write_whole(_STDERR, text.encode("utf-8", "replace") + b"\n")
    except OSError:
        # Standard error is closed or full: the exit status still tells.
        return


def language_of(setting: str) -> str:
    """`ko` or `en`: what the setting `lang` says, else the locale of the environment."""
    if setting in ("ko", "en"):
        return setting
    for name in ("LC_ALL", "LC_MESSAGES", "LANG"):
        value = os.environ.get(name)
        if value:
            return "ko" if value.lower().startswith("ko") else "en"
    return "en"
