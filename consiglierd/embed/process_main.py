"""The body of the embedding process: holds the models, answers one question at a time, dies with the daemon."""

from consiglierd.child.body import begin
from consiglierd.child.frames import read_frame, write_frame
from consiglierd.embed.embedder import Embedder
from consiglierd.embed.frames import Answer, Ask
from consiglierd.embed.spec import EmbedderSpec, build
from consiglierd.errors import EmbeddingUnavailable


def main(memory_limit_bytes: int, parent: int, niceness: int) -> None:
    """Answers on standard output what is asked on standard input, until that ends."""
    asked, answers = begin(memory_limit_bytes, parent, niceness)
    embedders: dict[EmbedderSpec, Embedder] = {}
    while (ask := read_frame(asked, Ask)) is not None:
        write_frame(answers, _answer(ask, embedders))


def _answer(ask: Ask, embedders: dict[EmbedderSpec, Embedder]) -> Answer:
    try:
        embedder = embedders.get(ask.spec)
        # What is only asked about is looked at anew: the server may have another model by now.
        if embedder is None or not ask.texts:
            embedder = embedders[ask.spec] = build(ask.spec)
        rows = b""
        if ask.texts:
            embed = embedder.embed_queries if ask.is_query else embedder.embed_documents
            rows = embed(ask.texts).tobytes()
    except EmbeddingUnavailable as trouble:
        if trouble.kind == "model":
            # It is no longer the one that was built.
            embedders.pop(ask.spec, None)
        return Answer(failure=trouble.message, kind=trouble.kind, cure=trouble.cure)
    return Answer(
        embedder.fingerprint, embedder.dimensions, embedder.unrelated, embedder.identical, embedder.near, rows
    )
