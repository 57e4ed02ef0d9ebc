"""The call of the user's own Node server, literally: from another folder, with no daemon running."""

import os
import random
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.spec_settings import SPEC_FILE
from tests.support.written_tree import paragraph

ROOT = Path(__file__).resolve().parents[2]
SECTIONS_A_FILE = 50
FILES = 200
SERVER_TIMEOUT_S = 5.0


@pytest.fixture(scope="module")
def project() -> Iterator[tuple[Path, dict[str, str]]]:
    """A project of 10,000 sections, indexed before, whose daemon has ended."""
    folder = Path(tempfile.mkdtemp(prefix="csg-s", dir="/tmp"))
    root = folder / "bigbossos"
    rng = random.Random(9)
    for number in range(FILES):
        path = root / "docs" / f"part-{number % 8}" / f"note-{number}.md"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(
            "".join(f"## {paragraph(rng, 4)} {n}\n\n{paragraph(rng, 40)}\n\n" for n in range(SECTIONS_A_FILE))
        )
    (root / "docs" / "CHANGELOG.md").write_text("## [2026-03-29] 로그인 개편\n\n소셜로그인유일문장 을 도입했다.\n")
    (root / ".consigliere.toml").write_text(SPEC_FILE)
    (root / "bin").mkdir()
    shutil.copy(ROOT / "client" / "bin" / "consigliere", root / "bin" / "consigliere")
    environment = {**os.environ, "CONSIGLIERE_SOCKET": str(folder / "d.sock")}
    program = Path(sys.executable).parent / "consigliere"
    indexed = subprocess.run([program, "index", "--root", root], env=environment, capture_output=True, text=True)
    assert indexed.returncode == 0, indexed.stderr
    assert subprocess.run([program, "stop"], env=environment, capture_output=True).returncode == 0
    yield root, environment
    subprocess.run([program, "stop"], env=environment, capture_output=True)
    shutil.rmtree(folder)


def server_call(
    root: Path, environment: dict[str, str], task: str, folder: Path | None = None
) -> tuple["subprocess.CompletedProcess[str]", float]:
    """What the server's execSync does, in the working folder of an agent, with its time-out."""
    began = time.monotonic()
    result = subprocess.run(
        f'"{root}/bin/consigliere" search "{task}" --role ios_developer --top 5',
        shell=True,
        cwd=folder or root / "docs",
        env=environment,
        capture_output=True,
        encoding="utf-8",
        timeout=SERVER_TIMEOUT_S,
    )
    return result, time.monotonic() - began


def test_the_servers_call_is_answered_in_time_although_no_daemon_runs(project: tuple[Path, dict[str, str]]) -> None:
    root, environment = project
    result, _ = server_call(root, environment, "소셜로그인유일문장 도입")
    assert result.returncode == 0, result.stderr
    assert result.stdout.startswith("docs/CHANGELOG.md:1-3")
    assert "소셜로그인유일문장 을 도입했다." in result.stdout


def test_the_servers_call_says_that_there_are_no_results(project: tuple[Path, dict[str, str]]) -> None:
    root, environment = project
    program = Path(sys.executable).parent / "consigliere"
    assert subprocess.run([program, "stop"], env=environment, capture_output=True).returncode == 0
    result, _ = server_call(root, environment, "zzqqxxyy")
    assert result.returncode == 1, result.stderr
    assert "검색 결과 없음" in result.stdout
    assert "0 of 0" not in result.stdout


def test_an_agent_elsewhere_is_answered_from_the_project_of_the_program(
    project: tuple[Path, dict[str, str]], tmp_path: Path
) -> None:
    root, environment = project
    result, _ = server_call(root, environment, "소셜로그인유일문장 도입", tmp_path)
    assert result.returncode == 0, result.stderr
    assert result.stdout.startswith("docs/CHANGELOG.md:1-3")
    assert list(tmp_path.iterdir()) == [], "no project is made of where it happens to be"


def test_an_agent_in_another_project_is_answered_from_that(
    project: tuple[Path, dict[str, str]], tmp_path: Path
) -> None:
    root, environment = project
    (tmp_path / ".consigliere.toml").write_text("")
    (tmp_path / "own.md").write_text("## 다른 프로젝트\n\n소셜로그인유일문장 은 여기에도 있다.\n")
    result, _ = server_call(root, environment, "소셜로그인유일문장", tmp_path)
    assert result.stdout.startswith("own.md:1-3"), result.stdout + result.stderr
