"""One line of an ignore file, translated so that it matches exactly the names that git's wildmatch matches.

git compares bytes: `?` is one byte, and case is folded for ASCII only. Stars are compiled to
atomic groups, so that a hostile pattern costs at most pattern length times name length.
"""

import re
from dataclasses import dataclass

_SPECIAL = frozenset(b"*?[\\")
_CLASSES = {
    b"alnum": re.compile(rb"[A-Za-z0-9]"),
    b"alpha": re.compile(rb"[A-Za-z]"),
    b"blank": re.compile(rb"[ \t]"),
    b"cntrl": re.compile(rb"[\x00-\x1f\x7f]"),
    b"digit": re.compile(rb"[0-9]"),
    b"graph": re.compile(rb"[\x21-\x7e]"),
    b"lower": re.compile(rb"[a-z]"),
    b"print": re.compile(rb"[\x20-\x7e]"),
    b"punct": re.compile(rb"[!-/:-@\[-`{-~]"),
    b"space": re.compile(rb"[ \t\n\r\v\f]"),
    b"upper": re.compile(rb"[A-Z]"),
    b"xdigit": re.compile(rb"[A-Fa-f0-9]"),
}


class NeverMatches(Exception):
    """The pattern is malformed; git lets it match nothing."""


@dataclass(frozen=True, slots=True)
class Pattern:
    """A compiled line: `regex` is matched whole, against the base name or the path below the file's folder."""

    text: str
    line: int
    is_negative: bool
    folders_only: bool
    is_basename: bool
    source: bytes
    regex: re.Pattern[bytes]


def parse_line(line: bytes, number: int, ignore_case: bool) -> Pattern | None:
    """The pattern of one line, without its line end; None where it can match nothing."""
    trimmed = _without_trailing_spaces(line.split(b"\0", 1)[0])
    body = trimmed
    is_negative = body.startswith(b"!")
    if is_negative:
        body = body[1:]
    folders_only = body.endswith(b"/")
    if folders_only:
        body = body[:-1]
    is_basename = b"/" not in body
    try:
        source = _basename_source(body, ignore_case) if is_basename else _path_source(body, ignore_case)
        regex = re.compile(source, re.DOTALL)
    except NeverMatches:
        return None
    text = trimmed.decode("utf-8", "backslashreplace")
    return Pattern(text, number, is_negative, folders_only, is_basename, source, regex)


def parse_file(content: bytes, ignore_case: bool) -> tuple[Pattern, ...]:
    """The patterns of an ignore file, in its order."""
    patterns = []
    for number, line in enumerate(content.removeprefix(b"\xef\xbb\xbf").split(b"\n"), start=1):
        if (
            line
            and not line.startswith(b"#")
            and (pattern := parse_line(line.removesuffix(b"\r"), number, ignore_case))
        ):
            patterns.append(pattern)
    return tuple(patterns)


def _without_trailing_spaces(line: bytes) -> bytes:
    """git drops trailing spaces (not tabs), unless the first of them is escaped."""
    kept = 0
    position = 0
    while position < len(line):
        if line[position] == 0x5C:
            position += 1
            if position >= len(line):
                return line
            kept = position + 1
        elif line[position] != 0x20:
            kept = position + 1
        position += 1
    return line[:kept]


def _basename_source(body: bytes, ignore_case: bool) -> bytes:
    if not body:
        raise NeverMatches
    return _translate(body, ignore_case, is_path=False)


def _path_source(body: bytes, ignore_case: bool) -> bytes:
    """git compares the part before the first wildcard literally and starts wildmatch after it.

    That is seen in patterns such as `foo**/bar`: what is left, `**/bar`, begins with `**/`.
    """
    if body.startswith(b"/"):
        body = body[1:]
    literal = 0
    while literal < len(body) and body[literal] not in _SPECIAL:
        literal += 1
    prefix = body[:literal].lower() if ignore_case else body[:literal]
    return re.escape(prefix) + _translate(body[literal:], ignore_case, is_path=True)


def _translate(pattern: bytes, ignore_case: bool, *, is_path: bool) -> bytes:
    """A regular expression for the whole of `pattern`, matched whole."""
    pieces: list[bytes] = []
    stars: list[bytes] = [b""]
    position = 0
    literal: list[bytes] = []
    while position < len(pattern):
        if pattern[position] == 0x2A:
            end = position
            while end < len(pattern) and pattern[end] == 0x2A:
                end += 1
            star, end = _star(pattern, position, end, is_path)
            pieces.append(b"".join(literal))
            literal = []
            stars.append(star)
            position = end
        else:
            token, position = _token(pattern, position, ignore_case)
            literal.append(token)
    pieces.append(b"".join(literal))
    return _joined(pieces, stars)


def _star(pattern: bytes, start: int, end: int, is_path: bool) -> tuple[bytes, int]:
    """The expression of a run of stars, and where the pattern goes on."""
    if not is_path:
        return b".*", end
    is_double = end - start >= 2
    at_border = start == 0 or pattern[start - 1] == 0x2F
    before_border = end == len(pattern) or pattern[end] == 0x2F or pattern[end : end + 2] == b"\\/"
    if is_double and at_border and before_border:
        if pattern[end : end + 1] == b"/":
            return b"(?:.*/)?", end + 1
        return b".*", end
    return b"[^/]*", end


def _joined(pieces: list[bytes], stars: list[bytes]) -> bytes:
    """Put each star before its piece.

    The leftmost place where a piece can stand never loses a match for what follows a star of the
    same or a greater reach, so it is taken for good (an atomic group). A `[^/]*` that follows a
    star that may cross folders is different: there the wider star must be able to try again.
    """
    parts = [pieces[0]]
    last = len(pieces) - 1
    position = 1
    while position <= last:
        if stars[position] == b"[^/]*":
            parts.append(_narrow_run(pieces[position], is_last=position == last or stars[position + 1] != b"[^/]*"))
            position += 1
            continue
        group = [pieces[position]]
        following = position + 1
        while following <= last and stars[following] == b"[^/]*":
            is_last = following == last or stars[following + 1] != b"[^/]*"
            group.append(_narrow_run(pieces[following], is_last=is_last))
            following += 1
        wide = stars[position]
        body = b"".join(group)
        if following > last:
            parts.append(wide + body)
        else:
            lazy = b"(?:.*?/)??" if wide == b"(?:.*/)?" else b".*?"
            parts.append(b"(?>" + lazy + body + b")")
        position = following
    return b"".join(parts)


def _narrow_run(piece: bytes, *, is_last: bool) -> bytes:
    return b"[^/]*" + piece if is_last else b"(?>[^/]*?" + piece + b")"


def _token(pattern: bytes, position: int, ignore_case: bool) -> tuple[bytes, int]:
    character = pattern[position : position + 1]
    if character == b"?":
        return b"[^/]", position + 1
    if character == b"[":
        return _bracket(pattern, position, ignore_case)
    if character == b"\\":
        escaped = pattern[position + 1 : position + 2]
        if not escaped:
            raise NeverMatches
        return re.escape(escaped), position + 2
    return re.escape(character.lower() if ignore_case else character), position + 1


def _bracket(pattern: bytes, start: int, ignore_case: bool) -> tuple[bytes, int]:
    """A bracket expression as the set of bytes it accepts, read as git reads it."""
    position = start + 1
    is_negated = pattern[position : position + 1] in (b"!", b"^")
    position += is_negated
    accepted: set[int] = set()
    previous = 0
    is_first = True
    while is_first or pattern[position : position + 1] != b"]":
        is_first = False
        previous, position = _bracket_item(pattern, position, previous, accepted, ignore_case)
    members = {byte for byte in range(1, 256) if (byte in accepted) != is_negated and byte != 0x2F}
    if not members:
        raise NeverMatches
    return b"[" + b"".join(b"\\x%02x" % byte for byte in sorted(members)) + b"]", position + 1


def _bracket_item(
    pattern: bytes, position: int, previous: int, accepted: set[int], ignore_case: bool
) -> tuple[int, int]:
    """Add what one item accepts; the byte that a following range would start at, and the next position."""
    byte = _byte(pattern, position)
    if byte == 0x5C:
        escaped = _byte(pattern, position + 1)
        accepted.add(escaped)
        return escaped, position + 2
    if byte == 0x2D and previous and pattern[position + 1 : position + 2] not in (b"", b"]"):
        position += 1
        last = _byte(pattern, position)
        if last == 0x5C:
            position += 1
            last = _byte(pattern, position)
        accepted.update(range(previous, last + 1))
        if ignore_case:
            accepted.update(ord(chr(upper).lower()) for upper in range(max(previous, 0x41), min(last, 0x5A) + 1))
        return 0, position + 1
    if pattern[position : position + 2] == b"[:":
        end = pattern.find(b"]", position + 2)
        if end < 0:
            raise NeverMatches
        if end - position - 3 >= 0 and pattern[end - 1] == 0x3A:
            accepted.update(_class_members(pattern[position + 2 : end - 1], ignore_case))
            return 0, end + 1
    accepted.add(byte)
    return byte, position + 1


def _class_members(name: bytes, ignore_case: bool) -> set[int]:
    members = _CLASSES.get(name)
    if members is None:
        raise NeverMatches
    found = {byte for byte in range(1, 256) if members.match(bytes((byte,)))}
    if ignore_case and name == b"upper":
        found |= set(range(0x61, 0x7B))
    return found


def _byte(pattern: bytes, position: int) -> int:
    if position >= len(pattern):
        raise NeverMatches
    return pattern[position]
