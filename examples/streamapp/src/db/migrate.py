"""Apply the numbered SQL files that the database has not seen yet."""

import pathlib
import sys


def pending(applied: set[str], folder: pathlib.Path) -> list[pathlib.Path]:
    """Files in order of their number; an applied file is never run twice."""
    return [path for path in sorted(folder.glob("*.sql")) if path.name not in applied]


def tables_without_policy(catalog: list[tuple[str, bool]]) -> list[str]:
    """Names of the tables whose row level security is off."""
    return [name for name, has_policy in catalog if not has_policy]


if __name__ == "__main__":
    sys.exit("run through npm run migrate")
