"""The closed set of events that the indexer acts on, and the inbox in which they wait."""

import threading
from collections import deque
from dataclasses import dataclass, field
from typing import assert_never

MAX_WAITING_EVENTS = 1000
MAX_WAITING_PATHS = 20_000


@dataclass(frozen=True, slots=True)
class FilesChanged:
    """Something happened at these paths (relative); a folder stands for everything below it."""

    paths: frozenset[str]


@dataclass(frozen=True, slots=True)
class RescanDue:
    """The whole root must be looked at; `reason` is for the log."""

    reason: str


@dataclass(frozen=True, slots=True)
class RebuildAsked:
    """Read every file again, whatever its stat says."""


@dataclass(frozen=True, slots=True)
class BarrierAsked:
    """Everything posted before is to be searchable before this token is answered."""

    token: int


@dataclass(frozen=True, slots=True)
class SettingsChanged:
    """The settings file may say something else now."""


@dataclass(frozen=True, slots=True)
class StopAsked:
    """Finish the commit in hand and end."""


IndexerEvent = FilesChanged | RescanDue | RebuildAsked | BarrierAsked | SettingsChanged | StopAsked


@dataclass(slots=True)
class Turn:
    """What waited in the inbox, folded: the work of one round of the loop."""

    paths: set[str] = field(default_factory=set)
    rescan_reason: str | None = None
    is_rebuild: bool = False
    has_new_settings: bool = False
    tokens: list[int] = field(default_factory=list)
    must_stop: bool = False

    def fold(self, event: IndexerEvent) -> None:
        match event:
            case FilesChanged(paths):
                self.paths |= paths
                if len(self.paths) > MAX_WAITING_PATHS:
                    self.paths.clear()
                    self.rescan_reason = "too many changes"
            case RescanDue(reason):
                self.rescan_reason = reason
            case RebuildAsked():
                self.is_rebuild = True
                self.rescan_reason = "rebuild"
            case BarrierAsked(token):
                self.tokens.append(token)
            case SettingsChanged():
                self.has_new_settings = True
            case StopAsked():
                self.must_stop = True
            case _:
                assert_never(event)


class Inbox:
    """Events from any thread for the one indexer.

    Bounded: when full, what waits is folded into one rescan; barriers and a stop are never dropped.
    """

    def __init__(self) -> None:
        self._arrived = threading.Condition()
        self._waiting: deque[IndexerEvent] = deque()
        self._must_stop = False

    def post(self, event: IndexerEvent) -> None:
        with self._arrived:
            self._must_stop = self._must_stop or isinstance(event, StopAsked)
            if len(self._waiting) >= MAX_WAITING_EVENTS:
                kept = [waiting for waiting in self._waiting if not isinstance(waiting, FilesChanged | RescanDue)]
                self._waiting = deque(kept)
                self._waiting.appendleft(RescanDue("too many events"))
            self._waiting.append(event)
            self._arrived.notify_all()

    def __len__(self) -> int:
        with self._arrived:
            return len(self._waiting)

    @property
    def must_stop(self) -> bool:
        return self._must_stop

    def wait_for_stop(self, timeout_s: float) -> bool:
        """Whether a stop was asked for within the time, whatever else waits."""
        with self._arrived:
            return self._arrived.wait_for(lambda: self._must_stop, timeout_s)

    def take(self, timeout_s: float) -> Turn | None:
        """Everything that waits, in order; None after `timeout_s` without an event."""
        with self._arrived:
            if not self._arrived.wait_for(lambda: bool(self._waiting), timeout_s):
                return None
            turn = Turn()
            while self._waiting:
                turn.fold(self._waiting.popleft())
            return turn
