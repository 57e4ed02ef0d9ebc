"""Failure codes and no-result reasons as they stand on the wire; standard library only."""

FAILURE_CODES = (
    "bad_request",
    "unknown_call",
    "upgrade_required",
    "refused",
    "not_found",
    "settings_invalid",
    "busy",
    "deadline_exceeded",
    "unavailable",
    "store_newer",
    "poisoned",
    "internal",
)

REASON_CODES = ("no_match", "below_min_score", "filtered_out", "indexing", "ignored")

EVENT_TOPICS = ("indexed", "status", "doc-request", "conflict")
