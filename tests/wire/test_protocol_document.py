"""PROTOCOL.md says what the code does: calls, fields, types, defaults, codes, topics and limits."""

import importlib
import pkgutil
import re
import types
import typing
from pathlib import Path
from typing import Any

import msgspec
import pytest

import consigliere.protocol
from consiglierd import events
from consiglierd.serve import lanes, messages, peers, publisher
from consigliere import exchange, zmtp
from consigliere.protocol.call import Call
from consigliere.protocol.codes import EVENT_TOPICS, FAILURE_CODES, REASON_CODES
from consigliere.protocol.envelope import MAX_MESSAGE_BYTES, PROTOCOL_VERSION, Failure, Request, Response
from consigliere.protocol.events import Event
from consigliere.protocol.search import Explanation, Filters, Hit, Scores, TermMatch

DOCUMENT = (Path(__file__).parents[2] / "client/PROTOCOL.md").read_text(encoding="utf-8")
ROW = re.compile(r"^\| `(\w+)` \| ([^|]+) \| (.*) \|$", re.MULTILINE)


def every_call() -> dict[str, Any]:
    for module in pkgutil.iter_modules(consigliere.protocol.__path__):
        importlib.import_module(f"consigliere.protocol.{module.name}")
    return {call.call_name: call for call in Call.__subclasses__()}


CALLS = every_call()


def section(heading: str) -> str:
    """The text under a heading, up to the next one of its level or above."""
    level = len(heading) - len(heading.lstrip("#"))
    assert f"\n{heading}\n" in DOCUMENT, f"{heading} is missing"
    rest = DOCUMENT.partition(f"\n{heading}\n")[2]
    return re.split(rf"^#{{1,{level}}} ", rest, maxsplit=1, flags=re.MULTILINE)[0]


def written_type(annotation: Any) -> str:
    """A type as the document writes it."""
    origin, arguments = typing.get_origin(annotation), typing.get_args(annotation)
    if origin in (typing.Union, types.UnionType):
        named = [written_type(argument) for argument in arguments if argument is not type(None)]
        return named[0] + "?" if len(named) == 1 else ", ".join(named) + " or null"
    if origin is tuple:
        return f"[{written_type(arguments[0])}]"
    if origin is dict:
        return f"{{{written_type(arguments[0])}: {written_type(arguments[1])}}}"
    return str(annotation.__name__)


def fields_of(struct: Any) -> dict[str, str]:
    hints = typing.get_type_hints(struct)
    return {name: written_type(hints[name]) for name in struct.__struct_fields__}


def defaults_of(struct: Any) -> dict[str, str]:
    """Defaults as the document writes them; "-" where there is none."""
    written = {}
    for field in msgspec.structs.fields(struct):
        if field.required:
            written[field.name] = "-"
        elif isinstance(field.default, msgspec.Struct):
            written[field.name] = "none"
        elif field.default_factory is not msgspec.NODEFAULT:
            written[field.name] = "{}"
        else:
            default = list(field.default) if isinstance(field.default, tuple) else field.default
            written[field.name] = msgspec.json.encode(default).decode()
    return written


def tables(text: str) -> list[dict[str, tuple[str, str]]]:
    """The tables of fields in a section: name -> (type, what stands in the next column)."""
    found = []
    for block in re.split(r"\n\s*\n", text):
        rows = {name: (kind.strip(), rest.split(" | ")[0].strip()) for name, kind, rest in ROW.findall(block)}
        if rows:
            found.append(rows)
    return found


@pytest.mark.parametrize("name", sorted(CALLS))
def test_a_call_is_documented_with_its_lane_and_its_need_of_a_root(name: str) -> None:
    call = CALLS[name]
    root = "yes" if call.needs_workspace else "optional" if name == "events_since" else "no"
    assert f"| `{name}` | {call.lane} | {root} |" in section("## 4. Calls")


def test_no_call_is_documented_that_does_not_exist() -> None:
    calls = section("## 4. Calls")
    assert set(re.findall(r"^### `(\w+)`$", calls, re.MULTILINE)) == set(CALLS)
    assert set(re.findall(r"^\| `(\w+)` \| (?:control|interactive|batch) \|", calls, re.MULTILINE)) == set(CALLS)


@pytest.mark.parametrize("name", sorted(CALLS))
def test_the_parameters_of_a_call_are_documented_with_types_and_defaults(name: str) -> None:
    call, text = CALLS[name], section(f"### `{name}`")
    wanted = fields_of(call)
    if not wanted:
        assert "No parameters" in text
        return
    written = tables(text)[0]
    assert {field: kind for field, (kind, _) in written.items()} == wanted
    assert {field: default for field, (_, default) in written.items()} == defaults_of(call)


@pytest.mark.parametrize("name", sorted(CALLS))
def test_the_reply_of_a_call_is_documented_with_types(name: str) -> None:
    call, text = CALLS[name], section(f"### `{name}`")
    wanted = fields_of(call.reply_type)
    if any(table.keys() == wanted.keys() for table in tables(text)):
        written = next(table for table in tables(text) if table.keys() == wanted.keys())
        assert {field: kind for field, (kind, _) in written.items()} == wanted
        return
    # A small reply is told in a sentence.
    assert "Reply: " in text
    assert [field for field in wanted if f"`{field}`" not in text.partition("Reply: ")[2]] == []


@pytest.mark.parametrize("struct", [Filters, Hit])
def test_the_parts_of_a_search_are_documented_with_types(struct: Any) -> None:
    wanted = fields_of(struct)
    written = next(table for table in tables(section("### `search`")) if table.keys() == wanted.keys())
    assert {field: kind for field, (kind, _) in written.items()} == wanted


@pytest.mark.parametrize("struct", [Scores, Explanation, TermMatch])
def test_the_small_parts_of_a_search_are_told_in_a_sentence(struct: Any) -> None:
    sentence = re.split(r"\n\n|\. (?=[A-Z])", section("### `search`").partition(f"{struct.__name__}: ")[2])[0]
    for field, kind in fields_of(struct).items():
        assert re.search(rf"`{field}` \({re.escape(kind)}[,:)]", sentence), f"{struct.__name__}.{field} ({kind})"


@pytest.mark.parametrize("name", sorted(CALLS))
def test_the_parts_of_lists_in_replies_are_told(name: str) -> None:
    for field in msgspec.structs.fields(CALLS[name].reply_type):
        for argument in typing.get_args(field.type):
            if isinstance(argument, type) and issubclass(argument, msgspec.Struct) and argument is not Event:
                missing = [part for part in fields_of(argument) if f"`{part}`" not in section(f"### `{name}`")]
                assert missing == []


def test_the_envelope_is_documented() -> None:
    request, response = tables(section("## 3. The envelope"))[:2]
    assert list(request) == list(Request.__struct_fields__)
    assert {field: default for field, (_, default) in request.items()} == defaults_of(Request)
    assert list(response) == list(Response.__struct_fields__)
    assert f"Version **{PROTOCOL_VERSION}**" in DOCUMENT
    assert f"protocol version: {PROTOCOL_VERSION}" in DOCUMENT


def test_failures_and_their_codes_are_documented() -> None:
    text = section("## 6. Failures")
    fields = tables(text)[0]
    assert {field: kind for field, (kind, _) in fields.items()} == fields_of(Failure)
    assert tuple(tables(text)[1]) == FAILURE_CODES


def test_the_exit_status_of_each_code_is_what_the_command_line_ends_with() -> None:
    from consigliere.errors import CallFailed

    written = re.findall(r"^\| `(\w+)` \| .* \| (\d) \|$", section("## 6. Failures"), re.MULTILINE)
    assert {code: int(status) for code, status in written} == {
        code: CallFailed(code, "", "", None).exit_status for code in FAILURE_CODES
    }


def test_a_failure_is_retryable_where_the_document_says_so() -> None:
    from consiglierd import errors

    said = {code for code, (meaning, _) in tables(section("## 6. Failures"))[1].items() if "`retryable`" in meaning}
    kinds = [errors.DaemonError, *errors.DaemonError.__subclasses__(), *errors.BadRequest.__subclasses__()]
    assert said == {kind.code for kind in kinds if kind.is_retryable}


def test_reasons_and_events_are_documented() -> None:
    assert all(f"`{code}`" in section("### `search`") for code in REASON_CODES)
    text = section("## 5. Events")
    assert tuple(re.findall(r"^\| `([\w-]+)` \| .* \| .* \|$", text, re.MULTILINE)[: len(EVENT_TOPICS)]) == EVENT_TOPICS
    written = next(table for table in tables(text) if table.keys() == fields_of(Event).keys())
    assert {field: kind for field, (kind, _) in written.items()} == fields_of(Event)


def test_limits_are_those_of_the_code() -> None:
    text = section("## 7. Limits")
    for number in (
        MAX_MESSAGE_BYTES,
        messages.MAX_ID_CHARACTERS,
        messages.MAX_DEADLINE_MS,
        lanes.QUEUE_BOUND,
        peers.MAX_CLIENTS,
        peers.MAX_CONNECTIONS,
        publisher.MAX_WAITERS,
    ):
        assert f" {number} " in text.replace(",", " "), f"{number} is not told"
    assert f"at most {events.PAGE_EVENTS};" in section("### `events_since`")
    assert f"last {events.KEPT_EVENTS} events" in section("## 5. Events")


def test_the_bytes_of_the_example_are_those_of_the_client() -> None:
    example = section("## 8. A whole exchange, byte by byte")
    greeting, ready = zmtp._GREETING, b"\x05READY\x0bSocket-Type\0\0\0\x06DEALER\x08Identity\0\0\0\0"
    assert f"-> {greeting[:10].hex(' ').upper()}  {greeting[10:12].hex(' ').upper()}  " in example
    assert f"-> 04 {len(ready):02X}  05" in example
    hello = re.search(r'^-> 00 ([0-9A-F]{2})  (\{"v".*\})$', example, re.MULTILINE)
    assert hello is not None
    assert int(hello[1], 16) == len(hello[2])
    assert hello[2].encode() == exchange.encode_request("a1", "hello", {}, root=None, deadline_s=2)


@pytest.mark.parametrize("example", re.findall(r"```json\n(.*)\n```", DOCUMENT))
def test_the_examples_are_messages(example: str) -> None:
    plain = msgspec.json.decode(example)
    message: Any = msgspec.convert(plain, Request if "call" in plain else Response)
    assert set(plain) <= set(message.__struct_fields__)
    if "call" in plain:
        msgspec.convert(message.params, CALLS[message.call], strict=True)
