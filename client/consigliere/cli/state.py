"""The commands that ask how things are: status, doctor, config, workspaces, forget."""

from __future__ import annotations

import os

from consigliere.cli.session import ask, connected, root_of
from consigliere.endpoint import find_root
from consigliere.render.json import write_object
from consigliere.render.terminal import Output

# Importing `typing` would cost a quarter of what a whole search may take.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def status(values: dict[str, Any], words: list[str]) -> int:
    reply = ask(values, "status")
    if values.get("json"):
        write_object(reply)
        return 0
    output = Output()
    output.line(
        output.fit(f"{output.bold(reply['root']) if not output.is_terminal else reply['root']}: {reply['state']}")
    )
    lag = ", ".join(f"{name} {count}" for name, count in reply["lag"].items())
    lines = [
        ("indexed", f"{reply['files']} files, {reply['chunks']} chunks, revision {reply['revision']} (behind: {lag})"),
        ("waiting", f"{reply['pending_files']} files; {reply['stale_files']} stale"),
        ("last change", reply["last_indexed_at"] or "never"),
        ("watching", reply["watching"]),
        ("size", f"{reply['size_bytes'] / 1e6:.1f} MB"),
        ("models", ", ".join(f"{part}: {model}" for part, model in reply["models"].items())),
        ("types", ", ".join(f"{name} {count}" for name, count in reply["types"].items()) or "none"),
        ("pinned", reply["pinned"] or "no"),
        ("daemon", f"{reply['version']}, process {reply['pid']}"),
    ]
    for entry in reply["left_out"]:
        lines.append(("left out", f"{entry['count']} {entry['reason']}: {', '.join(entry['examples'])}"))
    for problem in reply["problems"]:
        lines.append(("problem", f"{problem['file']}: {problem['message']}"))
    for warning in reply["warnings"]:
        lines.append(("warning", warning))
    for name, text in lines:
        output.line(output.fit(f"  {name:<12}{text}"))
    return 0


def doctor(values: dict[str, Any], words: list[str]) -> int:
    """Exit status 1 where something is wrong."""
    findings = ask(values, "doctor")["findings"]
    is_well = all(finding["level"] == "ok" for finding in findings)
    if values.get("json"):
        write_object({"findings": findings})
        return 0 if is_well else 1
    output = Output()
    marks = {"ok": "ok", "warning": "!!", "error": "XX"}
    for finding in findings:
        output.line(output.fit(f"{marks[finding['level']]}  {finding['subject']}: {finding['message']}"))
        if finding["cure"]:
            output.line(output.fit(f"      → {finding['cure']}"))
    return 0 if is_well else 1


def config(values: dict[str, Any], words: list[str]) -> int:
    reply = ask(values, "config")
    if values.get("json"):
        write_object(reply)
        return 0
    output = Output()
    for setting in reply["settings"]:
        output.line(output.fit(f"{setting['name']} = {setting['value']}"))
        output.line(output.faint(output.fit(f"    {setting['help']} ({setting['source']})")))
    for problem in reply["problems"]:
        output.line(output.fit(f"problem: {problem}"))
    return 0


def workspaces(values: dict[str, Any], words: list[str]) -> int:
    with connected() as client:
        reply = client.call("workspaces")
    if values.get("json"):
        write_object(reply)
        return 0
    output = Output()
    for line in reply["workspaces"]:
        output.line(output.fit(f"{line['root']}  {line['state']}  {line['files']} files, {line['chunks']} chunks"))
    if not reply["workspaces"]:
        output.line("no project yet: go to one and search")
    return 0


def forget(values: dict[str, Any], words: list[str]) -> int:
    root = find_root(os.getcwd(), os.path.expanduser(words[0])) if words else root_of(values)
    with connected() as client:
        reply = client.call("forget", root=root)
    if values.get("json"):
        write_object(reply)
        return 0
    output = Output()
    for removed in reply["removed"]:
        output.line(output.fit(f"removed {removed}"))
    return 0
