"""The table of calls: name, message type, handler, and where it runs."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, TypeVar, cast

import msgspec

from consiglierd.serve.handlers import daemon, evaluation, indexing, search, show
from consiglierd.serve.visit import Visit
from consigliere.protocol.call import Call, Reply
from consigliere.protocol.daemon import Config, Doctor, Forget, Hello, Shutdown, Status, Workspaces
from consigliere.protocol.evaluation import Evaluate, ForgetTuning, HistoryQuestions, Tune
from consigliere.protocol.events import EventsSince
from consigliere.protocol.indexing import Index, IndexProgress, Settle
from consigliere.protocol.search import Search, Show

AnyCall = Call[Reply]
# "lane": on a thread, admitted by its lane. "loop": at once, because it cannot block, and so that
# it is answered however full the lanes are. "events": held by the publisher, without a thread.
Runs = Literal["lane", "loop", "events"]

C = TypeVar("C", bound=Call)  # type: ignore[type-arg]  # any reply type; a TypeVar's bound cannot be generic


def _never(call: AnyCall) -> bool:
    return False


def _no_reply(call: EventsSince, visit: Visit) -> Reply:
    raise NotImplementedError(f"{call.call_name} is answered by the publisher")


@dataclass(frozen=True, slots=True)
class Handled:
    """One call of the protocol. `waits` says of a call whether it mostly waits."""

    call_type: type[AnyCall]
    run: Callable[[AnyCall, Visit], Reply]
    waits: Callable[[AnyCall], bool]
    runs: Runs
    from_json: msgspec.json.Decoder[AnyCall]
    from_msgpack: msgspec.msgpack.Decoder[AnyCall]

    def lane(self, call: AnyCall) -> str:
        return "waiting" if self.waits(call) else self.call_type.lane


def _handled(
    call_type: type[C],
    run: Callable[[C, Visit], Reply],
    *,
    waits: Callable[[C], bool] = _never,
    runs: Runs = "lane",
) -> Handled:
    # The table maps a name to a handler for exactly the type that its decoder makes.
    any_type = cast("type[AnyCall]", call_type)
    return Handled(
        call_type=any_type,
        run=cast("Callable[[AnyCall, Visit], Reply]", run),
        waits=cast("Callable[[AnyCall], bool]", waits),
        runs=runs,
        from_json=msgspec.json.Decoder(any_type),
        from_msgpack=msgspec.msgpack.Decoder(any_type),
    )


_ALL = (
    _handled(Search, search.search, waits=search.search_waits),
    _handled(Show, show.show),
    _handled(Index, indexing.index),
    _handled(IndexProgress, indexing.index_progress, waits=indexing.index_progress_waits),
    _handled(Settle, indexing.settle, waits=indexing.settle_waits),
    _handled(EventsSince, _no_reply, runs="events"),
    _handled(Hello, daemon.hello, runs="loop"),
    _handled(Status, daemon.status),
    _handled(Workspaces, daemon.workspaces),
    _handled(Forget, daemon.forget),
    _handled(Config, daemon.config),
    _handled(Doctor, daemon.doctor),
    _handled(Evaluate, evaluation.evaluate),
    _handled(Tune, evaluation.tune),
    _handled(ForgetTuning, evaluation.forget_tuning),
    _handled(HistoryQuestions, evaluation.history_questions),
    _handled(Shutdown, daemon.shutdown, runs="loop"),
)

CALLS = {handled.call_type.call_name: handled for handled in _ALL}
