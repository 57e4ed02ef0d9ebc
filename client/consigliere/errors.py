"""What can go wrong for a client, each with a code, a cure and the exit status of the command line.

ClientError
├── UsageError         usage        2   the command line or the input is wrong
├── Unreachable        unreachable  3   no daemon answers
│   ├── DaemonAbsent   unreachable  3   nothing listens at the socket
│   ├── NotADaemon     unreachable  3   something listens, and speaks another language
│   └── TimedOut       unreachable  3   connected, and no answer came in time
├── CannotStart        cannot_start 3   the daemon could not be started
└── FailureReceived    its own      4   the daemon refused or failed (2 for bad_request and not_found)
"""

from __future__ import annotations

BAD_INPUT_CODES = ("bad_request", "not_found")


class ClientError(Exception):
    """`message` says what happened and to what; `cure` what to do next; shown to people as they are."""

    code = "internal"
    exit_status = 4

    def __init__(self, message: str, cure: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.cure = cure


class UsageError(ClientError):
    code = "usage"
    exit_status = 2


class Unreachable(ClientError):
    code = "unreachable"
    exit_status = 3


class DaemonAbsent(Unreachable):
    pass


class NotADaemon(Unreachable):
    pass


class TimedOut(Unreachable):
    pass


class CannotStart(ClientError):
    code = "cannot_start"
    exit_status = 3


class FailureReceived(ClientError):
    """The daemon answered with a failure; `code` is one of protocol/codes.py."""

    def __init__(
        self,
        message: str,
        cure: str | None,
        *,
        code: str,
        is_retryable: bool = False,
        retry_after_ms: int | None = None,
    ) -> None:
        super().__init__(message, cure)
        self.code = code
        self.is_retryable = is_retryable
        self.retry_after_ms = retry_after_ms
        self.exit_status = 2 if code in BAD_INPUT_CODES else 4
