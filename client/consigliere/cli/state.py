"""The commands that ask how things are: status, doctor, config, workspaces, forget."""

from __future__ import annotations

import os

from consigliere import __version__
from consigliere.cli.session import connected, root_of, working_directory
from consigliere.endpoint import find_root
from consigliere.errors import UsageError
from consigliere.render.json import write_object
from consigliere.render.terminal import Output, one_line

# Importing `typing` would cost a quarter of what a whole search may take.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from consigliere.protocol.shapes import FindingShape, HelloReplyShape, StatusReplyShape

DOCTOR_DEADLINE_S = 60.0
MARKS = {"ok": "ok", "warning": "!!", "error": "XX"}


def status(output: Output, values: dict[str, Any], words: list[str]) -> int:
    with connected() as client:
        reply = client.call("status", root=root_of(values))
    if values.get("json"):
        write_object(output, reply)
        return 0
    output.line(f"{output.bold(one_line(reply['root']))}: {reply['state']}")
    for name, text in _status_lines(reply):
        output.line(output.fit(f"  {name:<12}{text}"))
    return 0


def _status_lines(reply: StatusReplyShape) -> list[tuple[str, str]]:
    lag = ", ".join(f"{name} {count}" for name, count in reply["lag"].items()) or "nothing"
    lines = [
        ("indexed", f"{reply['files']} files, {reply['chunks']} chunks, revision {reply['revision']} (behind: {lag})"),
        ("waiting", f"{reply['pending_files']} files; {reply['stale_files']} stale"),
        ("last change", reply["last_indexed_at"] or "never"),
        ("watching", reply["watching"]),
        ("size", f"{reply['size_bytes'] / 1e6:.1f} MB"),
        ("models", ", ".join(f"{part}: {model}" for part, model in reply["models"].items()) or "none"),
        ("types", ", ".join(f"{name} {count}" for name, count in reply["types"].items()) or "none"),
        ("pinned", reply["pinned"] or "no"),
        ("daemon", f"{reply['version']}, process {reply['pid']}"),
    ]
    for entry in reply["left_out"]:
        lines.append(("left out", f"{entry['count']} {entry['reason']}: {', '.join(map(one_line, entry['examples']))}"))
    lines += [("problem", f"{one_line(problem['file'])}: {problem['message']}") for problem in reply["problems"]]
    lines += [("warning", warning) for warning in reply["warnings"]]
    return lines


def doctor(output: Output, values: dict[str, Any], words: list[str]) -> int:
    """Exit status 1 where something is wrong."""
    with connected() as client:
        findings = client.call("doctor", root=root_of(values), deadline_s=DOCTOR_DEADLINE_S)["findings"]
        findings += _version_findings(client.call("hello", {"client_version": __version__}))
    is_well = all(finding["level"] == "ok" for finding in findings)
    if values.get("json"):
        write_object(output, {"findings": findings})
        return 0 if is_well else 1
    for finding in findings:
        mark = MARKS.get(finding["level"], finding["level"])
        output.line(output.fit(f"{mark}  {finding['subject']}: {finding['message']}"))
        if finding["cure"]:
            output.line(output.fit(f"      → {finding['cure']}"))
    return 0 if is_well else 1


def _version_findings(hello: HelloReplyShape) -> list[FindingShape]:
    """A daemon lives on while what is installed changes under it."""
    if hello["version"] == __version__:
        return []
    told = f"the daemon is {hello['version']}, this command {__version__}"
    return [{"level": "warning", "subject": "version", "message": told, "cure": "run `consigliere restart`"}]


def config(output: Output, values: dict[str, Any], words: list[str]) -> int:
    with connected() as client:
        reply = client.call("config", root=root_of(values))
    if values.get("json"):
        write_object(output, reply)
        return 0
    for setting in reply["settings"]:
        output.line(output.fit(f"{setting['name']} = {setting['value']}"))
        output.line(output.faint(output.fit(f"    {setting['help']} ({setting['source']})")))
    for problem in reply["problems"]:
        output.line(output.fit(f"⚠ {problem}"))
    return 0


def workspaces(output: Output, values: dict[str, Any], words: list[str]) -> int:
    with connected() as client:
        reply = client.call("workspaces")
    if values.get("json"):
        write_object(output, reply)
        return 0
    for line in reply["workspaces"]:
        state = line["state"] if line["is_open"] else "closed"
        output.line(output.fit(f"{one_line(line['root'])}  {state}  {line['files']} files, {line['chunks']} chunks"))
    if not reply["workspaces"]:
        output.line("no project yet: go to one and search")
    return 0


def forget(output: Output, values: dict[str, Any], words: list[str]) -> int:
    """The root is the one named, also where it is gone by now."""
    if words and not words[0]:
        raise UsageError("the named root is empty", "name a folder, or nothing for that of the working directory")
    root = _named_root(words[0]) if words else root_of(values)
    with connected() as client:
        reply = client.call("forget", root=root)
    if values.get("json"):
        write_object(output, reply)
        return 0
    for removed in reply["removed"]:
        output.line(output.fit(f"removed {removed}"))
    if not reply["removed"]:
        output.line(output.fit(f"nothing was kept for {root}"))
    return 0


def _named_root(word: str) -> str:
    path = os.path.join(working_directory(), os.path.expanduser(word))
    return find_root("/", path) if os.path.isdir(path) else os.path.realpath(path)
