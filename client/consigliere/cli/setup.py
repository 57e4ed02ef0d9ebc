"""The commands that write something for the user: init and completion."""

import os
from typing import Any

from consigliere.cli.grammar import COMMANDS, COMMON
from consigliere.cli.onefile import MARK, generate
from consigliere.cli.session import SETTINGS_FILE, root_of
from consigliere.cli.templates import AGENTS, DEFAULTS
from consigliere.errors import UsageError
from consigliere.render.json import write_object
from consigliere.render.terminal import Output

CLIENT_FILE = "bin/consigliere"
TEMPLATES = {"": DEFAULTS, "agents": AGENTS}


def init(output: Output, values: dict[str, Any], words: list[str]) -> int:
    """Writes what is not there yet; of what is there, only an older one-file client is replaced."""
    template = values.get("template", "")
    if template not in TEMPLATES:
        raise UsageError(f"there is no template {template}", "write --template agents, or leave it out")
    root = root_of(values)
    made = []
    if _write_new(os.path.join(root, SETTINGS_FILE), TEMPLATES[template].encode(), 0o644):
        made.append(SETTINGS_FILE)
    if values.get("bin") and _put_client(root):
        made.append(CLIENT_FILE)
    if values.get("json"):
        write_object(output, {"root": root, "made": made})
        return 0
    for name in made:
        output.line(output.fit(f"made {os.path.join(root, name)}"))
    if not made:
        output.line(output.fit(f"everything is there already in {root}; nothing was changed"))
    return 0


def _put_client(root: str) -> bool:
    """Whether the one-file client was written."""
    path, content = os.path.join(root, CLIENT_FILE), generate()
    os.makedirs(os.path.dirname(path), exist_ok=True)
    if _write_new(path, content, 0o755):
        return True
    with open(path, "rb") as file:
        found = file.read()
    if found == content:
        return False
    if MARK.encode() not in found[:1000]:
        raise UsageError(f"{path} is there and not ours", "move it away, or use another folder")
    draft = f"{path}.{os.getpid()}"
    _write_new(draft, content, 0o755)
    os.rename(draft, path)
    return True


def _write_new(path: str, content: bytes, mode: int) -> bool:
    try:
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, mode)
    except FileExistsError:
        return False
    with os.fdopen(descriptor, "wb") as file:
        # Whatever the umask: a program that cannot be run by others of the project is of little use.
        os.fchmod(file.fileno(), mode)
        file.write(content)
    return True


def completion(output: Output, values: dict[str, Any], words: list[str]) -> int:
    scripts = {"bash": _bash, "zsh": _zsh, "fish": _fish}
    if words[0] not in scripts:
        raise UsageError(f"there is no completion for {words[0]}", "write bash, zsh or fish")
    output.write(scripts[words[0]]())
    return 0


def _options_of(name: str) -> list[tuple[str, str]]:
    return [(option[0], option[3]) for option in (*COMMANDS[name].options, *COMMON)]


def _bash_words(name: str) -> list[str]:
    """The options; before them the words to choose from, where the places are such (`bash|zsh|fish`)."""
    places = COMMANDS[name].places
    return [*(places.split("|") if "|" in places else ()), *(option for option, _ in _options_of(name))]


def _bash() -> str:
    cases = "\n".join(f"    {name}) words='{' '.join(_bash_words(name))}' ;;" for name in COMMANDS)
    return f"""\
_consigliere() {{
  local words current="${{COMP_WORDS[COMP_CWORD]}}"
  case "${{COMP_WORDS[1]}}" in
{cases}
    *) words='{" ".join(COMMANDS)}' ;;
  esac
  if [ "$COMP_CWORD" -eq 1 ]; then words='{" ".join(COMMANDS)}'; fi
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}}
complete -o default -F _consigliere consigliere consigliere-client
"""


def _zsh() -> str:
    commands = "\n".join(f"    '{command.name}:{_quoted(command.summary)}'" for command in COMMANDS.values())
    cases = "\n".join(
        f"    {name}) _arguments "
        + " ".join(f"'{option}[{_bracketed(text)}]'" for option, text in _options_of(name))
        + " '*:file:_files' ;;"
        for name in COMMANDS
    )
    return f"""\
#compdef consigliere consigliere-client
_consigliere() {{
  local -a commands=(
{commands}
  )
  if (( CURRENT == 2 )); then _describe command commands; return; fi
  local command="$words[2]"
  shift words; (( CURRENT-- ))
  case "$command" in
{cases}
  esac
}}
compdef _consigliere consigliere consigliere-client
"""


def _fish() -> str:
    lines = []
    for command in COMMANDS.values():
        lines.append(
            f"complete -c consigliere -n __fish_use_subcommand -a {command.name} -d '{_in_fish(command.summary)}'"
        )
        for option, text in _options_of(command.name):
            form = f"-l {option[2:]}" if option.startswith("--") else f"-s {option[1:]}"
            lines.append(
                f"complete -c consigliere -n '__fish_seen_subcommand_from {command.name}' {form} -d '{_in_fish(text)}'"
            )
    return "\n".join(lines) + "\n"


def _in_fish(text: str) -> str:
    return text.replace("\\", "\\\\").replace("'", "\\'")


def _quoted(text: str) -> str:
    return text.replace("'", "").replace(":", " -")


def _bracketed(text: str) -> str:
    return _quoted(text).replace("[", "(").replace("]", ")")
