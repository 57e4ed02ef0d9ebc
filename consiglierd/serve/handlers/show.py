"""Handles show."""

from consiglierd.errors import BadRequest
from consiglierd.serve.to_wire import show_reply
from consiglierd.serve.visit import Visit
from consigliere.protocol.search import Show, ShowReply


def show(call: Show, visit: Visit) -> ShowReply:
    first, last = call.line_start, call.line_end
    if (first is not None and first < 1) or (last is not None and last < (first or 1)):
        raise BadRequest(f"there are no lines {first or 1}-{last or ''}", cure="lines count from 1, the first first")
    if call.section and first is None:
        raise BadRequest("a section is found by a line in it", cure="name a line")
    return show_reply(visit.workspace().show(call.file, first, last, section=call.section, deadline=visit.deadline))
