"""Every setting: its name, kind, default, what it does, and whether a repository may choose it."""

from collections.abc import Mapping
from dataclasses import dataclass

from consiglierd.settings.kinds import Choice, Flag, Globs, Kind, Line, Number, Value, Whole

MAX_FILE_BYTES = 256 * 1024
MAX_ROOMS = 64
MAX_ROLES = 64
MAX_TAGS = 64
MAX_TYPES = 256
MAX_WORDS = 256
MIN_WEIGHT = 0.7
MAX_WEIGHT = 1.5

# What documents can be; `consiglierd.ingest.docs` knows how each is cut.
FILE_TYPES = (
    "adr",
    "budget",
    "changelog",
    "checklist",
    "claude",
    "dashboard",
    "debate",
    "gantt",
    "general",
    "gtm",
    "issues",
    "memory",
    "raci",
    "risk",
    "rules",
    "spec",
    "status",
    "tasks",
    "tech-debt",
    "wbs",
    "workflow",
)

# Sections of which this version reads nothing yet; a settings file may already hold them.
RESERVED_SECTIONS = ("contradictions", "enforcer")


@dataclass(frozen=True, slots=True)
class Setting:
    """One setting. `harmless` lists the values that a repository nobody has trusted may choose;
    None means that it may choose any."""

    name: str
    kind: Kind
    default: Value
    help: str
    harmless: tuple[Value, ...] | None = None


@dataclass(frozen=True, slots=True)
class Table:
    """A section whose keys the user names: `[rooms] ios = ["swift"]`."""

    name: str
    form: str
    help: str


@dataclass(frozen=True, slots=True)
class IndexSettings:
    paths: tuple[str, ...]
    exclude: tuple[str, ...]
    code_paths: tuple[str, ...]
    code: bool
    watch: bool
    max_file_bytes: int
    split_tokens: int


@dataclass(frozen=True, slots=True)
class SearchSettings:
    default_top_k: int
    min_score: float
    alpha: float
    beta: float
    fusion: str


@dataclass(frozen=True, slots=True)
class EmbeddingSettings:
    enabled: bool
    backend: str
    model: str
    endpoint: str
    dimensions: int


@dataclass(frozen=True, slots=True)
class RoleSettings:
    """A role under its name; `weights` maps file types to multipliers."""

    group: str
    aliases: tuple[str, ...]
    rooms: tuple[str, ...]
    weights: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class Settings:
    """Everything that is in force. `rooms`, `tags` map names to words, `types` globs to file types."""

    lang: str
    index: IndexSettings
    search: SearchSettings
    embedding: EmbeddingSettings
    types: Mapping[str, str]
    rooms: Mapping[str, tuple[str, ...]]
    tags: Mapping[str, tuple[str, ...]]
    roles: Mapping[str, RoleSettings]


SETTINGS = (
    Setting(
        "lang",
        Choice(("auto", "ko", "en")),
        "auto",
        "The language of messages; `auto` follows the terminal's locale.",
    ),
    Setting(
        "index.paths",
        Globs(256),
        (),
        "The documents to index, as path patterns; an empty list means every document under the root.",
    ),
    Setting(
        "index.exclude",
        Globs(256),
        (".consigliere/**", ".git/**", "node_modules/**"),
        "Paths to leave out besides what git ignores; these three folders are always left out.",
    ),
    Setting(
        "index.code_paths",
        Globs(256),
        (),
        "The source files to index, as path patterns; an empty list means every known language under the root.",
    ),
    Setting("index.code", Flag(), True, "Index source code beside documents."),
    Setting("index.watch", Flag(), True, "Follow changes of files as they happen."),
    Setting(
        "index.max_file_bytes",
        Whole(1024, 256 * 1024 * 1024),
        5 * 1024 * 1024,
        "Files larger than this many bytes are left out and counted.",
    ),
    Setting(
        "index.split_tokens",
        Whole(50, 4000),
        400,
        "A section longer than about this many tokens is split at paragraph, list or table-row borders.",
    ),
    Setting("search.default_top_k", Whole(1, 1000), 5, "The number of hits when the caller does not say."),
    Setting(
        "search.min_score",
        Number(0.0, 1.0),
        0.3,
        "The least of a hit: the share of the question's words that it holds or, if that is more, its nearness.",
    ),
    Setting("search.alpha", Number(0.0, 1.0), 0.35, "The share of the vector side in the score; the rest is BM25."),
    Setting("search.beta", Number(0.0, 1.0), 0.0, "What is added to the score of a hit in a main room of the role."),
    Setting(
        "search.fusion",
        Choice(("convex", "rrf")),
        "convex",
        "How both sides are joined: weighted sum, or reciprocal ranks.",
    ),
    Setting("embedding.enabled", Flag(), True, "Use vectors; `false` is the light mode, BM25 alone."),
    Setting(
        "embedding.backend",
        Choice(("auto", "bundled", "quality", "ollama", "sentence-transformers", "none")),
        "auto",
        "Which embedding to use.",
        # Neither reaches out of this machine nor loads a model that the repository named.
        harmless=("auto", "bundled", "none"),
    ),
    Setting(
        "embedding.model",
        Line(256),
        "nomic-embed-text",
        "The name of the Ollama model. For `sentence-transformers` a model that was fetched before, or the whole path "
        "of its folder outside the root; the default then stands for `all-MiniLM-L6-v2`. Binds no other backend.",
        harmless=("nomic-embed-text",),
    ),
    Setting(
        "embedding.endpoint",
        Line(512),
        "http://localhost:11434",
        "Where the embedding server answers; binds the Ollama backend only.",
        harmless=("http://localhost:11434",),
    ),
    Setting(
        "embedding.dimensions",
        Whole(1, 8192),
        768,
        "The length of the model's vectors; binds the Ollama backend only.",
    ),
)

TABLES = (
    Table(
        "types",
        '"GLOB" = "TYPE"',
        "Gives files that match a path pattern a type; tried, in order, before the shipped patterns.",
    ),
    Table(
        "rooms",
        'NAME = ["keyword", ...]',
        "A room and its keywords; replaces the shipped room of that name, or adds one. An empty list removes it.",
    ),
    Table(
        "tags",
        'NAME = ["word", ...]',
        "A role tag and the words that give it; replaces the shipped tag of that name, or adds one.",
    ),
    Table(
        "roles.NAME",
        'rooms = [...], types = { TYPE = WEIGHT }, aliases = [...], group = "NAME"',
        f"A role: its main rooms, the weight of each file type ({MIN_WEIGHT:g} to {MAX_WEIGHT:g}, 1 where absent), "
        "other names of it, and the group that private documents are compared with. What is not given stays "
        "as shipped; weights and aliases are added to the shipped ones.",
    ),
)

SETTING_BY_NAME: Mapping[str, Setting] = {setting.name: setting for setting in SETTINGS}
SECTIONS = tuple(dict.fromkeys(name.split(".")[0] for name in SETTING_BY_NAME if "." in name))
