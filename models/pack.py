"""The trained table as it is shipped: 8-bit rows with a scale each, pieces, and what is known of it."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from consiglierd.embed.static_table import FACTS, PIECES, ROWS, SCALES


def pack(
    folder: Path,
    table: NDArray[np.float32],
    weights: NDArray[np.float32],
    pieces: Sequence[str],
    scores: NDArray[np.float32],
    facts: Mapping[str, float | str],
) -> None:
    """`weights` are folded into the scales. `facts` must hold `unrelated` and `identical`."""
    folder.mkdir(parents=True, exist_ok=True)
    scales = np.abs(table).max(axis=1) / 127
    scales[scales == 0] = 1.0
    rows = np.clip(np.rint(table / scales[:, None]), -127, 127).astype(np.int8)
    np.save(folder / ROWS, rows)
    np.save(folder / SCALES, (scales * weights).astype(np.float32))
    lines = (f"{piece}\t{score:.4f}" for piece, score in zip(pieces, scores.tolist(), strict=True))
    (folder / PIECES).write_text("\n".join(lines), encoding="utf-8")
    digests = {name: hashlib.blake2b((folder / name).read_bytes(), digest_size=20).hexdigest() for name in FILES}
    (folder / FACTS).write_text(json.dumps({**facts, "digests": digests}, indent=1) + "\n", encoding="utf-8")


FILES = (ROWS, SCALES, PIECES)
