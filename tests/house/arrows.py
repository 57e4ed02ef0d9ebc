"""Who may import whom."""

import sys
from collections.abc import Iterator, Mapping

from tests.house.source import Breach, Imported, Source, room_of

# Lower never imports higher, and rooms of one level do not import each other.
LEVELS: Mapping[str, tuple[tuple[str, ...], ...]] = {
    "consiglierd": (
        ("model", "errors"),
        ("settings", "supervisor", "child", "events", "text", "store", "git", "principals"),
        ("watch", "ingest", "embed", "catalog", "versions"),
        ("index", "indexer", "codegraph"),
        ("search",),
        ("contradictions", "knowledge", "ontology", "fleet", "evaluation"),
        ("enforcer",),
        ("workspaces",),
        ("serve",),
        ("wiring",),
        ("__main__",),
    ),
    "consigliere": (
        ("protocol",),
        ("errors", "render", "zmtp"),
        ("endpoint", "exchange"),
        ("client", "aio", "launch"),
        ("subscription",),
        ("cli", "mcp", "lsp", "web"),
    ),
}

# What the levels would allow and the house does not.
FORBIDDEN: Mapping[tuple[str, str], str] = {
    ("serve", "store"): "serve speaks to services; a handler that reads tables hides a feature from every other caller",
    ("serve", "index"): "serve speaks to services; what an index proposes is scored and verified by search first",
}

SETTINGS_READERS = ("wiring", "__main__")

# A library's exceptions and quirks stop at the room that wraps it.
LIBRARY_ROOMS: Mapping[str, tuple[str, ...]] = {
    "tantivy": ("index",),
    "sqlite3": ("store",),
    "watchdog": ("watch",),
    "zmq": ("serve",),
    "markdown_it": ("ingest",),
    "yaml": ("ingest",),
    "charset_normalizer": ("ingest",),
    "subprocess": ("git", "child"),
    "faiss": ("index",),
    "ollama": ("embed",),
    "onnxruntime": ("embed",),
    "httpx": ("embed",),
    "tomllib": ("settings", "ingest"),
}

HOT_MODULES = (
    "consigliere.endpoint",
    "consigliere.exchange",
    "consigliere.zmtp",
    "consigliere.client",
    "consigliere.launch",
    "consigliere.cli.main",
    "consigliere.cli.search",
    "consigliere.cli.show",
    "consigliere.render.plain",
    "consigliere.render.json",
)


def arrow_breaches(source: Source) -> Iterator[Breach]:
    """Imports within one package that point up or sideways, or across where no arrow runs."""
    own_level = _level_of(source.package, source.room)
    if own_level is None:
        yield Breach(source.place, f"room `{source.room}` stands on no level; a new room is a design change")
        return
    for imported in source.imports:
        if imported.is_relative:
            yield Breach(source.at(imported.line), "relative import; a reader must see from the line which room it is")
            continue
        target_package = imported.module.split(".")[0]
        if target_package == source.package:
            yield from _within(source, own_level, imported)
        elif target_package in LEVELS:
            yield from _across(source, imported)


def _within(source: Source, own_level: int, imported: Imported) -> Iterator[Breach]:
    place, room = source.at(imported.line), room_of(imported.module)
    if room in ("", source.room) or room == "__version__":
        return
    level = _level_of(source.package, room)
    if level is None:
        yield Breach(place, f"room `{room}` stands on no level; a new room is a design change")
    elif level > own_level:
        yield Breach(
            place,
            f"`{source.room}` imports `{room}`, above it; arrows point down, so that a room can be read alone",
        )
    elif level == own_level:
        yield Breach(
            place, f"`{source.room}` imports its sibling `{room}`; what both need belongs below, under its own name"
        )
    elif (source.room, room) in FORBIDDEN:
        yield Breach(place, FORBIDDEN[source.room, room])
    if source.package == "consiglierd" and room == "settings" and source.room not in SETTINGS_READERS:
        yield Breach(
            place, f"`{source.room}` imports settings; only wiring reads them, everything else takes plain arguments"
        )


def _across(source: Source, imported: Imported) -> Iterator[Breach]:
    place = source.at(imported.line)
    if source.package == "consigliere":
        yield Breach(
            place, "the client imports the daemon; it must start in milliseconds and run where no daemon is installed"
        )
    elif not (source.room == "serve" and room_of(imported.module) == "protocol"):
        yield Breach(
            place,
            f"`{source.room}` imports {imported.module}; only serve speaks the wire, the rest has nouns of its own",
        )


def library_breaches(source: Source) -> Iterator[Breach]:
    """Libraries of the daemon outside the room that wraps them."""
    for imported in source.imports:
        library = imported.module.split(".")[0]
        rooms = LIBRARY_ROOMS.get(library)
        if rooms is not None and source.package == "consiglierd" and source.room not in rooms:
            yield Breach(
                source.at(imported.line), f"{library} belongs to {' and '.join(rooms)}; its errors and traps stop there"
            )


def delayed_import_breaches(source: Source) -> Iterator[Breach]:
    """Imports inside functions of the daemon."""
    for imported in source.imports:
        if imported.is_delayed and source.package == "consiglierd":
            yield Breach(
                source.at(imported.line), "import inside a function; in the daemon it only hides an arrow or a cycle"
            )


def weight_breaches(hot: str, sources: Mapping[str, Source]) -> Iterator[Breach]:
    """Whatever a hot module of the client loads, itself or through others, beyond the standard library."""
    waiting, seen = [hot], set()
    while waiting:
        module = waiting.pop()
        if module in seen:
            continue
        seen.add(module)
        if module not in sources:
            yield Breach(
                module, f"is not there; {hot} is a hot module of the client" if module == hot else "is not there"
            )
            continue
        if "." in module:
            waiting.append(module.rpartition(".")[0])
        for imported in sources[module].imports:
            if imported.is_delayed or imported.is_for_types:
                continue
            if imported.module.split(".")[0] == "consigliere":
                waiting += [imported.module] if imported.module in sources or "." not in imported.module else []
            elif imported.module.split(".")[0] not in sys.stdlib_module_names:
                yield Breach(
                    sources[module].at(imported.line),
                    f"{hot} loads {imported.module}; hot commands import nothing but the standard library, "
                    "because start-up is most of what a person waits for",
                )


def _level_of(package: str, room: str) -> int | None:
    if room == "":
        return 0
    return next((level for level, rooms in enumerate(LEVELS[package]) if room in rooms), None)
