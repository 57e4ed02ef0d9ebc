"""The folders that a watcher looks at beside the documents: git's own and the one for cookies."""

import os
from collections.abc import Callable
from dataclasses import dataclass

# A change of one of these changes the rules themselves, so it is told even where it is ignored.
SETTINGS_NAME = ".consigliere.toml"
RULE_FILE_NAMES = frozenset({".gitignore", ".consigliereignore"})
GIT_NAMES = frozenset({"HEAD", "index"})


@dataclass(frozen=True, slots=True)
class Places:
    """Absolute paths. `git_folders` gives (git folder, common git folder), or None without git, as of now."""

    root: str
    cookies: str
    git_folders: Callable[[], tuple[str, str] | None]

    def git_names(self) -> dict[str, frozenset[str]]:
        """The folders of git to watch, and the names in each that matter."""
        folders = self.git_folders()
        if folders is None:
            return {}
        git_dir, common_dir = folders
        return {git_dir: GIT_NAMES, os.path.join(common_dir, "info"): frozenset({"exclude"})}


def is_always_told(path: str) -> bool:
    """Whether changes of this file matter although the rules may leave it out."""
    return path == SETTINGS_NAME or path.rpartition("/")[2] in RULE_FILE_NAMES
