"""The per-user vector cache: what comes out is what went in or nothing, and it stays within its bound."""

import sqlite3
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from consiglierd.embed.cache import VectorCache

MODEL, DIMENSIONS = "model-a", 32

Rows = NDArray[np.float32]


def rows_of(count: int, seed: int = 1) -> Rows:
    vectors = np.random.default_rng(seed).normal(size=(count, DIMENSIONS))
    rows: Rows = (vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).astype(np.float32)
    return rows


def texts_of(count: int, prefix: str = "글") -> list[str]:
    return [f"{prefix} {number}" for number in range(count)]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "vectors.db"


@pytest.fixture
def cache(path: Path) -> Iterator[VectorCache]:
    made = VectorCache(path)
    yield made
    made.close()


def test_rows_come_back_bit_by_bit_at_the_places_of_their_texts(cache: VectorCache) -> None:
    rows = rows_of(1200)
    cache.keep(MODEL, texts_of(1200), rows)
    found = cache.find(MODEL, DIMENSIONS, ["새 글", "글 1199", "글 0", "글 1199"])
    assert sorted(found) == [1, 2, 3]
    np.testing.assert_array_equal(found[1], rows[1199])
    np.testing.assert_array_equal(found[3], rows[1199])
    np.testing.assert_array_equal(found[2], rows[0])
    assert len(cache.find(MODEL, DIMENSIONS, texts_of(1200))) == 1200


def test_another_model_finds_nothing(cache: VectorCache) -> None:
    cache.keep(MODEL, ["글"], rows_of(1))
    assert cache.find("model-b", DIMENSIONS, ["글"]) == {}


def test_it_lasts_and_is_the_user_s_alone(path: Path) -> None:
    rows = rows_of(1)
    first = VectorCache(path)
    first.keep(MODEL, ["글"], rows)
    first.close()
    second = VectorCache(path)
    np.testing.assert_array_equal(second.find(MODEL, DIMENSIONS, ["글"])[0], rows[0])
    second.close()
    assert path.stat().st_mode & 0o777 == 0o600


def test_rows_of_zeros_are_not_kept(cache: VectorCache) -> None:
    rows = rows_of(2).copy()
    rows[0] = 0
    cache.keep(MODEL, ["나쁜 글", "글"], rows)
    assert list(cache.find(MODEL, DIMENSIONS, ["나쁜 글", "글"])) == [1]


@pytest.mark.parametrize(
    "bad",
    [
        b"",
        b"short",
        np.zeros(32, np.float32).tobytes(),
        np.full(32, np.nan, np.float32).tobytes(),
        np.full(32, 3e38, np.float32).tobytes(),
        np.ones(32, np.float32).tobytes(),
        np.eye(33, dtype=np.float32)[0].tobytes(),
        "text",
    ],
)
def test_what_is_no_unit_row_is_not_believed_and_removed(path: Path, bad: bytes | str) -> None:
    cache = VectorCache(path)
    cache.keep(MODEL, ["글", "다른 글"], rows_of(2))
    connection = sqlite3.connect(path)
    connection.execute(
        "UPDATE embed_vectors SET row = ? WHERE digest = (SELECT min(digest) FROM embed_vectors)", (bad,)
    )
    connection.commit()
    assert len(cache.find(MODEL, DIMENSIONS, ["글", "다른 글"])) == 1
    assert connection.execute("SELECT count(*) FROM embed_vectors").fetchone() == (1,)
    connection.close()
    assert cache.problem is None
    cache.close()


def test_it_stays_within_its_bound_and_the_least_recently_used_go_first(path: Path) -> None:
    limit = 1_000_000
    cache = VectorCache(path, limit_bytes=limit)
    cache.keep(MODEL, texts_of(500, "오래 쓰인 글"), rows_of(500))
    for lot in range(30):
        cache.keep(MODEL, texts_of(500, f"글 {lot}"), rows_of(500, lot))
        assert len(cache.find(MODEL, DIMENSIONS, texts_of(500, "오래 쓰인 글"))) == 500
        assert cache.size_bytes() <= limit
    assert cache.find(MODEL, DIMENSIONS, texts_of(500, "글 0")) == {}
    assert len(cache.find(MODEL, DIMENSIONS, texts_of(500, "글 29"))) == 500
    cache.close()
    assert path.stat().st_size <= limit * 1.5


@pytest.mark.parametrize("damage", ["no database", "another format", "cut"])
def test_a_damaged_file_is_begun_anew(path: Path, damage: str) -> None:
    cache = VectorCache(path)
    cache.keep(MODEL, texts_of(500), rows_of(500))
    cache.close()
    match damage:
        case "no database":
            path.write_bytes(b"x" * 50_000)
        case "another format":
            connection = sqlite3.connect(path)
            connection.execute("DROP TABLE embed_vectors")
            connection.commit()
            connection.close()
        case "cut":
            path.write_bytes(path.read_bytes()[:100])
    again = VectorCache(path)
    assert again.find(MODEL, DIMENSIONS, ["글"]) == {}
    again.keep(MODEL, ["글"], rows_of(1))
    assert len(again.find(MODEL, DIMENSIONS, ["글"])) == 1
    assert again.problem is None
    again.close()


def test_damage_at_work_switches_it_off_and_is_told(path: Path) -> None:
    cache = VectorCache(path)
    cache.keep(MODEL, texts_of(2000), rows_of(2000))
    connection = sqlite3.connect(path)
    connection.execute("DROP TABLE embed_vectors")
    connection.commit()
    connection.close()
    assert cache.find(MODEL, DIMENSIONS, texts_of(2000)) == {}
    assert "damaged" in (cache.problem or "")
    cache.keep(MODEL, texts_of(10), rows_of(10))
    assert cache.find(MODEL, DIMENSIONS, texts_of(10)) == {}
    cache.close()


def test_where_it_cannot_be_it_is_off_and_says_so(tmp_path: Path) -> None:
    cache = VectorCache(tmp_path / "missing" / "vectors.db")
    cache.keep(MODEL, ["글"], rows_of(1))
    assert cache.find(MODEL, DIMENSIONS, ["글"]) == {}
    assert cache.problem is not None
    cache.close()
