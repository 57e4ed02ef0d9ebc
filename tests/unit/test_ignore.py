"""Ignore rules are git's own: every verdict is compared with git check-ignore."""

import os
import subprocess
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from consiglierd.watch import ignore
from consiglierd.watch.git_rules import GitRules, read_git_rules
from consiglierd.watch.ignore import IgnoreRules
from consiglierd.watch.patterns import parse_file
from consiglierd.watch.secrets import secret_rule


@pytest.fixture(autouse=True)
def own_home(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    home = tmp_path_factory.mktemp("home")
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.delenv("XDG_CONFIG_HOME", raising=False)
    monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "1")
    return home


def run_git(folder: Path, *arguments: str, standard_input: bytes = b"") -> bytes:
    identity = ("-c", "user.name=Tester", "-c", "user.email=tester@example.org")
    done = subprocess.run(["git", *identity, *arguments], cwd=folder, input=standard_input, capture_output=True)
    assert done.returncode in (0, 1), done.stderr
    return done.stdout


def write(root: Path, files: dict[str, str]) -> None:
    for name, content in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode("utf-8", "surrogateescape"))


def all_files(root: Path) -> list[str]:
    found = []
    for folder, folders, names in os.walk(root):
        folders[:] = [name for name in folders if name not in (".git", "node_modules", ".consigliere")]
        found += [os.path.relpath(os.path.join(folder, name), root) for name in names if name != ".git"]
    return sorted(found)


def ignored_by_git(root: Path, paths: list[str]) -> set[str]:
    given_paths = b"\0".join(os.fsencode(path) for path in paths)
    shown = run_git(root, "check-ignore", "-z", "--stdin", standard_input=given_paths)
    return {os.fsdecode(path) for path in shown.split(b"\0") if path}


def check_as_git(root: Path) -> set[str]:
    """Compare every file; the files that are ignored."""
    paths = all_files(root)
    rules = IgnoreRules(str(root))
    ours = {path for path in paths if rules.rule_for(path, False) is not None}
    assert ours == ignored_by_git(root, paths)
    return ours


HAND_CASES: dict[str, tuple[dict[str, str], set[str]]] = {
    "a negation inside an ignored star": (
        {".gitignore": "plugins/*\n!plugins/app\n", "plugins/x/a.md": "", "plugins/app/b.md": "", "c.md": ""},
        {"plugins/x/a.md"},
    ),
    "an anchored folder beside one of the same name": (
        {".gitignore": "/Library/\n", "Library/a.md": "", "lib/Library/b.md": ""},
        {"Library/a.md"},
    ),
    "below an excluded folder nothing comes back": (
        {".gitignore": "build/\n!build/keep.md\n", "build/keep.md": "", "build/.gitignore": "!*\n"},
        {"build/keep.md", "build/.gitignore"},
    ),
    "the deepest file wins": (
        {".gitignore": "*.md\n", "docs/.gitignore": "!*.md\n", "docs/a.md": "", "b.md": "", "docs/x/c.md": ""},
        {"b.md"},
    ),
    "the last match wins": ({".gitignore": "*.md\n!a.md\na.*\n!a.md\n", "a.md": "", "b.md": ""}, {"b.md"}),
    "escapes and spaces": (
        {".gitignore": "\\#a.md\n\\!b.md\nc.md   \nd.md\\ \n#e.md\n", "#a.md": "", "!b.md": "", "c.md": "", "d.md ": ""}
        | {"d.md": "", "e.md": ""},
        {"#a.md", "!b.md", "c.md", "d.md "},
    ),
    "double stars": (
        {".gitignore": "**/x/*.md\na/**/z.md\nb/**\n", "x/1.md": "", "q/x/2.md": "", "q/x/y/3.md": "", "a/z.md": ""}
        | {"a/1/2/z.md": "", "b/c/d.md": "", "z.md": ""},
        {"x/1.md", "q/x/2.md", "a/z.md", "a/1/2/z.md", "b/c/d.md"},
    ),
    "carriage returns and a byte order mark": (
        {".gitignore": "\ufeffa.md\r\nb.md\r\n", "a.md": "", "b.md": "", "c.md": ""},
        {"a.md", "b.md"},
    ),
    "bytes, not characters": (
        {".gitignore": "?.md\n???.txt\n", "가.md": "", "a.md": "", "나.txt": ""},
        {"a.md", "나.txt"},
    ),
    "a slash in the middle anchors": (
        {".gitignore": "doc/a.md\n", "doc/a.md": "", "x/doc/a.md": ""},
        {"doc/a.md"},
    ),
    "a trailing slash names folders only": ({".gitignore": "note/\n", "note": "", "x/note/a.md": ""}, {"x/note/a.md"}),
}


@pytest.mark.parametrize("name", HAND_CASES)
def test_verdicts_are_those_of_git(name: str, tmp_path: Path) -> None:
    files, expected = HAND_CASES[name]
    run_git(tmp_path, "init", "-q")
    write(tmp_path, files)
    assert check_as_git(tmp_path) == expected


def test_a_global_star_ignores_all_but_tracked_files(tmp_path: Path, own_home: Path) -> None:
    write(own_home, {".config/git/ignore": "*\n"})
    run_git(tmp_path, "init", "-q")
    write(tmp_path, {"kept.md": "", "docs/kept.md": "", "docs/loose.md": "", "loose.md": ""})
    run_git(tmp_path, "add", "-f", "kept.md", "docs/kept.md")
    assert check_as_git(tmp_path) == {"docs/loose.md", "loose.md"}
    assert not IgnoreRules(str(tmp_path)).is_ignored("docs", True)


def test_a_named_global_file_and_info_exclude_are_read(tmp_path: Path, own_home: Path) -> None:
    write(own_home, {".gitconfig": "[core]\n\texcludesFile = ~/mine\n", "mine": "g*.md\n!e.md\n"})
    run_git(tmp_path, "init", "-q")
    write(tmp_path, {".git/info/exclude": "e.md\n", "g1.md": "", "e.md": "", "x/g2.md": "", "n.md": ""})
    assert check_as_git(tmp_path) == {"g1.md", "e.md", "x/g2.md"}


def test_case_is_ignored_where_git_ignores_it(tmp_path: Path) -> None:
    run_git(tmp_path, "init", "-q")
    run_git(tmp_path, "config", "core.ignoreCase", "true")
    write(tmp_path, {".gitignore": "README*\nDocs/A.md\n[X]y.md\n", "readme.md": "", "docs/a.md": "", "Xy.md": ""})
    check_as_git(tmp_path)
    assert IgnoreRules(str(tmp_path)).is_ignored("readme.md", False)


def test_a_root_below_the_top_obeys_the_files_above_it(tmp_path: Path) -> None:
    run_git(tmp_path, "init", "-q")
    root = tmp_path / "a" / "b"
    write(tmp_path, {".gitignore": "/a/b/x.md\n*.log.md\n", "a/.gitignore": "b/y.md\n"})
    write(root, {"x.md": "", "y.md": "", "c/q.log.md": "", "z.md": "", "c/x.md": ""})
    assert check_as_git(root) == {"x.md", "y.md", "c/q.log.md"}
    assert IgnoreRules(str(root)).rule_for("y.md", False) == "../.gitignore:1: b/y.md"


def test_a_root_that_is_itself_ignored_keeps_tracked_files_and_says_so(tmp_path: Path) -> None:
    run_git(tmp_path, "init", "-q")
    write(tmp_path, {".gitignore": "sub/\n", "sub/kept.md": "", "sub/loose.md": ""})
    run_git(tmp_path, "add", "-f", "sub/kept.md")
    assert check_as_git(tmp_path / "sub") == {"loose.md"}
    assert "git ignores this folder itself (../.gitignore:1: sub/)" in IgnoreRules(str(tmp_path / "sub")).warnings[0]


def test_a_linked_worktree_reads_the_shared_exclude_file(tmp_path: Path) -> None:
    main = tmp_path / "main"
    main.mkdir()
    run_git(main, "init", "-q")
    write(main, {"a.md": "a"})
    run_git(main, "add", ".")
    run_git(main, "commit", "-qm", "first")
    run_git(main, "worktree", "add", "-q", str(tmp_path / "tree"))
    write(main, {".git/info/exclude": "e.md\n"})
    write(tmp_path / "tree", {"e.md": "", "f.md": ""})
    assert check_as_git(tmp_path / "tree") == {"e.md"}


def test_ignore_files_count_without_a_repository(tmp_path: Path) -> None:
    write(tmp_path, {".gitignore": "x.md\n", "docs/.gitignore": "y.md\n", "x.md": "", "docs/y.md": "", "z.md": ""})
    rules = IgnoreRules(str(tmp_path))
    assert [path for path in all_files(tmp_path) if rules.is_ignored(path, False)] == ["docs/y.md", "x.md"]
    assert rules.warnings == ()


def test_own_ignore_file_is_stronger_than_git(tmp_path: Path) -> None:
    run_git(tmp_path, "init", "-q")
    write(
        tmp_path,
        {".gitignore": "gen.md\n", ".consigliereignore": "!gen.md\ndrafts/\n", "docs/.consigliereignore": "t*"},
    )
    write(tmp_path, {"drafts/a.md": "", "docs/tracked.md": "", "gen.md": ""})
    run_git(tmp_path, "add", "-f", "drafts/a.md", "docs/tracked.md")
    rules = IgnoreRules(str(tmp_path))
    assert rules.rule_for("gen.md", False) is None
    assert rules.rule_for("drafts/a.md", False) == ".consigliereignore:2: drafts/"
    assert rules.rule_for("docs/tracked.md", False) == "docs/.consigliereignore:1: t*"


def test_some_folders_are_always_left_out(tmp_path: Path) -> None:
    write(tmp_path, {".consigliereignore": "!node_modules\n!.git\n"})
    rules = IgnoreRules(str(tmp_path))
    assert rules.is_ignored("node_modules/a.md", False)
    assert rules.is_ignored("x/node_modules", True)
    assert rules.is_ignored(".git/a.md", False)
    assert rules.is_ignored(".consigliere/a.md", False)
    assert not rules.is_ignored("node_modules", False)


def test_settings_choose_paths_and_excludes(tmp_path: Path) -> None:
    paths = ("docs/**/*.md", "CLAUDE.md", "notes")
    rules = IgnoreRules(str(tmp_path), paths=paths, exclude=("docs/old/**", "*.tmp.md"))
    inside = ["docs/a.md", "docs/x/b.md", "CLAUDE.md", "notes/deep/c.txt", "docs/x.tmp.md", "docs/old/d.md", "e.md"]
    rule_by_path = {path: rules.rule_for(path, False) for path in inside}
    assert rule_by_path == {
        "docs/a.md": None,
        "docs/x/b.md": None,
        "CLAUDE.md": None,
        "notes/deep/c.txt": None,
        "docs/x.tmp.md": "[index] exclude: *.tmp.md",
        "docs/old/d.md": "[index] exclude: docs/old/**",
        "e.md": "[index] paths",
    }
    assert not rules.is_ignored("docs/x", True)


def test_settings_globs_are_relative_to_a_root_below_the_top(tmp_path: Path) -> None:
    run_git(tmp_path, "init", "-q")
    (tmp_path / "sub").mkdir()
    rules = IgnoreRules(str(tmp_path / "sub"), paths=("docs/*.md",), exclude=("docs/no.md",))
    assert rules.rule_for("docs/a.md", False) is None
    assert rules.rule_for("docs/no.md", False) == "[index] exclude: docs/no.md"
    assert rules.rule_for("sub/docs/a.md", False) == "[index] paths"


def test_refresh_sees_each_source_change(tmp_path: Path) -> None:
    run_git(tmp_path, "init", "-q")
    write(tmp_path, {"a.md": "", "d/b.md": ""})
    rules = IgnoreRules(str(tmp_path))
    assert not rules.is_ignored("d/b.md", False)
    assert not rules.refresh()
    write(tmp_path, {"d/.gitignore": "b.md\n"})
    assert rules.refresh()
    assert rules.is_ignored("d/b.md", False)
    run_git(tmp_path, "add", "-f", "d/b.md")
    assert rules.refresh()
    assert not rules.is_ignored("d/b.md", False)
    write(tmp_path, {".git/info/exclude": "a.md\n"})
    assert rules.refresh()
    assert rules.is_ignored("a.md", False)
    run_git(tmp_path, "add", "d/.gitignore")
    assert not rules.refresh()


def test_a_repository_born_later_is_noticed(tmp_path: Path) -> None:
    rules = IgnoreRules(str(tmp_path))
    run_git(tmp_path, "init", "-q")
    write(tmp_path, {".git/info/exclude": "a.md\n"})
    assert rules.refresh()
    assert rules.is_ignored("a.md", False)


def test_a_link_named_gitignore_is_not_read(tmp_path: Path) -> None:
    run_git(tmp_path, "init", "-q")
    write(tmp_path, {"rules": "a.md\n", "a.md": ""})
    (tmp_path / ".gitignore").symlink_to("rules")
    assert check_as_git(tmp_path) == set()


def test_a_hostile_pattern_is_answered_at_once() -> None:
    names = [b"a" * 250, b"a/" * 1500 + b"c", b"a" * 4000]
    hostile = [b"*a" * 100 + b"b", b"**/a/" * 100 + b"b", b"**/*a*a*a/**/" * 20 + b"b", b"x/" + b"**\\/*a" * 40 + b"b"]
    for pattern in parse_file(b"\n".join(hostile), False):
        for name in names:
            assert not pattern.regex.fullmatch(name)


_SECRETS = ".env .env.local server.pem id_rsa id_ed25519.pub credentials.json .netrc a/b/TLS.KEY"
_DOCUMENTS = "credentials-rotation.md id_token.md key.md environment.md"


@pytest.mark.parametrize(
    ("name", "is_secret"),
    [*((name, True) for name in _SECRETS.split()), *((name, False) for name in _DOCUMENTS.split())],
)
def test_secrets_are_told_by_name(name: str, is_secret: bool) -> None:
    assert (secret_rule(name) is not None) == is_secret


_NAMES = ["a", "b", "ab", "a.md", "b.md", "A", "[", "!a", "#b", "a ", "-", "^", "가", "a\\b", "aab"]
_TREE = [*_NAMES, *(f"{folder}x/{name}" for folder in ("a", "b", "ab") for name in _NAMES)]
_TREE += [f"ax/{folder}y/{name}" for folder in ("a", "b") for name in _NAMES] + ["ax/ay/az/a", "bx/ay/b.md/ab"]
_CHARACTERS = "ab/*?![]\\-^# A\t가"
_WORDS = "** **/ /** /**/ *.md .md x/ y/ ax \\* [a-b] [!a] [^b] [[:alpha:]] [[:upper:]x] [a [] []a] [a\\]] [b-a]"
_PIECES = st.sampled_from([*_CHARACTERS, *_WORDS.split()])
_LINES = st.lists(_PIECES, min_size=1, max_size=6).map("".join)


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("repository")
    run_git(root, "init", "-q")
    write(root, dict.fromkeys(_TREE, ""))
    return root


@settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(top=st.lists(_LINES, max_size=4), below=st.lists(_LINES, max_size=3), ignore_case=st.booleans())
def test_any_patterns_get_the_verdict_of_git(
    repository: Path, top: list[str], below: list[str], ignore_case: bool
) -> None:
    run_git(repository, "config", "core.ignoreCase", str(ignore_case).lower())
    write(repository, {".gitignore": "\n".join(top), "ax/.gitignore": "\n".join(below) + "\n"})
    check_as_git(repository)


def test_a_rule_that_comes_later_leaves_tracked_files_in(tmp_path: Path, own_home: Path) -> None:
    run_git(tmp_path, "init", "-q")
    write(tmp_path, {".gitignore": "build/\n", "docs/a.md": "", "docs/b.md": "", "c.md": ""})
    run_git(tmp_path, "add", ".gitignore", "docs/a.md", "c.md")
    rules = IgnoreRules(str(tmp_path))
    assert not rules.is_ignored("docs/b.md", False)
    (tmp_path / ".gitignore").write_text("build/\n/docs/\n*.md\n")
    assert rules.refresh()
    assert not rules.is_ignored("docs", True)
    assert [rules.is_ignored(path, False) for path in ("docs/a.md", "docs/b.md", "c.md")] == [False, True, False]


def test_a_rule_that_comes_while_the_rules_are_read_leaves_tracked_files_in(
    tmp_path: Path, own_home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run_git(tmp_path, "init", "-q")
    write(tmp_path, {".gitignore": "build/\n", "docs/a.md": ""})
    run_git(tmp_path, "add", ".")
    rules = IgnoreRules(str(tmp_path))
    assert not rules.is_ignored("docs/a.md", False)
    (tmp_path / ".gitignore").write_text("")
    written = []

    def read_then_written(root: str) -> GitRules:
        found = read_git_rules(root)
        if not written:
            written.append(True)
            (tmp_path / ".gitignore").write_text("/docs/\n")
        return found

    monkeypatch.setattr(ignore, "read_git_rules", read_then_written)
    assert rules.refresh()
    assert written
    assert rules.is_ignored("docs/a.md", False), "what is tracked was asked for a moment too early"
    assert rules.refresh()
    assert not rules.is_ignored("docs/a.md", False)
    assert not any(rules.refresh() for _ in range(3))


def test_a_folder_that_is_moved_in_with_its_rules_keeps_its_tracked_files(tmp_path: Path) -> None:
    root, other = tmp_path / "root", tmp_path / "other"
    write(root, {"docs/a.md": ""})
    write(other, {"a.md": "", ".gitignore": "a.md\n"})
    run_git(root, "init", "-q")
    run_git(root, "add", ".")
    rules = IgnoreRules(str(root))
    (root / "docs").rename(tmp_path / "old")
    other.rename(root / "docs")
    assert rules.is_ignored("docs/a.md", False)
    assert rules.refresh()
    assert not rules.is_ignored("docs/a.md", False)
    rules.refresh()
    assert not any(rules.refresh() for _ in range(3))
