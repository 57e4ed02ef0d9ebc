"""What is wrong with a workspace, and the cure."""

from collections.abc import Sequence

from consiglierd.model.status import Finding, WorkspaceStatus


def examine(status: WorkspaceStatus, warnings: Sequence[str], database_fault: str | None) -> tuple[Finding, ...]:
    """One finding a subject, the well ones too."""
    return (
        _of_state(status),
        _of_database(database_fault),
        _of_watching(status),
        *(Finding("warning", "setup", warning, "") for warning in warnings),
        *_of_files(status),
    )


def _of_state(status: WorkspaceStatus) -> Finding:
    match status.state:
        case "fresh":
            return Finding("ok", "index", f"{status.files} files, {status.chunks} chunks, nothing waits")
        case "root_missing":
            return Finding("error", "index", f"{status.root} is gone; the last index is kept", "bring the folder back")
        case "poisoned":
            return Finding("error", "index", "the indexer has given up", "consigliere restart, then consigliere logs")
        case _:
            return Finding("ok", "index", f"{status.state}: {status.pending_files} files wait")


def _of_database(fault: str | None) -> Finding:
    if fault is None:
        return Finding("ok", "database", "SQLite finds nothing wrong")
    return Finding("error", "database", fault, "consigliere forget, then consigliere index")


def _of_watching(status: WorkspaceStatus) -> Finding:
    match status.watching:
        case "polling":
            return Finding(
                "warning",
                "watching",
                "events cannot be trusted here: the folder is looked at from time to time",
                "raise fs.inotify.max_user_watches, or keep the project on a local disk",
            )
        case "off":
            return Finding("warning", "watching", "off by [index] watch = false", "set [index] watch = true")
        case mode:
            return Finding("ok", "watching", mode)


def _of_files(status: WorkspaceStatus) -> tuple[Finding, ...]:
    found: list[Finding] = []
    if status.stale_files:
        found.append(
            Finding(
                "warning",
                "files",
                f"{status.stale_files} files cannot be read; their last good text is kept",
                "give yourself the right to read them",
            )
        )
    found.extend(
        Finding("warning", problem.file, problem.message, "see the file; the rest of the project is indexed")
        for problem in status.problems[:10]
    )
    return tuple(found)
