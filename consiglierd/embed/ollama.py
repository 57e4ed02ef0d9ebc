"""Embedding by an Ollama server: every way in which it can fail, told as what to do."""

import hashlib
import math
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import httpx
import numpy as np
import ollama
from numpy.typing import NDArray

from consiglierd.embed.spec import EmbedderSpec
from consiglierd.errors import EmbeddingUnavailable

TEXTS_AT_ONCE = 32
# What models ask for in front of a text; nomic's were trained with theirs.
_PREFIXES = {"nomic-embed-text": ("search_document: ", "search_query: ")}
# Typical of sentence encoders; `unrelated` and `identical` of other models are not known here.
_COSINES = {"nomic-embed-text": (0.45, 0.9)}
_USUAL_COSINES = (0.3, 0.9)


class OllamaEmbedder:
    """Satisfies the Embedder protocol. `dimensions` is what the settings say: a model of others is refused."""

    def __init__(self, model: str, endpoint: str, dimensions: int, *, timeout_s: float) -> None:
        self.dimensions = dimensions
        self._model = model
        self._endpoint = endpoint
        name = model.partition(":")[0]
        self._document_prefix, self._query_prefix = _PREFIXES.get(name, ("", ""))
        self.unrelated, self.identical = _COSINES.get(name, _USUAL_COSINES)
        self.near = 0.0
        self._client = _client(endpoint, timeout_s)
        self.fingerprint = self._fingerprint()

    def _fingerprint(self) -> str:
        """By the model's own digest: a model that is pulled anew gives other vectors."""
        with self._errors():
            models = self._client.list().models
        names = (self._model, f"{self._model}:latest")
        found = next((each for each in models if each.model in names), None)
        if found is None:
            raise EmbeddingUnavailable(
                f"Ollama has no model {self._model}", kind="model", cure=f"ollama pull {self._model}"
            )
        digest = hashlib.blake2b(f"{found.digest}".encode(), digest_size=6).hexdigest()
        return f"ollama-{self._model}-{digest}-{self.dimensions}"

    def embed_documents(self, texts: Sequence[str]) -> NDArray[np.float32]:
        return self._embed([self._document_prefix + text for text in texts])

    def embed_queries(self, texts: Sequence[str]) -> NDArray[np.float32]:
        return self._embed([self._query_prefix + text for text in texts])

    def _embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        rows = np.zeros((len(texts), self.dimensions), dtype=np.float32)
        for start in range(0, len(texts), TEXTS_AT_ONCE):
            some = texts[start : start + TEXTS_AT_ONCE]
            with self._errors():
                found = self._client.embed(model=self._model, input=some, truncate=True).embeddings
            rows[start : start + len(some)] = self._checked(found, len(some))
        # An answer does not say which model gave it, and one may be pulled anew under its name at any time.
        if self._fingerprint() != self.fingerprint:
            raise EmbeddingUnavailable(f"{self._model} was pulled anew", kind="model")
        return rows

    def _checked(self, found: Sequence[Sequence[float]], wanted: int) -> NDArray[np.float32]:
        if len(found) != wanted:
            raise _garbage(f"{len(found)} vectors for {wanted} texts")
        lengths = {len(row) for row in found}
        if lengths != {self.dimensions}:
            raise EmbeddingUnavailable(
                f"{self._model} gives vectors of {', '.join(map(str, sorted(lengths)))} numbers, the settings say"
                f" {self.dimensions}",
                kind="dimensions",
                cure=f"set [embedding] dimensions = {max(lengths)}",
            )
        rows = np.array(found, dtype=np.float32)
        norms = np.linalg.norm(rows.astype(np.float64), axis=1)
        if not all(math.isfinite(norm) and norm > 0 for norm in norms.tolist()):
            raise _garbage("a vector that has no direction")
        result: NDArray[np.float32] = (rows / norms[:, None]).astype(np.float32)
        return result

    @contextmanager
    def _errors(self) -> Iterator[None]:
        try:
            yield
        except ollama.ResponseError as error:
            if error.status_code == 404:
                raise EmbeddingUnavailable(
                    f"Ollama has no model {self._model}", kind="model", cure=f"ollama pull {self._model}"
                ) from error
            raise EmbeddingUnavailable(
                f"Ollama at {self._endpoint} failed ({error.status_code})", kind="garbage", cure="see Ollama's log"
            ) from error
        except (httpx.TimeoutException, TimeoutError) as error:
            raise EmbeddingUnavailable(f"Ollama at {self._endpoint} takes too long", kind="slow") from error
        except (httpx.TransportError, ConnectionError) as error:
            raise EmbeddingUnavailable(
                f"Ollama does not answer at {self._endpoint}", kind="down", cure="start it: `ollama serve`"
            ) from error
        # The package makes its types of whatever JSON came: each of these is JSON of another shape, or none.
        except (ValueError, TypeError, AttributeError, RecursionError, httpx.DecodingError) as error:
            raise _garbage("an answer that is not Ollama's") from error


def _client(endpoint: str, timeout_s: float) -> ollama.Client:
    try:
        return ollama.Client(
            endpoint,
            timeout=timeout_s,
            # A redirect, or a proxy of the environment, would carry the texts elsewhere than the user said.
            follow_redirects=False,
            trust_env=False,
            # A connection that is kept may be dead when it is used again, which looks like a server that is down.
            limits=httpx.Limits(max_keepalive_connections=0),
            # Reading the list of certificates takes a tenth of a second, and without TLS nothing asks for it.
            verify=not endpoint.startswith("http://"),
        )
    except (ValueError, httpx.InvalidURL) as error:
        raise EmbeddingUnavailable(
            f"[embedding] endpoint is no address: {endpoint}", kind="down", cure="write it as http://host:11434"
        ) from error


def embedder_of(spec: EmbedderSpec) -> OllamaEmbedder:
    return OllamaEmbedder(spec.model, spec.endpoint, spec.dimensions, timeout_s=spec.timeout_s)


def _garbage(what: str) -> EmbeddingUnavailable:
    return EmbeddingUnavailable(f"the embedding server gave {what}", kind="garbage", cure="see its log")
