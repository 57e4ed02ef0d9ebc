"""The command line over a real socket: what it asks, what it prints, how it ends."""

import json
import os
import pty
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from consigliere.cli.grammar import COMMANDS
from tests.support.answering_router import A_HIT, A_SEARCH, EMPTY_SEARCH, answering, environment_for

STATUS: dict[str, Any] = {
    "root": "/p",
    "state": "fresh",
    "watching": "inotify",
    "revision": 4,
    "lag": {"lexical": 0},
    "files": 2,
    "chunks": 9,
    "stale_files": 0,
    "pending_files": 0,
    "size_bytes": 1_500_000,
    "last_indexed_at": None,
    "models": {},
    "pinned": None,
    "types": {"rules": 2},
    "left_out": [{"reason": "binary", "count": 1, "examples": ["a.png"]}],
    "problems": [{"file": "b.md", "code": "undecodable", "message": "not UTF-8"}],
    "warnings": ["polling"],
    "version": "0.1.0",
    "pid": 12,
}
PROGRESS = {
    "is_done": True, "files_done": 2, "files_total": 2, "revision": 4, "lag": {"lexical": 0}, "problems": 1,
    "obstacle": None,
}  # fmt: skip
NO_EVENTS = {"events": [], "last_serial": 5, "is_complete": True}
SHOWN = {
    "file": "docs/a.md",
    "line_start": 2,
    "line_end": 3,
    "line_count": 9,
    "text": "둘\n셋",
    "digest": "0" * 40,
    "encoding": "utf-8",
    "file_type": "general",
    "is_current": True,
    "revision": 4,
}
ANSWERS: dict[str, Any] = {
    "search": A_SEARCH,
    "show": SHOWN,
    "status": STATUS,
    "index": {"ticket": 7},
    "index_progress": PROGRESS,
    "events_since": NO_EVENTS,
    "doctor": {"findings": [{"level": "warning", "subject": "watching", "message": "polls", "cure": "move it"}]},
    "config": {"settings": [{"name": "lang", "value": '"auto"', "source": "default", "help": "h"}], "problems": []},
    "workspaces": {"workspaces": [{"root": "/p", "is_open": False, "state": "fresh", "files": 2, "chunks": 9}]},
    "forget": {"removed": ["/p/.consigliere"]},
    "hello": {
        "version": "0.1.0",
        "protocol": 1,
        "pid": 12,
        "started_at": "",
        "events_endpoint": "",
        "log_file": "",
        "state_directory": "",
    },
}


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / ".git").mkdir()
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs/a.md").write_text("x")
    return tmp_path


def command(*words: str | bytes) -> list[Any]:
    return [sys.executable, "-m", "consigliere.cli", *words]


@pytest.fixture
def ask(project: Path) -> Callable[..., "subprocess.CompletedProcess[bytes]"]:
    def run(
        *words: str | bytes, answers: dict[str, Any] = ANSWERS, folder: Path | None = None, **environment: str
    ) -> "subprocess.CompletedProcess[bytes]":
        with answering(answers) as (path, router):
            done = subprocess.run(
                command(*words),
                cwd=folder or project,
                env=environment_for(path, **{"LC_ALL": "C.UTF-8", **environment}),
                capture_output=True,
                timeout=60,
                check=False,
            )
            requests[:] = router.requests
        return done

    requests.clear()
    return run


requests: list[dict[str, Any]] = []
Ask = Callable[..., "subprocess.CompletedProcess[bytes]"]


def test_a_search_asks_for_every_option_and_nothing_else(ask: Ask, project: Path) -> None:
    words = "search 로그인 수정 --top 5 --type adr --type rules --after 2026-03-28 --before 2026-03-30 --tag security"
    more = "--role ios_developer --status open --path docs/** --min-score 0.2 --explain --fresh --full"
    done = ask(*words.split(), *more.split(), folder=project / "docs")
    assert (done.returncode, done.stderr) == (0, b"")
    assert [request["call"] for request in requests] == ["search"]
    assert requests[0]["root"] == str(project)
    assert requests[0]["params"] == {
        "query": "로그인 수정",
        "limit": 5,
        "filters": {
            "types": ["adr", "rules"],
            "after": "2026-03-28",
            "before": "2026-03-30",
            "tags": ["security"],
            "statuses": ["open"],
            "path_globs": ["docs/**"],
        },
        "role": "ios_developer",
        "min_score": 0.2,
        "explain": True,
        "fresh": True,
        "full": True,
    }


@pytest.mark.parametrize(
    "words",
    [["--search", "x"], ["--search=x"], ["search", "--", "x"], ["--json", "search", "x"], ["search", "x", "--json"]],
)
def test_a_search_has_several_spellings(ask: Ask, words: list[str]) -> None:
    assert ask(*words).returncode == 0
    assert requests[0]["params"] == {"query": "x"}


def test_nothing_found_is_one_line_and_exit_status_1(ask: Ask) -> None:
    done = ask("search", "x", answers={"search": EMPTY_SEARCH})
    assert done.returncode == 1
    assert done.stdout.decode() == "검색 결과 없음 (no results): nothing in the indexed documents matches\n"
    done = ask("search", "x", answers={"search": EMPTY_SEARCH}, LC_ALL="ko_KR.UTF-8")
    assert done.stdout.decode().startswith("검색 결과 없음 (no results): 일치하는 내용이 없습니다")


def test_the_language_of_the_settings_goes_before_the_locale(ask: Ask, project: Path) -> None:
    (project / ".consigliere.toml").write_text('# mine\nlang = "ko"  # always\n[index]\nlang = "en"\n')
    done = ask("search", "x", answers={"search": EMPTY_SEARCH})
    assert "일치하는 내용이 없습니다" in done.stdout.decode()


def test_json_is_the_reply_and_errors_are_json_too(ask: Ask) -> None:
    done = ask("search", "x", "--json")
    assert (json.loads(done.stdout), done.stderr) == (A_SEARCH, b"")
    failure = {"code": "poisoned", "message": "it is", "cure": "restart", "retryable": False, "retry_after_ms": None}
    done = ask("search", "x", "--json", answers={"search": {"failure": failure}})
    assert (done.returncode, done.stderr) == (4, b"")
    assert json.loads(done.stdout) == {"error": {"code": "poisoned", "message": "it is", "cure": "restart"}}
    done = ask("search", "x", answers={"search": {"failure": failure}})
    assert (done.returncode, done.stdout, done.stderr) == (4, b"", b"consigliere: it is; restart\n")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["search"], "needs QUERY"),
        (["search", "  "], "empty"),
        (["search", "x", "--after", "28.3.2026"], "2026-03-28"),
        (["search", "x", "--after", "2026-02-30"], "2026-03-28"),
        (["search", "x", "--top", "0"], "1 to 1000"),
        (["search", "x", "--top"], "needs a value"),
        (["search", "x", "--min-score", "2"], "between 0 and 1"),
        (["search", "x", "--at", "HEAD~1"], "later version"),
        (["search", "x", "--unified"], "later version"),
        (["search", "x", "--rolle", "pm"], "did you mean --role?"),
        (["serach", "x"], "did you mean search?"),
        (["show", "a.md:9-3"], "names no lines"),
        (["show", "a.md", "--section"], "needs a line"),
        (["show", "/etc/passwd"], "outside"),
        (["index", "../x.md"], "outside"),
        (["completion", "tcsh"], "bash, zsh or fish"),
        (["search", "x", "--root", "/nowhere/at/all"], "not a folder"),
        (["search", "x", "--root", "/"], "never a workspace"),
    ],
)
def test_wrong_usage_is_told_in_one_line_and_never_reaches_the_daemon(ask: Ask, words: list[str], said: str) -> None:
    done = ask(*words)
    assert (done.returncode, done.stdout) == (2, b"")
    assert said in done.stderr.decode()
    assert done.stderr.startswith(b"consigliere: ")
    assert done.stderr.count(b"\n") == 1
    assert requests == []


def test_bad_input_that_the_daemon_finds_is_exit_status_2(ask: Ask) -> None:
    for code, status in (("bad_request", 2), ("not_found", 2), ("busy", 4), ("internal", 4)):
        assert ask("show", "docs/a.md", answers={"show": {"failure": {"code": code, "message": "m"}}}).returncode == (
            status
        )


@pytest.mark.parametrize("frame", [b"hello", [b"{}", b"{}"], b"\xc1" * 50])
def test_an_answer_that_makes_no_sense_is_exit_status_3(ask: Ask, frame: Any) -> None:
    done = ask("search", "x", answers={"search": frame})
    assert done.returncode == 3
    assert b"cannot be read" in done.stderr


@pytest.mark.parametrize(
    "environment",
    [
        {"LC_ALL": "C"},
        {"LC_ALL": "POSIX", "PYTHONIOENCODING": "cp949"},
        {"LC_ALL": "C", "PYTHONIOENCODING": "cp949", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"},
        {"PYTHONIOENCODING": "ascii:strict"},
    ],
)
def test_korean_goes_in_and_out_in_every_locale(ask: Ask, environment: dict[str, str]) -> None:
    done = ask("search", "보안 ✓".encode(), **environment)
    assert (done.returncode, done.stderr) == (0, b"")
    assert requests[0]["params"]["query"] == "보안 ✓"
    assert "PM이 관리 ✓" in done.stdout.decode("utf-8")


def test_a_query_that_is_no_text_is_sent_as_what_can_be_read(ask: Ask) -> None:
    assert ask("search", b"abc\xff").returncode == 0
    assert requests[0]["params"]["query"].startswith("abc")


@pytest.mark.parametrize(
    ("word", "asked"),
    [
        ("docs/a.md:2-3", ("docs/a.md", 2, 3)),
        ("docs/a.md:2", ("docs/a.md", 2, 2)),
        ("docs/a.md", ("docs/a.md", None, None)),
        ("docs/a:b.md", ("docs/a:b.md", None, None)),
    ],
)
def test_show_prints_the_lines_and_nothing_else(ask: Ask, word: str, asked: tuple[str, int, int]) -> None:
    done = ask("show", word)
    assert (done.returncode, done.stdout.decode()) == (0, "둘\n셋\n")
    params = requests[0]["params"]
    assert (params["file"], params["line_start"], params["line_end"]) == asked


def test_show_takes_a_path_from_here_and_a_path_from_a_result(ask: Ask, project: Path) -> None:
    assert ask("show", "a.md", folder=project / "docs").returncode == 0
    assert requests[0]["params"]["file"] == "docs/a.md"

    def only_from_the_root(request: dict[str, Any]) -> dict[str, Any]:
        is_known = request["params"]["file"] == "docs/a.md"
        return SHOWN if is_known else {"failure": {"code": "not_found", "message": "no"}}

    done = ask("show", "docs/a.md", folder=project / "docs", answers={"show": only_from_the_root})
    assert done.returncode == 0
    assert [request["params"]["file"] for request in requests] == ["docs/docs/a.md", "docs/a.md"]


def test_index_waits_and_tells_what_there_is(ask: Ask, project: Path) -> None:
    done = ask("index", "a.md", "--rebuild", folder=project / "docs")
    assert done.returncode == 0
    assert "/p: 2 files, 9 chunks, revision 4" in done.stdout.decode()
    assert "b.md: not UTF-8" in done.stdout.decode()
    asked = next(request for request in requests if request["call"] == "index")
    assert asked["params"] == {"paths": ["docs/a.md"], "rebuild": True}
    assert done.stderr == b""


def test_index_waits_for_every_index_where_asked_to(ask: Ask) -> None:
    left = [2, 1]

    def progress(request: dict[str, Any]) -> dict[str, Any]:
        return {**PROGRESS, "lag": {"lexical": 0, "vector": left.pop() if left else 0}}

    assert ask("index", "--wait", answers={**ANSWERS, "index_progress": progress}).returncode == 0
    assert left == []
    left[:] = [2, 1]
    done = ask("index", answers={**ANSWERS, "index_progress": progress})
    assert done.returncode == 0
    assert left == [2]
    assert "search by words is complete, vectors follow" in done.stdout.decode()


@pytest.mark.parametrize(
    ("is_done", "options", "lag"), [(False, [], {"lexical": 1}), (True, ["--wait"], {"lexical": 0, "vector": 3})]
)
def test_index_gives_up_on_an_obstacle_that_stays(
    ask: Ask, is_done: bool, options: list[str], lag: dict[str, int]
) -> None:
    stuck = {**PROGRESS, "is_done": is_done, "lag": lag, "obstacle": "there is no room"}
    left = [stuck, stuck, PROGRESS]
    passing = ask("index", *options, answers={**ANSWERS, "index_progress": lambda request: left.pop(0)})
    assert passing.returncode == 0, "it may pass"
    done = ask("index", *options, answers={**ANSWERS, "index_progress": stuck})
    assert done.returncode == 4
    assert b"not everything is indexed: there is no room" in done.stderr


def test_index_watch_prints_events_until_interrupted(project: Path) -> None:
    def events(request: dict[str, Any]) -> dict[str, Any] | None:
        serial = request["params"]["serial"]
        if not request["params"].get("wait_ms"):
            return {"events": [], "last_serial": 5, "is_complete": True}
        if serial == 5:
            event = {"serial": 6, "topic": "indexed", "root": "/p", "at": "2026-01-01", "detail": {"revision": 9}}
            return {"events": [event], "last_serial": 6, "is_complete": True}
        return None

    with answering({**ANSWERS, "events_since": events}) as (path, _):
        process = subprocess.Popen(
            command("index", "--watch"), cwd=project, env=environment_for(path), stdout=subprocess.PIPE
        )
        assert process.stdout is not None
        lines = iter(process.stdout.readline, b"")
        line = next(line for line in lines if b"indexed" in line)
        assert line == b"2026-01-01  indexed  revision 9\n"
        process.send_signal(signal.SIGINT)
        assert process.wait(timeout=20) == 130
        process.stdout.close()


def test_the_other_commands_print_what_the_daemon_says(ask: Ask) -> None:
    said = ask("status").stdout.decode()
    for part in ("/p: fresh", "2 files, 9 chunks, revision 4", "1 binary: a.png", "b.md: not UTF-8", "polling"):
        assert part in said
    done = ask("doctor")
    assert (done.returncode, done.stdout.decode()) == (1, "!!  watching: polls\n      → move it\n")
    assert 'lang = "auto"' in ask("config").stdout.decode()
    assert "/p  closed  2 files, 9 chunks" in ask("workspaces").stdout.decode()
    assert ask("forget").stdout == b"removed /p/.consigliere\n"
    assert b"process 12" in ask("start").stdout


def test_doctor_tells_that_the_daemon_is_of_another_version(ask: Ask) -> None:
    answers = {"doctor": {"findings": []}, "hello": {**ANSWERS["hello"], "version": "0.0.9"}}
    done = ask("doctor", answers=answers)
    assert done.returncode == 1
    assert "the daemon is 0.0.9" in done.stdout.decode()
    assert ask("doctor", answers={**answers, "hello": ANSWERS["hello"]}).returncode == 0


@pytest.mark.parametrize("name", ["status", "doctor", "config", "workspaces", "forget", "start", "index", "show"])
def test_every_command_has_a_form_for_scripts(ask: Ask, name: str) -> None:
    done = ask(*([name, "docs/a.md"] if name == "show" else [name]), "--json")
    assert isinstance(json.loads(done.stdout), dict)
    assert done.stdout.count(b"\n") == 1


@pytest.mark.parametrize("name", sorted(COMMANDS))
def test_every_command_has_help_with_an_example(ask: Ask, name: str) -> None:
    done = ask(name, "--help")
    assert done.returncode == 0
    assert f"example: consigliere {name}" in done.stdout.decode()
    assert ask("help", name).stdout == done.stdout
    assert f"  {name} " in ask("--help").stdout.decode()
    assert requests == []


def test_a_command_is_needed(ask: Ask) -> None:
    assert ask().returncode == 2
    assert ask("--version").stdout.startswith(b"consigliere ")


def test_a_reader_that_leaves_ends_it_quietly(project: Path) -> None:
    many = {**A_SEARCH, "hits": [{**A_HIT, "text": "x" * 1000}] * 1000}
    with answering({"search": many}) as (path, _):
        process = subprocess.Popen(
            command("search", "x"),
            cwd=project,
            env=environment_for(path),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.read(10)
        process.stdout.close()
        assert process.stderr.read() == b""
        assert process.wait(timeout=20) == 0
        process.stderr.close()


def test_a_pipe_that_does_not_block_gets_everything(project: Path) -> None:
    many = {**A_SEARCH, "hits": [{**A_HIT, "text": "x" * 1000}] * 500}
    with answering({"search": many}) as (path, _):
        read_end, write_end = os.pipe()
        os.set_blocking(write_end, False)
        process = subprocess.Popen(command("search", "x"), cwd=project, env=environment_for(path), stdout=write_end)
        os.close(write_end)
        with os.fdopen(read_end, "rb") as reader:
            content = reader.read()
        assert process.wait(timeout=20) == 0
    assert content.count(b"x" * 1000) == 500


def test_closed_standard_streams_do_not_matter(project: Path) -> None:
    with answering(ANSWERS) as (path, _):
        done = subprocess.run(
            ["/bin/sh", "-c", 'exec "$@" <&- 2>&-', "sh", *command("search", "x")],
            cwd=project,
            env=environment_for(path),
            capture_output=True,
            timeout=60,
            check=False,
        )
        assert done.returncode == 0
        assert "PM이 관리" in done.stdout.decode()


def test_closed_standard_output_is_no_error_and_nothing_else_is_written_to(project: Path) -> None:
    with answering(ANSWERS) as (path, router):
        done = subprocess.run(
            ["/bin/sh", "-c", 'exec "$@" >&-', "sh", *command("search", "x")],
            cwd=project,
            env=environment_for(path),
            stderr=subprocess.PIPE,
            timeout=60,
            check=False,
        )
        assert (done.returncode, done.stderr) == (0, b"")
        assert len(router.raw) == 1


def test_a_full_disk_is_told(project: Path) -> None:
    with answering(ANSWERS) as (path, _), open("/dev/full", "wb") as full:
        done = subprocess.run(
            command("search", "x"),
            cwd=project,
            env=environment_for(path),
            stdout=full,
            stderr=subprocess.PIPE,
            timeout=60,
            check=False,
        )
    assert done.returncode == 4
    assert b"No space left" in done.stderr
    assert done.stderr.count(b"\n") == 1


def test_init_writes_what_is_missing_and_overwrites_nothing(ask: Ask, project: Path) -> None:
    done = ask("init", "--bin", "--json")
    assert json.loads(done.stdout)["made"] == [".consigliere.toml", "bin/consigliere"]
    client = project / "bin/consigliere"
    assert client.stat().st_mode & 0o777 == 0o755
    (project / ".consigliere.toml").write_text("# mine\n")
    client.write_text("#!/bin/sh\n# another program\n")
    done = ask("init", "--bin")
    assert done.returncode == 2
    assert b"not ours" in done.stderr
    assert (project / ".consigliere.toml").read_text() == "# mine\n"
    assert "another program" in client.read_text()


def test_init_brings_an_older_client_up_to_date(ask: Ask, project: Path) -> None:
    ask("init", "--bin")
    client = project / "bin/consigliere"
    newest = client.read_bytes()
    client.write_bytes(newest.replace(b"DIGEST = ", b"DIGEST = 'old' or ", 1))
    assert b"bin/consigliere" in ask("init", "--bin").stdout
    assert client.read_bytes() == newest
    assert b"nothing was changed" in ask("init", "--bin").stdout


def test_init_goes_to_the_root_of_the_project(ask: Ask, project: Path) -> None:
    ask("init", folder=project / "docs")
    assert (project / ".consigliere.toml").is_file()


@pytest.mark.parametrize("template", ["", "agents"])
def test_the_settings_that_init_writes_are_read_without_a_problem(ask: Ask, project: Path, template: str) -> None:
    from consiglierd.settings.load import load_settings

    ask("init", *(["--template", template] if template else []))
    written = project / ".consigliere.toml"
    loaded = load_settings(project, user_file=project / "none.toml", last_good=None)
    assert loaded.problems == ()
    # Every line that is commented out is a setting as well.
    text = "\n".join(
        line.removeprefix("# ") if " = " in line or line.startswith("# [") else line
        for line in written.read_text().split("\n")
    )
    written.write_text(text)
    loaded = load_settings(project, user_file=project / "none.toml", last_good=None)
    assert loaded.problems == ()


def test_the_settings_that_init_writes_name_every_setting(ask: Ask, project: Path) -> None:
    from consiglierd.settings.schema import SETTINGS

    ask("init")
    text = (project / ".consigliere.toml").read_text()
    assert [setting.name for setting in SETTINGS if f"{setting.name.split('.')[-1]} = " not in text] == []


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_knows_every_command_and_option(ask: Ask, shell: str) -> None:
    script = ask("completion", shell).stdout.decode()
    for name, told in COMMANDS.items():
        assert name in script
        assert all(option[0].lstrip("-") in script for option in told.options)


def test_completion_is_a_script_that_bash_understands(ask: Ask) -> None:
    script = ask("completion", "bash").stdout.decode()
    probe = 'COMP_WORDS=(consigliere se); COMP_CWORD=1; _consigliere; echo "${COMPREPLY[@]}"'
    done = subprocess.run(["bash", "-c", script + probe], capture_output=True, text=True, timeout=20, check=True)
    assert done.stdout == "search\n"
    probe = 'COMP_WORDS=(consigliere search --ro); COMP_CWORD=2; _consigliere; echo "${COMPREPLY[@]}"'
    done = subprocess.run(["bash", "-c", script + probe], capture_output=True, text=True, timeout=20, check=True)
    assert done.stdout == "--role --root\n"


def test_progress_is_drawn_on_a_terminal_only(project: Path) -> None:
    left = [0]

    def progress(request: dict[str, Any]) -> dict[str, Any]:
        left[0] += 1
        return PROGRESS if left[0] > 2 else {**PROGRESS, "is_done": False, "files_done": left[0], "files_total": 100}

    leader, follower = pty.openpty()
    with answering({**ANSWERS, "index_progress": progress}) as (path, _):
        done = subprocess.run(
            command("index"),
            cwd=project,
            env=environment_for(path),
            stdout=subprocess.PIPE,
            stderr=follower,
            timeout=60,
            check=False,
        )
    os.close(follower)
    drawn = os.read(leader, 65536).decode()
    os.close(leader)
    assert done.returncode == 0
    assert "1/100 files" in drawn
    assert drawn.endswith("\r\x1b[K")


def test_the_working_directory_may_be_gone(tmp_path: Path) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    with answering(ANSWERS) as (path, _):
        done = subprocess.run(
            ["/bin/sh", "-c", 'cd "$0" && rmdir "$0" && shift 0 && exec "$@"', str(gone), *command("search", "x")],
            env=environment_for(path),
            capture_output=True,
            timeout=60,
            check=False,
        )
    assert done.returncode == 2
    assert b"working directory" in done.stderr
