"""How a workspace looks at its root: which files are documents, and how each is cut."""

import os
import stat
from collections.abc import Callable, Iterable
from typing import Literal

from consiglierd.ingest.docs.parse import file_type_of, recipe_of
from consiglierd.model.files import Scan
from consiglierd.text.counts import SECTION_TERMS_FINGERPRINT
from consiglierd.watch.ignore import IgnoreRules
from consiglierd.watch.scan import scan_paths, scan_root
from consiglierd.workspaces.options import OptionsSource, WorkspaceOptions


class ProjectDisk:
    """Satisfies the indexer's Disk. `options` and `ignore` are replaced whole, so any thread may read them.

    `rules_changed` is called on the indexer's thread when the settings changed which files count.
    """

    def __init__(self, root: str, source: OptionsSource) -> None:
        self._root = root
        self._source = source
        self._stamp = source.stamp_of(root)
        self.options: WorkspaceOptions = source.options_of(root)
        self.ignore = self._new_rules()
        self.rules_version = 0
        self.rules_changed: Callable[[], None] = lambda: None

    def _new_rules(self) -> IgnoreRules:
        return IgnoreRules(self._root, paths=self.options.paths, exclude=self.options.exclude)

    def is_document(self, path: str) -> bool:
        return file_type_of(path, self.options.rules) is not None

    def recipe_of(self, path: str) -> str:
        """What decides the sections of a file and their stored terms, beside its bytes."""
        return f"{recipe_of(path, self.options.rules)} {SECTION_TERMS_FINGERPRINT}"

    def rule_for(self, path: str, is_dir: bool) -> str | None:
        return self.ignore.rule_for(path, is_dir)

    def refresh(self) -> bool:
        """Read the ignore files again; whether they had changed."""
        has_changed = self.ignore.refresh()
        if has_changed:
            self.rules_version += 1
        return has_changed

    def scan_all(self) -> Scan:
        return scan_root(self._root, self, self.is_document, self.options.max_file_bytes)

    def scan_paths(self, paths: Iterable[str]) -> Scan:
        return scan_paths(self._root, paths, self, self.is_document, self.options.max_file_bytes)

    def has_new_settings(self) -> bool:
        """Whether a settings file was touched since they were read; any thread may ask."""
        return self._source.stamp_of(self._root) != self._stamp

    def reload_settings(self) -> bool:
        before = self.options
        self._stamp = self._source.stamp_of(self._root)
        self.options = self._source.options_of(self._root)
        after = self.options
        has_other_files = (before.paths, before.exclude) != (after.paths, after.exclude)
        if has_other_files:
            self.ignore = self._new_rules()
            self.rules_version += 1
            self.rules_changed()
        return has_other_files or (before.rules, before.max_file_bytes) != (after.rules, after.max_file_bytes)


class WatchedRules:
    """The disk's rules as the watcher asks for them.

    Whoever reads the ignore files first would keep the change from the other: so the watcher is
    told of every change since it asked last, whoever noticed it.
    """

    def __init__(self, disk: ProjectDisk) -> None:
        self._disk = disk
        self._seen_version = disk.rules_version

    @property
    def git_dir(self) -> str | None:
        return self._disk.ignore.git_dir

    @property
    def common_dir(self) -> str | None:
        return self._disk.ignore.common_dir

    def is_ignored(self, path: str, is_dir: bool) -> bool:
        return self._disk.ignore.is_ignored(path, is_dir)

    def refresh(self) -> bool:
        self._disk.refresh()
        version = self._disk.rules_version
        has_changed, self._seen_version = version != self._seen_version, version
        return has_changed


def kind_at(root: str, path: str) -> Literal["file", "folder", "missing", "other"]:
    """What stands at a path below the root, for a message; links are not followed."""
    try:
        mode = os.lstat(os.path.join(root, path)).st_mode
    except (FileNotFoundError, NotADirectoryError):
        return "missing"
    if stat.S_ISDIR(mode):
        return "folder"
    return "file" if stat.S_ISREG(mode) else "other"
