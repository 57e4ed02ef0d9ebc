"""How a workspace looks at its root: which files are documents, and how each is cut."""

import os
import stat
from collections.abc import Iterable
from typing import Literal

from consiglierd.ingest.docs.parse import file_type_of, recipe_of
from consiglierd.model.files import Scan
from consiglierd.watch.ignore import IgnoreRules
from consiglierd.watch.scan import scan_paths, scan_root
from consiglierd.workspaces.options import OptionsOf, WorkspaceOptions


class ProjectDisk:
    """Satisfies the indexer's Disk. `options` and `ignore` are replaced whole, so any thread may read them."""

    def __init__(self, root: str, options_of: OptionsOf) -> None:
        self._root = root
        self._options_of = options_of
        self.options: WorkspaceOptions = options_of(root)
        self.ignore = self._new_rules()

    def _new_rules(self) -> IgnoreRules:
        return IgnoreRules(self._root, paths=self.options.paths, exclude=self.options.exclude)

    def is_document(self, path: str) -> bool:
        return file_type_of(path, self.options.rules) is not None

    def recipe_of(self, path: str) -> str:
        return recipe_of(path, self.options.rules)

    def is_ignored(self, path: str, is_dir: bool) -> bool:
        return self.ignore.is_ignored(path, is_dir)

    def scan_all(self) -> Scan:
        self.ignore.refresh()
        return scan_root(self._root, self.ignore, self.is_document, self.options.max_file_bytes)

    def scan_paths(self, paths: Iterable[str]) -> Scan:
        return scan_paths(self._root, paths, self.ignore, self.is_document, self.options.max_file_bytes)

    def reload_settings(self) -> bool:
        before = self.options
        self.options = self._options_of(self._root)
        after = self.options
        if (before.paths, before.exclude) != (after.paths, after.exclude):
            self.ignore = self._new_rules()
        return (before.paths, before.exclude, before.rules, before.max_file_bytes) != (
            after.paths,
            after.exclude,
            after.rules,
            after.max_file_bytes,
        )


def kind_at(root: str, path: str) -> Literal["file", "folder", "missing", "other"]:
    """What stands at a path below the root, for a message; links are not followed."""
    try:
        mode = os.lstat(os.path.join(root, path)).st_mode
    except (FileNotFoundError, NotADirectoryError):
        return "missing"
    if stat.S_ISDIR(mode):
        return "folder"
    return "file" if stat.S_ISREG(mode) else "other"
