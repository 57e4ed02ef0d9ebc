"""The children of a process, by /proc."""

from pathlib import Path


def children_of(pid: int | str) -> list[int]:
    """A child belongs to the thread that made it; a thread may end while it is looked at."""
    found: list[int] = []
    for thread in Path(f"/proc/{pid}/task").iterdir():
        try:
            found.extend(int(word) for word in (thread / "children").read_text().split())
        except FileNotFoundError:
            continue
    return found
