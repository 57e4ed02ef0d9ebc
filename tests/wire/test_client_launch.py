"""A command starts the daemon where none runs, and only then; nothing that is not ours is touched."""

import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from consigliere.cli.onefile import generate
from consigliere.client import Client
from consigliere.endpoint import Endpoint
from consigliere.errors import DaemonUnreachable
from consigliere.launch import READY_VARIABLE, daemon_commands, start_and_connect
from tests.support.answering_router import environment_for, short_folder

CLI = [sys.executable, "-m", "consigliere.cli"]


class Place:
    """A project, and a socket for a daemon of its own."""

    def __init__(self, folder: Path) -> None:
        self.socket = folder / "d.sock"
        self.state = folder / "d.state"
        self.project = folder / "p"
        (self.project / ".git").mkdir(parents=True)
        (self.project / "a.md").write_text("# 규칙\n\n## 에이전트 구조\n\nPM이 관리한다 zq77\n")

    @property
    def endpoint(self) -> Endpoint:
        return Endpoint(str(self.socket), str(self.state))

    def run(
        self, *words: str, program: list[str] = CLI, stdout: Any = subprocess.PIPE, **environment: str
    ) -> "subprocess.CompletedProcess[str]":
        return subprocess.run(
            [*program, *words],
            cwd=self.project,
            env=environment_for(self.socket, **environment),
            stdin=subprocess.DEVNULL,
            stdout=stdout,
            stderr=subprocess.PIPE,
            text=True,
            timeout=60,
            check=False,
        )

    def pid(self) -> int:
        with Client(self.endpoint) as client:
            return client.call("hello")["pid"]

    def stop(self) -> None:
        done = self.run("stop")
        log = self.state / "daemon.log"
        assert done.returncode == 0, done.stderr + (log.read_text() if log.exists() else "")


@pytest.fixture
def place() -> Iterator[Place]:
    with short_folder() as folder:
        made = Place(folder)
        yield made
        made.stop()


def test_a_search_starts_the_daemon_and_finds(place: Place) -> None:
    assert place.run("index").returncode == 0
    done = place.run("search", "zq77")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("a.md:3-5  general")
    pid = place.pid()
    assert place.run("search", "zq77").returncode == 0
    assert place.pid() == pid


def test_the_daemon_is_a_session_of_its_own_with_nothing_of_its_starter(place: Place) -> None:
    done = place.run("start", SECRET_OF_MINE="1", LC_TIME="C")
    assert done.returncode == 0
    pid = place.pid()
    assert os.getsid(pid) == pid
    assert os.readlink(f"/proc/{pid}/cwd") == "/"
    environment = Path(f"/proc/{pid}/environ").read_text()
    assert "SECRET_OF_MINE" not in environment
    assert "LC_TIME=C" in environment
    assert [os.readlink(f"/proc/{pid}/fd/{number}") for number in (0, 1)] == ["/dev/null", "/dev/null"]


def test_a_pipe_ends_with_the_command_and_not_with_the_daemon(place: Place) -> None:
    done = subprocess.run(
        ["/bin/sh", "-c", f"'{sys.executable}' -m consigliere.cli start | cat"],
        cwd=place.project,
        env=environment_for(place.socket),
        capture_output=True,
        timeout=30,
        check=False,
    )
    assert done.stdout.startswith(b"consiglierd")
    os.kill(place.pid(), 0)


def test_ten_at_once_start_one_daemon(place: Place) -> None:
    starters = [
        subprocess.Popen(
            [*CLI, "start", "--json"],
            cwd=place.project,
            env=environment_for(place.socket),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for _ in range(10)
    ]
    answers = [starter.communicate(timeout=60) for starter in starters]
    assert [starter.returncode for starter in starters] == [0] * 10, answers
    assert {json.loads(out)["pid"] for out, _ in answers} == {place.pid()}
    # A process that was late to see the lock must not become a daemon when this one has gone.
    place.stop()
    assert place.run("stop").stdout == "no daemon runs\n"


def test_a_process_id_that_was_reused_is_neither_killed_nor_in_the_way(place: Place) -> None:
    stranger = subprocess.Popen(["sleep", "60"])
    try:
        place.state.mkdir(mode=0o700)
        record = {"python": sys.executable, "version": "0.1.0", "socket": str(place.socket), "pid": stranger.pid}
        (place.state / "daemon.json").write_text(json.dumps(record))
        (place.state / "daemon.lock").write_text(f"{stranger.pid}\n")
        assert place.run("stop").returncode == 0
        assert stranger.poll() is None
        assert place.run("start").returncode == 0
        assert place.pid() != stranger.pid
        assert place.run("stop").returncode == 0
        assert stranger.poll() is None
    finally:
        stranger.kill()
        stranger.wait()


def test_a_socket_left_behind_is_no_daemon_and_no_hindrance(place: Place) -> None:
    with socket.socket(socket.AF_UNIX) as stale:
        stale.bind(str(place.socket))
    assert "no daemon runs" in place.run("stop").stdout
    assert place.run("start").returncode == 0


def test_a_daemon_that_was_killed_is_replaced(place: Place) -> None:
    place.run("start")
    killed = place.pid()
    os.kill(killed, signal.SIGKILL)
    assert place.run("index").returncode == 0
    assert place.pid() != killed


def test_a_daemon_that_is_stuck_is_told_by_its_process_id(place: Place) -> None:
    place.run("start")
    pid = place.pid()
    os.kill(pid, signal.SIGSTOP)
    try:
        done = place.run("stop")
        assert done.returncode == 3
        assert f"`kill -9 {pid}`" in done.stderr
    finally:
        os.kill(pid, signal.SIGCONT)
    assert place.run("stop").returncode == 0


@pytest.mark.parametrize("name", ["registry.db", "daemon.log", "daemon.json"])
def test_what_lies_in_the_way_of_the_state_is_named(place: Place, name: str) -> None:
    place.state.mkdir(mode=0o700)
    (place.state / name).mkdir()
    done = subprocess.run(
        [sys.executable, "-m", "consiglierd", "--socket", str(place.socket)],
        capture_output=True,
        text=True,
        timeout=30,
        check=False,
    )
    assert done.returncode == 4
    assert done.stderr.count("\n") == 1
    assert name in done.stderr


def test_stopping_is_done_where_another_daemon_has_come_up(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    """The lock is held, by a daemon that is not the one told to stop."""
    from consigliere.cli import life

    place.run("start")
    monkeypatch.setenv("CONSIGLIERE_SOCKET", str(place.socket))
    life._wait_until_released(place.pid() + 1, time.monotonic() + 30)


def test_restart_gives_another_process_and_stop_leaves_none(place: Place) -> None:
    place.run("start")
    before = place.pid()
    assert place.run("restart").returncode == 0
    after = place.pid()
    assert after != before
    assert place.run("stop").stdout == f"stopped process {after}\n"
    assert not place.socket.exists()
    assert place.run("stop").stdout == "no daemon runs\n"


def test_logs_are_there_after_the_daemon_has_gone(place: Place) -> None:
    assert place.run("logs").returncode == 2
    place.run("start")
    place.stop()
    done = place.run("logs", "-n", "1")
    assert (done.returncode, done.stdout.count("\n")) == (0, 1)


def test_logs_are_followed_into_the_next_file_until_interrupted(place: Place) -> None:
    place.state.mkdir(mode=0o700)
    log = place.state / "daemon.log"
    log.write_text("one\ntwo\n")
    process = subprocess.Popen(
        [*CLI, "logs", "-n", "1", "-f"],
        cwd=place.project,
        env=environment_for(place.socket),
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "two\n"
    with log.open("a") as file:
        file.write("three\n")
    assert process.stdout.readline() == "three\n"
    log.rename(place.state / "daemon.log.1")
    log.write_text("four\n")
    assert process.stdout.readline() == "four\n"
    process.send_signal(signal.SIGINT)
    assert process.wait(timeout=20) == 130
    process.stdout.close()


def test_the_one_file_client_starts_the_daemon_by_its_record_or_by_the_path(place: Place) -> None:
    client = place.project / "bin/consigliere"
    client.parent.mkdir()
    client.write_bytes(generate())
    alone = [sys.executable, "-IS", str(client)]
    folder = Path(sys.executable).parent
    if not (folder / "consiglierd").exists():
        pytest.skip("consigliere is not installed beside this interpreter")
    done = place.run("index", program=alone, PATH=f"{folder}:/usr/bin:/bin")
    assert (done.returncode, done.stderr) == (0, "")
    place.stop()
    done = place.run("search", "zq77", "--role", "ios_developer", "--top", "5", program=alone, PATH="/usr/bin:/bin")
    assert (done.returncode, done.stderr) == (0, "")
    assert "PM이 관리한다 zq77" in done.stdout


def test_a_daemon_that_cannot_start_is_told_with_its_own_words(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    broken = place.project / "python"
    broken.write_text("#!/bin/sh\necho first >&2\necho 'no module to be found' >&2\nexit 1\n")
    broken.chmod(0o755)
    monkeypatch.setattr("consigliere.launch.daemon_commands", lambda endpoint: [[str(broken)]])
    with pytest.raises(DaemonUnreachable, match="no module to be found") as caught:
        start_and_connect(place.endpoint, lambda: Client(place.endpoint), lambda client: 0)
    assert (caught.value.kind, caught.value.exit_status) == ("unstartable", 3)


def test_another_way_is_tried_where_the_recorded_one_fails(place: Place) -> None:
    place.state.mkdir(mode=0o700)
    broken = place.project / "python"
    broken.write_text("#!/bin/sh\nexit 1\n")
    broken.chmod(0o755)
    (place.state / "daemon.json").write_text(json.dumps({"python": str(broken)}))
    assert next(iter(daemon_commands(place.endpoint))) == [str(broken), "-I", "-m", "consiglierd"]
    assert place.run("start").returncode == 0


def test_a_record_that_is_not_to_be_believed_is_passed_over(place: Place) -> None:
    place.state.mkdir(mode=0o700)
    record = place.state / "daemon.json"
    for content in ("", "[]", "{", '{"python": 3}', '{"python": "python3"}', '{"python": "/none/python3"}'):
        record.write_text(content)
        assert all(command[0] not in ("python3", "/none/python3") for command in daemon_commands(place.endpoint))
    if os.getuid() == 0:
        record.write_text(json.dumps({"python": shutil.which("true")}))
        os.chown(record, 65534, 65534)
        assert [shutil.which("true"), "-I", "-m", "consiglierd"] not in list(daemon_commands(place.endpoint))


def test_a_folder_of_the_socket_that_others_may_enter_is_refused(place: Place) -> None:
    place.socket.parent.chmod(0o755)
    done = place.run("search", "x")
    place.socket.parent.chmod(0o700)
    assert done.returncode == 3
    assert "others may enter" in done.stderr
    assert not place.state.exists()


def test_a_daemon_that_tells_when_it_listens_is_waited_for_without_looking(place: Place) -> None:
    """The descriptor reaches the daemon; whoever closes it there ends the wait."""
    told = place.project / "told"
    program = place.project / "python"
    program.write_text(f"#!/bin/sh\nreadlink /proc/$$/fd/${READY_VARIABLE} > {told}\nexit 1\n")
    program.chmod(0o755)
    place.state.mkdir(mode=0o700)
    (place.state / "daemon.json").write_text(json.dumps({"python": str(program)}))
    place.run("start")
    assert told.read_text().startswith("pipe:")
