"""How much room derived data takes on the disk."""

import os
from pathlib import Path


def folder_size_bytes(folder: Path) -> int:
    """The bytes that the files below `folder` take; what vanishes while it is looked at counts as nothing."""
    total = 0
    for place, _, names in os.walk(folder):
        for name in names:
            try:
                total += os.lstat(os.path.join(place, name)).st_blocks * 512
            except FileNotFoundError:
                continue
    return total
