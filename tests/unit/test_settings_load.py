"""Settings files: precedence, provenance, and what is told of wrong ones."""

import os
from pathlib import Path

import pytest

from consiglierd.settings.describe import describe
from consiglierd.settings.files import SettingsProblem
from consiglierd.settings.load import Loaded, load_settings
from tests.support.spec_settings import SPEC_FILE


def load(root: Path, text: str, *, is_trusted: bool = False, last_good: Loaded | None = None) -> Loaded:
    (root / ".consigliere.toml").write_text(text, encoding="utf-8")
    return load_settings(root, is_trusted=is_trusted, last_good=last_good)


def only_problem(loaded: Loaded) -> SettingsProblem:
    assert len(loaded.problems) == 1, [str(problem) for problem in loaded.problems]
    return loaded.problems[0]


def test_no_file_means_defaults(tmp_path: Path) -> None:
    loaded = load_settings(tmp_path)
    assert loaded.problems == ()
    assert loaded.settings.search.default_top_k == 5
    assert loaded.settings.search.min_score == 0.3
    assert loaded.settings.index.paths == ()
    assert set(loaded.provenance.values()) == {"default"}


def test_the_file_of_the_specification_loads_without_problems(tmp_path: Path) -> None:
    loaded = load(tmp_path, SPEC_FILE)
    assert loaded.problems == ()
    assert loaded.settings.index.paths == ("docs/**/*.md", "CLAUDE.md", "docs/memory/*.md")
    assert loaded.settings.embedding.enabled is False
    assert loaded.settings.rooms["security"] == ("rls", "auth", "injection", "owasp", "cve", "sanitize")
    assert loaded.settings.rooms == load_settings(tmp_path / "nowhere").settings.rooms


def test_provenance_names_file_and_line(tmp_path: Path) -> None:
    loaded = load(tmp_path, SPEC_FILE)
    assert loaded.provenance["index.paths"] == ".consigliere.toml:2"
    assert loaded.provenance["embedding.dimensions"] == ".consigliere.toml:13"
    assert loaded.provenance["rooms.history"] == ".consigliere.toml:22"
    assert loaded.provenance["search.alpha"] == "default"


def test_project_wins_over_user_and_user_over_default(tmp_path: Path) -> None:
    user_file = tmp_path / "config.toml"
    user_file.write_text('lang = "ko"\n[search]\nmin_score = 0.5\nalpha = 0.6\n', encoding="utf-8")
    (tmp_path / ".consigliere.toml").write_text("[search]\nalpha = 0.2\n", encoding="utf-8")
    loaded = load_settings(tmp_path, user_file=user_file)
    assert (loaded.settings.lang, loaded.settings.search.min_score, loaded.settings.search.alpha) == ("ko", 0.5, 0.2)
    assert loaded.provenance["search.min_score"] == f"{user_file}:3"
    assert loaded.provenance["search.alpha"] == ".consigliere.toml:2"


def test_type_patterns_of_the_project_come_before_those_of_the_user(tmp_path: Path) -> None:
    user_file = tmp_path / "config.toml"
    user_file.write_text('[types]\n"plans/*" = "spec"\n"notes/*" = "memory"\n', encoding="utf-8")
    (tmp_path / ".consigliere.toml").write_text(
        '[types]\n"archi/**/*-plan.md" = "wbs"\n"notes/*" = "adr"\n', encoding="utf-8"
    )
    loaded = load_settings(tmp_path, user_file=user_file)
    assert list(loaded.settings.types.items()) == [
        ("archi/**/*-plan.md", "wbs"),
        ("notes/*", "adr"),
        ("plans/*", "spec"),
    ]


@pytest.mark.parametrize(
    ("text", "line", "message", "cure"),
    [
        ("[search]\nmin_scor = 0.2\n", 2, "no setting `search.min_scor`", "`search.min_score`"),
        ("default_top_k = 3\n", 1, "no setting `default_top_k`", "`search.default_top_k`"),
        ("# c\n\n[serach]\nalpha = 1\n", 3, "no section `[serach]`", "`search`"),
        ("[search]\nalpha = 0.7\nmin_score = 3\n", 3, "`search.min_score` = 3", "a number from 0 to 1"),
        ('[search]\ndefault_top_k = "5"\n', 2, '`search.default_top_k` = "5"', "a whole number from 1 to 1000"),
        ("[search]\ndefault_top_k = true\n", 2, "= true", "a whole number"),
        ("[search]\nmin_score = nan\n", 2, "nan", "a number from 0 to 1"),
        ('[search]\nfusion = "sum"\n', 2, "fusion", '"convex", "rrf"'),
        ('lang = "jp"\n', 1, "lang", '"auto", "ko", "en"'),
        ("search = 3\n", 1, "`search` is not a section", "`[search]`"),
        ("[enforcer]\nhours = 24\n", 1, "`[enforcer]` is not read", "later"),
        ('[types]\n"a/*" = "wbss"\n', 2, "wbss", "did you mean `wbs`?"),
        ('[rooms]\nios = "swift"\n', 2, "rooms.ios", "a list of at most 256 words"),
        ('[rooms]\n"a,b" = ["x"]\n', 2, "`a,b` is not a name", "letters"),
        ("[roles.pm]\ntypes = { issues = 9 }\n", 2, "roles.pm.types.issues", "a number from 0.7 to 1.5"),
        ("[roles.pm.types]\nissuez = 1.2\n", 2, "roles.pm.types.issuez", "issues"),
        ('[roles.qa2]\naliases = ["cfo"]\n', 2, "roles.qa2.aliases", '"cfo" is another role'),
    ],
)
def test_a_wrong_key_names_line_expectation_and_nearest(
    tmp_path: Path, text: str, line: int, message: str, cure: str
) -> None:
    problem = only_problem(load(tmp_path, text))
    assert (problem.file, problem.line) == (".consigliere.toml", line)
    assert message in problem.message
    assert cure in problem.cure
    assert str(problem).startswith(f".consigliere.toml:{line}: ")


def test_a_wrong_key_leaves_the_others_in_force(tmp_path: Path) -> None:
    loaded = load(tmp_path, "[search]\nalpha = 7\nmin_score = 0.1\n")
    only_problem(loaded)
    assert (loaded.settings.search.alpha, loaded.settings.search.min_score) == (0.35, 0.1)


def test_a_wrong_value_keeps_the_last_good_one_of_the_same_file(tmp_path: Path) -> None:
    good = load(tmp_path, "[search]\nalpha = 0.5\n")
    loaded = load(tmp_path, "[search]\nalpha = 7\n", last_good=good)
    assert loaded.settings.search.alpha == 0.5
    assert "last good value stays" in only_problem(loaded).message


def test_a_removed_value_returns_to_its_default(tmp_path: Path) -> None:
    good = load(tmp_path, "[search]\nalpha = 0.5\n")
    assert load(tmp_path, "[search]\n", last_good=good).settings.search.alpha == 0.35


@pytest.mark.parametrize(
    ("content", "line", "message"),
    [
        (b"[search]\nalpha = \n", 2, "is not TOML"),
        (b"[search]\nalpha = [1,\n2", 3, "is not TOML"),
        (b"[search]\nalpha = '\xff'\n", 2, "is not UTF-8"),
        (b"a = " + b"[" * 100_000, 1, "nests too deeply"),
        (b"a = " + b"9" * 100_000, 0, "TOML"),
        (b"#" * 300_000, 0, "larger than 256 KB"),
    ],
)
def test_a_file_that_cannot_be_read_leaves_the_last_good_settings(
    tmp_path: Path, content: bytes, line: int, message: str
) -> None:
    good = load(tmp_path, "[search]\nalpha = 0.5\n")
    (tmp_path / ".consigliere.toml").write_bytes(content)
    loaded = load_settings(tmp_path, last_good=good)
    assert loaded.settings == good.settings
    assert loaded.provenance == good.provenance
    problem = only_problem(loaded)
    assert message in problem.message
    assert problem.line == line
    assert only_problem(load_settings(tmp_path)) == problem


def test_a_korean_name_without_quotes_is_told_how_to_be_written(tmp_path: Path) -> None:
    problem = only_problem(load(tmp_path, '[rooms]\n결제 = ["stripe"]\n'))
    assert problem.line == 2
    assert '"결제" = ' in problem.cure


def test_links_pipes_and_folders_are_not_read(tmp_path: Path) -> None:
    path = tmp_path / ".consigliere.toml"
    outside = tmp_path / "outside.toml"
    outside.write_text("[search]\nalpha = 0.1\n", encoding="utf-8")
    path.symlink_to(outside)
    assert "is a link" in only_problem(load_settings(tmp_path)).message
    assert load_settings(tmp_path).settings.search.alpha == 0.35
    path.unlink()
    os.mkfifo(path)
    assert "not a regular file" in only_problem(load_settings(tmp_path)).message
    path.unlink()
    path.mkdir()
    assert "not a regular file" in only_problem(load_settings(tmp_path)).message


def test_byte_order_mark_and_windows_line_ends_are_read(tmp_path: Path) -> None:
    (tmp_path / ".consigliere.toml").write_bytes("\ufeff[search]\r\nalpha = 0.5\r\n".encode())
    loaded = load_settings(tmp_path)
    assert (loaded.problems, loaded.settings.search.alpha) == ((), 0.5)
    assert loaded.provenance["search.alpha"] == ".consigliere.toml:2"


def test_an_empty_list_removes_a_shipped_room(tmp_path: Path) -> None:
    loaded = load(tmp_path, '[rooms]\nios = []\npayments = ["stripe"]\n')
    assert loaded.problems == ()
    assert "ios" not in loaded.settings.rooms
    assert loaded.settings.rooms["payments"] == ("stripe",)
    assert loaded.settings.rooms["db"][0] == "schema"


def test_describe_tells_value_source_and_help_of_every_setting(tmp_path: Path) -> None:
    loaded = load(tmp_path, '[search]\nalpha = 0.5\n[rooms]\n"결제" = ["결제", "a\\"b"]\n')
    by_name = {line.name: line for line in describe(loaded)}
    assert (by_name["search.alpha"].value, by_name["search.alpha"].source) == ("0.5", ".consigliere.toml:2")
    assert (by_name["index.watch"].value, by_name["index.watch"].source) == ("true", "default")
    assert by_name["rooms.결제"].value == '["결제", "a\\"b"]'
    assert by_name["roles.cto"].value.startswith('{ group = "cto"')
    assert all(line.help.endswith(".") for line in by_name.values())
