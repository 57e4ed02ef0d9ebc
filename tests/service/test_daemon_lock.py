"""One daemon an endpoint: the lock decides, sockets follow, and nothing of another's is touched."""

import json
import os
import shutil
import socket
import stat
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from consiglierd.errors import BadRequest, Refused
from consiglierd.serve.claim import AlreadyRunning, claim
from consiglierd.serve.endpoint import Endpoint, find_endpoint, prepare_folders
from consiglierd.serve.server import ServeLimits
from consigliere import endpoint as client_endpoint
from tests.support.served import code_of, serving


@pytest.fixture
def endpoint() -> Iterator[Endpoint]:
    folder = tempfile.mkdtemp(prefix="csg-", dir="/tmp")
    yield find_endpoint(f"{folder}/d.sock", {})
    shutil.rmtree(folder)


def test_second_claim_names_the_process_that_holds_the_first(endpoint: Endpoint) -> None:
    held = claim(endpoint)
    with pytest.raises(AlreadyRunning) as refused:
        claim(endpoint)
    assert refused.value.pid == os.getpid()
    held.release()
    claim(endpoint).release()


def test_lock_of_a_killed_process_is_free(endpoint: Endpoint) -> None:
    program = (
        "import os, signal; from pathlib import Path; from consiglierd.serve.claim import claim;"
        "from consiglierd.serve.endpoint import find_endpoint;"
        f"held = claim(find_endpoint({str(endpoint.socket)!r}, {{}})); held.listen(held.endpoint.socket);"
        "os.kill(os.getpid(), signal.SIGKILL)"
    )
    subprocess.run([sys.executable, "-I", "-c", program], check=False)
    assert stat.S_ISSOCK(os.lstat(endpoint.socket).st_mode)
    held = claim(endpoint)
    listener = held.listen(endpoint.socket)
    with socket.socket(socket.AF_UNIX) as client:
        client.connect(os.fspath(endpoint.socket))
    os.close(listener)
    held.remove_sockets()
    assert not endpoint.socket.exists()
    held.release()


@pytest.mark.parametrize("kind", ["file", "folder", "link"])
def test_what_is_no_socket_is_refused_and_left_alone(endpoint: Endpoint, kind: str) -> None:
    prepare_folders(endpoint)
    treasure = endpoint.socket.with_name("treasure")
    treasure.write_text("kept")
    match kind:
        case "file":
            endpoint.socket.write_text("kept")
        case "folder":
            endpoint.socket.mkdir()
        case "link":
            endpoint.socket.symlink_to(treasure)
    before = os.lstat(endpoint.socket).st_ino
    held = claim(endpoint)
    with pytest.raises(Refused):
        held.listen(endpoint.socket)
    held.remove_sockets()
    assert os.lstat(endpoint.socket).st_ino == before
    assert treasure.read_text() == "kept"
    held.release()


@pytest.mark.parametrize("kind", ["link", "folder", "pipe"])
def test_lock_that_is_no_plain_file_is_refused(endpoint: Endpoint, kind: str) -> None:
    prepare_folders(endpoint)
    match kind:
        case "link":
            endpoint.lock_file.symlink_to(endpoint.state_directory / "elsewhere")
        case "folder":
            endpoint.lock_file.mkdir()
        case "pipe":
            os.mkfifo(endpoint.lock_file)
    with pytest.raises(Refused):
        claim(endpoint)
    assert not (endpoint.state_directory / "elsewhere").exists()


def test_replaced_lock_or_socket_is_noticed_and_not_removed(endpoint: Endpoint) -> None:
    held = claim(endpoint)
    listener = held.listen(endpoint.socket)
    assert held.lost() is None
    endpoint.socket.unlink()
    with socket.socket(socket.AF_UNIX) as other:
        other.bind(os.fspath(endpoint.socket))
        assert str(endpoint.socket) in (held.lost() or "")
        held.remove_sockets()
        assert endpoint.socket.exists()
    endpoint.lock_file.unlink()
    assert str(endpoint.lock_file) in (held.lost() or "")
    os.close(listener)
    held.release()


def test_server_that_lost_its_socket_ends_and_leaves_the_other_one_alone() -> None:
    with serving(ServeLimits(claim_check_s=0.05)) as served:
        path = served.endpoint.socket
        path.unlink()
        with socket.socket(socket.AF_UNIX) as other:
            other.bind(os.fspath(path))
            served.wait_ended()
            assert path.exists()


def test_record_says_how_to_start_and_forgets_the_process_at_the_end() -> None:
    with serving() as served:
        record = json.loads(served.endpoint.record_file.read_text())
        assert record == {
            "python": sys.executable,
            "version": "9.9",
            "pid": os.getpid(),
            "socket": str(served.endpoint.socket),
        }
        served.ask_stop()
        served.wait_ended()
        assert json.loads(served.endpoint.record_file.read_text())["pid"] is None


def test_everything_written_is_the_users_alone() -> None:
    with serving() as served:
        client = served.dealer()
        assert code_of(client.call("hello")) is None
        client.close()
        for path in [served.endpoint.state_directory, *served.folder.rglob("*")]:
            assert stat.S_IMODE(os.lstat(path).st_mode) & 0o077 == 0, path


def test_folder_that_others_may_enter_is_refused(endpoint: Endpoint) -> None:
    endpoint.socket.parent.chmod(0o755)
    with pytest.raises(Refused, match="others may enter") as caught:
        claim(endpoint)
    assert "chmod 700" in str(caught.value.cure)
    endpoint.socket.parent.chmod(0o1777)
    with pytest.raises(Refused, match="others may enter") as caught:
        claim(endpoint)
    assert "chmod" not in str(caught.value.cure)


@pytest.mark.skipif(os.getuid() != 0, reason="only root can give a folder away")
def test_folder_of_another_user_is_refused(endpoint: Endpoint) -> None:
    os.chown(endpoint.socket.parent, 65534, 65534)
    with pytest.raises(Refused, match="belongs to"):
        claim(endpoint)


@pytest.mark.parametrize("named", ["d.sock", "/tmp/" + "x" * 100, "/tmp/" + "가" * 32])
def test_socket_path_that_cannot_be_is_a_clear_error(named: str) -> None:
    with pytest.raises(BadRequest):
        find_endpoint(named, {})


def test_named_socket_has_its_state_beside_it() -> None:
    named = find_endpoint(None, {"CONSIGLIERE_SOCKET": "/tmp/a/b.sock"})
    assert named == find_endpoint("/tmp/a/../a/b.sock", {"CONSIGLIERE_SOCKET": "/elsewhere.sock"})
    assert named.state_directory == Path("/tmp/a/b.state")
    assert named.events_socket == Path("/tmp/a/b.sock.events")


@pytest.mark.parametrize("named", [None, "/tmp/a/b.sock", "/tmp/a/../b", "/tmp/a/b.sock.sock", "//tmp/a.sock"])
def test_client_and_daemon_agree_on_every_place(named: str | None, monkeypatch: pytest.MonkeyPatch) -> None:
    environment = {"CONSIGLIERE_SOCKET": named} if named is not None else {}
    monkeypatch.delenv("CONSIGLIERE_SOCKET", raising=False)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    ours, theirs = find_endpoint(None, environment), client_endpoint.find_endpoint()
    assert (str(ours.socket), str(ours.state_directory)) == (theirs.socket, theirs.state_directory)
    assert (str(ours.log_file), str(ours.record_file)) == (theirs.log_file, theirs.record_file)


def test_the_socket_of_the_users_own_daemon_is_the_same_daemon_when_it_is_named() -> None:
    """A client that starts the daemon names its socket; the state must not move beside it."""
    own = find_endpoint(None, {})
    assert find_endpoint(str(own.socket), {}) == own
    assert find_endpoint(None, {"CONSIGLIERE_SOCKET": f"{own.socket.parent}/./daemon.sock"}) == own


def test_a_missing_folder_of_the_socket_is_made_for_the_user_alone(endpoint: Endpoint) -> None:
    deeper = find_endpoint(str(endpoint.socket.parent / "new" / "d.sock"), {})
    prepare_folders(deeper)
    assert stat.S_IMODE(deeper.socket.parent.stat().st_mode) == 0o700


def test_own_endpoint_does_not_depend_on_home_in_the_environment() -> None:
    assert find_endpoint(None, {"HOME": "/elsewhere", "XDG_RUNTIME_DIR": "/elsewhere"}) == find_endpoint(None, {})
