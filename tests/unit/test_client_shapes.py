"""The plain dicts of the client have the names and fields of the protocol."""

import importlib
import pkgutil
import types
import typing
from typing import Any

import msgspec
import pytest

import consigliere.protocol
from consigliere import client
from consigliere.protocol import shapes
from consigliere.protocol.call import Call


def every_call() -> dict[str, Any]:
    for module in pkgutil.iter_modules(consigliere.protocol.__path__):
        importlib.import_module(f"consigliere.protocol.{module.name}")
    return {call.call_name: call for call in Call.__subclasses__()}


def shape_of(annotation: Any) -> Any:
    """A type as plain dicts have it: tuples are lists, Structs are maps of their fields."""
    origin, arguments = typing.get_origin(annotation), typing.get_args(annotation)
    if origin in (typing.Union, types.UnionType):
        return frozenset(shape_of(argument) for argument in arguments)
    if origin in (typing.NotRequired, typing.Required):
        return shape_of(arguments[0])
    if origin in (tuple, list):
        return ("list", shape_of(arguments[0]))
    if origin is dict:
        return ("dict", shape_of(arguments[1]))
    if isinstance(annotation, type) and (issubclass(annotation, msgspec.Struct) or typing.is_typeddict(annotation)):
        hints = typing.get_type_hints(annotation)
        names = annotation.__struct_fields__ if issubclass(annotation, msgspec.Struct) else hints
        return frozenset((name, shape_of(hints[name])) for name in names)
    return annotation


def required_of(struct: Any) -> set[str]:
    return {field.name for field in msgspec.structs.fields(struct) if field.required}


CALLS = every_call()


def overloads() -> dict[str, tuple[Any, Any]]:
    """The shapes of parameters and replies by call, as client.py declares them to the type checker."""
    import ast
    import inspect

    found: dict[str, tuple[Any, Any]] = {}
    for node in ast.walk(ast.parse(inspect.getsource(client))):
        if isinstance(node, ast.FunctionDef) and node.name == "call" and node.decorator_list:
            name, params = node.args.args[1].annotation, node.args.args[2].annotation
            assert isinstance(name, ast.Subscript)
            assert isinstance(name.slice, ast.Constant)
            assert params is not None
            assert node.returns is not None
            scope = {"shapes": shapes}
            asked = eval(ast.unparse(params).removesuffix(" | None"), scope)
            found[str(name.slice.value)] = (asked, eval(ast.unparse(node.returns), scope))
    return found


OVERLOADS = overloads()


def test_the_client_knows_every_call_and_no_other() -> None:
    assert set(OVERLOADS) == set(CALLS)


@pytest.mark.parametrize("name", sorted(CALLS))
def test_parameters_and_replies_have_the_fields_of_the_protocol(name: str) -> None:
    asked, answered = OVERLOADS[name]
    assert shape_of(asked) == shape_of(CALLS[name])
    assert shape_of(answered) == shape_of(CALLS[name].reply_type)
    assert required_of(CALLS[name]) <= set(asked.__required_keys__)


def test_the_comparison_can_fail() -> None:
    class Wrong(typing.TypedDict):
        revision: str

    assert shape_of(Wrong) != shape_of(CALLS["settle"].reply_type)
