"""The options of a root, with what tuning has chosen where the settings files are silent."""

from dataclasses import replace

from consiglierd.model.calibration import Calibration
from consiglierd.store.authored import AuthoredStore
from consiglierd.workspaces.options import OptionsSource, WorkspaceOptions

_DEFAULT = "default"


class CalibratedSource:
    """Satisfies OptionsSource."""

    def __init__(self, source: OptionsSource, authored: AuthoredStore) -> None:
        self._source = source
        self._authored = authored

    def options_of(self, root: str) -> WorkspaceOptions:
        options, calibration = self._source.options_of(root), self._authored.calibration
        return options if calibration is None else calibrated(options, calibration)

    def stamp_of(self, root: str) -> object:
        return (self._source.stamp_of(root), self._authored.calibration)


def calibrated(options: WorkspaceOptions, calibration: Calibration) -> WorkspaceOptions:
    """What a settings file says goes before what was chosen."""
    chosen = {"search.alpha": calibration.alpha, "search.beta": calibration.beta}
    silent = {value.name for value in options.values if value.name in chosen and value.source == _DEFAULT}
    return replace(
        options,
        alpha=calibration.alpha if "search.alpha" in silent else options.alpha,
        beta=calibration.beta if "search.beta" in silent else options.beta,
        values=tuple(
            replace(value, value=str(chosen[value.name]), source=f"tuned on {calibration.day}")
            if value.name in silent
            else value
            for value in options.values
        ),
    )
