"""A project's folder under other names, renamed, replaced, gone and back; many of them in turn."""

import shutil
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


def project(root: Path, text: str) -> Path:
    root.mkdir()
    (root / "a.md").write_text(f"{text}\n")
    return root


def found(daemon: LivingDaemon, root: Path, query: str) -> list[str]:
    return [hit["file"] for hit in daemon.search(root, query, fresh=True)["hits"]]


def test_a_link_to_a_root_names_the_same_workspace(tmp_path: Path, daemon: LivingDaemon) -> None:
    root = project(tmp_path / "project", "zq77")
    link = tmp_path / "link"
    link.symlink_to(root)
    assert found(daemon, root, "zq77") == ["a.md"]
    assert found(daemon, link, "zq77") == ["a.md"]
    assert daemon.search(link, "zq77")["workspace"] == str(root)


def test_a_renamed_root_is_opened_under_its_new_name(tmp_path: Path, daemon: LivingDaemon) -> None:
    root = project(tmp_path / "before", "zq77")
    assert found(daemon, root, "zq77") == ["a.md"]
    after = root.rename(tmp_path / "after")
    assert found(daemon, after, "zq77") == ["a.md"]


def test_two_roots_that_change_their_names_keep_their_own_files(tmp_path: Path, daemon: LivingDaemon) -> None:
    one, two = project(tmp_path / "one", "zq77"), project(tmp_path / "two", "zq88")
    assert found(daemon, one, "zq77") == found(daemon, two, "zq88") == ["a.md"]
    one.rename(tmp_path / "third")
    two.rename(one)
    (tmp_path / "third").rename(two)
    assert found(daemon, one, "zq88") == found(daemon, two, "zq77") == ["a.md"]
    assert found(daemon, one, "zq77") == found(daemon, two, "zq88") == []


def test_a_root_that_was_deleted_and_made_again_has_only_its_new_files(tmp_path: Path, daemon: LivingDaemon) -> None:
    root = project(tmp_path / "project", "zq77")
    assert found(daemon, root, "zq77") == ["a.md"]
    shutil.rmtree(root)
    project(root, "zq88")
    assert found(daemon, root, "zq77") == []
    assert found(daemon, root, "zq88") == ["a.md"]


def test_a_root_that_is_away_keeps_its_index_until_it_is_back(tmp_path: Path, daemon: LivingDaemon) -> None:
    root = project(tmp_path / "project", "zq77")
    assert found(daemon, root, "zq77") == ["a.md"]
    away = root.rename(tmp_path / "away")
    assert daemon.call("status", root)["files"] == 1
    reply = daemon.search(root, "zq77")
    assert reply["hits"] == []
    assert "root_missing" in reply["partial"]
    away.rename(root)
    (root / "b.md").write_text("zq88\n")
    assert found(daemon, root, "zq88") == ["b.md"]
    assert found(daemon, root, "zq77") == ["a.md"]


def test_many_roots_in_turn_leave_no_descriptor_behind(tmp_path: Path, daemon: LivingDaemon) -> None:
    roots = [project(tmp_path / f"project-{number}", f"zq{number}") for number in range(18)]
    counts = []
    for _ in range(3):
        for number, root in enumerate(roots):
            assert found(daemon, root, f"zq{number}") == ["a.md"]
        counts.append(len(list(Path(f"/proc/{daemon.pid}/fd").iterdir())))
    assert counts[2] <= counts[0] + 5


@pytest.mark.parametrize("root", ["/proc", "/sys", "/proc/self"])
def test_what_the_kernel_shows_is_no_project(daemon: LivingDaemon, root: str) -> None:
    with pytest.raises(CallFailed) as failed:
        daemon.call("status", Path(root))
    assert failed.value.code == "refused"


def test_a_path_with_a_nul_is_refused(tmp_path: Path, daemon: LivingDaemon) -> None:
    with pytest.raises(CallFailed) as failed:
        daemon.call("index", project(tmp_path / "project", "zq77"), paths=["\0"])
    assert failed.value.code == "bad_request"


@pytest.mark.parametrize(
    ("params", "words"),
    [
        ({"filters": {"after": "2026-13-01"}}, "after must be a day"),
        ({"filters": {"before": "soon"}}, "before must be a day"),
        ({"filters": {"path_globs": ["*.md"] * 1000}}, "filter path"),
        ({"filters": {"types": ["adr"] * 1000}}, "filter type"),
        ({"min_score": float("nan")}, "from 0 to 1"),
        ({"min_score": -0.5}, "from 0 to 1"),
    ],
)
def test_a_condition_that_makes_no_sense_is_refused(
    tmp_path: Path, daemon: LivingDaemon, params: dict[str, object], words: str
) -> None:
    root = project(tmp_path / "project", "zq77")
    with pytest.raises(CallFailed, match=words) as failed:
        daemon.search(root, "zq77", **params)
    assert failed.value.code == "bad_request"
