"""Who asks: the weight that a role gives to each type of document, and its main rooms."""

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Role:
    """`weights` maps a file type to a multiplier in 0.7..1.5 (1.0 where absent); `rooms` are its main rooms.

    `group` is the name compared with a section's `private_to`.
    """

    name: str
    group: str
    weights: Mapping[str, float]
    rooms: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class RoleTable:
    """Roles by every name and alias, in lower case."""

    by_name: Mapping[str, Role]

    @property
    def names(self) -> tuple[str, ...]:
        """Of each role, without its aliases."""
        return tuple(dict.fromkeys(role.name for role in self.by_name.values()))

    def find(self, name: str) -> Role | None:
        return self.by_name.get(name.strip().lower())
