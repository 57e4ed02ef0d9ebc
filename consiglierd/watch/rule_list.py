"""The patterns of one ignore file, asked in one go whether any of them concerns a name."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from consiglierd.watch.patterns import Pattern

_CHUNK = 500


@dataclass(frozen=True, slots=True)
class RuleList:
    """`base` is the folder of the file, below the top of the tree, in bytes: b"" or b"a/b/"."""

    name: str
    base: bytes
    patterns: tuple[Pattern, ...]
    basename_filters: tuple[re.Pattern[bytes], ...]
    path_filters: tuple[re.Pattern[bytes], ...]

    def last_match(self, path: bytes, is_dir: bool) -> Pattern | None:
        """The last pattern that matches `path` (below the top of the tree), as git has it."""
        if self.base and not path.startswith(self.base):
            return None
        below = path[len(self.base) :]
        basename = below.rpartition(b"/")[2]
        if not any(each.fullmatch(basename) for each in self.basename_filters) and not any(
            each.fullmatch(below) for each in self.path_filters
        ):
            return None
        for pattern in reversed(self.patterns):
            if pattern.folders_only and not is_dir:
                continue
            if pattern.regex.fullmatch(basename if pattern.is_basename else below):
                return pattern
        return None

    def says(self, pattern: Pattern) -> str:
        return f"{self.name}:{pattern.line}: {pattern.text}" if pattern.line else f"{self.name}: {pattern.text}"


def rule_list(name: str, base: bytes, patterns: Sequence[Pattern]) -> RuleList:
    """`base` must be folded to lower case where the patterns are."""
    return RuleList(
        name,
        base,
        tuple(patterns),
        _filters([pattern for pattern in patterns if pattern.is_basename]),
        _filters([pattern for pattern in patterns if not pattern.is_basename]),
    )


def _filters(patterns: list[Pattern]) -> tuple[re.Pattern[bytes], ...]:
    """One expression for many patterns: most names match none, and one test is then enough."""
    sources = list(dict.fromkeys(pattern.source for pattern in patterns))
    chunks = [sources[start : start + _CHUNK] for start in range(0, len(sources), _CHUNK)]
    return tuple(re.compile(b"|".join(b"(?:" + source + b")" for source in chunk), re.DOTALL) for chunk in chunks)
