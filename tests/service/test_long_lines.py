"""Lines and answers that are longer than a message: what fits is given, what does not is named."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.living_daemon import CallFailed, LivingDaemon


@pytest.fixture(scope="module")
def daemon() -> Iterator[LivingDaemon]:
    living = LivingDaemon()
    living.start()
    yield living
    living.close()


def test_a_hit_too_long_for_a_message_is_named_and_keeps_no_other_back(tmp_path: Path, daemon: LivingDaemon) -> None:
    root = tmp_path / "project"
    root.mkdir()
    (root / "long.md").write_text("x" * 4_500_000 + " zq77\n")
    (root / "short.md").write_text("zq77 and many more words that make the score lower than that of the other\n")
    daemon.settle(root)
    reply = daemon.search(root, "zq77")
    assert [hit["file"] for hit in reply["hits"]] == ["short.md"]
    assert "too long: long.md:1" in reply["partial"]
    (root / "short.md").unlink()
    daemon.settle(root)
    reply = daemon.search(root, "zq77")
    assert (reply["hits"], reply["reason_code"]) == ([], "too_long")
    assert "long.md:1" in reply["reason"]
    with pytest.raises(CallFailed, match="at most"):
        daemon.call("show", root, file="long.md")


def test_many_long_hits_are_given_as_far_as_the_message_goes(tmp_path: Path, daemon: LivingDaemon) -> None:
    root = tmp_path / "project"
    root.mkdir()
    for number in range(30):
        (root / f"n{number:02}.md").write_text(f"zq77 {number} " + "\x01" * 100_000 + "\n")
    daemon.settle(root)
    reply = daemon.search(root, "zq77", limit=30)
    given = {hit["file"] for hit in reply["hits"]}
    too_long = [note.removeprefix("too long: ") for note in reply["partial"] if note.startswith("too long: ")]
    named = {note.partition(":")[0] for note in too_long}
    assert given
    assert given | named == {f"n{number:02}.md" for number in range(30)}
