"""Where the daemon lives: its socket, its state directory, and the files in it.

`consigliere.endpoint` holds the same rules for the client, which may not import this module;
a test holds the two equal.
"""

import os
import pwd
import stat
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from consiglierd.errors import BadRequest, Refused

SOCKET_VARIABLE = "CONSIGLIERE_SOCKET"
# A socket address holds 107 bytes on Linux and 103 on macOS, and the events' socket adds seven.
MAX_SOCKET_PATH_BYTES = 100
EVENTS_SUFFIX = ".events"
_MAX_EVENTS_PATH_BYTES = 103 if sys.platform == "darwin" else 107


@dataclass(frozen=True, slots=True)
class Endpoint:
    """One daemon's places. Two endpoints with different sockets are independent daemons."""

    socket: Path
    state_directory: Path

    @property
    def address(self) -> str:
        return f"ipc://{self.socket}"

    @property
    def events_socket(self) -> Path:
        return self.socket.with_name(self.socket.name + EVENTS_SUFFIX)

    @property
    def events_address(self) -> str:
        return f"ipc://{self.events_socket}"

    @property
    def lock_file(self) -> Path:
        return self.state_directory / "daemon.lock"

    @property
    def log_file(self) -> Path:
        return self.state_directory / "daemon.log"

    @property
    def record_file(self) -> Path:
        return self.state_directory / "daemon.json"


def find_endpoint(socket: str | None, environment: Mapping[str, str]) -> Endpoint:
    """The endpoint of `--socket`, else of CONSIGLIERE_SOCKET, else the user's own daemon's.

    Only what was named decides: the default never depends on the environment but for $TMPDIR on
    macOS, which the system sets for each user.
    """
    named = socket or environment.get(SOCKET_VARIABLE)
    endpoint = _named_endpoint(named, environment) if named else _own_endpoint(environment)
    _check_length(endpoint)
    return endpoint


def prepare_folders(endpoint: Endpoint) -> None:
    """Makes the socket's folder and the state directory, 0700, and refuses folders that are not ours."""
    # In this order: a state directory lies in the socket's folder, which as a mere parent would not be 0700.
    for folder in (endpoint.socket.parent, endpoint.state_directory):
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        _check_folder(folder)


def _named_endpoint(named: str, environment: Mapping[str, str]) -> Endpoint:
    if not os.path.isabs(named) or "\0" in named:
        raise BadRequest(
            f"the socket must be an absolute path, not {named!r}",
            cure=f"set {SOCKET_VARIABLE} or --socket to a path such as /tmp/c/daemon.sock",
        )
    path = Path(os.path.normpath(named))
    # A client names the socket of the user's own daemon too when it starts it: the same socket, the same daemon.
    if _has_home() and path == (own := _own_endpoint(environment)).socket:
        return own
    return Endpoint(socket=path, state_directory=path.with_name(path.name.removesuffix(".sock") + ".state"))


def _has_home() -> bool:
    try:
        return os.path.isabs(pwd.getpwuid(os.getuid()).pw_dir)
    except KeyError:
        return False


def _own_endpoint(environment: Mapping[str, str]) -> Endpoint:
    home = Path(pwd.getpwuid(os.getuid()).pw_dir)
    if sys.platform == "darwin":
        state = home / "Library" / "Application Support" / "consigliere"
        temporary = environment.get("TMPDIR", "")
        folder = Path(temporary) / "consigliere" if _is_ours(temporary) else state
    else:
        state = home / ".local" / "state" / "consigliere"
        runtime = f"/run/user/{os.getuid()}"
        folder = Path(runtime) / "consigliere" if _is_ours(runtime) else state
    return Endpoint(socket=folder / "daemon.sock", state_directory=state)


def _is_ours(folder: str) -> bool:
    if not os.path.isabs(folder):
        return False
    try:
        found = os.lstat(folder)
    except OSError:
        return False
    return stat.S_ISDIR(found.st_mode) and found.st_uid == os.getuid()


def _check_length(endpoint: Endpoint) -> None:
    length = len(os.fsencode(endpoint.socket))
    events_length = len(os.fsencode(endpoint.events_socket))
    if length > MAX_SOCKET_PATH_BYTES or events_length > _MAX_EVENTS_PATH_BYTES:
        raise BadRequest(
            f"the socket path {endpoint.socket} has {length} bytes; at most {MAX_SOCKET_PATH_BYTES} are possible",
            cure=f"set {SOCKET_VARIABLE} to a shorter path",
        )


def _check_folder(folder: Path) -> None:
    found = os.lstat(folder)
    if not stat.S_ISDIR(found.st_mode):
        raise Refused(f"{folder} is not a folder", cure="remove it, or name another socket")
    if found.st_uid != os.getuid():
        raise Refused(
            f"{folder} belongs to user {found.st_uid}, not to {os.getuid()}",
            cure="name a socket in a folder of your own",
        )
    if stat.S_IMODE(found.st_mode) & 0o077:
        # A folder where others write, such as /tmp, is shared on purpose: closing it would be bad advice.
        shared = bool(found.st_mode & 0o022)
        raise Refused(
            f"others may enter {folder} (mode {stat.S_IMODE(found.st_mode):04o})",
            cure="name a socket in a folder of mode 0700" if shared else f"chmod 700 '{folder}'",
        )
