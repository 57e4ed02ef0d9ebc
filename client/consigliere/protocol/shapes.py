"""The messages as plain dicts, for type checking only: never imported when the client runs.

The fields are those of the Structs beside this file; a test holds the two equal, and mypy holds
every access of the client to these.
"""

from typing import NotRequired, TypedDict


class FiltersShape(TypedDict, total=False):
    types: list[str]
    after: str | None
    before: str | None
    tags: list[str]
    statuses: list[str]
    path_globs: list[str]


class SearchParams(TypedDict):
    query: str
    limit: NotRequired[int | None]
    filters: NotRequired[FiltersShape]
    role: NotRequired[str | None]
    min_score: NotRequired[float | None]
    explain: NotRequired[bool]
    full: NotRequired[bool]
    fresh: NotRequired[bool]
    after_revision: NotRequired[int | None]


class ScoresShape(TypedDict):
    base: float
    vector: float | None
    bm25: float | None
    role: float
    room: float


class PlaceShape(TypedDict):
    file: str
    line_start: int


class AnnotationShape(TypedDict):
    kind: str
    text: str
    file: str
    line: int


class TermMatchShape(TypedDict):
    term: str
    idf: float
    count: int
    weight: float


class ExplanationShape(TypedDict):
    terms: list[TermMatchShape]
    coverage: float
    length: int
    average_length: float
    role: str
    room: str
    next_lower: str


class HitShape(TypedDict):
    file: str
    line_start: int
    line_end: int
    heading: str
    text: str
    truncated: bool
    kind: str
    symbol: str | None
    file_type: str
    date: str | None
    tags: list[str]
    status: str | None
    rooms: list[str]
    score: float
    scores: ScoresShape
    digest: str
    commit: str | None
    also: list[PlaceShape]
    annotations: list[AnnotationShape]
    metadata: dict[str, str]
    explanation: ExplanationShape | None


class SearchReplyShape(TypedDict):
    query: str
    workspace: str
    revision: int
    at: str | None
    pinned: str | None
    took_ms: float
    lag: dict[str, int]
    partial: list[str]
    withheld: int
    reason: str | None
    reason_code: str | None
    hits: list[HitShape]


class ShowParams(TypedDict):
    file: str
    line_start: NotRequired[int | None]
    line_end: NotRequired[int | None]
    section: NotRequired[bool]


class ShowReplyShape(TypedDict):
    file: str
    line_start: int
    line_end: int
    line_count: int
    text: str
    digest: str
    encoding: str
    file_type: str
    is_current: bool
    revision: int


class AnswerLinesShape(TypedDict):
    file: str
    line_start: int
    line_end: int


class LabelledQuestionShape(TypedDict):
    question: str
    answers: list[AnswerLinesShape]
    role: str | None
    language: str


class EvaluateParams(TypedDict):
    questions: list[LabelledQuestionShape]


class SideMeasuresShape(TypedDict):
    side: str
    ndcg: float
    ndcg_low: float
    ndcg_high: float
    recall: float
    mrr: float


class GainShape(TypedDict):
    over: str
    mean: float
    low: float
    high: float


class GroupMeasuresShape(TypedDict):
    name: str
    answerable: int
    unanswerable: int
    sides: list[SideMeasuresShape]
    gains: list[GainShape]
    lost: float | None
    false_answers: float | None


class EvaluateReplyShape(TypedDict):
    groups: list[GroupMeasuresShape]
    alpha: float
    beta: float
    min_score: float
    notes: list[str]


class TuneReplyShape(TypedDict):
    alpha: float
    beta: float
    alpha_before: float
    beta_before: float
    questions: int
    gain: GainShape
    is_adopted: bool
    reason: str


class HistoryQuestionsReplyShape(TypedDict):
    questions: list[LabelledQuestionShape]
    files_read: int
    files_total: int


class NoParams(TypedDict):
    pass


class IndexParams(TypedDict, total=False):
    paths: list[str]
    rebuild: bool


class IndexReplyShape(TypedDict):
    ticket: int


class IndexProgressParams(TypedDict):
    ticket: int
    wait_ms: NotRequired[int]


class IndexProgressReplyShape(TypedDict):
    is_done: bool
    files_done: int
    files_total: int
    revision: int
    lag: dict[str, int]
    problems: int
    obstacle: str | None


class SettleReplyShape(TypedDict):
    revision: int


class HelloParams(TypedDict, total=False):
    client_version: str


class HelloReplyShape(TypedDict):
    version: str
    protocol: int
    pid: int
    started_at: str
    events_endpoint: str
    log_file: str
    state_directory: str


class LeftOutCountShape(TypedDict):
    reason: str
    count: int
    examples: list[str]


class FileProblemShape(TypedDict):
    file: str
    code: str
    message: str


class StatusReplyShape(TypedDict):
    root: str
    state: str
    watching: str
    revision: int
    lag: dict[str, int]
    files: int
    chunks: int
    stale_files: int
    pending_files: int
    size_bytes: int
    last_indexed_at: str | None
    models: dict[str, str]
    pinned: str | None
    types: dict[str, int]
    left_out: list[LeftOutCountShape]
    problems: list[FileProblemShape]
    warnings: list[str]
    version: str
    pid: int


class WorkspaceLineShape(TypedDict):
    root: str
    is_open: bool
    state: str
    files: int
    chunks: int


class WorkspacesReplyShape(TypedDict):
    workspaces: list[WorkspaceLineShape]


class ForgetReplyShape(TypedDict):
    removed: list[str]


class SettingLineShape(TypedDict):
    name: str
    value: str
    source: str
    help: str


class ConfigReplyShape(TypedDict):
    settings: list[SettingLineShape]
    problems: list[str]


class FindingShape(TypedDict):
    level: str
    subject: str
    message: str
    cure: str


class DoctorReplyShape(TypedDict):
    findings: list[FindingShape]


class ShutdownParams(TypedDict, total=False):
    reason: str


class ShutdownReplyShape(TypedDict):
    pid: int


class EventShape(TypedDict):
    serial: int
    topic: str
    root: str
    at: str
    detail: dict[str, str | int | float | bool | None]


class EventsSinceParams(TypedDict, total=False):
    serial: int
    wait_ms: int


class EventsSinceReplyShape(TypedDict):
    events: list[EventShape]
    last_serial: int
    is_complete: bool


class FailureShape(TypedDict):
    code: str
    message: str
    cure: str | None
    retryable: bool
    retry_after_ms: int | None
