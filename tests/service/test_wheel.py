"""The wheel that is built gives three programs, which work in a folder that nobody has prepared."""

import json
import os
import shutil
import subprocess
import sys
import tempfile
import venv
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def test_the_wheel_works_in_a_clean_environment(tmp_path: Path) -> None:
    subprocess.run(
        [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", tmp_path, ROOT],
        check=True,
        capture_output=True,
    )
    (wheel,) = tmp_path.glob("consigliere-*.whl")
    environment = tmp_path / "venv"
    venv.create(environment, with_pip=True)
    programs = environment / "bin"
    subprocess.run(
        [programs / "python", "-m", "pip", "install", "--quiet", "--disable-pip-version-check", wheel], check=True
    )
    folder = Path(tempfile.mkdtemp(prefix="csg-w", dir="/tmp"))
    try:
        _use(programs, folder)
    finally:
        shutil.rmtree(folder)


def _use(programs: Path, folder: Path) -> None:
    never_seen = folder / "노트"
    never_seen.mkdir()
    (never_seen / "a.md").write_text("# 메모\n\n## 결정\n\n배포는 금요일에 하지 않는다.\n")
    clean = {"PATH": "/usr/bin:/bin", "HOME": os.environ["HOME"], "CONSIGLIERE_SOCKET": str(folder / "d.sock")}

    def run(*words: str) -> "subprocess.CompletedProcess[str]":
        return subprocess.run(
            [programs / words[0], *words[1:]], cwd=never_seen, env=clean, capture_output=True, encoding="utf-8"
        )

    try:
        assert run("consiglierd", "--version").stdout.startswith("consiglierd ")
        found = run("consigliere", "search", "금요일 배포", "--fresh", "--json")
        assert found.returncode == 0, found.stderr
        (hit,) = json.loads(found.stdout)["hits"]
        assert (hit["file"], hit["line_start"], hit["line_end"]) == ("a.md", 3, 5)
        shown = run("consigliere-client", "show", "a.md:5")
        assert shown.stdout == "배포는 금요일에 하지 않는다.\n"
        assert run("consigliere", "init", "--bin").returncode == 0
        copied = subprocess.run(
            [never_seen / "bin" / "consigliere", "search", "금요일"],
            cwd=never_seen,
            env={**clean, "PATH": os.environ["PATH"]},
            capture_output=True,
            encoding="utf-8",
        )
        assert copied.stdout.startswith("a.md:3-5"), copied.stderr
    finally:
        run("consigliere", "stop")
