"""Which embedder a workspace uses: what its settings say, and where they say "auto", what was found the first time."""

from collections.abc import Callable
from pathlib import Path

from consiglierd.embed.service import EmbeddingService, ServedEmbedder
from consiglierd.embed.spec import EmbedderSpec, spec_of
from consiglierd.errors import EmbeddingUnavailable
from consiglierd.store.vectors import VectorStore
from consiglierd.workspaces.options import EmbeddingOptions

AUTO_TIMEOUT_S = 2.0
# What `embedding.model` is as shipped; it names Ollama's model, and means the own default of others.
_SHIPPED_MODEL = "nomic-embed-text"
_SHIPPED_TRANSFORMER = "sentence-transformers/all-MiniLM-L6-v2"


class EmbeddingChoice:
    """Satisfies text_embedder.EmbedderChoice; called on the thread of the workspace's vectors."""

    def __init__(
        self, service: EmbeddingService, store: VectorStore, options: Callable[[], EmbeddingOptions], root: Path
    ) -> None:
        self._root = root
        self._service = service
        self._store = store
        self._options = options

    def asked(self) -> EmbeddingOptions:
        return self._options()

    def again(self, recipe: str, is_abandoned: Callable[[], bool]) -> ServedEmbedder | None:
        """What an earlier `wanted` gave, by its recipe: settings that were trusted then have chosen it."""
        try:
            return self._service.embedder(spec_of(recipe), is_abandoned)
        except (EmbeddingUnavailable, ValueError):
            return None

    def wanted(self, is_abandoned: Callable[[], bool]) -> ServedEmbedder | None:
        """None for the light mode; raises EmbeddingUnavailable."""
        options = self._options()
        backend = self._decided(options, is_abandoned) if options.backend == "auto" else options.backend
        match backend:
            case "none":
                return None
            case "bundled":
                return self._service.embedder(EmbedderSpec("bundled"), is_abandoned)
            case "ollama":
                return self._service.embedder(_ollama(options), is_abandoned)
            case "quality":
                return self._service.embedder(EmbedderSpec("quality"), is_abandoned)
            case "sentence-transformers":
                return self._service.embedder(
                    EmbedderSpec(backend, _transformer(options.model, self._root)), is_abandoned
                )
            case other:
                raise EmbeddingUnavailable(
                    f"the embedding backend {other!r} is not part of this version",
                    kind="model",
                    cure="see `embedding.backend` among the settings",
                )

    def _decided(self, options: EmbeddingOptions, is_abandoned: Callable[[], bool]) -> str:
        """Ollama, where one with the model answers; else the bundled model. Decided once, and kept."""
        decided = self._store.note("embedding_backend")
        if decided is None:
            try:
                self._service.embedder(_ollama(options, AUTO_TIMEOUT_S), is_abandoned)
                decided = "ollama"
            except EmbeddingUnavailable as trouble:
                # It was not heard out: that says nothing of Ollama.
                if trouble.kind == "ended":
                    raise
                decided = "bundled"
            self._store.keep_note("embedding_backend", decided)
        return decided


def _ollama(options: EmbeddingOptions, timeout_s: float = 60.0) -> EmbedderSpec:
    return EmbedderSpec("ollama", options.model, options.endpoint, options.dimensions, timeout_s)


def _transformer(model: str, root: Path) -> str:
    """The model's name or folder: whoever can write to the root must not choose what is loaded."""
    if model == _SHIPPED_MODEL:
        return _SHIPPED_TRANSFORMER
    if not model.startswith(("/", "~")):
        return model
    folder = Path(model).expanduser().resolve()
    if folder.is_relative_to(root.resolve()):
        raise EmbeddingUnavailable(
            f"the model folder {folder} lies inside the workspace",
            kind="model",
            cure="move it out of the root: a model is loaded only from where the repository cannot write",
        )
    return str(folder)
