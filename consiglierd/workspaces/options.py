"""What a workspace needs of the settings, as plain values."""

from dataclasses import dataclass
from typing import Protocol

from consiglierd.model.roles import RoleTable
from consiglierd.model.rules import DocumentRules
from consiglierd.model.status import SettingValue


@dataclass(frozen=True, slots=True)
class EmbeddingOptions:
    """`backend` is one of the settings' names, or "auto"; the rest binds the Ollama backend."""

    backend: str
    model: str
    endpoint: str
    dimensions: int


@dataclass(frozen=True, slots=True)
class WorkspaceOptions:
    """`paths` and `exclude` are git-style globs; `values` and `problems` are for people."""

    rules: DocumentRules
    roles: RoleTable
    paths: tuple[str, ...]
    exclude: tuple[str, ...]
    max_file_bytes: int
    is_watching: bool
    default_top_k: int
    min_score: float
    alpha: float
    beta: float
    embedding: EmbeddingOptions
    values: tuple[SettingValue, ...]
    problems: tuple[str, ...]


class OptionsSource(Protocol):
    """Where the options of a root come from."""

    def options_of(self, root: str) -> WorkspaceOptions:
        """Those in force, read anew at each call; a file that cannot be used leaves the last good ones."""
        ...

    def stamp_of(self, root: str) -> object:
        """Equal for as long as no file was touched from which the options come."""
        ...
