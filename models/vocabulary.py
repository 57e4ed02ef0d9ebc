"""The pieces of the table: those of e5 that our texts need, and whole words that are frequent in them."""

import math
import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from consiglierd.embed.pieces import START, PieceCutter, words_of
from models.e5 import E5Pieces

SIZE = 56_000
FEWEST = 6
MOST_ADDED = 60_000
LONGEST_ADDED = 24
_KEPT = re.compile(r"[a-z]+|[가-힣]+|\d+|[^\w\s]|[à-ÿ]+")
_STEM = re.compile(
    "(.{2,}?)(?:으로부터|에서부터|이라는|에서는|에서도|으로는|에게서|까지는|부터는|이나|이며|이고|이란|으로|에서|에게|까지"
    "|부터|처럼|보다|마다|라는|라고|이라|하고|에는|에도|로는|와는|과는|들의|들을|들은|들이|합니다|하는|하여|할|한|된|되는|됩니다"
    "|은|는|이|가|을|를|의|에|로|와|과|도|만)$"
)


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """`inputs` (float32, pieces x 384) are e5's input embeddings of the pieces, or of what they are made of."""

    pieces: tuple[str, ...]
    scores: NDArray[np.float32]
    inputs: NDArray[np.float32]


def vocabulary_of(e5: E5Pieces, texts: Iterable[str]) -> Vocabulary:
    words: Counter[str] = Counter()
    for text in texts:
        words.update(words_of(text))
    base = _folded(e5)
    added = _added(words, base)
    whole = Vocabulary(
        (*base.pieces, *added.pieces),
        np.concatenate([base.scores, added.scores]),
        np.concatenate([base.inputs, added.inputs]),
    )
    return _pruned(whole, words)


def _folded(e5: E5Pieces) -> Vocabulary:
    """One piece for all its spellings in upper and lower case; the one in lower case gives the vector."""
    mass: dict[str, float] = {}
    row: dict[str, int] = {}
    for number, (piece, score) in enumerate(zip(e5.pieces, e5.scores.tolist(), strict=True)):
        body = piece.replace(START, "")
        folded = body.casefold()
        if number < 4 or words_of(body) != [folded] or not _KEPT.fullmatch(folded):
            continue
        name = START + folded if piece.startswith(START) or not folded[0].isalpha() else folded
        mass[name] = mass.get(name, 0.0) + math.exp(score)
        if name not in row or body == folded:
            row[name] = number
    # A word that begins inside another (in camelCase, after a mark) is a beginning here.
    for name in [each for each in row if not each.startswith(START) and START + each not in row]:
        row[START + name], mass[START + name] = row[name], mass[name] / 4
    names = list(row)
    return Vocabulary(
        tuple(names),
        np.log(np.array([mass[name] for name in names])).astype(np.float32),
        e5.vectors[[row[name] for name in names]],
    )


def _added(words: Counter[str], base: Vocabulary) -> Vocabulary:
    """Frequent whole words that several pieces would be needed for."""
    known, total = set(base.pieces), sum(words.values())
    stems: Counter[str] = Counter()
    for word, count in words.items():
        stem = _STEM.fullmatch(word)
        stems[stem[1] if stem else word] += count
    cutter = PieceCutter(base.pieces, base.scores.tolist())
    found = []
    for word, count in stems.most_common(MOST_ADDED):
        if count < FEWEST or not 2 <= len(word) <= LONGEST_ADDED or START + word in known:
            continue
        if not _KEPT.fullmatch(word) or word.isdigit():
            continue
        numbers = cutter.numbers_of(word)
        if len(numbers) > 1:
            found.append((START + word, math.log(count / total), base.inputs[numbers].mean(axis=0)))
    names, scores, inputs = zip(*found, strict=True)
    return Vocabulary(tuple(names), np.array(scores, dtype=np.float32), np.stack(inputs))


def _pruned(whole: Vocabulary, words: Counter[str]) -> Vocabulary:
    """The SIZE pieces that are used most; single characters stay, so that every word can still be cut."""
    cutter = PieceCutter(whole.pieces, whole.scores.tolist())
    used = np.zeros(len(whole.pieces))
    for word, count in words.items():
        for number in cutter.numbers_of(word):
            used[number] += count
    single = np.array([len(piece.replace(START, "")) == 1 for piece in whole.pieces])
    # Among those that our texts never use, the ones that are likelier elsewhere.
    order = np.lexsort((-whole.scores, -used, ~single))
    kept = np.sort(order[:SIZE])
    return Vocabulary(tuple(whole.pieces[number] for number in kept), whole.scores[kept], whole.inputs[kept])
