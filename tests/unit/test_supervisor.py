"""Background work is restarted, given up, and never fails in silence."""

import asyncio
import threading

import pytest

from consiglierd.supervisor import NEVER_RESTART, RestartPolicy, Supervisor, TaskState, place_of

QUICK = RestartPolicy(first_pause_s=0.001, longest_pause_s=0.002, failures_allowed=3)
WAIT_S = 10.0


def state_of(supervisor: Supervisor, name: str) -> TaskState:
    state = supervisor.state(name)
    assert state is not None
    return state


def test_failing_thread_is_restarted_until_it_works() -> None:
    supervisor = Supervisor()
    runs: list[int] = []

    def work() -> None:
        runs.append(1)
        if len(runs) < 3:
            raise OSError("not yet")

    supervisor.start_thread("w", work, policy=QUICK).join(WAIT_S)
    assert len(runs) == 3
    assert (state_of(supervisor, "w").status, state_of(supervisor, "w").failures) == ("done", 2)


def test_thread_that_keeps_failing_is_poisoned_and_says_so() -> None:
    supervisor = Supervisor()
    told: list[str] = []

    def work() -> None:
        raise ValueError("the text of a document")

    supervisor.start_thread("w", work, policy=QUICK, on_poisoned=told.append).join(WAIT_S)
    state = state_of(supervisor, "w")
    assert (state.status, state.failures) == ("poisoned", 4)
    assert told == [state.failure]
    assert "ValueError" in told[0]
    assert "document" not in told[0]


def test_healthy_run_starts_the_count_of_failures_anew() -> None:
    supervisor = Supervisor()
    runs: list[int] = []

    def work() -> None:
        runs.append(1)
        if len(runs) < 20:
            raise OSError

    policy = RestartPolicy(first_pause_s=0.001, longest_pause_s=0.001, failures_allowed=1, healthy_after_s=0.0)
    supervisor.start_thread("w", work, policy=policy).join(WAIT_S)
    assert state_of(supervisor, "w") == TaskState("w", "done", 1, state_of(supervisor, "w").failure)
    assert len(runs) == 20


def test_panic_that_is_no_exception_is_met_too() -> None:
    supervisor = Supervisor()

    def work() -> None:
        raise BaseException("panicked")

    supervisor.start_thread("w", work, policy=NEVER_RESTART).join(WAIT_S)
    assert state_of(supervisor, "w").status == "poisoned"


def test_close_ends_the_pause_between_restarts() -> None:
    supervisor = Supervisor()
    failed = threading.Event()

    def work() -> None:
        failed.set()
        raise OSError

    thread = supervisor.start_thread("w", work, policy=RestartPolicy(first_pause_s=3600, longest_pause_s=3600))
    assert failed.wait(WAIT_S)
    assert supervisor.close_threads(WAIT_S) == ()
    assert not thread.is_alive()


def test_close_names_the_threads_that_do_not_end() -> None:
    supervisor = Supervisor()
    gate = threading.Event()
    thread = supervisor.start_thread("stuck", lambda: assert_true(gate.wait(WAIT_S)))
    assert supervisor.close_threads(0.01) == ("stuck",)
    gate.set()
    thread.join(WAIT_S)


def assert_true(condition: bool) -> None:
    assert condition


def test_name_in_use_is_refused_and_free_again_after_its_end() -> None:
    supervisor = Supervisor()
    gate = threading.Event()
    thread = supervisor.start_thread("w", lambda: assert_true(gate.wait(WAIT_S)))
    with pytest.raises(ValueError, match="already runs"):
        supervisor.start_thread("w", lambda: None)
    gate.set()
    thread.join(WAIT_S)
    supervisor.start_thread("w", lambda: None).join(WAIT_S)
    supervisor.forget("w")
    assert supervisor.states() == ()


def test_failing_task_is_restarted_and_then_poisoned() -> None:
    supervisor = Supervisor()
    told: list[str] = []

    async def fails() -> None:
        raise OSError

    async def run() -> None:
        await supervisor.start_task("t", fails, policy=QUICK, on_poisoned=told.append)

    asyncio.run(run())
    assert state_of(supervisor, "t").status == "poisoned"
    assert len(told) == 1


def test_closing_cancels_tasks_and_waits_for_them() -> None:
    supervisor = Supervisor()
    ended: list[str] = []

    async def run() -> None:
        started = asyncio.Event()

        async def works() -> None:
            started.set()
            try:
                await asyncio.Event().wait()
            finally:
                ended.append("w")

        supervisor.start_task("t", works)
        await started.wait()
        await supervisor.close_tasks()

    asyncio.run(run())
    assert ended == ["w"]
    assert state_of(supervisor, "t").status == "done"


def test_place_of_an_error_names_code_but_no_text() -> None:
    try:
        raise KeyError("secret")
    except KeyError as error:
        place = place_of(error)
    assert "builtins.KeyError at" in place
    assert "test_supervisor.py" in place
    assert "secret" not in place
