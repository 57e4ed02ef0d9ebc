"""Writes ONNX models: the few messages of its protocol buffers that a graph of ours needs.

The numbers of the fields are those of `onnx.proto3`; the format is stable, and the package `onnx`, which
also writes it, is larger than all that is installed here.
"""

import struct
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

OPSET = 17
MICROSOFT = "com.microsoft"
_IR_VERSION = 8
_FLOAT, _FLOAT_KIND = np.dtype(np.float32), 1
_KINDS = {_FLOAT: _FLOAT_KIND, np.dtype(np.uint8): 2, np.dtype(np.int8): 3, np.dtype(np.int64): 7}

Attribute = int | float


@dataclass(slots=True)
class Graph:
    """A graph under construction: each call names its output and returns that name."""

    nodes: list[bytes] = field(default_factory=list)
    constants: list[bytes] = field(default_factory=list)

    def constant(self, name: str, value: NDArray[np.generic]) -> str:
        value = np.ascontiguousarray(value)
        dims = b"".join(_number(1, size) for size in value.shape)
        self.constants.append(dims + _number(2, _KINDS[value.dtype]) + _text(8, name) + _bytes(9, value.tobytes()))
        return name

    def node(
        self,
        kind: str,
        inputs: Sequence[str],
        outputs: Sequence[str],
        attributes: Mapping[str, Attribute | Sequence[int]] | None = None,
        *,
        domain: str = "",
    ) -> str:
        parts = [_text(1, name) for name in inputs] + [_text(2, name) for name in outputs]
        parts += [_text(3, outputs[0]), _text(4, kind)]
        parts += [_bytes(5, _attribute(name, value)) for name, value in (attributes or {}).items()]
        parts.append(_text(7, domain))
        self.nodes.append(b"".join(parts))
        return outputs[0]

    def model(self, inputs: Mapping[str, Sequence[int | str]], outputs: Mapping[str, Sequence[int | str]]) -> bytes:
        """The whole model; inputs and outputs are of float32, with sizes or names of sizes."""
        graph = b"".join(
            [_bytes(1, node) for node in self.nodes]
            + [_text(2, "encoder")]
            + [_bytes(5, constant) for constant in self.constants]
            + [_bytes(11, _value(name, shape)) for name, shape in inputs.items()]
            + [_bytes(12, _value(name, shape)) for name, shape in outputs.items()]
        )
        opsets = _bytes(8, _text(1, "") + _number(2, OPSET)) + _bytes(8, _text(1, MICROSOFT) + _number(2, 1))
        return _number(1, _IR_VERSION) + _text(2, "consigliere") + _bytes(7, graph) + opsets


def _value(name: str, shape: Sequence[int | str]) -> bytes:
    sizes = [_text(2, size) if isinstance(size, str) else _number(1, size) for size in shape]
    tensor = _number(1, _FLOAT_KIND) + _bytes(2, b"".join(_bytes(1, size) for size in sizes))
    return _text(1, name) + _bytes(2, _bytes(1, tensor))


def _attribute(name: str, value: Attribute | Sequence[int]) -> bytes:
    match value:
        case float():
            return _text(1, name) + _key(2, 5) + struct.pack("<f", value) + _number(20, 1)
        case int():
            return _text(1, name) + _number(3, value) + _number(20, 2)
        case _:
            return _text(1, name) + b"".join(_number(8, each) for each in value) + _number(20, 7)


def _text(number: int, text: str) -> bytes:
    return _bytes(number, text.encode())


def _bytes(number: int, content: bytes) -> bytes:
    return _key(number, 2) + _varint(len(content)) + content


def _number(number: int, value: int) -> bytes:
    return _key(number, 0) + _varint(value & (1 << 64) - 1)


def _key(number: int, wire_type: int) -> bytes:
    return _varint(number << 3 | wire_type)


def _varint(value: int) -> bytes:
    encoded = bytearray()
    while value >= 0x80:
        encoded.append(value & 0x7F | 0x80)
        value >>= 7
    encoded.append(value)
    return bytes(encoded)
