"""What is public is documented: settings, failure codes, calls, events, commands, versions."""

import importlib
import pkgutil
import re
import tomllib
from pathlib import Path

import pytest

import consiglierd
import consigliere
import consigliere.protocol
from consiglierd import errors
from consiglierd.settings.reference import reference
from consiglierd.settings.schema import SETTINGS
from consigliere.protocol.call import Call
from consigliere.protocol.codes import EVENT_TOPICS, FAILURE_CODES, REASON_CODES

ROOT = Path(__file__).parents[1]

COMMANDS = (
    "completion",
    "config",
    "doctor",
    "forget",
    "index",
    "init",
    "logs",
    "restart",
    "search",
    "show",
    "start",
    "status",
    "stop",
    "workspaces",
)


def document(name: str) -> str:
    path = ROOT / name
    assert path.is_file(), f"{name} is not there; what is public must be documented in it"
    return path.read_text(encoding="utf-8")


def every_call() -> dict[str, type[Call]]:  # type: ignore[type-arg]  # any reply type
    for module in pkgutil.iter_modules(consigliere.protocol.__path__):
        importlib.import_module(f"consigliere.protocol.{module.name}")
    return {call.call_name: call for call in Call.__subclasses__()}


def every_failure() -> set[str]:
    classes = [errors.DaemonError]
    for failure in classes:
        classes.extend(failure.__subclasses__())
    return {failure.code for failure in classes}


def test_the_reference_of_settings_is_what_the_schema_makes() -> None:
    assert document("consiglierd/settings/REFERENCE.md") == reference(), (
        "write it anew: python -m consiglierd.settings.reference > consiglierd/settings/REFERENCE.md"
    )


def test_every_setting_stands_in_the_reference() -> None:
    text = document("consiglierd/settings/REFERENCE.md")
    assert [setting.name for setting in SETTINGS if f"| `{setting.name}` |" not in text] == []


def test_settings_stay_few() -> None:
    assert len(SETTINGS) <= 40, "a new setting needs a reason, and an old one that goes"


def test_readme_leads_to_the_reference_of_settings() -> None:
    assert "consiglierd/settings/REFERENCE.md" in document("README.md")


def test_failure_codes_of_the_daemon_are_those_of_the_wire() -> None:
    assert every_failure() == set(FAILURE_CODES)
    assert len(FAILURE_CODES) == len(set(FAILURE_CODES))


def test_the_tree_of_errors_is_drawn_in_its_docstring() -> None:
    drawn = dict(re.findall(r"[├└]── (\w+) +(\w+)", errors.__doc__ or ""))
    written = {
        name: failure.code
        for name, failure in vars(errors).items()
        if isinstance(failure, type) and issubclass(failure, errors.DaemonError) and failure is not errors.DaemonError
    }
    assert drawn == written


@pytest.mark.parametrize("code", [*FAILURE_CODES, *REASON_CODES])
def test_every_code_stands_in_the_protocol_document(code: str) -> None:
    assert f"`{code}`" in document("client/PROTOCOL.md")


@pytest.mark.parametrize("topic", EVENT_TOPICS)
def test_every_event_stands_in_the_protocol_document(topic: str) -> None:
    assert f"`{topic}" in document("client/PROTOCOL.md")


@pytest.mark.parametrize("name", sorted(every_call()))
def test_every_call_stands_in_the_protocol_document_with_its_lane_and_fields(name: str) -> None:
    call, text = every_call()[name], document("client/PROTOCOL.md")
    assert f"`{name}`" in text
    assert call.lane in text
    fields = [*call.__struct_fields__, *call.reply_type.__struct_fields__]
    assert [field for field in fields if f"`{field}`" not in text] == []


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("name", ["README.md", "README.ko.md"])
def test_every_command_stands_in_both_readmes(name: str, command: str) -> None:
    assert re.search(rf"consigliere (-\S+ )*{command}\b|`{command}\b", document(name)), f"`{command}` is not in {name}"


def test_both_packages_and_the_changelog_have_one_version() -> None:
    assert consigliere.__version__ == consiglierd.__version__
    assert f"## [{consiglierd.__version__}]" in document("CHANGELOG.md") or "## [Unreleased]" in document(
        "CHANGELOG.md"
    )


def test_every_program_of_the_project_stands_in_the_readme() -> None:
    programs = tomllib.loads(document("pyproject.toml"))["project"]["scripts"]
    text = document("README.md")
    assert [program for program in programs if f"`{program}`" not in text] == []


def test_the_architecture_names_every_room_that_exists_and_no_other() -> None:
    text = document("consiglierd/ARCHITECTURE.md")
    rooms = {
        path.name if path.is_dir() else path.stem
        for path in (ROOT / "consiglierd").iterdir()
        if (path.is_dir() and (path / "__init__.py").is_file()) or (path.suffix == ".py" and path.stem != "__init__")
    }
    table = text.partition("## Code map")[2].partition("\n## ")[0]
    named = {name.removesuffix(".py").strip("/") for name in re.findall(r"^\| `([a-z_/.]+)`", table, re.MULTILINE)}
    assert named == rooms


def test_links_between_documents_lead_somewhere() -> None:
    documents = [
        ROOT / name for name in ("README.md", "README.ko.md", "consiglierd/ARCHITECTURE.md", "client/PROTOCOL.md")
    ]
    broken = [
        f"{path.relative_to(ROOT)} -> {target}"
        for path in documents
        if path.is_file()
        for target in re.findall(r"\]\(([^)#:\s]+)(?:#[^)]*)?\)", path.read_text(encoding="utf-8"))
        if not (path.parent / target).exists()
    ]
    assert broken == []
