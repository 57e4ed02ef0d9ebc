"""The one-file client is what the modules generate, and runs without anything installed."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from consigliere.cli.onefile import generate, stripped
from tests.support.answering_router import A_SEARCH, answering, environment_for

ONE_FILE = Path(__file__).parents[2] / "client/bin/consigliere"
SEARCH = ["search", "보안", "결정", "--role", "ios_developer", "--top", "5"]


def run_alone(
    words: list[str], environment: dict[str, str], *, file: Path = ONE_FILE
) -> "subprocess.CompletedProcess[bytes]":
    return subprocess.run(
        [sys.executable, "-IS", str(file), *words], env=environment, capture_output=True, timeout=60, check=False
    )


def test_the_committed_file_is_what_the_modules_generate() -> None:
    assert ONE_FILE.read_bytes() == generate(), (
        "write it anew: python -m consigliere.cli.onefile client/bin/consigliere"
    )
    assert os.access(ONE_FILE, os.X_OK)


def test_it_searches_without_any_package() -> None:
    with answering({"search": A_SEARCH}) as (path, router):
        done = run_alone(SEARCH, environment_for(path))
        assert (done.returncode, done.stderr) == (0, b"")
        assert "PM이 관리 ✓".encode() in done.stdout
        asked = router.requests[0]
    assert (asked["call"], asked["params"]) == (
        "search",
        {"query": "보안 결정", "limit": 5, "role": "ios_developer"},
    )


def test_it_starts_by_its_own_first_line() -> None:
    with answering({"search": A_SEARCH}) as (path, _):
        done = subprocess.run(
            [ONE_FILE, "search", "x", "--json"], env=environment_for(path), capture_output=True, timeout=60, check=False
        )
    assert (done.returncode, json.loads(done.stdout)) == (0, A_SEARCH)


def test_what_was_compiled_is_kept_for_the_next_run_and_never_trusted_from_others() -> None:
    with answering({"search": A_SEARCH}) as (path, _):
        environment = environment_for(path)
        state = path.with_suffix(".state")
        assert run_alone(SEARCH, environment).returncode == 0
        assert not state.exists(), "a search does not make folders"
        state.mkdir(mode=0o700)
        first = run_alone(SEARCH, environment).stdout
        (kept,) = state.iterdir()
        assert kept.stat().st_mode & 0o777 == 0o600
        written = kept.stat().st_mtime_ns
        assert run_alone(SEARCH, environment).stdout == first
        assert kept.stat().st_mtime_ns == written

        whole = kept.read_bytes()
        for content in (b"", whole[:200], whole[:-3], b"x" * 500, whole.replace(b"r", b"q", 1)):
            kept.write_bytes(content)
            assert run_alone(SEARCH, environment).stdout == first

        kept.write_bytes(whole)
        kept.chmod(0o666)
        assert run_alone(SEARCH, environment).stdout == first
        assert kept.stat().st_mode & 0o777 == 0o600, "what others may write is replaced, not read"


@pytest.mark.parametrize("command", ["init", "completion"])
def test_commands_that_it_leaves_out_name_the_installed_program(command: str) -> None:
    with answering({}) as (path, _):
        done = run_alone([command, "zsh"][: 1 if command == "init" else 2], environment_for(path))
    assert done.returncode == 2
    assert f"run `consigliere {command}` as installed" in done.stderr.decode()


def test_a_search_imports_little_of_the_standard_library() -> None:
    # Each of these costs a good part of what a whole search may take.
    heavy = {"re", "json", "socket", "typing", "dataclasses", "argparse", "subprocess", "enum", "functools", "pathlib"}
    script = (
        "import sys\n"
        f"sys.path.insert(0, {str(ONE_FILE.parents[1])!r})\n"
        "from consigliere.cli.main import main\n"
        "status = main(['search', 'x'])\n"
        "sys.stderr.write(' '.join(sys.modules)); sys.exit(status)"
    )
    with answering({"search": A_SEARCH}) as (path, _):
        done = subprocess.run(
            [sys.executable, "-IS", "-c", script],
            env=environment_for(path),
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
    assert done.returncode == 0
    assert heavy & set(done.stderr.split()) == set()


def test_stripping_leaves_out_what_only_readers_need() -> None:
    source = '''"""What."""

from __future__ import annotations

# Why.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


class Only(Exception):
    """Nothing else."""


def told() -> str:
    """What it tells."""
    text = """
# no comment

end"""
    return text  # noqa: a comment that shares its line stays
'''
    assert (
        stripped(source)
        == '''from __future__ import annotations
class Only(Exception):
    pass
def told() -> str:
    text = """
# no comment

end"""
    return text  # noqa: a comment that shares its line stays
'''
    )
