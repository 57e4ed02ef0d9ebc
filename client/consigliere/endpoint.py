"""Where things are: the root of the project one stands in, and the daemon's socket and state.

`consiglierd.serve.endpoint` holds the same rules for the daemon; a test holds the two equal.
Standard library only, and little of it: every command starts here.
"""

import os
import stat
import sys

from consigliere.errors import DaemonUnreachable, UsageError

SOCKET_VARIABLE = "CONSIGLIERE_SOCKET"
MAX_SOCKET_PATH_BYTES = 100
ROOT_MARKS = (".consigliere.toml", ".consigliere", ".git")


class Endpoint:
    """One daemon's socket and the directory of its lock, log and record."""

    __slots__ = ("socket", "state_directory")

    def __init__(self, socket: str, state_directory: str) -> None:
        self.socket = socket
        self.state_directory = state_directory

    @property
    def record_file(self) -> str:
        return os.path.join(self.state_directory, "daemon.json")

    @property
    def log_file(self) -> str:
        return os.path.join(self.state_directory, "daemon.log")


def home_directory() -> str:
    """The home of the password database, whatever the environment says; "" for a user it does not know."""
    import pwd  # not at the top: it is needed only where no socket is named

    try:
        return pwd.getpwuid(os.getuid()).pw_dir
    except KeyError:
        return ""


def find_endpoint() -> Endpoint:
    """The endpoint that CONSIGLIERE_SOCKET names, else the user's own."""
    named = os.environ.get(SOCKET_VARIABLE)
    endpoint = _named_endpoint(named) if named else own_endpoint()
    length = len(os.fsencode(endpoint.socket))
    if length > MAX_SOCKET_PATH_BYTES:
        raise UsageError(
            f"the socket path {endpoint.socket} has {length} bytes; at most {MAX_SOCKET_PATH_BYTES} are possible",
            f"set {SOCKET_VARIABLE} to a shorter path",
        )
    return endpoint


def _named_endpoint(named: str) -> Endpoint:
    if not os.path.isabs(named) or "\0" in named:
        raise UsageError(
            f"the socket must be an absolute path, not {named!r}",
            f"set {SOCKET_VARIABLE} to a path such as /tmp/c/daemon.sock",
        )
    path = os.path.normpath(named)
    # The look at the ending spares the password database on every command that names another socket.
    if path.endswith("/consigliere/daemon.sock") and os.path.isabs(home_directory()):
        own = own_endpoint()
        if path == os.path.normpath(own.socket):
            return own
    return Endpoint(path, path.removesuffix(".sock") + ".state")


def own_endpoint() -> Endpoint:
    """The endpoint of the user's own daemon, whatever the environment names."""
    home = home_directory()
    if not os.path.isabs(home):
        raise UsageError(
            f"user {os.getuid()} has no home in the password database", f"set {SOCKET_VARIABLE} to /a/path/daemon.sock"
        )
    if sys.platform == "darwin":
        state = os.path.join(home, "Library", "Application Support", "consigliere")
        runtime = os.environ.get("TMPDIR", "")
    else:
        state = os.path.join(home, ".local", "state", "consigliere")
        runtime = f"/run/user/{os.getuid()}"
    folder = os.path.join(runtime, "consigliere") if _is_ours(runtime) else state
    return Endpoint(os.path.join(folder, "daemon.sock"), state)


def _is_ours(folder: str) -> bool:
    if not os.path.isabs(folder):
        return False
    try:
        found = os.lstat(folder)
    except OSError:
        return False
    return stat.S_ISDIR(found.st_mode) and found.st_uid == os.getuid()


def check_socket_folder(endpoint: Endpoint) -> None:
    """Refuse to speak over a socket in a folder that others can look or write into."""
    _check_folder(os.path.dirname(endpoint.socket))


def prepare_state_directory(endpoint: Endpoint) -> None:
    # In this order: a state directory lies in the socket's folder, which as a mere parent would not be 0700.
    for folder in (os.path.dirname(endpoint.socket), endpoint.state_directory):
        os.makedirs(folder, mode=0o700, exist_ok=True)
        _check_folder(folder)


def _check_folder(folder: str) -> None:
    try:
        found = os.lstat(folder)
    except FileNotFoundError:
        return
    if not stat.S_ISDIR(found.st_mode):
        raise DaemonUnreachable(f"{folder} is not a folder", "unsafe", "remove it, or name another socket")
    if found.st_uid != os.getuid():
        raise DaemonUnreachable(
            f"{folder} belongs to user {found.st_uid}, not to {os.getuid()}",
            "unsafe",
            f"set {SOCKET_VARIABLE} to a path in a folder of your own",
        )
    if stat.S_IMODE(found.st_mode) & 0o077:
        # A folder where others write, such as /tmp, is shared on purpose: closing it would be bad advice.
        shared = bool(found.st_mode & 0o022)
        raise DaemonUnreachable(
            f"others may enter {folder} (mode {stat.S_IMODE(found.st_mode):04o})",
            "unsafe",
            "name a socket in a folder of mode 0700" if shared else f"chmod 700 '{folder}', or name another socket",
        )


def find_root(start: str, named: str | None = None, otherwise: str | None = None) -> str:
    """The project's root: `named`, else upward from `start` to the nearest mark, else `otherwise` if it has a mark,
    else `start` itself.

    The search stops at the home folder, at another owner and at another file system; the home
    folder and "/" are never a root.
    """
    if named is not None:
        root = os.path.realpath(named)
        if not os.path.isdir(root):
            raise UsageError(f"{named} is not a folder", "give --root an existing folder")
        return _checked(root)
    start = os.path.realpath(start)
    never = _never_roots()
    here, first = start, os.stat(start)
    while here not in never:
        found = os.stat(here)
        if (found.st_dev, found.st_uid) != (first.st_dev, first.st_uid):
            break
        if _is_marked(here):
            return _checked(here)
        here = os.path.dirname(here)
    return _checked(otherwise if otherwise is not None and _is_marked(otherwise) else start)


def _is_marked(folder: str) -> bool:
    return any(os.path.lexists(os.path.join(folder, mark)) for mark in ROOT_MARKS)


def _checked(root: str) -> str:
    if root in _never_roots():
        raise UsageError(f"{root} is never a workspace", "go to a project's folder, or name one with --root DIR")
    return root


def _never_roots() -> tuple[str, ...]:
    home = home_directory()
    return ("/", os.path.realpath(home)) if home else ("/",)
