"""Handles search."""

import time

from consiglierd.errors import BadRequest
from consiglierd.model.ids import Revision
from consiglierd.model.query import Query
from consiglierd.serve.to_wire import filters_from_wire, search_reply
from consiglierd.serve.visit import Visit
from consigliere.protocol.search import Search, SearchReply

MAX_LIMIT = 1000


def search_waits(call: Search) -> bool:
    return call.fresh or call.after_revision is not None


def search(call: Search, visit: Visit) -> SearchReply:
    started = time.monotonic()
    workspace = visit.workspace()
    if call.fresh:
        workspace.settle(visit.deadline)
    if call.after_revision is not None:
        workspace.wait_for_revision(Revision(call.after_revision), visit.deadline)
    limit = call.limit if call.limit is not None else workspace.defaults().default_top_k
    result = workspace.search(_query(call, limit), visit.deadline)
    took_ms = (time.monotonic() - started) * 1000
    return search_reply(call.query, workspace.root, result, workspace.lag(), took_ms)


def _query(call: Search, limit: int) -> Query:
    if not 1 <= limit <= MAX_LIMIT:
        raise BadRequest(f"a search gives 1 to {MAX_LIMIT} hits, not {limit}", cure="change the limit")
    return Query(
        text=call.query,
        limit=limit,
        filters=filters_from_wire(call.filters),
        role=call.role,
        min_score=call.min_score,
        explain=call.explain,
        full=call.full,
    )
