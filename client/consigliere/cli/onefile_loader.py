"""Imports modules from texts, as the one-file client carries them: onefile.py copies this file into it.

Compiling is half of what a search costs, so what was compiled is kept in the daemon's state
directory and used by the next run of the same text under the same interpreter. Without that folder
everything works as well, and takes longer.
"""

from __future__ import annotations

import marshal
import os
import sys

# Importing `typing` would cost a quarter of what a whole search may take.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from importlib.machinery import ModuleSpec
    from types import CodeType, ModuleType

LOWEST_PYTHON = (3, 11)


class TextImporter:
    """A finder and loader in one; a package is a module without text, or the outermost one."""

    def __init__(self, texts: Mapping[str, str], compiled: dict[str, CodeType]) -> None:
        self._texts = texts
        self.compiled = compiled
        self.has_news = False

    def find_spec(self, name: str, path: object = None, target: object = None) -> ModuleSpec | None:
        if name not in self._texts:
            return None
        # The class of a spec, without the `importlib` package around it.
        make_spec: type[ModuleSpec] = type(sys.__spec__)
        return make_spec(name, self, is_package=not self._texts[name] or "." not in name)  # type: ignore[arg-type]  # any object with these two methods is a loader

    def create_module(self, spec: ModuleSpec) -> ModuleType | None:
        return None

    def exec_module(self, module: ModuleType) -> None:
        name = module.__name__
        code = self.compiled.get(name)
        if code is None:
            code = self.compiled[name] = compile(self._texts[name], f"<{name}>", "exec", dont_inherit=True)
            self.has_news = True
        exec(code, module.__dict__)


def state_directory() -> str:
    """As endpoint.py has it, which cannot be imported before this is known."""
    named = os.environ.get("CONSIGLIERE_SOCKET", "")
    if named:
        return os.path.normpath(named).removesuffix(".sock") + ".state"
    import pwd

    try:
        home = pwd.getpwuid(os.getuid()).pw_dir
    except KeyError:
        return ""
    return home + ("/Library/Application Support" if sys.platform == "darwin" else "/.local/state") + "/consigliere"


def read_compiled(path: str, key: bytes) -> dict[str, CodeType]:
    """What an earlier run kept under `key`; nothing where the file may be another's work."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        return {}
    try:
        found = os.fstat(descriptor)
        if found.st_uid != os.getuid() or found.st_mode & 0o022:
            return {}
        content = os.read(descriptor, found.st_size)
    except OSError:
        return {}
    finally:
        os.close(descriptor)
    if not content.startswith(key):
        return {}
    try:
        kept: dict[str, CodeType] = marshal.loads(content[len(key) :])
    except (EOFError, ValueError, TypeError):
        return {}
    return kept


def keep_compiled(path: str, key: bytes, compiled: Mapping[str, CodeType]) -> None:
    """For the next run. A folder that is missing, full or not writable only costs that run time."""
    draft = f"{path}.{os.getpid()}"
    try:
        descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600)
        try:
            os.write(descriptor, key + marshal.dumps(dict(compiled)))
        finally:
            os.close(descriptor)
        os.rename(draft, path)
    except OSError:
        return


def run(texts: Mapping[str, str], digest: str) -> int:
    """The command line of the modules in `texts`, which `digest` stands for."""
    if sys.version_info < LOWEST_PYTHON:
        sys.stderr.write(f"consigliere: this is Python {sys.version.split()[0]}; install Python 3.11 or newer\n")
        return 2
    path = f"{state_directory()}/client-{sys.implementation.cache_tag}.cache"
    key = f"{digest} {sys.version}\n".encode()
    importer = TextImporter(texts, read_compiled(path, key))
    sys.meta_path.insert(0, importer)
    from consigliere.cli.arguments import recover_text
    from consigliere.cli.main import main

    status = main([recover_text(word) for word in sys.argv[1:]])
    if importer.has_news:
        keep_compiled(path, key, importer.compiled)
    return status
