"""Handles what is asked of the daemon itself and of a workspace as a whole."""

from consiglierd.serve.to_wire import status_reply
from consiglierd.serve.visit import Visit
from consigliere.protocol.daemon import (
    Config,
    ConfigReply,
    Doctor,
    DoctorReply,
    Finding,
    Forget,
    ForgetReply,
    Hello,
    HelloReply,
    SettingLine,
    Shutdown,
    ShutdownReply,
    Status,
    StatusReply,
    WorkspaceLine,
    Workspaces,
    WorkspacesReply,
)


def hello(call: Hello, visit: Visit) -> HelloReply:
    daemon = visit.daemon
    return HelloReply(
        version=daemon.version,
        protocol=daemon.protocol,
        pid=daemon.pid,
        started_at=daemon.started_at,
        events_endpoint=daemon.events_endpoint,
        log_file=daemon.log_file,
        state_directory=daemon.state_directory,
    )


def status(call: Status, visit: Visit) -> StatusReply:
    return status_reply(visit.workspace().status(), visit.daemon.version, visit.daemon.pid)


def workspaces(call: Workspaces, visit: Visit) -> WorkspacesReply:
    return WorkspacesReply(
        workspaces=tuple(
            WorkspaceLine(root=line.root, is_open=line.is_open, state=line.state, files=line.files, chunks=line.chunks)
            for line in visit.workspaces.lines()
        )
    )


def forget(call: Forget, visit: Visit) -> ForgetReply:
    return ForgetReply(removed=visit.workspaces.forget(visit.root))


def config(call: Config, visit: Visit) -> ConfigReply:
    workspace = visit.workspace()
    return ConfigReply(
        settings=tuple(
            SettingLine(name=setting.name, value=setting.value, source=setting.source, help=setting.help)
            for setting in workspace.settings()
        ),
        problems=workspace.settings_problems(),
    )


def doctor(call: Doctor, visit: Visit) -> DoctorReply:
    return DoctorReply(
        findings=tuple(
            Finding(level=finding.level, subject=finding.subject, message=finding.message, cure=finding.cure)
            for finding in visit.workspace().doctor()
        )
    )


def shutdown(call: Shutdown, visit: Visit) -> ShutdownReply:
    visit.daemon.ask_stop(call.reason)
    return ShutdownReply(pid=visit.daemon.pid)
