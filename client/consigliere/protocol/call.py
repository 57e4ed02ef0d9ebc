"""What every call of the protocol says of itself."""

from typing import ClassVar, Generic, Literal, TypeVar

import msgspec

Lane = Literal["control", "interactive", "batch"]


class Reply(msgspec.Struct, frozen=True, kw_only=True):
    """What a call gives back. Unknown fields are ignored, so that old and new can speak."""


R = TypeVar("R", bound=Reply)


class Call(msgspec.Struct, Generic[R], frozen=True, kw_only=True):
    """The parameters of a call. A subclass names itself, its lane and its reply type.

    `needs_workspace` is True where the envelope must name a root directory.
    """

    call_name: ClassVar[str]
    lane: ClassVar[Lane]
    reply_type: ClassVar[type[Reply]]
    needs_workspace: ClassVar[bool] = True
