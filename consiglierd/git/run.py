"""The one place that starts git: allow-listed subcommands, a fixed environment, a deadline and an output cap.

A repository can make git run commands (file system monitors, hooks, filters, text conversion,
signature checks, promisor remotes). What is started here names only subcommands that were
measured not to, under settings that switch the rest off.
"""

import os
import pwd
import selectors
import signal
import subprocess
import time
from collections.abc import Mapping
from dataclasses import dataclass

from consiglierd.errors import Unavailable

DEFAULT_TIMEOUT_S = 10.0
DEFAULT_OUTPUT_BYTES = 64 * 1024 * 1024
ERROR_BYTES = 64 * 1024

ALLOWED_SUBCOMMANDS = frozenset(
    {"rev-parse", "rev-list", "ls-tree", "cat-file", "diff-tree", "blame", "ls-files", "check-ignore", "worktree"}
)
ALLOWED_CONFIG_KEYS = frozenset({"core.excludesFile", "core.ignoreCase"})
_FORBIDDEN_OPTIONS = frozenset({"--filters", "--textconv", "--ext-diff"})
# Not -m: to see whether a file was modified, git runs the clean filter on it.
_LS_FILES_OPTIONS = frozenset({"-z", "-c", "-i", "-o", "-s", "--exclude-standard", "--end-of-options", "--"})
_PROTECTIONS = (
    *("-c", "core.fsmonitor=false"),
    *("-c", "core.hooksPath=/dev/null"),
    *("-c", "log.showSignature=false"),
    "--no-pager",
    "--literal-pathspecs",
)
_FIXED_ENVIRONMENT = {
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_ALLOW_PROTOCOL": "none",
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_NO_REPLACE_OBJECTS": "1",
    "LC_ALL": "C",
    "PATH": "/usr/bin:/bin",
}
_INHERITED_NAMES = ("HOME", "XDG_CONFIG_HOME", "TMPDIR")
_SEARCHED_FOLDERS = ("/usr/bin", "/usr/local/bin", "/opt/homebrew/bin", "/bin", "/run/current-system/sw/bin")


class GitError(Unavailable):
    """git is missing, refused, failed, was too slow or said too much."""


@dataclass(frozen=True, slots=True)
class GitOutput:
    """`is_cut` is true when the output cap ended the run; then `status` means nothing."""

    status: int
    stdout: bytes
    stderr: str
    is_cut: bool


def find_git(search_path: str | None = None) -> str | None:
    """The absolute path of the git program: the usual folders first, then absolute entries of PATH."""
    inherited = os.environ.get("PATH", "") if search_path is None else search_path
    usual = _SEARCHED_FOLDERS if search_path is None else ()
    for folder in (*usual, *inherited.split(os.pathsep)):
        candidate = os.path.join(folder, "git")
        if os.path.isabs(candidate) and os.path.isfile(candidate) and os.access(candidate, os.X_OK):
            return candidate
    return None


def git_environment(inherited: Mapping[str, str]) -> dict[str, str]:
    """The whole environment of a git process: no GIT_* of the caller's survives."""
    kept = {name: inherited[name] for name in _INHERITED_NAMES if inherited.get(name)}
    kept.setdefault("HOME", pwd.getpwuid(os.geteuid()).pw_dir)
    return kept | _FIXED_ENVIRONMENT


def run_git(
    binary: str,
    folder: str,
    subcommand: str,
    *arguments: str,
    timeout_s: float = DEFAULT_TIMEOUT_S,
    output_bytes: int = DEFAULT_OUTPUT_BYTES,
) -> GitOutput:
    """Run one allow-listed subcommand in `folder`. GitError if it cannot start or is too slow."""
    _check_allowed(subcommand, arguments)
    return _run([binary, *_PROTECTIONS, subcommand, *arguments], folder, timeout_s, output_bytes)


def read_git_config(binary: str, folder: str, key: str, value_type: str) -> str | None:
    """The value of one listed key as git resolves it in `folder`, or None where it is not set."""
    if key not in ALLOWED_CONFIG_KEYS:
        raise ValueError(f"git config key {key} is not on the list")
    argv = [binary, *_PROTECTIONS, "config", "-z", f"--type={value_type}", "--get", key]
    output = _run(argv, folder, DEFAULT_TIMEOUT_S, ERROR_BYTES)
    if output.status == 1:
        return None
    if output.status != 0:
        raise GitError(f"git config {key} failed in {folder}: {output.stderr}", cure="Mend the git configuration.")
    return os.fsdecode(output.stdout).rstrip("\0")


def _check_allowed(subcommand: str, arguments: tuple[str, ...]) -> None:
    if subcommand not in ALLOWED_SUBCOMMANDS:
        raise ValueError(f"git {subcommand} is not on the list of allowed subcommands")
    if forbidden := [argument for argument in arguments if _may_run_commands(argument)]:
        raise ValueError(f"git {subcommand} {forbidden[0]} may run commands of the repository")
    if subcommand == "ls-files" and (others := _options(arguments) - _LS_FILES_OPTIONS):
        raise ValueError(f"git ls-files {sorted(others)[0]} is not on the list of allowed options")
    if subcommand == "worktree" and arguments[:1] != ("list",):
        raise ValueError("of git worktree only list is allowed")
    if subcommand == "diff-tree" and not {"--no-ext-diff", "--no-textconv"}.issubset(arguments):
        raise ValueError("git diff-tree needs --no-ext-diff and --no-textconv")
    if subcommand == "blame" and ("--no-textconv" not in arguments or not _names_revision(arguments)):
        # Without a revision it reads the file on the disk, through the clean filter.
        raise ValueError("git blame needs --no-textconv and a revision before --")


def _options(arguments: tuple[str, ...]) -> set[str]:
    end = arguments.index("--") if "--" in arguments else len(arguments)
    return {argument for argument in arguments[:end] if argument.startswith("-")}


def _may_run_commands(argument: str) -> bool:
    """git takes an option by any beginning that is unambiguous, and a value behind "="."""
    name = argument.partition("=")[0]
    return len(name) > 2 and name.startswith("--") and any(each.startswith(name) for each in _FORBIDDEN_OPTIONS)


def _names_revision(arguments: tuple[str, ...]) -> bool:
    end = arguments.index("--") if "--" in arguments else 0
    return any(not argument.startswith("-") for argument in arguments[:end])


def _run(argv: list[str], folder: str, timeout_s: float, output_bytes: int) -> GitOutput:
    try:
        process = subprocess.Popen(
            argv,
            cwd=folder,
            env=git_environment(os.environ),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,
        )
    except OSError as error:
        raise GitError(f"git could not be started in {folder}: {error.strerror}", cure="Install git.") from error
    with process:
        try:
            stdout, stderr, is_cut = _read_both(process, time.monotonic() + timeout_s, output_bytes)
        except TimeoutError as error:
            raise GitError(f"git took longer than {timeout_s:g} s in {folder}", cure="Try again.") from error
        finally:
            _end(process)
    return GitOutput(process.returncode, stdout, stderr.decode("utf-8", "replace").strip(), is_cut)


def _read_both(process: subprocess.Popen[bytes], deadline: float, output_bytes: int) -> tuple[bytes, bytes, bool]:
    """Read both pipes to their ends: a program that fills one while we wait on the other would hang."""
    assert process.stdout is not None
    assert process.stderr is not None
    stdout, stderr = bytearray(), bytearray()
    with selectors.DefaultSelector() as selector:
        selector.register(process.stdout, selectors.EVENT_READ, stdout)
        selector.register(process.stderr, selectors.EVENT_READ, stderr)
        while selector.get_map():
            ready = selector.select(max(0.0, deadline - time.monotonic()))
            if not ready:
                raise TimeoutError
            for key, _ in ready:
                piece = os.read(key.fd, 1 << 16)
                if not piece:
                    selector.unregister(key.fileobj)
                key.data.extend(piece)
            if len(stdout) > output_bytes:
                return bytes(stdout[:output_bytes]), bytes(stderr), True
            del stderr[ERROR_BYTES:]
    try:
        process.wait(max(0.01, deadline - time.monotonic()))
    except subprocess.TimeoutExpired as error:
        raise TimeoutError from error
    return bytes(stdout), bytes(stderr), False


def _end(process: subprocess.Popen[bytes]) -> None:
    """End a process that still runs, with whatever it started: it leads a session of its own."""
    if process.poll() is None:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
