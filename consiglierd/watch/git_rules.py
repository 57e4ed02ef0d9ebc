"""What a repository and its user contribute to the ignore rules of a folder, beside the files in the tree."""

import os
import stat
from dataclasses import dataclass, field

from consiglierd.git.repository import Git, NotARepository
from consiglierd.git.run import GitError
from consiglierd.watch.patterns import parse_file
from consiglierd.watch.rule_list import RuleList, rule_list

MAX_IGNORE_FILE_BYTES = 1024 * 1024

Signature = tuple[int, int, int, int, int] | None


@dataclass(frozen=True, slots=True)
class GitRules:
    """`above` are the .gitignore files between the top and the root, the root's excluded, deepest first.

    `outer` are info/exclude and then the global ignore file. `root_rule` names the rule by which
    git ignores the root folder itself. `tracked` are the files that stay in although a rule names
    them. `sources` are the files that this was read from, `signatures` what they were just before.
    """

    prefix: bytes
    git_dir: str | None
    common_dir: str | None
    ignore_case: bool
    above: tuple[RuleList, ...]
    outer: tuple[RuleList, ...]
    root_rule: str | None
    tracked: frozenset[str]
    tracked_folders: frozenset[str]
    sources: tuple[str, ...]
    warnings: tuple[str, ...]
    signatures: tuple[Signature, ...] = field(compare=False)


def read_git_rules(root: str) -> GitRules:
    """Ask git. Where it is missing or refuses, only the files in the tree count, and a warning says so."""
    git = Git(root)
    try:
        return _read(git, root)
    except NotARepository:
        return _without_git(root, ())
    except GitError as error:
        cure = f" {error.cure}" if error.cure else ""
        return _without_git(root, (f"ignore rules are read without git: {error.message}.{cure}",))


def file_signature(path: str) -> Signature:
    """What changes when a file is replaced or rewritten; None where there is none."""
    try:
        found = os.stat(path)
    except OSError:
        return None
    return (found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns)


def file_signatures(paths: tuple[str, ...]) -> tuple[Signature, ...]:
    return tuple(file_signature(path) for path in paths)


def read_rule_file(path: str, *, follow_link: bool) -> bytes | None:
    """The content of an ignore file, or None. git reads no link in the tree; nor do we."""
    flags = os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK | (0 if follow_link else os.O_NOFOLLOW)
    try:
        descriptor = os.open(path, flags)
    except OSError:
        return None
    with open(descriptor, "rb") as file:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            return None
        return file.read(MAX_IGNORE_FILE_BYTES)


def _without_git(root: str, warnings: tuple[str, ...]) -> GitRules:
    sources = (os.path.join(root, ".git"),)
    none: frozenset[str] = frozenset()
    signatures = file_signatures(sources)
    return GitRules(b"", None, None, False, (), (), None, none, none, sources, warnings, signatures)


def _read(git: Git, root: str) -> GitRules:
    prefix = os.fsencode(git.prefix())
    top = git.toplevel()
    git_dir, common_dir = git.git_dir(), git.common_dir()
    ignore_case = git.ignore_case()
    info_exclude = os.path.join(common_dir, "info", "exclude")
    global_file = git.excludes_file()
    sources = (
        *(os.path.join(git_dir, "index"), os.path.join(common_dir, "config"), info_exclude, global_file),
        *_rule_files_above(top, prefix),
    )
    # Signed before anything is read: what changes in between is then read again, never missed.
    signatures = file_signatures(sources)
    outer = (
        _listed(info_exclude, ".git/info/exclude", ignore_case),
        _listed(global_file, global_file, ignore_case),
    )
    above, root_rule = _read_above(top, prefix, ignore_case, outer)
    tracked = git.tracked_but_ignored()
    return GitRules(
        prefix=prefix.lower() if ignore_case else prefix,
        git_dir=git_dir,
        common_dir=common_dir,
        ignore_case=ignore_case,
        above=above,
        outer=outer,
        root_rule=root_rule,
        tracked=frozenset(tracked),
        tracked_folders=frozenset(folder for path in tracked for folder in parent_folders(path)),
        sources=sources,
        warnings=(f"git ignores this folder itself ({root_rule}): only tracked files are read",) if root_rule else (),
        signatures=signatures,
    )


def parent_folders(path: str) -> list[str]:
    """The folders that `path` lies in, outermost first, the root left out."""
    parts = path.split("/")[:-1]
    return ["/".join(parts[: count + 1]) for count in range(len(parts))]


def _listed(path: str, name: str, ignore_case: bool) -> RuleList:
    content = read_rule_file(path, follow_link=True) or b""
    return rule_list(name, b"", parse_file(content, ignore_case))


def _rule_files_above(top: str, prefix: bytes) -> list[str]:
    """The .gitignore files from the top down to the parent of the root, whether or not they exist."""
    parts = os.fsdecode(prefix).split("/")[:-1]
    return [os.path.join(top, *parts[:depth], ".gitignore") for depth in range(len(parts))]


def _read_above(
    top: str, prefix: bytes, ignore_case: bool, outer: tuple[RuleList, ...]
) -> tuple[tuple[RuleList, ...], str | None]:
    """Read from the top down to the root's parent; a folder that is ignored ends it, as in git."""
    lists: tuple[RuleList, ...] = ()
    folder = b""
    parts = (prefix.lower() if ignore_case else prefix).split(b"/")[:-1]
    for depth, path in enumerate(_rule_files_above(top, prefix)):
        content = read_rule_file(path, follow_link=False) or b""
        name = "../" * (len(parts) - depth) + ".gitignore"
        lists = (rule_list(name, folder, parse_file(content, ignore_case)), *lists)
        child = folder + parts[depth]
        for each in (*lists, *outer):
            pattern = each.last_match(child, True)
            if pattern is not None:
                if not pattern.is_negative:
                    return lists, each.says(pattern)
                break
        folder = child + b"/"
    return lists, None
