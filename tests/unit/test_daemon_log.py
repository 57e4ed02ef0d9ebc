"""The log holds what happened, for its user alone, and never what documents say."""

import json
import logging
import os
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest
import structlog

from consiglierd.serve.daemon_log import configure_log


@pytest.fixture
def log_file(tmp_path: Path) -> Iterator[Path]:
    path = tmp_path / "daemon.log"
    root = logging.getLogger()
    level = root.level
    handler = configure_log(path)
    yield path
    root.removeHandler(handler)
    root.setLevel(level)
    handler.close()
    structlog.reset_defaults()


def lines(path: Path) -> list[dict[str, object]]:
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


def test_line_is_one_json_object(log_file: Path) -> None:
    structlog.get_logger("serve").info("listening", root="/프로젝트", odd="\udcff")
    (line,) = lines(log_file)
    assert (line["event"], line["level"], line["logger"], line["root"]) == ("listening", "info", "serve", "/프로젝트")
    assert str(line["timestamp"]).endswith("Z")


def test_error_is_logged_by_place_and_not_by_text(log_file: Path) -> None:
    try:
        raise KeyError("secret")
    except KeyError:
        structlog.get_logger("serve").error("failed", exc_info=True)
        logging.getLogger("library").exception("failed too")
    assert "secret" not in log_file.read_text()
    assert all("builtins.KeyError at" in str(line["failure"]) for line in lines(log_file))


def test_library_lines_are_kept_short(log_file: Path) -> None:
    logging.getLogger("library").warning("x" * 10_000)
    assert len(log_file.read_text()) < 800


def test_log_is_private_and_bounded(log_file: Path) -> None:
    for _ in range(11):
        structlog.get_logger("serve").info("y" * 1_000_000)
    files = sorted(log_file.parent.iterdir())
    assert [file.name for file in files] == ["daemon.log", "daemon.log.1"]
    assert sum(file.stat().st_size for file in files) <= 2 * 5 * 1024 * 1024
    assert {stat.S_IMODE(file.stat().st_mode) for file in files} == {0o600}


def test_log_does_not_follow_a_link(tmp_path: Path) -> None:
    (tmp_path / "daemon.log").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(OSError, match="symbolic"):
        configure_log(tmp_path / "daemon.log")
    assert not os.path.exists(tmp_path / "elsewhere")
