"""What is in force for a workspace: shipped values, then the user's own file, then the project's."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from consiglierd.settings.draft import Draft
from consiglierd.settings.files import SettingsProblem, read_settings_file
from consiglierd.settings.flat import build, flatten
from consiglierd.settings.schema import Settings

PROJECT_FILE_NAME = ".consigliere.toml"
USER_FILE_NAME = "config.toml"


@dataclass(frozen=True, slots=True)
class Loaded:
    """Settings in force; `provenance` maps a dotted name to "default" or "FILE:LINE"."""

    settings: Settings
    provenance: Mapping[str, str]
    problems: tuple[SettingsProblem, ...]


def load_settings(
    root: Path, *, user_file: Path | None = None, is_trusted: bool = False, last_good: Loaded | None = None
) -> Loaded:
    """Reads both files. Trouble in them is told in `problems` and never raised.

    A file that cannot be used as a whole leaves `last_good` in force if there is one, otherwise it
    counts as absent; a wrong key leaves out that key. `is_trusted`: the user has trusted the
    content of the project's file, so that it may also name endpoints and models.
    """
    draft = Draft(
        flatten(last_good.settings) if last_good else {},
        last_good.provenance if last_good else {},
    )
    # A file of the state directory is the user's own; it is named by its whole path.
    user = read_settings_file(user_file, label=str(user_file), is_trusted=True) if user_file else None
    project = read_settings_file(root / PROJECT_FILE_NAME, label=PROJECT_FILE_NAME, is_trusted=is_trusted)
    is_whole = True
    for file in (user, project):
        if isinstance(file, SettingsProblem):
            draft.add_problem(file)
            is_whole = False
        elif file is not None:
            draft.lay(file)
    if not is_whole and last_good is not None:
        return Loaded(last_good.settings, last_good.provenance, tuple(draft.problems))
    return Loaded(build(draft.values), dict(draft.sources), tuple(draft.problems))
