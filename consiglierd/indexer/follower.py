"""What a derived subsystem must be able to do to follow the journal."""

from typing import Protocol

from consiglierd.model.ids import Revision


class Follower(Protocol):
    """Replays the journal from a cursor of its own; called on the indexer's thread only."""

    @property
    def name(self) -> str: ...

    @property
    def revision(self) -> Revision:
        """How far it has come; any thread."""
        ...

    def follow(self) -> Revision:
        """Apply the journal to its head, publish, and say which revision that is."""
        ...

    def rebuild(self) -> None:
        """Throw what was derived away and derive it anew."""
        ...

    def compact_if_needed(self) -> bool: ...
