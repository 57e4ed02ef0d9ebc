"""Embeddings from a sentence-transformers model that is already on this machine."""

import hashlib
import threading
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import sentence_transformers
import torch
from huggingface_hub import snapshot_download
from numpy.typing import NDArray

from consiglierd.embed.spec import EmbedderSpec
from consiglierd.errors import EmbeddingUnavailable

DEFAULT_MODEL = "sentence-transformers/all-MiniLM-L6-v2"
WEIGHTS_SUFFIX = ".safetensors"
# Measured as those of the bundled table are; of other models they are not known here.
_COSINES = {DEFAULT_MODEL: (0.126, 0.67)}
_USUAL_COSINES = (0.3, 0.9)


class TransformerEmbedder:
    """Satisfies the Embedder protocol. Loads weights from safetensors alone, runs no code of the model's folder,
    and fetches nothing."""

    def __init__(self, spec: EmbedderSpec) -> None:
        """`spec.model` is a folder, or a name that was fetched before; raises EmbeddingUnavailable otherwise."""
        torch.set_num_threads(1)
        self._lock = threading.Lock()
        folder = _folder_of(spec.model)
        self.fingerprint = f"sentence-transformers-{_digest_of(folder)[:16]}"
        try:
            self._model = sentence_transformers.SentenceTransformer(
                str(folder),
                device="cpu",
                trust_remote_code=False,
                local_files_only=True,
                model_kwargs={"use_safetensors": True},
            )
        # What a broken folder raises is not written down anywhere; these are the kinds that were seen.
        except (OSError, ValueError, TypeError, KeyError, AttributeError, RuntimeError, ImportError) as error:
            raise _cannot_load(spec.model, f"{type(error).__name__}: {error}"[:300]) from error
        dimensions = self._model.get_embedding_dimension()
        if dimensions is None:
            raise _cannot_load(spec.model, "it does not say how long its vectors are")
        self.dimensions = int(dimensions)
        self.unrelated, self.identical = _COSINES.get(spec.model, _USUAL_COSINES)
        self.near = 0.0

    def embed_documents(self, texts: Sequence[str]) -> NDArray[np.float32]:
        return self._embed(texts, is_query=False)

    def embed_queries(self, texts: Sequence[str]) -> NDArray[np.float32]:
        return self._embed(texts, is_query=True)

    def _embed(self, texts: Sequence[str], *, is_query: bool) -> NDArray[np.float32]:
        """One text a call: padding beside longer neighbours would change the last bits."""
        encode = self._model.encode_query if is_query else self._model.encode_document
        rows = np.empty((len(texts), self.dimensions), np.float32)
        for index, text in enumerate(texts):
            with self._lock:
                row = encode([text], show_progress_bar=False, convert_to_numpy=True)[0]
            length = float(np.linalg.norm(row))
            rows[index] = row / length if length > 0 else row
        return rows


def _folder_of(model: str) -> Path:
    """Where the model lies; a name is looked up in what was fetched before."""
    if model.startswith("/"):
        folder = Path(model)
    else:
        try:
            folder = Path(snapshot_download(model, local_files_only=True))
        except (OSError, ValueError) as error:
            raise _cannot_load(model, "it was not fetched to this machine") from error
    if not folder.is_dir():
        raise _cannot_load(model, f"there is no folder {folder}")
    if not any(_weights_of(folder)):
        raise _cannot_load(model, f"the folder {folder} has no weights in safetensors")
    return folder


def _weights_of(folder: Path) -> Iterator[Path]:
    return (path for path in folder.rglob(f"*{WEIGHTS_SUFFIX}") if path.is_file())


def _digest_of(folder: Path) -> str:
    """Of everything in the folder that shapes the vectors: weights, tokenizer, pooling."""
    digest = hashlib.sha256()
    for path in sorted(folder.rglob("*")):
        if path.is_file() and path.suffix in (WEIGHTS_SUFFIX, ".json", ".txt", ".model"):
            digest.update(path.relative_to(folder).as_posix().encode() + b"\0")
            with path.open("rb") as file:
                digest.update(hashlib.file_digest(file, "sha256").digest())
    return digest.hexdigest()


def _cannot_load(model: str, why: str) -> EmbeddingUnavailable:
    return EmbeddingUnavailable(
        f"the sentence-transformers model `{model}` cannot be loaded: {why}",
        kind="model",
        cure="name a folder with a safetensors model by its whole path in `embedding.model` of your own settings file",
    )


def embedder_of(spec: EmbedderSpec) -> TransformerEmbedder:
    return TransformerEmbedder(spec)
