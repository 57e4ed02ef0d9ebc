"""Files of a pinned commit out of a git directory, without a work tree."""

import subprocess
from collections.abc import Iterator
from pathlib import Path


def git_directory(sources: Path, repository: str) -> Path:
    """The git directory of a folder below `sources`; raises FileNotFoundError."""
    for place in (sources / repository, sources / repository / ".git", sources / repository / "repo"):
        for found in (place / ".git", place):
            if (found / "objects").is_dir():
                return found
    raise FileNotFoundError(f"no git directory of {repository} below {sources}")


def files_at(
    directory: Path, commit: str, folder: str, suffixes: tuple[str, ...], only: str = ""
) -> Iterator[tuple[str, str]]:
    """(path below `folder`, text) of every file that is UTF-8, in the order of paths; `only` stands in the path."""
    git = ["git", f"--git-dir={directory}"]
    listed = subprocess.run(
        [*git, "ls-tree", "-r", "-z", commit, "--", f"{folder}/" if folder else "."], capture_output=True, check=True
    ).stdout.decode()
    wanted = []
    for line in filter(None, listed.split("\0")):
        mode, _, rest = line.partition(" ")
        blob, path = rest.removeprefix("blob ").split("\t")
        if mode.startswith("100") and path.endswith(suffixes) and only in path:
            wanted.append((path[len(folder) + 1 if folder else 0 :], blob))
    with subprocess.Popen([*git, "cat-file", "--batch"], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        for path, blob in sorted(wanted):
            process.stdin.write(f"{blob}\n".encode())
            process.stdin.flush()
            header = process.stdout.readline().split()
            if len(header) != 3:  # a snapshot may lack its largest files
                continue
            size = int(header[2])
            content = process.stdout.read(size + 1)[:-1]
            try:
                yield path, content.decode("utf-8")
            except UnicodeDecodeError:
                continue
        process.stdin.close()
