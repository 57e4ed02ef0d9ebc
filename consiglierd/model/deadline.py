"""How long a request may still take."""

import time
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Deadline:
    """A point on the monotonic clock, in seconds."""

    at_s: float

    @staticmethod
    def after(seconds: float) -> "Deadline":
        return Deadline(time.monotonic() + seconds)

    @property
    def remaining_s(self) -> float:
        return max(0.0, self.at_s - time.monotonic())

    @property
    def is_over(self) -> bool:
        return time.monotonic() >= self.at_s
