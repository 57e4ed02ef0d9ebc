"""What standard output is, and how text is made fit for it."""

import os
import sys

_ESCAPES = {code: f"\\x{code:02x}" for code in (*range(0x20), 0x7F, *range(0x80, 0xA0)) if code not in (0x09, 0x0A)}


class Output:
    """Standard output as UTF-8 whatever the locale; colour and escaped control characters on a terminal only."""

    def __init__(self) -> None:
        self.is_terminal = sys.stdout.isatty()
        self._has_colour = self.is_terminal and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"

    def write(self, text: str) -> None:
        """A whole piece of output. On a terminal, text of files cannot steer it."""
        sys.stdout.buffer.write(text.encode("utf-8", "replace"))

    def line(self, text: str = "") -> None:
        self.write(text + "\n")

    def flush(self) -> None:
        sys.stdout.flush()

    def fit(self, text: str) -> str:
        """Text of a file for people's eyes: verbatim in a pipe, control characters shown as escapes on a terminal."""
        return text.translate(_ESCAPES) if self.is_terminal else text

    def bold(self, text: str) -> str:
        return f"\x1b[1m{text}\x1b[0m" if self._has_colour else text

    def faint(self, text: str) -> str:
        return f"\x1b[2m{text}\x1b[0m" if self._has_colour else text


def is_korean() -> bool:
    """Whether messages are in Korean: by the locale of the environment."""
    for name in ("CONSIGLIERE_LANG", "LC_ALL", "LC_MESSAGES", "LANG"):
        value = os.environ.get(name)
        if value:
            return value.lower().startswith("ko")
    return False


def complain(message: str, cure: str) -> None:
    """One line on standard error: what, to what, what to do next."""
    text = f"consigliere: {message}" + (f"; {cure}" if cure else "")
    sys.stderr.buffer.write(text.replace("\n", " ").encode("utf-8", "replace") + b"\n")
    sys.stderr.flush()
