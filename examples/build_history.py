"""Build a git repository whose history ends in the streamapp sample: `python examples/build_history.py TARGET`.

The history is written as one `git fast-import` stream with fixed authors and dates, so every run gives
the same commit hashes. Earlier versions of a file are derived from its last one (`Draft`), so that the
sample can be edited without keeping old copies of it in step.
"""

import os
import re
import subprocess
import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from examples.history_steps import Draft, Step
from examples.streamapp_history import AUTHORS, STEPS

SAMPLE = Path(__file__).resolve().parent / "streamapp"
CHANGELOG, ISSUES, RULES = "docs/CHANGELOG.md", "docs/ISSUES.md", "docs/rules.md"

Tree = dict[str, bytes]


class HistoryError(Exception):
    """A step does not fit the sample, or the target cannot be used."""


@dataclass(frozen=True, slots=True)
class Commit:
    """One commit of the stream: the whole tree, and the marks of its parents."""

    mark: int
    step: Step
    tree: Tree
    parents: tuple[int, ...]


def sample_tree() -> Tree:
    """Every file of the sample by its path, as bytes; what tools leave behind is not part of it."""
    derived = {".consigliere", "__pycache__"}
    files = (path for path in sorted(SAMPLE.rglob("*")) if path.is_file())
    relative = ((path.relative_to(SAMPLE), path) for path in files)
    # Names are UTF-8 on the disk whatever the locale says.
    return {os.fsencode(name).decode(): path.read_bytes() for name, path in relative if not derived & set(name.parts)}


def changelog_on(text: str, day: str) -> str:
    """The changelog without the sections that are dated after `day`."""
    head, *sections = re.split(r"(?m)^(?=## \[)", text)
    return head + "".join(section for section in sections if section[4:14] <= day)


def issues_on(text: str, day: str, count: int) -> str:
    """The first `count` issues; one that is solved after `day` is still open."""
    head, *sections = re.split(r"(?m)^(?=## ISSUE-)", text)
    return head + "".join(_issue_on(section, day) for section in sections[:count])


def _issue_on(section: str, day: str) -> str:
    solved = re.search(r"(?m)^- 해결: (\d{4}-\d\d-\d\d).*\n", section)
    if solved is None or solved[1] <= day:
        return section
    return section.replace(solved[0], "").replace("상태: CLOSED", "상태: OPEN")


def rules_on(text: str, day: str) -> str:
    """The rules without the ones that are decided after `day`."""
    lines = text.splitlines(keepends=True)
    decided = (re.search(r"결정, (\d{4}-\d\d-\d\d)\)", line) for line in lines)
    return "".join(line for line, found in zip(lines, decided, strict=True) if found is None or found[1] <= day)


def drafted(sample: Mapping[str, bytes], draft: Draft) -> bytes:
    """The bytes of a file as it stood before its swapped passages were changed."""
    content = sample.get(draft.source)
    if content is None:
        raise HistoryError(f"the sample has no {draft.source}")
    if draft.is_unchecked:
        content = content.replace(b"- [x]", b"- [ ]")
    for final, earlier in draft.swaps:
        if final.encode() not in content:
            raise HistoryError(f"{draft.source} does not hold the passage {final!r}")
        content = content.replace(final.encode(), earlier.encode())
    return content


def step_tree(sample: Tree, before: Tree, step: Step, issue_count: int) -> Tree:
    """The tree after a step."""
    if step.is_last:
        return dict(sample)
    tree = dict(before)
    for old, new in step.moves:
        tree[new] = tree.pop(old)
    for path in step.removes:
        del tree[path]
    tree.update((draft.path or draft.source, drafted(sample, draft)) for draft in step.drafts)
    tree.update((path, text.encode()) for path, text in step.texts)
    if step.branch == "main":
        tree[CHANGELOG] = changelog_on(sample[CHANGELOG].decode(), step.day).encode()
        tree[RULES] = rules_on(sample[RULES].decode(), step.day).encode()
        if issue_count:
            tree[ISSUES] = issues_on(sample[ISSUES].decode(), step.day, issue_count).encode()
    return tree


def merged(base: Tree, ours: Tree, theirs: Tree) -> Tree:
    """Ours, with every file that they changed since `base` as they left it."""
    changed = {path for path in base.keys() | theirs.keys() if base.get(path) != theirs.get(path)}
    kept = {path: content for path, content in ours.items() if path not in changed}
    return kept | {path: theirs[path] for path in changed if path in theirs}


def commits(steps: Iterable[Step]) -> list[Commit]:
    """The steps played on the sample, oldest first."""
    sample = sample_tree()
    heads: dict[str, Commit] = {}
    bases: dict[str, Tree] = {}
    played: list[Commit] = []
    issue_count = 0
    for mark, step in enumerate(steps, start=1):
        issue_count = step.issue_count or issue_count
        if step.branch not in heads and played:
            heads[step.branch] = heads["main"]
            bases[step.branch] = heads["main"].tree
        head = heads.get(step.branch)
        before, parents = (head.tree, (head.mark,)) if head else ({}, ())
        if step.merges:
            theirs = heads[step.merges]
            before = merged(bases[step.merges], before, theirs.tree)
            parents = (*parents, theirs.mark)
        commit = Commit(mark, step, step_tree(sample, before, step, issue_count), parents)
        heads[step.branch] = commit
        played.append(commit)
    return played


def stream(played: Iterable[Commit]) -> bytes:
    """The commits as input of `git fast-import`."""
    out = bytearray()
    for commit in played:
        step = commit.step
        email, moment = AUTHORS[step.author], datetime.fromisoformat(f"{step.day}T{step.hour:02}:00:00+09:00")
        person = f"{step.author} <{email}@streamapp.example> {int(moment.timestamp())} +0900"
        out += f"commit refs/heads/{step.branch}\nmark :{commit.mark}\n".encode()
        out += f"author {person}\ncommitter {person}\n".encode() + _counted(step.subject.encode())
        out += b"".join(
            b"%s :%d\n" % (word, parent) for word, parent in zip((b"from", b"merge"), commit.parents, strict=False)
        )
        out += b"deleteall\n"
        for path, content in sorted(commit.tree.items()):
            out += f"M 100644 inline {path}\n".encode() + _counted(content)
        if step.tag:
            out += f"tag {step.tag}\nfrom :{commit.mark}\ntagger {person}\n".encode() + _counted(step.subject.encode())
    return bytes(out)


def _counted(content: bytes) -> bytes:
    return b"data %d\n%s\n" % (len(content), content)


def build(target: Path) -> str:
    """Make the repository in `target` (absent or empty), check `main` out; the hash of its head."""
    if target.exists() and any(target.iterdir()):
        raise HistoryError(f"{target} is not empty; name a folder that does not exist yet")
    target.mkdir(parents=True, exist_ok=True)
    _git(target, "init", "--quiet", "--template=", "--object-format=sha1", "--initial-branch=main")
    _git(target, "config", "core.autocrlf", "false")
    _git(target, "fast-import", "--quiet", "--date-format=raw", given=stream(commits(STEPS)))
    _git(target, "reset", "--quiet", "--hard", "main")
    return _git(target, "rev-parse", "HEAD").decode().strip()


def _git(target: Path, *arguments: str, given: bytes = b"") -> bytes:
    """Run git away from the configuration of this machine and this user, so that every run is the same."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    environment = {**kept, "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}
    done = subprocess.run(
        ["git", "-C", str(target), *arguments], input=given, capture_output=True, env=environment, check=False
    )
    if done.returncode != 0:
        raise HistoryError(f"git {arguments[0]} failed: {done.stderr.decode(errors='replace').strip()}")
    return done.stdout


def run(arguments: list[str]) -> int:
    """The program: one argument, the folder to build in."""
    if len(arguments) != 1:
        print("usage: python examples/build_history.py TARGET", file=sys.stderr)
        return 2
    try:
        head = build(Path(arguments[0]))
    except HistoryError as error:
        print(f"build_history: {error}", file=sys.stderr)
        return 1
    print(f"{arguments[0]}: {len(STEPS)} commits, main at {head}")
    return 0


if __name__ == "__main__":
    sys.exit(run(sys.argv[1:]))
