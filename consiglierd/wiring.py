"""Composition root: builds the daemon, connects its parts, closes them in reverse."""

import asyncio
import hashlib
import os
import signal
import threading
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path

from consiglierd import __version__
from consiglierd.catalog.files import check_owner
from consiglierd.embed.cache import VectorCache
from consiglierd.embed.service import EmbeddingService
from consiglierd.events import EventHub
from consiglierd.indexer.workers import WorkerPool
from consiglierd.model.status import SettingValue
from consiglierd.serve.claim import Claim
from consiglierd.serve.endpoint import Endpoint
from consiglierd.serve.server import serve
from consiglierd.settings.describe import describe
from consiglierd.settings.load import PROJECT_FILE_NAME, USER_FILE_NAME, Loaded, load_settings
from consiglierd.settings.rules import document_rules, role_table
from consiglierd.settings.schema import Settings
from consiglierd.store.registry import Registry
from consiglierd.supervisor import Supervisor
from consiglierd.workspaces.open_workspaces import OpenWorkspaces
from consiglierd.workspaces.opening import Surroundings, open_workspace
from consiglierd.workspaces.options import EmbeddingOptions, WorkspaceOptions

WORKER_DEADLINE_S = 20.0
WORKER_MEMORY_BYTES = 1536 * 1024 * 1024
THREADS_TIMEOUT_S = 2.0
STOP_WITHIN_S = 1.8


def options_from(loaded: Loaded) -> WorkspaceOptions:
    settings = loaded.settings
    return WorkspaceOptions(
        rules=document_rules(settings),
        roles=role_table(settings),
        paths=settings.index.paths,
        exclude=settings.index.exclude,
        max_file_bytes=settings.index.max_file_bytes,
        is_watching=settings.index.watch,
        default_top_k=settings.search.default_top_k,
        min_score=settings.search.min_score,
        alpha=settings.search.alpha,
        beta=settings.search.beta,
        embedding=EmbeddingOptions(
            backend=settings.embedding.backend if settings.embedding.enabled else "none",
            model=settings.embedding.model,
            endpoint=settings.embedding.endpoint,
            dimensions=settings.embedding.dimensions,
        ),
        values=tuple(SettingValue(line.name, line.value, line.source, line.help) for line in describe(loaded)),
        problems=(*map(str, loaded.problems), *_absent(settings)),
    )


def _absent(settings: Settings) -> tuple[str, ...]:
    """What may be set and is not there yet."""
    if settings.search.fusion == "rrf":
        return ('[search] fusion = "rrf" is not part of this version: the convex fusion is used',)
    return ()


class SettingsSource:
    """Satisfies workspaces.options.OptionsSource: the user's own file, and that of each project."""

    def __init__(self, state_directory: Path) -> None:
        self._user_file = state_directory / USER_FILE_NAME
        self._last_good: dict[str, Loaded] = {}

    def options_of(self, root: str) -> WorkspaceOptions:
        loaded = load_settings(Path(root), user_file=self._user_file, last_good=self._last_good.get(root))
        self._last_good[root] = loaded
        return options_from(loaded)

    def stamp_of(self, root: str) -> object:
        return [_stamp_of(file) for file in (self._user_file, Path(root) / PROJECT_FILE_NAME)]


def _stamp_of(file: Path) -> tuple[int, ...] | None:
    try:
        found = os.lstat(file)
    except OSError:
        return None
    return (found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns)


def folder_for(state_directory: Path) -> Callable[[str], Path]:
    """Where the data of a root lies that cannot hold it itself."""

    def fallback(root: str) -> Path:
        name = hashlib.blake2b(os.fsencode(root), digest_size=8).hexdigest()
        return state_directory / "derived" / name

    return fallback


def build_workspaces(
    endpoint: Endpoint, hub: EventHub, supervisor: Supervisor, stack: ExitStack, *, honour_tombstones: bool = True
) -> OpenWorkspaces:
    """Everything under the sockets; `stack` closes it in reverse. Without tombstones deleted text is found
    again: a test shows with it that the comparison with a new index would notice."""
    state = endpoint.state_directory
    registry = Registry(state / "registry.db")
    stack.callback(registry.close)
    workers = WorkerPool(
        count=max(1, (os.cpu_count() or 2) - 1),
        deadline_s=WORKER_DEADLINE_S,
        memory_limit_bytes=WORKER_MEMORY_BYTES,
    )
    workers.start()
    stack.callback(workers.close)
    stack.callback(supervisor.close_threads, THREADS_TIMEOUT_S)
    cache = VectorCache(state / "vectors.db")
    stack.callback(cache.close)
    embedding = EmbeddingService(cache)
    stack.callback(embedding.close)

    def known_nonce(root: str) -> str | None:
        known = registry.find(root)
        return known.nonce if known is not None else None

    surroundings = Surroundings(
        options=SettingsSource(state),
        workers=workers,
        embedding=embedding,
        supervisor=supervisor,
        hub=hub,
        fallback_folder=folder_for(state),
        authored_folder=state / "authored",
        socket=str(endpoint.socket),
        known_nonce=known_nonce,
        honour_tombstones=honour_tombstones,
    )
    workspaces = OpenWorkspaces(
        registry,
        check_root=lambda root: check_owner(root, os.geteuid()),
        open_one=lambda root: open_workspace(root, surroundings),
        fallback_folder=folder_for(state),
    )
    stack.callback(workspaces.close)
    return workspaces


async def run_daemon(endpoint: Endpoint, claimed: Claim, on_listening: Callable[[], None]) -> None:
    """Serve until SIGTERM, SIGINT or a Shutdown call; `on_listening` is called once calls can be made."""
    loop = asyncio.get_running_loop()
    stop = asyncio.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, stop.set)
    hub, supervisor = EventHub(), Supervisor()
    with ExitStack() as stack:
        workspaces = build_workspaces(endpoint, hub, supervisor, stack)
        loop.add_signal_handler(signal.SIGHUP, workspaces.reload_settings)
        ending = asyncio.create_task(_end_in_time(stop, workspaces, claimed))
        await serve(claimed, workspaces, hub, version=__version__, stop=stop, on_listening=on_listening)
        ending.cancel()


async def _end_in_time(stop: asyncio.Event, workspaces: OpenWorkspaces, claimed: Claim) -> None:
    """The indexers are told at once; whatever then does not end is ended, for what was committed stands."""
    await stop.wait()

    def end_now() -> None:
        claimed.remove_sockets()
        os._exit(0)

    last = threading.Timer(STOP_WITHIN_S, end_now)
    last.daemon = True
    last.start()
    await asyncio.to_thread(workspaces.stop_working)
