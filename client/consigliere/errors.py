"""What can go wrong on the client's side; each knows the exit status it ends a command with.

ConsigliereError
├── UsageError           2   the command line or the input is wrong
├── DaemonUnreachable    3   no daemon answers, and none could be started
└── CallFailed           4   the daemon refused or failed (2 where it found the input wrong)
"""

from __future__ import annotations

BAD_INPUT_CODES = ("bad_request", "not_found", "settings_invalid")


class ConsigliereError(Exception):
    """`message` says what happened, to what; `cure` what to do next; `code` is for scripts."""

    exit_status = 4
    code = "internal"

    def __init__(self, message: str, cure: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.cure = cure


class UsageError(ConsigliereError):
    exit_status = 2
    code = "usage"


class DaemonUnreachable(ConsigliereError):
    """`kind` is `refused` (nobody listens), `silent` (the time ran out), `broken` (the peer speaks
    something else or went away), `unsafe` (others may write where the socket is) or `unstartable`."""

    exit_status = 3
    code = "unreachable"

    def __init__(self, message: str, kind: str, cure: str = "see `consigliere logs` and `consigliere doctor`") -> None:
        super().__init__(message, cure)
        self.kind = kind


class CallFailed(ConsigliereError):
    """A failure that the daemon answered with; `code` is one of the protocol's."""

    def __init__(self, code: str, message: str, cure: str, retry_after_ms: int | None) -> None:
        super().__init__(message, cure)
        self.code = code
        self.retry_after_ms = retry_after_ms
        self.exit_status = 2 if code in BAD_INPUT_CODES else 4
