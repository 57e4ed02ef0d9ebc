"""The header of metadata above a document (YAML between ---, TOML between +++), read without trusting it."""

import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import yaml

_MAX_LINES = 1000
_MAX_CHARACTERS = 64 * 1024
_MAX_DEPTH = 16
_OPENING = {"---": ("---", "..."), "+++": ("+++",)}
_KEY_LINE = re.compile(r"[^\s#:][^:]{0,80}:(\s|$)")


@dataclass(frozen=True, slots=True)
class FrontMatter:
    """`lines` (1-based, fences included) and what stands between them; a problem where it cannot be read."""

    lines: tuple[int, int]
    values: Mapping[str, object] = field(default_factory=dict)
    problem: str | None = None


class _Refused(yaml.YAMLError):
    pass


class _PlainLoader(yaml.BaseLoader):
    """Gives every scalar as the document's own words; no anchors (alias bombs), no deep nesting."""

    def __init__(self, stream: str) -> None:
        super().__init__(stream)
        self._depth = 0

    def compose_node(self, parent: yaml.Node | None, index: object) -> yaml.Node | None:
        if self.check_event(yaml.AliasEvent):
            raise _Refused("anchors and aliases are not read")
        self._depth += 1
        if self._depth > _MAX_DEPTH:
            raise _Refused(f"more than {_MAX_DEPTH} levels deep")
        node = super().compose_node(parent, index)  # type: ignore[arg-type]  # the stub says int, PyYAML passes nodes too
        self._depth -= 1
        return node


def read_front_matter(lines: Sequence[str]) -> FrontMatter | None:
    """The header at the top of these lines, or None where the document simply begins with a rule."""
    if not lines:
        return None
    opening = lines[0].rstrip()
    closings = _OPENING.get(opening)
    if closings is None:
        return None
    end = next((i for i in range(1, min(len(lines), _MAX_LINES)) if lines[i].rstrip() in closings), None)
    if end is None:
        return None
    inner = lines[1:end]
    span = (1, end + 1)
    if not any(line.strip() for line in inner):
        return FrontMatter(span) if end == 1 or opening == "+++" else None
    if sum(map(len, inner)) > _MAX_CHARACTERS:
        return FrontMatter(span, {}, "the front matter is longer than 64 KB")
    return _read_toml(span, inner) if opening == "+++" else _read_yaml(span, inner)


def _read_yaml(span: tuple[int, int], inner: Sequence[str]) -> FrontMatter | None:
    try:
        loaded = yaml.load("\n".join(inner), Loader=_PlainLoader)  # a BaseLoader: strings only
    except (yaml.YAMLError, RecursionError) as error:
        first = next(line for line in inner if line.strip())
        if not _KEY_LINE.match(first):
            return None
        return FrontMatter(span, {}, f"the YAML front matter cannot be read: {_in_short(error)}")
    if not isinstance(loaded, dict):
        return None
    return FrontMatter(span, {str(key): value for key, value in loaded.items()})


def _read_toml(span: tuple[int, int], inner: Sequence[str]) -> FrontMatter:
    text = "\n".join(inner)
    if max(text.count("["), text.count("{"), *(line.count(".") for line in inner)) > 500:
        return FrontMatter(span, {}, "the TOML front matter is nested too deeply")
    try:
        return FrontMatter(span, tomllib.loads(text, parse_float=str))
    except (ValueError, RecursionError) as error:
        return FrontMatter(span, {}, f"the TOML front matter cannot be read: {_in_short(error)}")


def _in_short(error: Exception) -> str:
    if isinstance(error, yaml.MarkedYAMLError):
        line = error.problem_mark.line + 2 if error.problem_mark is not None else 0
        return f"line {line}: {error.problem}"
    return str(error).split("\n", 1)[0][:200]


def flatten(values: Mapping[str, object]) -> list[tuple[str, str]]:
    """Every scalar of front matter as (top-level key, text), in order; at most 200 of them."""
    found: list[tuple[str, str]] = []
    pending: list[tuple[str, object, int]] = [(str(key), value, 0) for key, value in reversed(list(values.items()))]
    while pending and len(found) < 200:
        key, value, depth = pending.pop()
        if isinstance(value, Mapping):
            children = list(value.values())
        elif isinstance(value, (list, tuple)):
            children = list(value)
        else:
            text = " ".join(str(value).split())
            if text:
                found.append((key, text))
            continue
        if depth < _MAX_DEPTH:
            pending.extend((key, child, depth + 1) for child in reversed(children))
    return found
