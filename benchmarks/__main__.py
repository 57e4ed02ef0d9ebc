"""Prints the table of measurements: `python -m benchmarks [GROUP ...] [--chunks N]`."""

import argparse
import os
import platform
import sys
from collections.abc import Callable, Iterator, Mapping

from benchmarks import footprint, freshness, hybrid, latency, models, opening, processes
from benchmarks.living import CallFailed
from benchmarks.stage import Stage
from benchmarks.table import Row, print_head, print_row

GROUPS: Mapping[str, Callable[[Stage], Iterator[Row]]] = {
    "opening": opening.rows,
    "latency": latency.rows,
    "processes": processes.rows,
    "freshness": freshness.rows,
    "footprint": footprint.rows,
    "hybrid": hybrid.rows,
    "models": models.rows,
}


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks",
        description="Measures on projects made from a seed; both sides of every comparison in one run.",
        epilog="example: python -m benchmarks latency --chunks 20000; the ranking: python -m benchmarks.quality, and on"
        " the sample python -m benchmarks.chunking, benchmarks.roles and benchmarks.rooms",
    )
    parser.add_argument("groups", nargs="*", metavar="GROUP", help="one of: " + ", ".join(GROUPS))
    parser.add_argument("--chunks", type=int, default=100_000, help="size of the large project (default %(default)s)")
    options = parser.parse_args(arguments)
    unknown = [name for name in options.groups if name not in GROUPS]
    if unknown:
        parser.error(f"no group {unknown[0]!r}; one of {', '.join(GROUPS)}")
    print(f"{platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}")
    print_head()
    stage = Stage(options.chunks)
    failures = 0
    try:
        for name in options.groups or GROUPS:
            failures += not _print_group(name, stage)
    finally:
        stage.close()
    return 1 if failures else 0


def _print_group(name: str, stage: Stage) -> bool:
    """Whether every row of the group could be measured; one that could not does not hide the others."""
    try:
        for row in GROUPS[name](stage):
            print_row(row)
    except (CallFailed, RuntimeError, OSError) as error:
        print_row(Row(f"{name}: stopped", "", str(error)))
        return False
    return True


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
