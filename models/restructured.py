"""reStructuredText put into Markdown as far as sections and prose need it."""

import re

_UNDERLINE = re.compile(r"^([=\-~^\"'#*+`.:_])\1{2,}\s*$")
_ROLE = re.compile(r":[\w:+-]+:`[~!]?([^`<]*?)(?:\s*<[^`]*>)?`")
_REFERENCE = re.compile(r"`([^`<]+?)\s*(?:<[^`>]*>)?`__?")
_DIRECTIVE = re.compile(r"^\s*\.\. (?:[\w:.-]+::\s*(.*)|_.*|\[.*|\|.*)$")
_OPTION = re.compile(r"^\s+:[\w-]+:\s*\S*$")


def as_markdown(text: str) -> str:
    """Headings get levels in the order in which their underlines first come; directives lose their names."""
    lines, levels, found = text.replace("\r\n", "\n").split("\n"), list[str](), list[str]()
    at = 0
    while at < len(lines):
        line = lines[at]
        following = lines[at + 1] if at + 1 < len(lines) else ""
        if line.strip() and not line[0].isspace() and not _UNDERLINE.match(line) and _UNDERLINE.match(following):
            mark = following[0]
            if mark not in levels:
                levels.append(mark)
            found.append(f"{'#' * min(6, levels.index(mark) + 1)} {_prose(line)}")
            at += 2
            continue
        if not (_UNDERLINE.match(line) or _OPTION.match(line)):
            directive = _DIRECTIVE.match(line)
            found.append(_prose((directive[1] or "") if directive else line))
        at += 1
    return "\n".join(found)


def _prose(line: str) -> str:
    return _REFERENCE.sub(r"\1", _ROLE.sub(r"\1", line))
