"""A settings file that was just saved is in force for whoever asks to see what was saved."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.living_daemon import LivingDaemon


@pytest.fixture
def daemon() -> Iterator[LivingDaemon]:
    started = LivingDaemon()
    started.start()
    yield started
    started.close()


@pytest.fixture(params=["true", "false"], ids=["watched", "not watched"])
def project(tmp_path: Path, request: pytest.FixtureRequest) -> Path:
    root = tmp_path / "project"
    (root / "docs").mkdir(parents=True)
    (root / "docs" / "a.md").write_text("# A\n\ntoken\n")
    (root / "b.md").write_text("# B\n\ntoken\n")
    write(root / ".consigliere.toml", request.param)
    return root


def write(file: Path, watch: str, *lines: str) -> None:
    file.write_text("\n".join(["[index]", f"watch = {watch}", *lines, ""]))


def value_of(daemon: LivingDaemon, root: Path, name: str) -> str:
    settings = daemon.call("config", root)["settings"]
    return next(str(setting["value"]) for setting in settings if setting["name"] == name)


def test_of_the_project(daemon: LivingDaemon, project: Path) -> None:
    file = project / ".consigliere.toml"
    watch = file.read_text().split()[-1]
    daemon.call("settle", project)
    for round_number in range(5):
        write(file, watch, 'exclude = ["docs/"]')
        assert [hit["file"] for hit in daemon.search(project, "token", fresh=True)["hits"]] == ["b.md"]
        write(file, watch)
        done = daemon.call("index", project, wait=True)
        daemon.call("index_progress", project, ticket=done["ticket"], wait_ms=5000)
        assert daemon.call("status", project)["files"] == 2, round_number


def test_of_the_user(daemon: LivingDaemon, project: Path) -> None:
    daemon.call("settle", project)
    (daemon.state / "config.toml").write_text("[search]\ndefault_top_k = 1\n")
    assert value_of(daemon, project, "search.default_top_k") == "1"
    (daemon.state / "config.toml").write_text("[search]\ndefault_top_k = 2\n")
    assert len(daemon.search(project, "token", fresh=True)["hits"]) == 2
    (daemon.state / "config.toml").unlink()
    assert value_of(daemon, project, "search.default_top_k") == "5"
