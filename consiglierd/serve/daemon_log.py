"""The daemon's log: one JSON object a line, in a file of bounded size that only its user reads."""

import logging
import logging.handlers
import os
import sys
from collections.abc import MutableMapping
from io import TextIOWrapper
from pathlib import Path

import structlog
from structlog.typing import EventDict, Processor

from consiglierd.supervisor import place_of

MAX_LOG_BYTES = 5 * 1024 * 1024
KEPT_LOGS = 1
_MAX_FOREIGN_CHARACTERS = 500


class _PrivateRotatingFile(logging.handlers.RotatingFileHandler):
    """Opens its files 0600 and never through a link; whatever cannot be encoded is escaped."""

    def _open(self) -> TextIOWrapper:
        flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW | os.O_CLOEXEC
        return os.fdopen(os.open(self.baseFilename, flags, 0o600), "a", encoding="utf-8", errors="backslashreplace")


def configure_log(path: Path, *, level: str = "info") -> logging.Handler:
    """Sends structlog's and the libraries' log lines to `path`; the handler, which the caller may close."""
    handler = _PrivateRotatingFile(path, maxBytes=MAX_LOG_BYTES, backupCount=KEPT_LOGS, delay=False)
    stamp: list[Processor] = [
        structlog.stdlib.add_log_level,
        structlog.stdlib.add_logger_name,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
    ]
    handler.setFormatter(
        structlog.stdlib.ProcessorFormatter(
            foreign_pre_chain=[*stamp, _shorten],
            processors=[
                structlog.stdlib.ProcessorFormatter.remove_processors_meta,
                _place_exception,
                structlog.processors.JSONRenderer(ensure_ascii=False),
            ],
        )
    )
    structlog.configure(
        processors=[*stamp, structlog.stdlib.ProcessorFormatter.wrap_for_formatter],
        logger_factory=structlog.stdlib.LoggerFactory(),
        wrapper_class=structlog.stdlib.BoundLogger,
        cache_logger_on_first_use=False,
    )
    root = logging.getLogger()
    root.addHandler(handler)
    root.setLevel(level.upper())
    return handler


def _place_exception(logger: object, method: str, event: MutableMapping[str, object]) -> EventDict:
    """An error's type and place instead of its message, which may quote a document."""
    raised = event.pop("exc_info", None)
    if raised is True:
        raised = sys.exc_info()
    error = raised[1] if isinstance(raised, tuple) else raised
    if isinstance(error, BaseException):
        event["failure"] = place_of(error)
    return event


def _shorten(logger: object, method: str, event: MutableMapping[str, object]) -> EventDict:
    """Lines of libraries may show their arguments at any length."""
    event["event"] = str(event["event"])[:_MAX_FOREIGN_CHARACTERS]
    return event
