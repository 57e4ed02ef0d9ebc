"""Which mounted file systems report changes made elsewhere, and which do not."""

import os
from collections.abc import Iterable

_MOUNT_TABLE = "/proc/self/mountinfo"
_UNTRUSTED = frozenset(
    {"nfs", "nfs4", "cifs", "smb3", "smbfs", "ncpfs", "afs", "ceph", "glusterfs", "lustre", "gpfs"}
    | {"9p", "virtiofs", "vboxsf", "prl_fs", "drvfs", "fuseblk"}
)


def polled_file_system(root: str, lines: Iterable[str] | None = None) -> str | None:
    """The type of a file system at or below `root` whose events cannot be trusted, or None."""
    if lines is None:
        try:
            with open(_MOUNT_TABLE, encoding="utf-8", errors="surrogateescape") as table:
                lines = table.readlines()
        except OSError:
            return None
    real = os.path.realpath(root)
    holding = ("", "")
    for line in lines:
        before, _, after = line.partition(" - ")
        point = _unescaped(before.split(" ")[4])
        kind = after.split(" ", 1)[0]
        if _is_at_or_below(point, real) and point != real and _is_untrusted(kind):
            return kind
        # Of mounts at one point the last one covers the others.
        if _is_at_or_below(real, point) and len(point) >= len(holding[0]):
            holding = (point, kind)
    return holding[1] if _is_untrusted(holding[1]) else None


def _is_untrusted(kind: str) -> bool:
    return kind in _UNTRUSTED or kind == "fuse" or kind.startswith("fuse.")


def _is_at_or_below(path: str, folder: str) -> bool:
    return path == folder or path.startswith(folder if folder.endswith("/") else folder + "/")


def _unescaped(point: str) -> str:
    return point.replace("\\040", " ").replace("\\011", "\t").replace("\\012", "\n").replace("\\134", "\\")
