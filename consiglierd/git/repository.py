"""What git says about the repository around a folder, asked without changing or running anything in it."""

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from consiglierd.git.run import GitError, GitOutput, find_git, read_git_config, run_git

_BLAME_HEADER = re.compile(rb"([0-9a-f]{40,64}) [0-9]+ [0-9]+")
_NO_REPOSITORY = "not a git repository"
_DUBIOUS_OWNER = "dubious ownership"


@dataclass(frozen=True, slots=True)
class BlamedLine:
    """A line of a committed file: the commit that left it, the first line of its message, and the line's bytes."""

    commit: str
    subject: str
    content: bytes


class NotARepository(GitError):
    """The folder is in no work tree."""


class Git:
    """Questions to git, asked in `root`, which may lie below the top of the work tree.

    Every method raises GitError when git is missing, refuses (`safe.directory`), is too slow or
    fails, and NotARepository when `root` is in no work tree.
    """

    def __init__(self, root: str, *, binary: str | None = None) -> None:
        self._root = os.path.abspath(root)
        self._given_binary = binary

    @cached_property
    def _binary(self) -> str:
        found = self._given_binary or find_git()
        if found is None:
            raise GitError("git was not found on this machine", cure="Install git, or go on without it.")
        return found

    def toplevel(self) -> str:
        """The absolute path of the work tree's top folder."""
        return self._line("--show-toplevel")

    def prefix(self) -> str:
        """Where `root` lies below the top: "" at the top itself, else "a/b/"."""
        return self._line("--show-prefix")

    def git_dir(self) -> str:
        """The absolute path of this work tree's own git folder (HEAD, index)."""
        return self._line("--absolute-git-dir")

    def common_dir(self) -> str:
        """The absolute path of the git folder that all work trees share (info/exclude, objects)."""
        return os.path.normpath(os.path.join(os.path.realpath(self._root), self._line("--git-common-dir")))

    def head(self) -> str | None:
        """The commit that is checked out, or None before the first commit."""
        output = run_git(self._binary, self._root, "rev-parse", "--verify", "--quiet", "HEAD^{commit}")
        if output.status == 1 and not output.stderr:
            return None
        return os.fsdecode(self._checked(output, "rev-parse")).strip()

    def tracked_but_ignored(self) -> tuple[str, ...]:
        """Files that the ignore rules name although they are tracked, relative to `root`."""
        arguments = ("-z", "-i", "-c", "--exclude-standard")
        stdout = self._checked(run_git(self._binary, self._root, "ls-files", *arguments), "ls-files")
        return tuple(sorted({os.fsdecode(name) for name in stdout.split(b"\0") if name}))

    def is_tracked_under(self, prefix: str) -> bool:
        """Whether git tracks the file `prefix`, or any file below the folder `prefix`, relative to `root`."""
        arguments = ("-z", "-c", "--end-of-options", "--", prefix)
        output = run_git(self._binary, self._root, "ls-files", *arguments, output_bytes=4096)
        return output.is_cut or bool(self._checked(output, "ls-files"))

    def blamed(self, path: str) -> tuple[BlamedLine, ...]:
        """The lines of a file as it is committed at HEAD; `path` is relative to `root`."""
        arguments = ("--no-textconv", "--porcelain", "HEAD", "--", path)
        stdout = self._checked(run_git(self._binary, self._root, "blame", *arguments), "blame")
        return tuple(_blamed_lines(stdout))

    def excludes_file(self) -> str:
        """The path of the user's global ignore file, whether or not it exists."""
        named = read_git_config(self._binary, self._root, "core.excludesFile", "path")
        if named is not None:
            return os.path.join(self._root, named) if named else ""
        home = os.environ.get("HOME") or os.path.expanduser("~")
        configuration = os.environ.get("XDG_CONFIG_HOME") or os.path.join(home, ".config")
        return os.path.join(configuration, "git", "ignore")

    def ignore_case(self) -> bool:
        """Whether git compares names without regard to case here (core.ignoreCase)."""
        return read_git_config(self._binary, self._root, "core.ignoreCase", "bool") == "true"

    def _line(self, question: str) -> str:
        stdout = self._checked(run_git(self._binary, self._root, "rev-parse", question), "rev-parse")
        return os.fsdecode(stdout).removesuffix("\n")

    def _checked(self, output: GitOutput, subcommand: str) -> bytes:
        if output.is_cut:
            raise GitError(f"git {subcommand} said more than can be read, in {self._root}")
        if output.status == 0:
            return output.stdout
        if _DUBIOUS_OWNER in output.stderr:
            raise GitError(
                f"git refuses {self._root}: another user owns the repository",
                cure="If you trust it, run: git config --global --add safe.directory " + self._root,
            )
        if _NO_REPOSITORY in output.stderr or "must be run in a work tree" in output.stderr:
            raise NotARepository(f"{self._root} is in no git work tree")
        raise GitError(f"git {subcommand} failed in {self._root}: {output.stderr}", cure="Run git fsck there.")


def _blamed_lines(porcelain: bytes) -> Iterator[BlamedLine]:
    """The form that git documents: a header a line, with the facts of a commit where it is first seen."""
    subjects: dict[str, str] = {}
    commit = ""
    # A line ends with "\n" alone: what is committed may hold any other byte.
    for line in porcelain.split(b"\n"):
        if line.startswith(b"\t"):
            yield BlamedLine(commit, subjects.get(commit, ""), line[1:])
        elif match := _BLAME_HEADER.match(line):
            commit = match[1].decode()
        elif line.startswith(b"summary "):
            subjects[commit] = line.removeprefix(b"summary ").decode("utf-8", "replace")
