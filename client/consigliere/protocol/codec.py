"""JSON between plain dicts and bytes, for the client that may import nothing heavy.

The standard `json` package costs ten milliseconds to import, most of it for `re`, which is half of
what a bare interpreter takes to start. Its C scanner and its C string writer do not need `re`, so
they are used directly where the interpreter has them, with the package itself as the fallback.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

MAX_DEPTH = 64


class NotJson(ValueError):
    """The bytes or the text are not one JSON value."""


class _ScannerOptions:
    """What the C scanner asks its maker for."""

    strict = True
    object_hook = None
    object_pairs_hook = None
    parse_float = float
    parse_int = int
    memo: dict[str, str] = {}  # noqa: RUF012 - the pure scanner of older interpreters empties it

    @staticmethod
    def parse_constant(name: str) -> float:
        raise ValueError(f"{name} is not JSON")


def _scan(text: str) -> tuple[object, int]:
    """The value that `text` begins with, and where it ends."""
    try:
        from _json import make_scanner
    except ImportError:
        from json.decoder import JSONDecoder

        return JSONDecoder(parse_constant=_ScannerOptions.parse_constant).raw_decode(text)
    scanner = make_scanner(_ScannerOptions())  # type: ignore[arg-type]  # the stub names json.JSONDecoder
    value: object
    value, end = scanner(text, 0)
    return value, end


def _load_quote() -> Callable[[str], str]:
    try:
        from _json import encode_basestring
    except ImportError:
        from json.encoder import encode_basestring
    quote: Callable[[str], str] = encode_basestring
    return quote


def decode_json(content: bytes) -> object:
    """The one JSON value in `content` (UTF-8); raises NotJson."""
    try:
        text = content.decode("utf-8").strip(" \t\r\n")
    except UnicodeDecodeError as trouble:
        raise NotJson(str(trouble)) from None
    try:
        value, end = _scan(text)
    except (StopIteration, ValueError, RecursionError, SystemError):
        # The C scanner of some interpreters cannot say what is wrong while `json` is not imported.
        return _decode_with_package(text)
    if end != len(text):
        raise NotJson(f"text after the JSON value, at character {end}")
    return value


def _decode_with_package(text: str) -> object:
    import json

    try:
        value: object = json.loads(text, parse_constant=_ScannerOptions.parse_constant)
    except (ValueError, RecursionError) as trouble:
        raise NotJson(str(trouble)) from None
    return value


def encode_json(value: object, indent: int | None = None) -> str:
    """`value` as JSON, letters of every language as themselves; `indent` spaces a level, or one line."""
    return _write(value, _load_quote(), indent, 0)


def _write(value: object, quote: Callable[[str], str], indent: int | None, depth: int) -> str:
    if depth > MAX_DEPTH:
        raise ValueError(f"more than {MAX_DEPTH} levels of JSON")
    if isinstance(value, str):
        return quote(value)
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    if isinstance(value, int):
        return int.__repr__(value)
    if isinstance(value, float):
        return _number(value)
    if isinstance(value, dict):
        return _object(value, quote, indent, depth)
    if isinstance(value, (list, tuple)):
        items = [_write(item, quote, indent, depth + 1) for item in value]
        return _bracketed("[", items, "]", indent, depth)
    raise TypeError(f"{type(value).__name__} has no JSON form")


def _number(value: float) -> str:
    if value != value or value in (float("inf"), float("-inf")):
        raise ValueError(f"{value} has no JSON form")
    return float.__repr__(value)


def _object(value: Mapping[str, object], quote: Callable[[str], str], indent: int | None, depth: int) -> str:
    colon = ":" if indent is None else ": "
    items = [quote(name) + colon + _write(item, quote, indent, depth + 1) for name, item in value.items()]
    return _bracketed("{", items, "}", indent, depth)


def _bracketed(opening: str, items: list[str], closing: str, indent: int | None, depth: int) -> str:
    if indent is None or not items:
        return opening + ",".join(items) + closing
    inner = "\n" + " " * (indent * (depth + 1))
    return opening + inner + ("," + inner).join(items) + "\n" + " " * (indent * depth) + closing
