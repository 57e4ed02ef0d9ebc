"""The program `consiglierd`: from its arguments to a daemon that runs until it is told to stop."""

import argparse
import asyncio
import contextlib
import os
import sys
from collections.abc import Callable, MutableMapping

from consiglierd import __version__
from consiglierd.errors import DaemonError
from consiglierd.serve.claim import AlreadyRunning, claim
from consiglierd.serve.daemon_log import configure_log
from consiglierd.serve.endpoint import find_endpoint
from consiglierd.wiring import run_daemon

# One busy thread otherwise holds the interpreter for 5 ms at a time and the loop waits behind it.
SWITCH_INTERVAL_S = 0.0005
READY_VARIABLE = "CONSIGLIERE_READY_FD"


def parse_arguments(arguments: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="consiglierd",
        description="The consigliere daemon, in the foreground. `consigliere` starts it when it is needed.",
        epilog="example: consiglierd --socket /tmp/mine/daemon.sock",
    )
    parser.add_argument("--socket", metavar="PATH", help="listen here; another socket is another, independent daemon")
    parser.add_argument("--version", action="version", version=f"consiglierd {__version__}")
    return parser.parse_args(arguments)


def ready_signal(environment: MutableMapping[str, str]) -> Callable[[], None]:
    """Tells whoever started us, over the pipe that it gave us, that calls can be made now."""
    named = environment.pop(READY_VARIABLE, "")
    if not named.isdecimal() or int(named) < 3:
        return lambda: None
    descriptor = int(named)
    try:
        # No child of ours may hold the pipe open.
        os.set_inheritable(descriptor, False)
    except OSError:
        return lambda: None

    def tell() -> None:
        # A starter that no longer listens is no reason not to run.
        with contextlib.suppress(OSError):
            os.write(descriptor, b"1")
        os.close(descriptor)

    return tell


def run() -> None:
    """Exit status 0 also where a healthy daemon already holds the lock."""
    sys.exit(main(sys.argv[1:]))


def main(arguments: list[str]) -> int:
    options = parse_arguments(arguments)
    os.umask(0o077)
    sys.setswitchinterval(SWITCH_INTERVAL_S)
    try:
        endpoint = find_endpoint(options.socket, os.environ)
        claimed = claim(endpoint)
    except AlreadyRunning as running:
        print(f"consiglierd: {running.message}", file=sys.stderr)
        return 0
    except (DaemonError, OSError) as error:
        return _complain(error)
    try:
        configure_log(endpoint.log_file)
        asyncio.run(run_daemon(endpoint, claimed, ready_signal(os.environ)))
    except (DaemonError, OSError) as error:
        return _complain(error)
    finally:
        claimed.release()
    return 0


def _complain(error: DaemonError | OSError) -> int:
    """One line on standard error; the exit status."""
    if isinstance(error, DaemonError):
        message, cure = error.message, error.cure
    else:
        message = f"{error.filename}: {error.strerror}" if error.filename else str(error)
        cure = "see what lies there; nothing in the state directory but `authored/` and `config.toml` is missed"
    print(f"consiglierd: {message}{f'; {cure}' if cure else ''}", file=sys.stderr)
    return 4


if __name__ == "__main__":
    run()
