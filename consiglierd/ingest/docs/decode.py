"""Bytes of a document to text and lines, with the place of every line in the original bytes."""

import codecs
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import accumulate

from charset_normalizer import from_bytes

from consiglierd.model.document import Problem, Span

_BINARY_PROBE_BYTES = 8000
_GUESS_SAMPLE_BYTES = 64 * 1024
_UTF8_BOM = codecs.BOM_UTF8
_UTF16_BOMS = ((codecs.BOM_UTF16_LE, "utf-16-le"), (codecs.BOM_UTF16_BE, "utf-16-be"))
_UTF32_BOMS = (codecs.BOM_UTF32_LE, codecs.BOM_UTF32_BE)
_LINE_END = re.compile(r"\r\n|\r|\n")
_LINE_END_BYTES = re.compile(rb"\r\n|\r|\n")
# A cp949 text is believed only if most of what is not ASCII reads as Korean (syllables, jamo,
# the punctuation that Korean writers use); Latin-1 bytes rarely decode, and then as rare hanja.
_KOREAN = re.compile(r"[가-힣ㄱ-ㅎㅏ-ㅣ·‘’“”…—※■□○●◎◇◆△▲▽▼→←↑↓『』「」《》【】〈〉①-⑮℃、。　]")
_NOT_ASCII = re.compile(r"[^\x00-\x7f]")
_KOREAN_SHARE = 0.7


@dataclass(frozen=True, slots=True)
class Decoded:
    """`text` without a byte order mark, `encoding` as Python names it ("unknown" with a problem)."""

    text: str
    encoding: str
    problem: Problem | None = None


def is_binary(content: bytes) -> bool:
    """Whether the content is no text: a NUL byte near its start, as git judges, unless it is UTF-16."""
    if content.startswith(tuple(mark for mark, _ in _UTF16_BOMS)) and not content.startswith(_UTF32_BOMS):
        return False
    return b"\x00" in content[:_BINARY_PROBE_BYTES]


def decode(content: bytes) -> Decoded:
    """UTF-8 strictly, UTF-16 by its mark, then cp949, then what charset-normalizer is sure of."""
    if content.startswith(_UTF8_BOM):
        text = _strictly(content[len(_UTF8_BOM) :], "utf-8")
        return Decoded(text, "utf-8-sig") if text is not None else _undecodable("UTF-8 with a byte order mark")
    for mark, encoding in _UTF16_BOMS:
        if content.startswith(mark) and not content.startswith(_UTF32_BOMS):
            text = _strictly(content[len(mark) :], encoding)
            return Decoded(text, encoding) if text is not None else _undecodable("UTF-16")
    if is_binary(content):
        return Decoded("", "unknown", Problem("binary", "The file is not text: it holds NUL bytes."))
    text = _strictly(content, "utf-8")
    if text is not None:
        return Decoded(text, "utf-8")
    return _decode_legacy(content)


def split_lines(text: str) -> list[str]:
    """The lines of a text, split at \\r\\n, \\r and \\n only; a line end at the very end makes no other line."""
    if not text:
        return []
    lines = text.split("\n") if "\r" not in text else _LINE_END.split(text)
    if not lines[-1]:
        lines.pop()
    return lines


def line_offsets(content: bytes, decoded: Decoded, lines: Sequence[str]) -> list[int]:
    """Where each line begins in the original bytes, and as last entry where the last one ends.

    A byte order mark belongs to the first line, a line end to the line that it ends.
    """
    if not lines:
        return [0]
    if decoded.encoding.startswith("utf-16"):
        starts = _offsets_of_utf16(decoded.text, decoded.encoding)
    elif b"\r" in content:
        starts = [0, *(match.end() for match in _LINE_END_BYTES.finditer(content))]
    else:
        starts = list(accumulate((len(part) + 1 for part in content.split(b"\n")), initial=0))
        starts.pop()
    if starts[-1] != len(content):
        starts.append(len(content))
    return starts


def span_of(offsets: Sequence[int], line_start: int, line_end: int) -> Span:
    """The span of some lines (1-based, inclusive) of a file whose line offsets are given."""
    return Span(line_start, line_end, offsets[line_start - 1], offsets[line_end])


def _offsets_of_utf16(text: str, encoding: str) -> list[int]:
    widths: Iterable[int] = (
        len(text[start:end].encode(encoding))
        for start, end in zip(
            [0, *(match.end() for match in _LINE_END.finditer(text))],
            [*(match.end() for match in _LINE_END.finditer(text)), len(text)],
            strict=True,
        )
    )
    starts = list(accumulate(widths, initial=2))
    starts.pop()
    return [0, *starts[1:]]


def _strictly(content: bytes, encoding: str) -> str | None:
    try:
        return content.decode(encoding)
    except UnicodeDecodeError:
        return None


def _decode_legacy(content: bytes) -> Decoded:
    korean = _strictly(content, "cp949")
    if korean is not None and _reads_as_korean(korean):
        return Decoded(korean, "cp949")
    guess = from_bytes(content[:_GUESS_SAMPLE_BYTES]).best()
    if guess is not None:
        text = _strictly(content, guess.encoding)
        if text is not None and _keeps_line_ends(content, text):
            return Decoded(text, guess.encoding)
    return _undecodable("UTF-8, UTF-16 with a byte order mark or cp949")


def _reads_as_korean(text: str) -> bool:
    foreign = len(_NOT_ASCII.findall(text))
    return len(_KOREAN.findall(text)) >= _KOREAN_SHARE * foreign


def _keeps_line_ends(content: bytes, text: str) -> bool:
    # Offsets are counted in the bytes, so an encoding in which line ends are not the bytes of
    # ASCII (EBCDIC, UTF-7, the shifting ones) cannot be accepted.
    return len(_LINE_END.findall(text)) == len(_LINE_END_BYTES.findall(content)) and "\x00" not in text


def _undecodable(tried: str) -> Decoded:
    return Decoded("", "unknown", Problem("undecodable", f"The file is not valid {tried}; save it as UTF-8."))
