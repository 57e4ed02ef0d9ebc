"""All workspaces of the daemon: opened once, closed when too many are open, refused after crashes."""

import os
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from consiglierd.errors import Busy, DaemonError, DeadlineExceeded, NotFound, Poisoned
from consiglierd.model.deadline import Deadline
from consiglierd.model.status import WorkspaceLine
from consiglierd.store.folder import FOLDER_NAME, remove_folder
from consiglierd.store.registry import CRASHES_TO_QUARANTINE, Registry
from consiglierd.workspaces.workspace import OpenWorkspace

MAX_OPEN = 16
CLOSE_TIMEOUT_S = 10.0


@dataclass(slots=True)
class _Slot:
    """One root: the workspace once it is open, and the lock of whoever opens or closes it."""

    lock: threading.Lock = field(default_factory=threading.Lock)
    workspace: OpenWorkspace | None = None
    used_s: float = 0.0


class OpenWorkspaces:
    """Satisfies serve.services.Workspaces. `open_one` builds a workspace; `check_root` refuses what must not be one."""

    def __init__(
        self,
        registry: Registry,
        *,
        check_root: Callable[[str], None],
        open_one: Callable[[str], OpenWorkspace],
        fallback_folder: Callable[[str], Path],
    ) -> None:
        self._registry = registry
        self._check_root = check_root
        self._open_one = open_one
        self._fallback_folder = fallback_folder
        self._slots: dict[str, _Slot] = {}
        self._lock = threading.Lock()
        self._is_closing = False

    def open(self, root: str, deadline: Deadline) -> OpenWorkspace:
        # A folder that has several names by links is one workspace.
        root = os.path.realpath(root)
        slot = self._slots.get(root)
        workspace = slot.workspace if slot is not None else None
        if slot is not None and workspace is not None and workspace.is_sound:
            slot.used_s = time.monotonic()
            return workspace
        self._check_root(root)
        with self._lock:
            slot = self._slots.setdefault(root, _Slot())
        if not slot.lock.acquire(timeout=deadline.remaining_s):
            raise DeadlineExceeded(f"{root} is still being opened", cure="ask again")
        try:
            if slot.workspace is not None and not slot.workspace.is_sound:
                workspace, slot.workspace = slot.workspace, None
                workspace.close(CLOSE_TIMEOUT_S)
            if slot.workspace is None:
                self._refuse_if_it_kills_us(root)
                self._close_least_recent()
                slot.workspace = self._opened(root)
            slot.used_s = time.monotonic()
            return slot.workspace
        finally:
            slot.lock.release()

    def _opened(self, root: str) -> OpenWorkspace:
        if self._is_closing:
            raise Busy("the daemon is stopping", retry_after_ms=500)
        self._registry.mark_opening(root)
        try:
            workspace = self._open_free(root)
        except BaseException:
            self._registry.mark_failed(root)
            raise
        self._registry.mark_open(root, workspace.nonce)
        return workspace

    def _open_free(self, root: str) -> OpenWorkspace:
        """A folder that was renamed is still held under its old name: that is let go."""
        try:
            return self._open_one(root)
        except Busy:
            with self._lock:
                slots = list(self._slots.items())
            moved = [
                (other, slot) for other, slot in slots if slot.workspace is not None and not slot.workspace.is_in_place
            ]
            if not [other for other, slot in moved if self._close_slot(other, slot, waits=False)]:
                raise
            return self._open_one(root)

    def _refuse_if_it_kills_us(self, root: str) -> None:
        known = self._registry.find(root)
        if known is not None and known.crashes >= CRASHES_TO_QUARANTINE:
            raise Poisoned(
                f"{root} is quarantined: the daemon died {known.crashes} times while opening it",
                cure=f"`consigliere forget {root}` removes its index, then index it anew",
            )

    def _close_least_recent(self) -> None:
        with self._lock:
            open_slots = [(root, slot) for root, slot in self._slots.items() if slot.workspace is not None]
        if len(open_slots) < MAX_OPEN:
            return
        # Whoever opens one holds its lock, and would wait here for another that does the same.
        for root, slot in sorted(open_slots, key=lambda entry: entry[1].used_s):
            if self._close_slot(root, slot, waits=False):
                return

    def close_one(self, root: str) -> None:
        """Close a workspace until the next call that names it."""
        root = os.path.realpath(root)
        slot = self._slots.get(root)
        if slot is not None:
            self._close_slot(root, slot)

    def _close_slot(self, root: str, slot: _Slot, *, waits: bool = True) -> bool:
        """Whether it is closed; with `waits` off, False where somebody is opening or closing it."""
        if not slot.lock.acquire(blocking=waits):
            return False
        try:
            workspace, slot.workspace = slot.workspace, None
            if workspace is None:
                return True
            line = _line_of(root, workspace)
            workspace.close(CLOSE_TIMEOUT_S)
        finally:
            slot.lock.release()
        if line is not None:
            self._registry.note_size(root, line.files, line.chunks)
        return True

    def lines(self) -> tuple[WorkspaceLine, ...]:
        with self._lock:
            opened = {root: slot.workspace for root, slot in self._slots.items() if slot.workspace is not None}
        lines = []
        for known in self._registry.all():
            workspace = opened.get(known.root)
            line = _line_of(known.root, workspace) if workspace is not None else None
            lines.append(line or WorkspaceLine(known.root, False, "closed", known.files, known.chunks))
        return tuple(lines)

    def forget(self, root: str) -> tuple[str, ...]:
        root = os.path.realpath(root)
        known = self._registry.find(root)
        if known is None and root not in self._slots and not (Path(root) / FOLDER_NAME).is_dir():
            raise NotFound(
                f"{root} is not a workspace that the daemon knows", cure="`consigliere workspaces` lists them"
            )
        self.close_one(root)
        removed = [
            str(folder) for folder in (Path(root) / FOLDER_NAME, self._fallback_folder(root)) if remove_folder(folder)
        ]
        self._registry.forget(root)
        return tuple(removed)

    def reload_settings(self) -> None:
        """Every open workspace reads its settings again (SIGHUP)."""
        with self._lock:
            opened = [slot.workspace for slot in self._slots.values() if slot.workspace is not None]
        for workspace in opened:
            workspace.reload_settings()

    def stop_working(self) -> None:
        """Nothing is opened any more, and the indexers finish what they have in hand; answers are still given."""
        self._is_closing = True
        # An opening that we cut short ourselves is no crash.
        self._registry.mark_none_opening()
        with self._lock:
            opened = [slot.workspace for slot in self._slots.values() if slot.workspace is not None]
        for workspace in opened:
            workspace.stop_working()

    def close(self) -> None:
        """Close every workspace; nothing is opened any more."""
        self._is_closing = True
        with self._lock:
            slots = list(self._slots.items())
        closers = [threading.Thread(target=self._close_slot, args=entry, name="close-workspace") for entry in slots]
        for closer in closers:
            closer.start()
        for closer in closers:
            closer.join()


def _line_of(root: str, workspace: OpenWorkspace) -> WorkspaceLine | None:
    """None where the workspace is not sound: the next call that names it opens it anew."""
    try:
        status = workspace.status()
    except DaemonError:
        return None
    return WorkspaceLine(root, True, status.state, status.files, status.chunks)
