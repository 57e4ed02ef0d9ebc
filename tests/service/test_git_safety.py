"""Asking a hostile repository runs nothing of it; the same repository does run things when asked carelessly."""

import os
import stat
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from consiglierd.git.repository import Git, NotARepository
from consiglierd.git.run import GitError, find_git, git_environment, read_git_config, run_git
from consiglierd.watch.ignore import IgnoreRules

IDENTITY = ("-c", "user.name=Tester", "-c", "user.email=tester@example.org", "-c", "init.defaultBranch=main")

HOSTILE_CONFIG = """
[core]
    fsmonitor = {trap} fsmonitor
    hooksPath = {hooks}
    sshCommand = {trap} ssh
    pager = {trap} pager
    editor = {trap} editor
    askPass = {trap} askpass
    gitProxy = {trap} proxy
    alternateRefsCommand = {trap} alternates
    repositoryFormatVersion = 1
[log]
    showSignature = true
[gpg]
    program = {trap} gpg
[gpg "ssh"]
    program = {trap} gpgssh
[diff]
    external = {trap} diff
[diff "bad"]
    command = {trap} diffcommand
    textconv = {trap} textconv
[filter "bad"]
    clean = {trap} clean
    smudge = {trap} smudge
    process = {trap} process
    required = true
[merge "bad"]
    driver = {trap} merge
[credential]
    helper = {trap} credential
[pager]
    rev-parse = {trap} pager2
    ls-files = {trap} pager3
    config = {trap} pager4
[alias]
    rev-parse = !{trap} alias
    ls-files = !{trap} alias2
    config = !{trap} alias3
[extensions]
    partialClone = evil
[remote "evil"]
    url = ext::{trap} ext
    promisor = true
    uploadpack = {trap} uploadpack
    vcs = ext
[protocol]
    allow = always
[protocol "ext"]
    allow = always
[submodule "sub"]
    url = ext::{trap} submodule
    update = !{trap} update
    active = true
[uploadpack]
    packObjectsHook = {trap} pack
[trace2]
    eventTarget = {canaries}/trace2
[include]
    path = {included}
"""

ATTRIBUTES = "* diff=bad filter=bad merge=bad\n"
HOOKS = ("post-index-change", "pre-commit", "post-checkout", "reference-transaction", "fsmonitor-watchman")
HOSTILE_ENVIRONMENT = (
    *("GIT_EXTERNAL_DIFF", "GIT_SSH_COMMAND", "GIT_SSH", "GIT_PAGER", "GIT_EDITOR", "GIT_ASKPASS", "GIT_PROXY_COMMAND"),
    *("PAGER", "EDITOR", "SSH_ASKPASS", "VISUAL"),
)


class Hostile:
    """A repository in which every way to run something that we know of leaves a canary."""

    def __init__(self, folder: Path) -> None:
        self.root = folder / "repository"
        self.canaries = folder / "canaries"
        self.canaries.mkdir()
        self.trap = folder / "trap.sh"
        self.trap.write_text(f'#!/bin/sh\n: > "{self.canaries}/${{1:-named-nothing}}"\nexit 1\n')
        self.trap.chmod(0o755)
        self.root.mkdir()
        (self.root / "sub").mkdir()
        (self.root / "a.md").write_text("first\n")
        (self.root / "sub" / "b.md").write_text("b\n")
        (self.root / "ignored.md").write_text("i\n")
        (self.root / ".gitignore").write_text("ignored.md\n")
        self.git("init", "-q")
        self.git("add", "-f", ".")
        self.git("commit", "-qm", "first")
        self.blob = self.git("rev-parse", "HEAD:a.md").decode().strip()
        self._arm(folder)

    def git(self, *arguments: str) -> bytes:
        done = subprocess.run(["git", *IDENTITY, *arguments], cwd=self.root, capture_output=True, check=True)
        return done.stdout

    def _arm(self, folder: Path) -> None:
        hooks = folder / "hooks"
        hooks.mkdir()
        for target in (hooks, self.root / ".git" / "hooks"):
            target.mkdir(exist_ok=True)
            for name in HOOKS:
                hook = target / name
                hook.write_text(f'#!/bin/sh\n: > "{self.canaries}/hook-{name}"\n')
                hook.chmod(0o755)
        included = folder / "included"
        values = {"trap": self.trap, "hooks": hooks, "canaries": self.canaries, "included": included}
        text = HOSTILE_CONFIG.format(**values)
        included.write_text(text.replace("[include]", "[included]"))
        with (self.root / ".git" / "config").open("a") as file:
            file.write(text)
        (self.root / ".gitattributes").write_text(ATTRIBUTES)
        (self.root / ".git" / "info" / "attributes").write_text(ATTRIBUTES)
        (self.root / ".gitmodules").write_text(f'[submodule "sub"]\n\tpath = s\n\turl = ext::{self.trap} gitmodules\n')
        # A missing object, which git would fetch from the promisor remote, and a file newer than the index.
        lost = self.root / ".git" / "objects" / self.blob[:2] / self.blob[2:]
        lost.chmod(lost.stat().st_mode | stat.S_IWUSR)
        lost.unlink()
        (self.root / "a.md").write_text("second\n")

    def fired(self) -> set[str]:
        return set(os.listdir(self.canaries))


@pytest.fixture
def hostile(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Hostile:
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.delenv("XDG_CONFIG_HOME", raising=False)
    (tmp_path / "home").mkdir()
    made = Hostile(tmp_path)
    for name in HOSTILE_ENVIRONMENT:
        monkeypatch.setenv(name, f"{made.trap} environment-{name}")
    monkeypatch.setenv("GIT_CONFIG_COUNT", "1")
    monkeypatch.setenv("GIT_CONFIG_KEY_0", "core.fsmonitor")
    monkeypatch.setenv("GIT_CONFIG_VALUE_0", f"{made.trap} configured-by-environment")
    monkeypatch.setenv("GIT_EXEC_PATH", str(made.canaries))
    monkeypatch.setenv("GIT_TRACE", str(made.canaries / "trace"))
    return made


QUESTIONS: dict[str, Callable[[Git], object]] = {
    "toplevel": Git.toplevel,
    "prefix": Git.prefix,
    "git_dir": Git.git_dir,
    "common_dir": Git.common_dir,
    "head": Git.head,
    "tracked_but_ignored": Git.tracked_but_ignored,
    "excludes_file": Git.excludes_file,
    "ignore_case": Git.ignore_case,
    "is_tracked_under": lambda git: git.is_tracked_under("sub"),
    "blamed": lambda git: git.blamed("b.md" if git.prefix() else "sub/b.md"),
}


def test_every_public_question_is_in_the_list() -> None:
    assert {name for name in vars(Git) if not name.startswith("_")} == set(QUESTIONS)


@pytest.mark.parametrize("folder", ["", "sub"])
def test_no_question_runs_anything(hostile: Hostile, folder: str) -> None:
    git = Git(str(hostile.root / folder))
    answers = {name: ask(git) for name, ask in QUESTIONS.items()}
    IgnoreRules(str(hostile.root / folder))
    assert hostile.fired() == set()
    assert answers["toplevel"] == str(hostile.root)
    assert answers["tracked_but_ignored"] == (() if folder else ("ignored.md",))
    assert answers["head"]


@pytest.mark.parametrize(
    "argv",
    [
        ("rev-parse", "--end-of-options", "HEAD"),
        ("rev-list", "--max-count=5", "HEAD"),
        ("ls-tree", "-r", "-z", "--end-of-options", "HEAD"),
        ("ls-files", "-z", "-o", "-s", "--exclude-standard"),
        ("check-ignore", "-z", "--", "ignored.md"),
        ("diff-tree", "--no-ext-diff", "--no-textconv", "-p", "--root", "HEAD"),
        ("blame", "--no-textconv", "HEAD", "--", "sub/b.md"),
        ("cat-file", "-e", "MISSING"),
        ("cat-file", "-p", "MISSING"),
        ("worktree", "list", "--porcelain"),
    ],
    ids=lambda argv: " ".join(argv[:3]),
)
def test_no_allowed_subcommand_runs_anything(hostile: Hostile, argv: tuple[str, ...]) -> None:
    binary = find_git()
    assert binary is not None
    run_git(binary, str(hostile.root), *(hostile.blob if word == "MISSING" else word for word in argv))
    assert hostile.fired() == set()


@pytest.mark.parametrize(
    ("argv", "canary"),
    [
        (("status",), "fsmonitor"),
        (("ls-files", "-m"), "fsmonitor"),
        (("diff",), "process"),
        (("-c", "core.fsmonitor=false", "ls-files", "-m"), "process"),
        (("blame", "a.md"), "textconv"),
        (("cat-file", "-p", "MISSING"), "ext"),
    ],
)
def test_the_same_repository_asked_carelessly_does_run_things(
    hostile: Hostile, monkeypatch: pytest.MonkeyPatch, argv: tuple[str, ...], canary: str
) -> None:
    for name in [name for name in os.environ if name.startswith("GIT_")]:
        monkeypatch.delenv(name)
    words = [hostile.blob if word == "MISSING" else word for word in argv]
    # Another time than the index knows, so that the content itself is compared.
    os.utime(Path(hostile.root) / "a.md", (1_000_000_000, 1_000_000_000))
    subprocess.run(["git", *words], cwd=hostile.root, capture_output=True)
    assert canary in hostile.fired()


def test_nothing_of_the_callers_git_environment_survives() -> None:
    inherited = {"GIT_DIR": "/x", "GIT_INDEX_FILE": "/y", "PATH": "/evil", "LD_PRELOAD": "/z.so", "HOME": "/home/me"}
    environment = git_environment(inherited)
    assert environment.pop("HOME") == "/home/me"
    assert "/evil" not in environment["PATH"]
    assert environment.keys() - {"PATH", "LC_ALL"} == {
        "GIT_OPTIONAL_LOCKS",
        "GIT_NO_LAZY_FETCH",
        "GIT_ALLOW_PROTOCOL",
        "GIT_TERMINAL_PROMPT",
        "GIT_NO_REPLACE_OBJECTS",
    }


@pytest.mark.parametrize(
    "argv",
    [
        *(("status",), ("log",), ("show",), ("diff",), ("archive",), ("hash-object", "a"), ("-c", "x=y")),
        *(("worktree", "add", "x"), ("cat-file", "--filters", "x"), ("diff-tree", "HEAD"), ("ls-files", "-zm")),
        *(("blame", "HEAD", "--", "a"), ("blame", "--no-textconv", "--", "a"), ("ls-files", "-z", "-m", "--", "x")),
        *(("cat-file", "--filter", "x"), ("cat-file", "--textc", "x"), ("rev-list", "--filters=x", "HEAD")),
    ],
)
def test_other_subcommands_are_refused(tmp_path: Path, argv: tuple[str, ...]) -> None:
    with pytest.raises(ValueError, match=r"git|worktree"):
        run_git("/usr/bin/git", str(tmp_path), *argv)
    with pytest.raises(ValueError, match="not on the list"):
        read_git_config("/usr/bin/git", str(tmp_path), "alias.x", "path")


def test_answers_are_right_in_a_plain_repository_below_its_top(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.delenv("XDG_CONFIG_HOME", raising=False)
    root = tmp_path / "a" / "b"
    root.mkdir(parents=True)
    subprocess.run(["git", *IDENTITY, "init", "-q"], cwd=tmp_path, check=True)
    git = Git(str(root))
    assert git.head() is None
    (root / "한글.md").write_text("x")
    (tmp_path / ".gitignore").write_text("*.md\n")
    subprocess.run(["git", *IDENTITY, "add", "-f", "."], cwd=tmp_path, check=True)
    assert (git.toplevel(), git.prefix()) == (str(tmp_path), "a/b/")
    assert git.git_dir() == git.common_dir() == str(tmp_path / ".git")
    assert git.tracked_but_ignored() == ("한글.md",)
    assert git.is_tracked_under("한글.md")
    assert not git.is_tracked_under("*.md")
    assert not git.is_tracked_under(".consigliere")
    assert git.excludes_file() == str(tmp_path / "home/.config/git/ignore")
    subprocess.run(["git", "config", "core.excludesFile", "~/mine"], cwd=tmp_path, check=True)
    assert git.excludes_file() == str(tmp_path / "home/mine")


def test_no_repository_is_told_from_a_failure(tmp_path: Path) -> None:
    with pytest.raises(NotARepository):
        Git(str(tmp_path)).toplevel()
    with pytest.raises(GitError, match="could not be started"):
        Git(str(tmp_path), binary="/nonexistent/git").toplevel()
    assert find_git("relative:/nonexistent") is None


def test_a_repository_of_another_user_is_left_to_git_to_refuse(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if os.geteuid() != 0:
        pytest.skip("only root can give a repository away")
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    root = tmp_path / "theirs"
    root.mkdir()
    subprocess.run(["git", "init", "-q"], cwd=root, check=True)
    (root / ".gitignore").write_text("no.md\n")
    for folder, folders, names in os.walk(root):
        for name in (".", *folders, *names):
            os.chown(os.path.join(folder, name), 65534, 65534)
    with pytest.raises(GitError, match="another user owns") as caught:
        Git(str(root)).toplevel()
    assert "safe.directory" in (caught.value.cure or "")
    rules = IgnoreRules(str(root))
    assert rules.is_ignored("no.md", False)
    assert "without git" in rules.warnings[0]


def test_a_slow_or_endless_git_is_ended(tmp_path: Path) -> None:
    slow = tmp_path / "slow"
    slow.write_text("#!/bin/sh\nsleep 600 &\nwait\n")
    endless = tmp_path / "endless"
    endless.write_text("#!/bin/sh\nexec yes\n")
    for program in (slow, endless):
        program.chmod(0o755)
    with pytest.raises(GitError, match="longer than"):
        run_git(str(slow), str(tmp_path), "rev-parse", timeout_s=0.2)
    output = run_git(str(endless), str(tmp_path), "rev-parse", output_bytes=100_000)
    assert output.is_cut
    assert len(output.stdout) == 100_000
