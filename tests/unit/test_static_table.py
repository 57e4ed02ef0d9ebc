"""The bundled table: unit rows, the same bits for the same text wherever it stands, zero where there is nothing."""

import time

import numpy as np
import pytest

from consiglierd.embed.static_table import StaticTable

TEXTS = [
    "데이터베이스 연결이 끊어졌을 때",
    "how to read a file line by line",
    "def read(path): return open(path).read()",
    "파일",
]


@pytest.fixture(scope="module")
def table() -> StaticTable:
    return StaticTable.bundled()


def test_rows_are_of_unit_length(table: StaticTable) -> None:
    rows = table.embed_documents(TEXTS)
    assert rows.dtype == np.float32
    assert rows.shape == (len(TEXTS), table.dimensions)
    assert np.allclose(np.linalg.norm(rows, axis=1), 1, atol=1e-6)


def test_a_text_alone_and_among_others_has_the_same_bits(table: StaticTable) -> None:
    together = table.embed_documents([*TEXTS, "다른 글 " * 200, *reversed(TEXTS)])
    for place, text in enumerate(TEXTS):
        alone = table.embed_documents([text])[0]
        assert alone.tobytes() == together[place].tobytes() == together[-1 - place].tobytes()
        assert alone.tobytes() == StaticTable.bundled().embed_queries([text])[0].tobytes()


@pytest.mark.parametrize("text", ["", " \n", "\U000f0000 東京"])
def test_a_text_of_nothing_known_is_zero(table: StaticTable, text: str) -> None:
    assert not table.embed_documents([text]).any()


def test_no_texts_give_no_rows(table: StaticTable) -> None:
    assert table.embed_queries([]).shape == (0, table.dimensions)


def test_decomposed_and_composed_text_mean_the_same(table: StaticTable) -> None:
    ours, theirs = table.embed_documents(
        ["설정 파일", "\u1109\u1165\u11af\u110c\u1165\u11bc \u1111\u1161\u110b\u1175\u11af"]
    )
    assert ours.tobytes() == theirs.tobytes()


def test_what_is_said_in_the_other_language_is_nearer_than_what_is_not(table: StaticTable) -> None:
    questions = table.embed_queries(["파일을 삭제한다", "네트워크 연결을 설정한다", "테스트를 실행한다"])
    answers = table.embed_documents(["Delete a file", "Configure the network connection", "Run the tests"])
    assert (questions @ answers.T).argmax(axis=1).tolist() == [0, 1, 2]


def test_its_constants_tell_the_unrelated_from_the_same(table: StaticTable) -> None:
    assert 0 <= table.unrelated < 0.3 < table.identical <= 1


def test_it_is_loaded_in_half_a_second_of_work() -> None:
    start = time.process_time()
    StaticTable.bundled()
    assert time.process_time() - start < 0.5
