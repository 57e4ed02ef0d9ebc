"""The bundled embedding: one vector a piece of text, added up; a table of our own, numpy alone.

How the table is made, from what, and how well it does is told in `models/`.
"""

import hashlib
import json
from collections.abc import Sequence
from importlib import resources
from importlib.resources.abc import Traversable
from typing import Self

import numpy as np
from numpy.typing import NDArray

from consiglierd.embed.pieces import PieceCutter
from consiglierd.embed.spec import EmbedderSpec
from consiglierd.errors import EmbeddingUnavailable

ROWS, SCALES, PIECES, FACTS = "rows.npy", "scales.npy", "pieces.txt", "facts.json"
# Loses less than one answer in ten, on the mean of the sets: see benchmarks/QUALITY.md.
NEAR = 0.37
# How the vectors of pieces become that of a text, a part of the fingerprint.
ADDED_UP = "roots of counts"


class StaticTable:
    """Satisfies the Embedder protocol; may be used by several threads.

    A row of `rows` (int8, pieces x dimensions) times its scale is the vector of a piece; a text is the
    sum of its pieces' vectors, each by the root of how often the piece stands in the text, of unit length,
    or zero where it has none.
    """

    def __init__(self, folder: Traversable) -> None:
        """Raises OSError or ValueError where the files are not what they should be."""
        facts_text = folder.joinpath(FACTS).read_bytes()
        facts = json.loads(facts_text)
        with resources.as_file(folder.joinpath(ROWS)) as rows, resources.as_file(folder.joinpath(SCALES)) as scales:
            self._rows: NDArray[np.int8] = np.load(rows)
            self._scales: NDArray[np.float32] = np.load(scales)
        lines = folder.joinpath(PIECES).read_text(encoding="utf-8").split("\n")
        pieces, scores = zip(*(line.rsplit("\t", 1) for line in lines), strict=True)
        if not len(pieces) == len(self._rows) == len(self._scales):
            raise ValueError("the files of the bundled table do not belong together")
        self._cutter = PieceCutter(pieces, map(float, scores))
        self.dimensions = int(self._rows.shape[1])
        self.unrelated = float(facts["unrelated"])
        self.identical = float(facts["identical"])
        self.near = NEAR
        # The facts hold the digests of the other files, as they were when the table was made.
        digest = hashlib.blake2b(facts_text + ADDED_UP.encode(), digest_size=8)
        self.fingerprint = f"bundled-{digest.hexdigest()}"

    @classmethod
    def bundled(cls) -> Self:
        """The table that comes with the package."""
        return cls(resources.files("consiglierd.embed").joinpath("bundled"))

    def embed_documents(self, texts: Sequence[str]) -> NDArray[np.float32]:
        return np.stack([self._embed(text) for text in texts]) if texts else self._none()

    def embed_queries(self, texts: Sequence[str]) -> NDArray[np.float32]:
        return self.embed_documents(texts)

    def _none(self) -> NDArray[np.float32]:
        return np.zeros((0, self.dimensions), dtype=np.float32)

    def _embed(self, text: str) -> NDArray[np.float32]:
        found = np.array(self._cutter.numbers_of(text), dtype=np.intp)
        numbers, counts = np.unique(found, return_counts=True)
        factors = self._scales[numbers] * np.sqrt(counts, dtype=np.float32)
        # Added in the order of the pieces, each text by itself: the same bits for the same text.
        vector: NDArray[np.float32] = (self._rows[numbers] * factors[:, None]).sum(axis=0, dtype=np.float32)
        length = float(np.sqrt((vector * vector).sum()))
        return vector / np.float32(length) if length > 0 else vector


def embedder_of(spec: EmbedderSpec) -> StaticTable:
    """The table that comes with the package. Raises EmbeddingUnavailable."""
    try:
        return StaticTable.bundled()
    except (OSError, ValueError, KeyError) as error:
        raise EmbeddingUnavailable(
            f"the bundled model cannot be read: {error}", kind="model", cure="reinstall consigliere"
        ) from error
