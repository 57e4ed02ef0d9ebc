"""Handles search."""

import datetime
import time

from consiglierd.errors import BadRequest
from consiglierd.model.ids import Revision
from consiglierd.model.query import Query
from consiglierd.serve.to_wire import filters_from_wire, search_reply
from consiglierd.serve.visit import Visit
from consigliere.protocol.search import Filters, Search, SearchReply

MAX_LIMIT = 1000
MAX_FILTER_VALUES = 100
# Each is compiled, and takes half a megabyte of the daemon's.
MAX_PATH_GLOBS = 20


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
    _check_filters(call.filters)
    if call.min_score is not None and not 0.0 <= call.min_score <= 1.0:
        raise BadRequest("the minimum score is a number from 0 to 1", cure="change the minimum score")
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


def _check_filters(filters: Filters) -> None:
    for name, values, limit in (
        ("type", filters.types, MAX_FILTER_VALUES),
        ("tag", filters.tags, MAX_FILTER_VALUES),
        ("status", filters.statuses, MAX_FILTER_VALUES),
        ("path", filters.path_globs, MAX_PATH_GLOBS),
    ):
        if len(values) > limit:
            raise BadRequest(f"at most {limit} values of the filter {name} are taken, not {len(values)}")
    for name, day in (("after", filters.after), ("before", filters.before)):
        if day is not None and not _is_day(day):
            raise BadRequest(f"{name} must be a day like 2026-03-28, not {day[:40]!r}", cure="change the date")


def _is_day(text: str) -> bool:
    try:
        return datetime.date.fromisoformat(text).isoformat() == text
    except ValueError:
        return False
