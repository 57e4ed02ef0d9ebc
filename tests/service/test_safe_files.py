"""Files are read whole, unchanged and from inside the root, or not at all."""

import os
import pwd
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from consiglierd.catalog.files import FileUnavailable, SafeRoot, check_owner
from consiglierd.errors import NotFound, Refused

NOBODY = 65534


@contextmanager
def as_ordinary_user() -> Iterator[None]:
    """Root may read everything; permissions only show for somebody else."""
    if os.geteuid() != 0:
        yield
        return
    os.seteuid(NOBODY)
    try:
        yield
    finally:
        os.seteuid(0)


@pytest.fixture
def files(tmp_path: Path) -> Iterator[SafeRoot]:
    root = tmp_path / "root"
    (root / "docs").mkdir(parents=True)
    (root / "docs" / "a.md").write_text("text")
    (tmp_path / "outside.md").write_text("outside")
    opened = SafeRoot(str(root))
    yield opened
    opened.close()


def reason_of(files: SafeRoot, path: str, max_bytes: int = 1000) -> str:
    with pytest.raises(FileUnavailable) as caught:
        files.read(path, max_bytes)
    assert path in caught.value.message or not path
    return caught.value.reason


def test_a_regular_file_is_read_with_its_stat(files: SafeRoot, tmp_path: Path) -> None:
    content, found = files.read_with_stat("docs/a.md", 1000)
    expected = (tmp_path / "root/docs/a.md").stat()
    assert content == b"text"
    assert (found.ino, found.size, found.mtime_ns) == (expected.st_ino, 4, expected.st_mtime_ns)
    assert files.stat("docs/a.md") == found


@pytest.mark.parametrize(
    "path", ["", "/etc/hostname", "../outside.md", "docs/../docs/a.md", "docs//a.md", "./docs/a.md"]
)
def test_a_path_that_is_not_plainly_below_the_root_is_refused(files: SafeRoot, path: str) -> None:
    assert reason_of(files, path) == "missing"


def test_a_nul_in_a_path_is_refused(files: SafeRoot) -> None:
    assert reason_of(files, "docs/a.md\0.txt") == "missing"


def test_links_are_never_followed(files: SafeRoot, tmp_path: Path) -> None:
    root = tmp_path / "root"
    (root / "out.md").symlink_to("/etc/hostname")
    (root / "in.md").symlink_to("docs/a.md")
    (root / "d").symlink_to("docs")
    (root / "loop").symlink_to("loop")
    for path in ("out.md", "in.md", "d/a.md", "loop", "loop/a.md"):
        assert reason_of(files, path) == "link"
    with pytest.raises(FileUnavailable) as caught:
        files.stat("in.md")
    assert caught.value.reason == "link"


def test_special_files_neither_block_nor_answer(files: SafeRoot, tmp_path: Path) -> None:
    root = tmp_path / "root"
    os.mkfifo(root / "pipe.md")
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(root / "s.md"))
        assert [reason_of(files, path) for path in ("pipe.md", "s.md", "docs")] == ["special"] * 3


def test_what_is_missing_is_told_from_what_is_unreadable(files: SafeRoot, tmp_path: Path) -> None:
    assert reason_of(files, "docs/b.md") == "missing"
    assert reason_of(files, "docs/a.md/b.md") == "missing"
    (tmp_path / "root/docs/a.md").chmod(0)
    (tmp_path / "root/shut").mkdir()
    (tmp_path / "root/shut/c.md").write_text("c")
    (tmp_path / "root/shut").chmod(0)
    # The temporary folders of tests are private; let the ordinary user through to ours.
    for folder in (tmp_path.parent, tmp_path.parent.parent):
        folder.chmod(0o711)
    tmp_path.chmod(0o755)
    with as_ordinary_user():
        assert reason_of(files, "docs/a.md") == "unreadable"
        assert reason_of(files, "shut/c.md") == "unreadable"
    (tmp_path / "root/shut").chmod(0o700)


def test_a_file_over_the_limit_is_not_read(files: SafeRoot) -> None:
    assert files.read("docs/a.md", 4) == b"text"
    assert reason_of(files, "docs/a.md", 3) == "too_large"


def test_a_replaced_root_is_opened_again(files: SafeRoot, tmp_path: Path) -> None:
    assert files.read("docs/a.md", 10) == b"text"
    (tmp_path / "root").rename(tmp_path / "old")
    assert reason_of(files, "docs/a.md") == "missing"
    (tmp_path / "root" / "docs").mkdir(parents=True)
    (tmp_path / "root" / "docs" / "a.md").write_text("new")
    assert files.read("docs/a.md", 10) == b"new"


def test_bytes_belong_to_their_stat_while_the_file_is_rewritten(files: SafeRoot, tmp_path: Path) -> None:
    path = tmp_path / "root/docs/a.md"
    must_stop = threading.Event()

    def rewrite() -> None:
        size = 0
        while not must_stop.is_set():
            size = size % 50_000 + 997
            path.write_bytes(b"x" * size)

    writer = threading.Thread(target=rewrite)
    writer.start()
    mismatches = 0
    reasons = set()
    try:
        for _ in range(300):
            try:
                content, found = files.read_with_stat("docs/a.md", 100_000)
            except FileUnavailable as unavailable:
                reasons.add(unavailable.reason)
            else:
                mismatches += len(content) != found.size
    finally:
        must_stop.set()
        writer.join()
    assert mismatches == 0
    assert reasons <= {"unreadable"}


def test_no_descriptor_is_left_open(files: SafeRoot, tmp_path: Path) -> None:
    files.read("docs/a.md", 10)
    before = len(os.listdir("/dev/fd"))
    (tmp_path / "root/l").symlink_to("docs")
    for path in ("docs/a.md", "docs/none.md", "l/a.md", "../x", "docs"):
        for _ in range(5):
            try:
                files.read(path, 10)
            except FileUnavailable:
                continue
    assert len(os.listdir("/dev/fd")) == before


def test_the_owner_of_the_root_must_be_the_caller(tmp_path: Path) -> None:
    check_owner(str(tmp_path), os.getuid())
    with pytest.raises(Refused) as caught:
        check_owner(str(tmp_path), os.getuid() + 4242)
    assert "belongs to" in caught.value.message
    assert caught.value.cure


def test_home_and_the_whole_file_system_are_never_roots(tmp_path: Path) -> None:
    home = pwd.getpwuid(os.getuid()).pw_dir
    (tmp_path / "link").symlink_to(home)
    for root in ("/", home, str(tmp_path / "link")):
        with pytest.raises(Refused):
            check_owner(root, os.getuid())
    with pytest.raises(NotFound):
        check_owner(str(tmp_path / "none"), os.getuid())
    (tmp_path / "file").touch()
    with pytest.raises(Refused):
        check_owner(str(tmp_path / "file"), os.getuid())
