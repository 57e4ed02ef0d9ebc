"""Handles indexing, its progress, and waiting for the present."""

from consiglierd.serve.to_wire import progress_reply
from consiglierd.serve.visit import Visit
from consigliere.protocol.indexing import Index, IndexProgress, IndexProgressReply, IndexReply, Settle, SettleReply


def index(call: Index, visit: Visit) -> IndexReply:
    return IndexReply(ticket=visit.workspace().start_index(call.paths, rebuild=call.rebuild))


def index_progress_waits(call: IndexProgress) -> bool:
    return call.wait_ms > 0


def index_progress(call: IndexProgress, visit: Visit) -> IndexProgressReply:
    workspace = visit.workspace()
    wait_s = min(max(0, call.wait_ms) / 1000, visit.deadline.remaining_s)
    return progress_reply(workspace.index_progress(call.ticket, wait_s))


def settle_waits(call: Settle) -> bool:
    return True


def settle(call: Settle, visit: Visit) -> SettleReply:
    return SettleReply(revision=visit.workspace().settle(visit.deadline))
