"""A look at the disk finds every document, follows nothing, and says what it left out."""

import os
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from consiglierd.model.files import KnownFile, LeftOut, Scan
from consiglierd.watch import scan as scan_module
from consiglierd.watch.ignore import IgnoreRules
from consiglierd.watch.reconcile import reconcile
from consiglierd.watch.scan import scan_paths, scan_root

NOBODY = 65534


@contextmanager
def as_ordinary_user(tmp_path: Path) -> Iterator[None]:
    """Root may look everywhere; permissions only show for somebody else."""
    if os.geteuid() != 0:
        yield
        return
    for folder in (tmp_path.parent, tmp_path.parent.parent):
        folder.chmod(0o711)
    tmp_path.chmod(0o755)
    os.seteuid(NOBODY)
    try:
        yield
    finally:
        os.seteuid(0)


def write(root: Path, *names: str) -> None:
    for name in names:
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(name)


def is_document(path: str) -> bool:
    return path.endswith(".md")


def look(root: Path, *paths: str, max_bytes: int = 1000) -> Scan:
    ignore = IgnoreRules(str(root))
    return scan_paths(str(root), paths or ("",), ignore, is_document, max_bytes)


def reasons(scan: Scan) -> dict[str, str]:
    return {entry.path: entry.reason for entry in scan.left_out}


def test_documents_are_found_with_their_stats(tmp_path: Path) -> None:
    write(tmp_path, "a.md", "docs/b.md", "docs/x/c.md", "docs/d.py", "문서/한글.md", "A.md")
    scan = look(tmp_path)
    assert sorted(scan.files) == ["A.md", "a.md", "docs/b.md", "docs/x/c.md", "문서/한글.md"]
    expected = (tmp_path / "a.md").stat()
    found = scan.files["a.md"]
    assert (found.dev, found.ino, found.size) == (expected.st_dev, expected.st_ino, 4)
    assert (found.mtime_ns, found.ctime_ns) == (expected.st_mtime_ns, expected.st_ctime_ns)
    assert (scan.left_out, scan.unreadable, scan.root_missing) == ((), (), False)


def test_names_keep_the_spelling_of_the_disk(tmp_path: Path) -> None:
    composed, decomposed = "\uac00.md", "\u1100\u1161.md"
    write(tmp_path, composed, decomposed)
    assert set(look(tmp_path).files) == {composed, decomposed}


def test_links_are_left_out_and_not_followed(tmp_path: Path) -> None:
    write(tmp_path, "docs/a.md")
    (tmp_path / "notes.md").symlink_to("/etc/hostname")
    (tmp_path / "d").symlink_to(".")
    (tmp_path / "docs" / "up").symlink_to("..")
    scan = look(tmp_path)
    assert list(scan.files) == ["docs/a.md"]
    assert reasons(scan) == {"notes.md": "link", "d": "link", "docs/up": "link"}
    assert look(tmp_path, "d/docs/a.md", "notes.md").files == {}


def test_what_is_left_out_is_named_with_its_reason(tmp_path: Path) -> None:
    write(tmp_path, "a.md", "build/x.md", "drafts/b.md", ".env", "keys/server.pem", "node_modules/p/r.md")
    (tmp_path / ".gitignore").write_text("build/\ndrafts/*.md\n")
    (tmp_path / "big.md").write_text("x" * 1001)
    os.mkfifo(tmp_path / "pipe.md")
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(tmp_path / "s"))
        scan = look(tmp_path)
    assert list(scan.files) == ["a.md"]
    assert set(scan.left_out) == {
        LeftOut("build", "ignored", ".gitignore:1: build/"),
        LeftOut("drafts/b.md", "ignored", ".gitignore:2: drafts/*.md"),
        LeftOut("node_modules", "ignored", "always left out: node_modules/"),
        LeftOut(".env", "secret", ".env"),
        LeftOut("keys/server.pem", "secret", "*.pem"),
        LeftOut("big.md", "too_large", "1001 bytes, the limit is 1000"),
        LeftOut("pipe.md", "special"),
        LeftOut("s", "special"),
    }


def test_names_that_are_not_text_are_left_out(tmp_path: Path) -> None:
    try:
        (tmp_path / os.fsdecode(b"b\xff.md")).write_text("b")
    except OSError:
        pytest.skip("this file system takes no such names")
    scan = look(tmp_path)
    assert scan.files == {}
    assert scan.left_out == (LeftOut("b\\xff.md", "name", "not UTF-8"),)
    assert look(tmp_path, os.fsdecode(b"b\xff.md")).left_out == scan.left_out


def test_a_tracked_file_in_an_ignored_folder_is_found(tmp_path: Path) -> None:
    write(tmp_path, "out/kept.md", "out/loose.md", "out/deep/loose.md")
    (tmp_path / ".gitignore").write_text("out/\n")
    subprocess.run(["git", "init", "-q"], cwd=tmp_path, check=True)
    subprocess.run(["git", "add", "-f", "out/kept.md"], cwd=tmp_path, check=True)
    scan = look(tmp_path)
    assert list(scan.files) == ["out/kept.md"]
    assert reasons(scan) == {".git": "ignored", "out/loose.md": "ignored", "out/deep": "ignored"}


def test_an_unreadable_folder_or_file_never_reads_as_vanished(tmp_path: Path) -> None:
    write(tmp_path, "docs/a.md", "docs/x/b.md", "c.md", "half/d.md")
    (tmp_path / ".consigliere").mkdir()
    known = {path: KnownFile(stat, time.time_ns(), False) for path, stat in look(tmp_path).files.items()}
    (tmp_path / "docs").chmod(0)
    (tmp_path / "half").chmod(0o444)
    try:
        with as_ordinary_user(tmp_path):
            whole = look(tmp_path)
            parts = look(tmp_path, "docs/x/b.md", "docs/x", "half/d.md")
    finally:
        (tmp_path / "docs").chmod(0o755)
        (tmp_path / "half").chmod(0o755)
    assert whole.unreadable == ("docs", "half/d.md")
    changes = reconcile(whole, known)
    assert (changes.vanished, changes.unjudged) == ((), ("docs/a.md", "docs/x/b.md", "half/d.md"))
    changes = reconcile(parts, known)
    assert (changes.vanished, changes.unjudged) == ((), ("docs/x/b.md", "half/d.md"))


def test_a_missing_root_is_said_and_not_taken_for_an_empty_one(tmp_path: Path) -> None:
    assert look(tmp_path / "none").root_missing
    (tmp_path / "file").touch()
    assert look(tmp_path / "file").root_missing
    assert not look(tmp_path).root_missing


def test_named_paths_are_looked_at_alone(tmp_path: Path) -> None:
    write(tmp_path, "a.md", "docs/b.md", "docs/x/c.md", "docs/x/y/d.md", "e.md")
    scan = look(tmp_path, "docs/x", "a.md", "docs/x/y", "gone.md", "gone/f.md", "a.md/g.md")
    assert set(scan.scope) == {"a.md", "docs/x", "gone.md", "gone/f.md"}
    assert set(scan.files) == {"a.md", "docs/x/c.md", "docs/x/y/d.md"}
    assert scan.unreadable == ()


def test_named_paths_obey_the_rules_of_their_folders(tmp_path: Path) -> None:
    write(tmp_path, "build/deep/a.md", "docs/b.md")
    (tmp_path / ".gitignore").write_text("build/\ndocs/b.md\n")
    scan = look(tmp_path, "build/deep/a.md", "docs/b.md", "build/deep")
    assert scan.files == {}
    assert reasons(scan) == {"build": "ignored", "docs/b.md": "ignored"}


def test_a_changed_rule_counts_in_the_next_scan(tmp_path: Path) -> None:
    write(tmp_path, "a.md", "b.md")
    ignore = IgnoreRules(str(tmp_path))
    assert set(scan_root(str(tmp_path), ignore, is_document, 1000).files) == {"a.md", "b.md"}
    (tmp_path / ".gitignore").write_text("b.md\n")
    assert set(scan_root(str(tmp_path), ignore, is_document, 1000).files) == {"a.md"}


def test_too_deep_a_tree_is_unjudged_not_lost(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scan_module, "MAX_DEPTH", 4)
    write(tmp_path, "1/2/3/a.md", "1/2/3/4/b.md")
    scan = look(tmp_path)
    assert list(scan.files) == ["1/2/3/a.md"]
    assert scan.unreadable == ("1/2/3/4",)


def test_no_descriptor_is_left_open(tmp_path: Path) -> None:
    write(tmp_path, "a/b/c.md", "a/d.md")
    (tmp_path / "l").symlink_to("a")
    look(tmp_path)
    before = len(os.listdir("/dev/fd"))
    for _ in range(5):
        look(tmp_path)
        look(tmp_path, "a/b", "a/b/c.md", "a/none/x.md", "l/d.md", "none")
    assert len(os.listdir("/dev/fd")) == before


def test_ten_thousand_files_are_scanned_whole(tmp_path: Path) -> None:
    for folder in range(100):
        (tmp_path / f"f{folder}").mkdir()
        for number in range(100):
            os.close(os.open(tmp_path / f"f{folder}" / f"{number}.md", os.O_CREAT | os.O_WRONLY))
    (tmp_path / ".gitignore").write_text("\n".join(f"*.x{number}\nq{number}/*.y" for number in range(100)))
    assert len(look(tmp_path).files) == 10_000
