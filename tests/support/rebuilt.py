"""An index of a tree made from scratch, in this process, with the real parts."""

import shutil
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from types import TracebackType
from typing import Any

from consiglierd.events import EventHub
from consiglierd.model.deadline import Deadline
from consiglierd.model.hit import SearchResult
from consiglierd.model.query import Query
from consiglierd.serve.endpoint import Endpoint
from consiglierd.supervisor import Supervisor
from consiglierd.wiring import build_workspaces
from consiglierd.workspaces.workspace import OpenWorkspace
from tests.support.view import View, view_of

TIMEOUT_S = 120.0


def search_places(result: SearchResult) -> list[tuple[Any, ...]]:
    """The same form as view.places gives of a reply."""
    return [
        (
            hit.file,
            hit.line_start,
            hit.line_end,
            round(hit.score, 6),
            tuple((also.file, also.line_start) for also in hit.also),
        )
        for hit in result.hits
    ]


class Rebuilt:
    """One fresh index."""

    def __init__(self, root: Path, workspace: OpenWorkspace) -> None:
        self.root = root
        self.workspace = workspace

    def view(self) -> View:
        return view_of(self.root / ".consigliere" / "consigliere.db")

    def search(self, text: str, limit: int, **more: Any) -> list[tuple[Any, ...]]:
        query = Query(text=text, limit=limit, **more)
        return search_places(self.workspace.search(query, Deadline.after(TIMEOUT_S)))


class Rebuilder:
    """Makes fresh indexes one after another; the worker processes are shared between them.

    `embedding` is the backend, as the user's own settings name it.
    """

    def __init__(self, embedding: str = "none", *, honour_tombstones: bool = True) -> None:
        self._embedding = embedding
        self._honours_tombstones = honour_tombstones

    def __enter__(self) -> "Rebuilder":
        self._stack = ExitStack()
        self._folder = Path(tempfile.mkdtemp(prefix="csg-new-", dir="/tmp"))
        self._stack.callback(shutil.rmtree, self._folder, ignore_errors=True)
        state = self._folder / "state"
        state.mkdir()
        (state / "config.toml").write_text(f'[embedding]\nbackend = "{self._embedding}"\n', encoding="utf-8")
        self._workspaces = build_workspaces(
            Endpoint(self._folder / "none.sock", state),
            EventHub(),
            Supervisor(),
            self._stack,
            honour_tombstones=self._honours_tombstones,
        )
        self._count = 0
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stack.close()

    @contextmanager
    def rebuilt(self, tree: Path) -> Iterator[Rebuilt]:
        """A fresh index of a copy of `tree` (git folder and all)."""
        copy = self._copied(tree)
        workspace = self.opened(copy)
        try:
            yield Rebuilt(copy, workspace)
        finally:
            self._workspaces.forget(str(copy))
            shutil.rmtree(copy)

    def opened(self, root: Path) -> OpenWorkspace:
        """The workspace of a tree, settled; it stays open and follows the tree."""
        workspace = self._workspaces.open(str(root), Deadline.after(TIMEOUT_S))
        workspace.settle(Deadline.after(TIMEOUT_S))
        assert workspace._parts.vectors.wait_for(workspace.revision(), TIMEOUT_S)
        return workspace

    def close_workspace(self, root: Path) -> None:
        """Let go of a tree until it is opened again."""
        self._workspaces.close_one(str(root))

    def _copied(self, tree: Path) -> Path:
        self._count += 1
        copy = self._folder / f"copy-{self._count}"
        shutil.copytree(tree, copy, ignore=shutil.ignore_patterns(".consigliere"), symlinks=True)
        return copy
