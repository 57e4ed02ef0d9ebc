"""The guided first run answers as it promises, and stops where an answer is not as promised."""

import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from examples.first_steps import REPOSITORY, StepFailed, expect_first, line_of, walk


@pytest.fixture
def short_folder() -> Iterator[Path]:
    folder = Path(tempfile.mkdtemp(prefix="csg-", dir="/tmp")).resolve()
    yield folder
    shutil.rmtree(folder)


def test_guided_first_run_shows_what_it_promises(short_folder: Path, capfd: pytest.CaptureFixture[str]) -> None:
    # A copy of the repository's documents: its own root may be open in the developer's daemon.
    repository = short_folder / "repository"
    for path in (
        path for pattern in ("*.md", "consiglierd/*.md", "examples/*.md") for path in REPOSITORY.glob(pattern)
    ):
        copy = repository / path.relative_to(REPOSITORY)
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path, copy)
    walk(short_folder, repository)
    shown = capfd.readouterr().out
    assert shown.count("word for word") == 3
    assert "검색 결과 없음" in shown
    assert not (short_folder / "first.sock").exists()


def test_answer_from_another_place_is_not_accepted(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("# a\n\nthe sentence\n", encoding="utf-8")
    hit = {"file": "a.md", "line_start": 3, "line_end": 3, "text": "the sentence"}
    expect_first([hit], tmp_path, "a.md", "the sentence")
    with pytest.raises(StepFailed, match=r"a\.md:3 was expected first"):
        expect_first([{**hit, "line_start": 1, "line_end": 2}], tmp_path, "a.md", "the sentence")
    with pytest.raises(StepFailed, match=r"a\.md:3 was expected first"):
        expect_first([{**hit, "file": "b.md"}], tmp_path, "a.md", "the sentence")
    with pytest.raises(StepFailed, match="nothing was found"):
        expect_first([], tmp_path, "a.md", "the sentence")


def test_answer_in_other_words_is_not_accepted(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("the sentence\n", encoding="utf-8")
    hit = {"file": "a.md", "line_start": 1, "line_end": 1, "text": "the  sentence"}
    with pytest.raises(StepFailed, match="is not what stands in the file"):
        expect_first([hit], tmp_path, "a.md", "the sentence")


def test_expected_sentence_that_is_gone_is_named(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("another\n", encoding="utf-8")
    with pytest.raises(StepFailed, match="no longer holds the sentence 'the sentence'"):
        line_of(tmp_path / "a.md", "the sentence")
