"""Which files and folders of a root are left out, decided as git decides."""

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

from consiglierd.watch.git_rules import (
    GitRules,
    Signature,
    file_signature,
    file_signatures,
    parent_folders,
    read_git_rules,
    read_rule_file,
)
from consiglierd.watch.patterns import Pattern, parse_file, parse_line
from consiglierd.watch.rule_list import RuleList, rule_list
from consiglierd.watch.secrets import secret_rule

GIT_IGNORE_NAME = ".gitignore"
OWN_IGNORE_NAME = ".consigliereignore"
IGNORE_FILE_NAMES = frozenset({GIT_IGNORE_NAME, OWN_IGNORE_NAME})
_ALWAYS = {".git": ".git", ".consigliere": ".consigliere/", "node_modules": "node_modules/"}
_ALWAYS_FOR_FILES = frozenset({".git"})


@dataclass(frozen=True, slots=True)
class _Folder:
    """A folder as its children need it.

    `state` is "closed" when nothing below can be in, "soft" when git ignores the folder but
    tracks files below it. `own` and `from_git` are the lists that apply inside, strongest first.
    """

    state: Literal["open", "soft", "closed"]
    rule: str | None
    own: tuple[RuleList, ...] = ()
    from_git: tuple[RuleList, ...] = ()


@dataclass(frozen=True, slots=True)
class _State:
    """One reading of all sources; folders and signatures are filled as they are asked for.

    What is tracked although it is ignored depends on the lists in the tree too: `asked_with` are those that stood
    there when git was asked for it.
    """

    git: GitRules
    wanted: tuple[Pattern, ...]
    excluded: tuple[Pattern, ...]
    folders: dict[str, _Folder] = field(default_factory=dict)
    signatures: dict[str, Signature] = field(default_factory=dict)
    asked_with: Mapping[str, Signature] = field(default_factory=dict)


class IgnoreRules:
    """Answers for paths relative to `root`, "/"-separated; safe to ask from several threads.

    From the strongest: `.git`, `.consigliere/`, `node_modules/`; `exclude`; `.consigliereignore`
    at any level; then git's own order (`.gitignore` from the deepest, `.git/info/exclude`, the
    global file), from which tracked files are exempt. Outside a repository `.gitignore` files
    still count. A file below a folder that is left out is left out. If `paths` are given, only
    the files they match are in.
    """

    def __init__(self, root: str, *, paths: Sequence[str] = (), exclude: Sequence[str] = ()) -> None:
        self._root = os.path.abspath(root)
        self._paths = paths
        self._exclude = exclude
        self._state = self._new_state(read_git_rules(self._root))

    @property
    def warnings(self) -> tuple[str, ...]:
        """Sentences for the status: git missing or refusing, the root itself ignored."""
        return self._state.git.warnings

    @property
    def git_dir(self) -> str | None:
        """The absolute git folder of this work tree, or None without git."""
        return self._state.git.git_dir

    @property
    def common_dir(self) -> str | None:
        """The absolute git folder shared by all work trees, or None without git."""
        return self._state.git.common_dir

    def is_ignored(self, path: str, is_dir: bool) -> bool:
        return self.rule_for(path, is_dir) is not None

    def is_document_wanted(self, path: str) -> bool:
        """Whether `[index] paths` lets the file in; true where no paths are given."""
        state = self._state
        if not self._paths:
            return True
        names = [(self._folded(state, folder), True) for folder in parent_folders(path)]
        names.append((self._folded(state, path), False))
        is_wanted = False
        for pattern in state.wanted:
            if any(_matches(pattern, name, is_dir) for name, is_dir in names):
                is_wanted = not pattern.is_negative
        return is_wanted

    def rule_for(self, path: str, is_dir: bool) -> str | None:
        """The rule that leaves `path` out, for messages (`.gitignore:3: build/`), or None."""
        state = self._state
        if is_dir:
            folder = self._folder(state, path)
            return folder.rule if folder.state == "closed" else None
        parent, _, name = path.rpartition("/")
        rule = self._file_rule(state, self._folder(state, parent), path, name)
        if rule is None and (secret := secret_rule(name)):
            return f"secret file: {secret}"
        if rule is None and not self.is_document_wanted(path):
            return "[index] paths"
        return rule

    def refresh(self) -> bool:
        """Read again what has changed on the disk; whether anything had."""
        state = self._state
        git, lists = state.git, dict(state.signatures)
        asked_with: Mapping[str, Signature] = {path: file_signature(path) for path in lists}
        is_rewritten = asked_with != lists
        # A list that was read first, or again, after git was asked. Without git nothing is tracked.
        is_late = git.git_dir is not None and any(
            signature is not None and state.asked_with.get(path) != signature for path, signature in lists.items()
        )
        if is_rewritten or is_late or file_signatures(git.sources) != git.signatures:
            git = read_git_rules(self._root)
        else:
            asked_with = state.asked_with
        changed = git != state.git or is_rewritten
        if changed:
            self._state = self._new_state(git, asked_with)
        elif git is not state.git:
            self._state = replace(state, git=git, asked_with=asked_with)
        return changed

    def _new_state(self, git: GitRules, asked_with: Mapping[str, Signature] | None = None) -> _State:
        return _State(
            git,
            asked_with=asked_with or {},
            wanted=_settings_patterns(self._paths, git.ignore_case),
            excluded=_settings_patterns(self._exclude, git.ignore_case),
        )

    def _file_rule(self, state: _State, parent: _Folder, path: str, name: str) -> str | None:
        if parent.state == "closed":
            return parent.rule
        if name in _ALWAYS_FOR_FILES:
            return f"always left out: {_ALWAYS[name]}"
        encoded = self._encoded(state, path)
        own = _own_verdict(parent, encoded, False)
        if own is not None and not own[1].is_negative:
            return own[0].says(own[1])
        if parent.state == "soft":
            return None if path in state.git.tracked else parent.rule
        if own is not None:
            return None
        rule = _git_verdict(parent, encoded, False)
        return None if rule is None or path in state.git.tracked else rule

    def _folder(self, state: _State, path: str) -> _Folder:
        known = state.folders.get(path)
        if known is not None:
            return known
        if not path:
            folder = self._root_folder(state)
        else:
            parent, _, name = path.rpartition("/")
            folder = self._child_folder(state, self._folder(state, parent), path, name)
        state.folders[path] = folder
        return folder

    def _root_folder(self, state: _State) -> _Folder:
        git = state.git
        exclude = rule_list("[index] exclude", git.prefix, state.excluded)
        outside = (*git.above, *git.outer)
        if git.root_rule is not None:
            state_of_root: Literal["soft", "closed"] = "soft" if git.tracked else "closed"
            return self._with_lists(state, _Folder(state_of_root, git.root_rule, (exclude,), outside), "")
        return self._with_lists(state, _Folder("open", None, (exclude,), outside), "")

    def _child_folder(self, state: _State, parent: _Folder, path: str, name: str) -> _Folder:
        if parent.state == "closed":
            return parent
        if name in _ALWAYS:
            return _Folder("closed", f"always left out: {_ALWAYS[name]}")
        encoded = self._encoded(state, path)
        own = _own_verdict(parent, encoded, True)
        if own is not None and not own[1].is_negative:
            return _Folder("closed", own[0].says(own[1]))
        rule = parent.rule if parent.state == "soft" else None
        if own is None and parent.state == "open":
            rule = _git_verdict(parent, encoded, True)
        if rule is None:
            return self._with_lists(state, _Folder("open", None, parent.own, parent.from_git), path)
        if path in state.git.tracked_folders:
            return self._with_lists(state, _Folder("soft", rule, parent.own, parent.from_git), path)
        return _Folder("closed", rule)

    def _with_lists(self, state: _State, folder: _Folder, path: str) -> _Folder:
        """Add the ignore files that lie in the folder; git reads none in a folder that it ignores."""
        own, from_git = folder.own, folder.from_git
        if (found := self._read_list(state, path, OWN_IGNORE_NAME)) is not None:
            # What the settings exclude stays the strongest, at every level.
            own = (own[0], found, *own[1:])
        if folder.state == "open" and (found := self._read_list(state, path, GIT_IGNORE_NAME)) is not None:
            from_git = (found, *from_git)
        return _Folder(folder.state, folder.rule, own, from_git)

    def _read_list(self, state: _State, folder: str, name: str) -> RuleList | None:
        relative = f"{folder}/{name}" if folder else name
        absolute = os.path.join(self._root, relative)
        state.signatures[absolute] = file_signature(absolute)
        content = read_rule_file(absolute, follow_link=False)
        if content is None:
            return None
        base = self._encoded(state, folder) + b"/" if folder else state.git.prefix
        return rule_list(relative, base, parse_file(content, state.git.ignore_case))

    @staticmethod
    def _folded(state: _State, path: str) -> bytes:
        encoded = os.fsencode(path)
        return encoded.lower() if state.git.ignore_case else encoded

    def _encoded(self, state: _State, path: str) -> bytes:
        return state.git.prefix + self._folded(state, path)


def _settings_patterns(globs: Sequence[str], ignore_case: bool) -> tuple[Pattern, ...]:
    parsed = (parse_line(os.fsencode(glob), 0, ignore_case) for glob in globs)
    return tuple(pattern for pattern in parsed if pattern is not None)


def _own_verdict(folder: _Folder, path: bytes, is_dir: bool) -> tuple[RuleList, Pattern] | None:
    """What the settings' `exclude`, and then the nearest `.consigliereignore`, say; None: nothing."""
    for position, each in enumerate(folder.own):
        pattern = each.last_match(path, is_dir)
        if pattern is not None and not (position == 0 and pattern.is_negative):
            return each, pattern
    return None


def _git_verdict(folder: _Folder, path: bytes, is_dir: bool) -> str | None:
    for each in folder.from_git:
        pattern = each.last_match(path, is_dir)
        if pattern is not None:
            return None if pattern.is_negative else each.says(pattern)
    return None


def _matches(pattern: Pattern, path: bytes, is_dir: bool) -> bool:
    if pattern.folders_only and not is_dir:
        return False
    return pattern.regex.fullmatch(path.rpartition(b"/")[2] if pattern.is_basename else path) is not None
