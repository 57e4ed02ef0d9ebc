"""How the vectors of a workspace do, for people."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class VectorState:
    """How the vectors do: `model` is None in the light mode; `waiting` sections have none yet and `left_out` could not
    be embedded (both of the model that is being filled, if that is another); `failure` says why no more are being
    made, None where they are."""

    model: str | None
    filling: str | None
    waiting: int
    left_out: int
    failure: str | None
    cure: str | None
    sections_per_s: float

    @property
    def told(self) -> str:
        """For people: the model, and how far another one is."""
        if self.model is None and self.filling is None:
            return "none"
        shown = self.model or self.filling or ""
        if self.filling is not None and self.model is not None:
            shown += f", until {self.filling} is complete"
        if self.waiting:
            left_s = f", about {round(self.waiting / self.sections_per_s)} s" if self.sections_per_s > 0 else ""
            shown += f" ({self.waiting} sections wait{left_s})"
        return shown

    @property
    def warnings(self) -> tuple[str, ...]:
        found = []
        if self.failure is not None:
            cure = f"; {self.cure}" if self.cure else ""
            found.append(f"no vectors are being made: {self.failure}{cure}")
        if self.left_out:
            found.append(f"{self.left_out} sections could not be embedded; words find them, and they are tried again")
        return tuple(found)
