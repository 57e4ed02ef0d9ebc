"""Which embedder a workspace uses: what its settings say, and where they say "auto", what was found the first time."""

from collections.abc import Callable

from consiglierd.embed.service import EmbeddingService, ServedEmbedder
from consiglierd.embed.spec import EmbedderSpec
from consiglierd.errors import EmbeddingUnavailable
from consiglierd.store.vectors import VectorStore
from consiglierd.workspaces.options import EmbeddingOptions

AUTO_TIMEOUT_S = 2.0


class EmbeddingChoice:
    """`wanted` is called on the thread of the workspace's vectors."""

    def __init__(self, service: EmbeddingService, store: VectorStore, options: Callable[[], EmbeddingOptions]) -> None:
        self._service = service
        self._store = store
        self._options = options

    def wanted(self) -> ServedEmbedder | None:
        """None for the light mode; raises EmbeddingUnavailable."""
        options = self._options()
        backend = self._decided(options) if options.backend == "auto" else options.backend
        match backend:
            case "none":
                return None
            case "bundled":
                return self._service.embedder(EmbedderSpec("bundled"))
            case "ollama":
                return self._service.embedder(_ollama(options))
            case other:
                raise EmbeddingUnavailable(
                    f"the embedding backend {other!r} is not part of this version",
                    kind="model",
                    cure='set [embedding] backend to "bundled" or "ollama"',
                )

    def _decided(self, options: EmbeddingOptions) -> str:
        """Ollama, where one with the model answers; else the bundled model. Decided once, and kept."""
        decided = self._store.note("embedding_backend")
        if decided is None:
            try:
                self._service.embedder(_ollama(options, AUTO_TIMEOUT_S))
                decided = "ollama"
            except EmbeddingUnavailable:
                decided = "bundled"
            self._store.keep_note("embedding_backend", decided)
        return decided


def _ollama(options: EmbeddingOptions, timeout_s: float = 60.0) -> EmbedderSpec:
    return EmbedderSpec("ollama", options.model, options.endpoint, options.dimensions, timeout_s)
