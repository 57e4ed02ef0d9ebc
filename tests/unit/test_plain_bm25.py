"""The plain BM25 that the benchmark of ranking compares with: its words, and its order worked out by hand."""

from benchmarks.plain import PlainBm25, words


def test_words_are_cut_as_the_notes_of_the_floor_say() -> None:
    assert words("useEffect 훅을 HTTPServer v2 데이터베이스") == [
        *("useeffect", "use", "effect", "훅을", "httpserver", "http", "server", "v2", "v", "2"),
        *("데이터베이스", "데이", "이터", "터베", "베이", "이스"),
    ]


def test_rare_words_and_short_texts_come_first() -> None:
    plain = PlainBm25(["the cat", "the dog", "the cat and the dog and the bird", "nothing"])
    assert plain.search("cat", 10) == [0, 2]
    assert plain.search("bird dog", 10) == [2, 1]
    assert plain.search("the", 1) == [2]
    assert plain.search("fish", 10) == []


def test_the_first_of_equals_comes_first() -> None:
    assert PlainBm25(["same", "other", "same"]).search("same", 10) == [0, 2]
