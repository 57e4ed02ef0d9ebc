"""Where the client looks for the project's root, and which sockets it trusts."""

import os
from pathlib import Path

import pytest

from consigliere import endpoint
from consigliere.endpoint import (
    Endpoint,
    check_socket_folder,
    find_endpoint,
    find_root,
    own_endpoint,
    prepare_state_directory,
)
from consigliere.errors import DaemonUnreachable, UsageError


@pytest.mark.parametrize("mark", [".consigliere.toml", ".consigliere", ".git"])
def test_the_root_is_the_nearest_folder_upward_with_a_mark(tmp_path: Path, mark: str) -> None:
    (tmp_path / ".git").mkdir()
    (tmp_path / "a/b/c").mkdir(parents=True)
    (tmp_path / "a" / mark).mkdir()
    assert find_root(str(tmp_path / "a/b/c")) == str(tmp_path / "a")
    assert find_root(str(tmp_path / "a")) == str(tmp_path / "a")


def test_a_worktree_has_its_mark_as_a_file(tmp_path: Path) -> None:
    (tmp_path / "b").mkdir()
    (tmp_path / ".git").write_text("gitdir: elsewhere\n")
    assert find_root(str(tmp_path / "b")) == str(tmp_path)


def test_without_a_mark_the_root_is_the_folder_itself(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    assert find_root(str(tmp_path / "a")) == str(tmp_path / "a")


def test_a_named_root_is_taken_with_its_links_resolved(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    (tmp_path / "a").mkdir()
    (tmp_path / "link").symlink_to("a")
    assert find_root("/", str(tmp_path / "link")) == str(tmp_path / "a")
    with pytest.raises(UsageError, match="not a folder"):
        find_root("/", str(tmp_path / "none"))


def test_the_search_stops_at_the_home_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    home = tmp_path / "home"
    (home / "project").mkdir(parents=True)
    (home / ".git").mkdir()
    monkeypatch.setattr(endpoint, "home_directory", lambda: str(home))
    assert find_root(str(home / "project")) == str(home / "project")
    for never in (home, Path("/")):
        with pytest.raises(UsageError, match="never a workspace"):
            find_root(str(never))
        with pytest.raises(UsageError, match="never a workspace"):
            find_root("/tmp", str(never))


@pytest.mark.skipif(os.getuid() != 0, reason="only root can make a folder of another owner")
def test_the_search_stops_at_another_owner(tmp_path: Path) -> None:
    (tmp_path / "theirs/mine/sub").mkdir(parents=True)
    (tmp_path / "theirs/.git").mkdir()
    os.chown(tmp_path / "theirs", 65534, 65534)
    assert find_root(str(tmp_path / "theirs/mine/sub")) == str(tmp_path / "theirs/mine/sub")


def test_the_environment_names_another_daemon_with_a_state_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CONSIGLIERE_SOCKET", "/tmp/a/../b/x.sock")
    found = find_endpoint()
    assert (found.socket, found.state_directory) == ("/tmp/b/x.sock", "/tmp/b/x.state")
    monkeypatch.setenv("CONSIGLIERE_SOCKET", "relative.sock")
    with pytest.raises(UsageError, match="absolute"):
        find_endpoint()
    monkeypatch.setenv("CONSIGLIERE_SOCKET", "/tmp/" + "가" * 40)
    with pytest.raises(UsageError, match="bytes"):
        find_endpoint()


def test_the_own_daemons_socket_may_be_named_too(monkeypatch: pytest.MonkeyPatch) -> None:
    own = own_endpoint()
    monkeypatch.setenv("CONSIGLIERE_SOCKET", own.socket)
    found = find_endpoint()
    assert (found.socket, found.state_directory) == (own.socket, own.state_directory)


def test_a_missing_folder_of_the_socket_is_made_for_the_user_alone(tmp_path: Path) -> None:
    folder = tmp_path / "new"
    prepare_state_directory(Endpoint(str(folder / "d.sock"), str(folder / "d.state")))
    assert folder.stat().st_mode & 0o777 == 0o700


def test_the_own_daemon_does_not_depend_on_home_in_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    before = own_endpoint().state_directory
    monkeypatch.setenv("HOME", "/elsewhere")
    assert own_endpoint().state_directory == before


def test_a_user_without_a_home_is_told_to_name_a_socket(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(endpoint, "home_directory", lambda: "")
    monkeypatch.delenv("CONSIGLIERE_SOCKET", raising=False)
    with pytest.raises(UsageError, match="no home"):
        find_endpoint()


@pytest.mark.parametrize("mode", [0o777, 0o755, 0o711, 0o770])
def test_a_socket_in_a_folder_that_others_may_enter_is_not_trusted(tmp_path: Path, mode: int) -> None:
    folder = tmp_path / "s"
    folder.mkdir()
    folder.chmod(mode)
    with pytest.raises(DaemonUnreachable, match="others may enter") as caught:
        check_socket_folder(Endpoint(str(folder / "d.sock"), str(folder)))
    assert caught.value.kind == "unsafe"
    folder.chmod(0o700)
    check_socket_folder(Endpoint(str(folder / "d.sock"), str(folder)))


def test_a_folder_that_is_a_link_is_not_trusted(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir(mode=0o700)
    (tmp_path / "link").symlink_to("real")
    with pytest.raises(DaemonUnreachable, match="not a folder"):
        check_socket_folder(Endpoint(str(tmp_path / "link/d.sock"), str(tmp_path)))
