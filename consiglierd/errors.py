"""What can go wrong in the daemon, each with a code for the wire and, where there is one, a cure.

DaemonError
├── BadRequest            bad_request         the call itself is wrong
│   ├── UnknownCall       unknown_call
│   └── UpgradeRequired   upgrade_required    the caller speaks another protocol version
├── Refused               refused             we will not: another owner, the home folder, trust
├── NotFound              not_found           no such document, workspace, line
├── SettingsInvalid       settings_invalid    a wrong key or value in a settings file
├── Busy                  busy                a queue is full or a lock is held; retry later
├── DeadlineExceeded      deadline_exceeded
├── Unavailable           unavailable         the root is gone, the daemon is closing
│   ├── StorageFull       unavailable         the disk has no room for the index
│   └── EmbeddingUnavailable unavailable      vectors cannot be made now
├── StoreNewer            store_newer         the database was written by a newer version
├── Poisoned              poisoned            a part cannot be right any more
└── InternalError         internal            a fault of ours
"""


class DaemonError(Exception):
    """`message` says what happened and to what; `cure` what to do next; shown to people as they are."""

    code = "internal"
    is_retryable = False

    def __init__(self, message: str, *, cure: str | None = None, retry_after_ms: int | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.cure = cure
        self.retry_after_ms = retry_after_ms


class BadRequest(DaemonError):
    code = "bad_request"


class UnknownCall(BadRequest):
    code = "unknown_call"


class UpgradeRequired(BadRequest):
    code = "upgrade_required"


class Refused(DaemonError):
    code = "refused"


class NotFound(DaemonError):
    code = "not_found"


class SettingsInvalid(DaemonError):
    code = "settings_invalid"


class Busy(DaemonError):
    code = "busy"
    is_retryable = True


class DeadlineExceeded(DaemonError):
    code = "deadline_exceeded"
    is_retryable = True


class Unavailable(DaemonError):
    code = "unavailable"
    is_retryable = True


class StorageFull(Unavailable):
    """Nothing is damaged: what could not be written is written when there is room again."""


class EmbeddingUnavailable(Unavailable):
    """Words are searched all the same; `kind` is `down`, `slow`, `model`, `dimensions`, `garbage` or `ended`."""

    def __init__(self, message: str, *, kind: str, cure: str | None = None) -> None:
        super().__init__(message, cure=cure)
        self.kind = kind


class StoreNewer(DaemonError):
    code = "store_newer"


class Poisoned(DaemonError):
    code = "poisoned"


class InternalError(DaemonError):
    code = "internal"
