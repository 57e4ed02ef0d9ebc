"""What the cosines of a model mean: those of unrelated texts, and of texts that say the same."""

from collections.abc import Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

SAMPLE = 4000
SEED = 3


class Embeds(Protocol):
    def embed_documents(self, texts: Sequence[str]) -> NDArray[np.float32]: ...


def calibrated(model: Embeds, rows: Sequence[dict[str, str]]) -> dict[str, float | str]:
    """`unrelated`: of ten texts that have nothing to do with another, one is nearer to it; `identical`: of ten that
    say the same, one is."""
    random = np.random.default_rng(SEED)
    pairs = [row for row in rows if row["kind"] == "translation"]
    chosen = [pairs[at] for at in random.choice(len(pairs), size=min(SAMPLE, len(pairs)), replace=False)]
    ours = model.embed_documents([row["question"] for row in chosen])
    theirs = model.embed_documents([row["answer"][:600] for row in chosen])
    same = (ours * theirs).sum(axis=1)
    others = np.concatenate([(ours * np.roll(theirs, shift, axis=0)).sum(axis=1) for shift in (1, 2, 3)])
    return {
        "unrelated": round(float(np.quantile(others, 0.9)), 3),
        "identical": round(float(np.quantile(same, 0.9)), 3),
    }
