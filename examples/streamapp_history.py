"""The history of the streamapp sample: who changed what on which day, as data for build_history."""

from examples.history_steps import Draft, Step

AUTHORS = {
    "오민재": "minjae",
    "윤서진": "seojin",
    "정하람": "haram",
    "배수아": "sua",
    "노지훈": "jihun",
    "임다온": "daon",
    "한유림": "yurim",
    "서강민": "gangmin",
    "문채원": "chaewon",
    "조이안": "ian",
    "백도현": "dohyeon",
    "신가을": "gaeul",
    "고은결": "eungyeol",
    "장해솔": "haesol",
    "류시온": "sion",
}

SPECS = "archi/StreamApp/specs"
DOWNLOAD = "feature/offline-download"
CHAT = "feature/live-chat"
LAUNCH_DAY = (("2026-05-11", "2026-04-20"),)
SUPABASE = (("PostgreSQL 16", "Supabase"),)
JWT_LINES = "2. 2026-02-24 JWT, access 15분, refresh 14일\n"
ROTATION_LINES = "3. 2026-03-18 rotation, refresh 7일, 재사용 감지\n"
SPACE_CHECK = """        if (storage.freeBytes() < MINIMUM_FREE_BYTES) {
            return Result.failure(reason("not_enough_space"))
        }
"""
LOGIN_MOCKUP = """# 로그인 화면 시안

## 시안 A
소셜 로그인 세 개를 가로로 놓는다.

## 시안 B
소셜 로그인을 애플, 카카오, 구글 순서로 세로로 놓는다. 2026-02-06에 채택했다.
"""
SESSION_TS = """// Server sessions in a cookie.
import session from "express-session";

export const cookieSession = session({ name: "sid", secret: process.env.SESSION_SECRET, resave: false });
"""
CHAT_DESIGN = """# 라이브 채팅 설계

## 전송
WebSocket 하나로 받고 한 방송의 메시지를 초당 20개까지 묶어 보낸다.

## 신고와 차단
세 번 신고된 메시지는 먼저 가리고 운영자가 확인한다.
"""
CHAT_TS = """// Collects chat messages and sends them in batches.
export const MESSAGES_PER_SECOND = 20;
"""


def _kept(*sources: str) -> tuple[Draft, ...]:
    return tuple(Draft(source) for source in sources)


def _specs(level: str, *names: str) -> tuple[Draft, ...]:
    return tuple(Draft(f"{SPECS}/{level}-{name}.md") for name in names)


def _tasks(is_unchecked: bool) -> tuple[Draft, ...]:
    workers = ("ios", "android", "api", "web", "db")
    return tuple(Draft(f"{SPECS}/tasks/{worker}_dev-tasks.md", is_unchecked=is_unchecked) for worker in workers)


PHASE_1 = (
    Step(
        "2026-02-02",
        "오민재",
        "docs: 프로젝트 시작",
        (
            Draft("README.md", swaps=SUPABASE),
            *_kept(".gitignore", ".gitattributes"),
            Draft("docs/legacy/기획서-초안.txt", path="docs/기획서-초안.txt"),
        ),
    ),
    Step(
        "2026-02-04",
        "정하람",
        "repo: 모노레포 구조와 규칙",
        (Draft("docs/memory/project-overview.md", swaps=LAUNCH_DAY),),
    ),
    Step("2026-02-05", "윤서진", "docs: 작업 흐름", (Draft("CLAUDE.md", swaps=LAUNCH_DAY), *_kept("docs/workflow.md"))),
    Step("2026-02-06", "장해솔", "design: 로그인 화면 시안", texts=(("docs/design/login-mockup.md", LOGIN_MOCKUP),)),
    Step(
        "2026-02-09",
        "백도현",
        "adr: Supabase 채택",
        (Draft("docs/adr/0001-supabase.md", swaps=(("superseded by ADR-0010", "accepted"),)),),
    ),
    Step(
        "2026-02-10",
        "문채원",
        "api: 세션 쿠키 로그인",
        (Draft("docs/memory/decisions-auth.md", swaps=((JWT_LINES, ""), (ROTATION_LINES, ""))),),
        texts=(("src/api/session.ts", SESSION_TS),),
    ),
    Step("2026-02-11", "정하람", "adr: HLS만 지원", _kept("docs/adr/0002-hls-only.md")),
    Step(
        "2026-02-12",
        "한유림",
        "ios: SwiftUI와 MVVM",
        (
            *_kept("docs/adr/0003-ios-mvvm.md"),
            Draft(
                "src/ios/PlayerViewModel.swift",
                path="src/ios/PlayerModel.swift",
                swaps=(("PlayerViewModel", "PlayerModel"),),
            ),
        ),
    ),
    Step("2026-02-13", "서강민", "android: Compose와 Room", _kept("docs/adr/0004-android-compose-room.md")),
    Step("2026-02-16", "문채원", "api: Express로 시작", _kept("docs/adr/0005-express.md"), issue_count=1),
    Step(
        "2026-02-18",
        "한유림",
        "ios: 첫 재생",
        (Draft("docs/design/player.md", path="docs/player.md"),),
        moves=(("src/ios/PlayerModel.swift", "src/ios/PlayerViewModel.swift"),),
        issue_count=2,
    ),
    Step(
        "2026-02-20",
        "문채원",
        "api: 인코딩 파이프라인",
        (
            Draft("docs/guide/streaming-guide.adoc", path="docs/streaming-guide.adoc"),
            *_kept("docs/memory/glossary.md", "src/ios/PlayerViewModel.swift"),
        ),
        issue_count=3,
    ),
    Step(
        "2026-02-24",
        "문채원",
        "api: 인증을 JWT로 전환",
        (
            *_kept("docs/adr/0006-jwt-auth.md", "src/api/auth.ts", "src/ios/AuthService.swift"),
            Draft("docs/memory/decisions-auth.md", swaps=((ROTATION_LINES, ""),)),
        ),
        removes=("src/api/session.ts",),
        issue_count=4,
    ),
    Step("2026-02-26", "백도현", "db: 모든 테이블에 RLS", _kept("src/db/migrate.py"), issue_count=5),
    Step(
        "2026-02-27",
        "류시온",
        "release: 0.1.0",
        (Draft("docs/checklist-release.md", is_unchecked=True),),
        tag="v0.1.0",
    ),
    Step("2026-03-02", "백도현", "api: 한글 초성 검색", _kept("docs/design/search.md"), issue_count=6),
    Step("2026-03-04", "조이안", "web: 첫 플레이어", _kept("src/web/player.ts"), issue_count=7),
    Step("2026-03-05", "임다온", "docs: 사용자 인터뷰", _kept("docs/notes/user-interview.txt")),
    Step("2026-03-06", "배수아", "ops: 금요일 배포 금지와 당직 안내", _kept("docs/ops/oncall.md")),
)

PHASE_2 = (
    Step("2026-03-08", "윤서진", "docs: 오프라인 다운로드 토론", _kept("docs/debate-offline-drm.md")),
    Step(
        "2026-03-09",
        "정하람",
        "archi: Phase 2 명세와 작업 분할",
        (
            *_kept("docs/spec/clevel-spec-flow.md"),
            *_specs("cto", "spec", "wbs", "gantt", "raci", "risk"),
            *_specs("coo", "spec", "wbs", "raci"),
            *_tasks(is_unchecked=True),
            Draft(
                "docs/DASHBOARD.md",
                swaps=(("갱신: 2026-04-10", "갱신: 2026-03-09"), ("31일 (2026-05-11)", "42일 (2026-04-20)")),
            ),
        ),
    ),
    Step(
        "2026-03-10",
        "노지훈",
        "archi: CFO 명세, DRM 결정",
        (
            *_kept("docs/adr/0007-offline-drm.md", "docs/guide/drm-glossary.adoc"),
            Draft(f"{SPECS}/cfo-spec.md", swaps=(("10,900원", "9,900원"),)),
            *_specs("cfo", "wbs", "raci"),
        ),
    ),
    Step(
        "2026-03-11",
        "고은결",
        "security: 로그 마스킹과 점검표",
        (Draft("docs/checklist-security.md", is_unchecked=True), *_specs("cmo", "spec", "wbs", "raci", "gtm")),
        issue_count=9,
    ),
    Step("2026-03-12", "한유림", "ios: 최소 버전 17", (Draft(f"{SPECS}/cto-adr.md"),), issue_count=10),
    Step(
        "2026-03-13",
        "류시온",
        "release: 0.2.0",
        (Draft("docs/legacy/qa-report.md", path="docs/qa-report.md"),),
        removes=("docs/design/login-mockup.md",),
        tag="v0.2.0",
    ),
    Step("2026-03-15", "류시온", "ops: 재생 장애 회고", _kept("docs/ops/incident-2026-03-14.md")),
    Step(
        "2026-03-16",
        "류시온",
        "api: CDN 이중화",
        (
            *_kept("docs/adr/0008-dual-cdn.md", "docs/ops/runbook-playback.md"),
            Draft("src/api/playback.ts", swaps=(("MAX_DEVICES = 3", "MAX_DEVICES = 2"),)),
        ),
    ),
    Step(
        "2026-03-17",
        "서강민",
        "android: 다운로드 작업",
        (Draft("src/android/DownloadWorker.kt", swaps=((SPACE_CHECK, ""),)),),
        branch=DOWNLOAD,
    ),
    Step(
        "2026-03-18",
        "고은결",
        "api: refresh token rotation",
        _kept("docs/debate-auth-token.md", "docs/memory/decisions-auth.md", "docs/api/auth.md"),
        issue_count=11,
    ),
    Step(
        "2026-03-18",
        "한유림",
        "ios: 오프라인 다운로드 설계",
        (Draft("docs/design/offline-download.md", swaps=(("다운로드한 날부터 30일", "다운로드한 날부터 7일"),)),),
        branch=DOWNLOAD,
        hour=19,
    ),
    Step(
        "2026-03-19",
        "문채원",
        "api: 협업 필터링 추천",
        _kept("docs/adr/0009-recommendation.md", "docs/design/recommendation.md"),
    ),
    Step("2026-03-20", "정하람", "Merge branch 'feature/offline-download'", merges=DOWNLOAD, issue_count=12, hour=11),
    Step("2026-03-20", "한유림", "docs: 다운로드 보관 기간 30일", _kept("docs/design/offline-download.md")),
    Step(
        "2026-03-23",
        "문채원",
        "api: 결제 웹훅 멱등 처리",
        _kept("docs/api/billing.md", "src/db/0007_payment_events.sql", "docs/memory/vendor-cdn.md"),
        issue_count=16,
    ),
    Step(
        "2026-03-24",
        "백도현",
        "db: 자체 운영 PostgreSQL로 이전",
        _kept(
            "docs/adr/0001-supabase.md", "docs/adr/0010-self-hosted-postgres.md", "docs/ops/runbook-db.md", "README.md"
        ),
    ),
    Step(
        "2026-03-26",
        "문채원",
        "api: 동시 시청 3대",
        _kept("src/api/playback.ts", "docs/api/streaming.md"),
        issue_count=18,
    ),
    Step("2026-03-27", "노지훈", "archi: 구독료 10,900원", _specs("cfo", "spec", "budget")),
    Step(
        "2026-03-28",
        "고은결",
        "security: 1차 점검 결과",
        _kept("docs/checklist-security.md", "docs/debate-agent-management.md"),
        issue_count=21,
    ),
    Step("2026-03-29", "윤서진", "docs: 에이전트 관리 권한 변경", _kept("docs/memory/people.md")),
    Step("2026-03-30", "신가을", "test: 커버리지 기준 80%", _kept("AGENTS.md", "docs/memory/회의록-2026-03.md")),
    Step(
        "2026-03-31",
        "오민재",
        "docs: 출시일 연기, 옛 문서 정리",
        (*_kept("CLAUDE.md"), *_specs("cfo", "risk"), *_specs("coo", "risk"), *_specs("cmo", "risk")),
        moves=(
            ("docs/기획서-초안.txt", "docs/legacy/기획서-초안.txt"),
            ("docs/qa-report.md", "docs/legacy/qa-report.md"),
        ),
    ),
    Step("2026-04-02", "장해솔", "design: 접근성 기준", _kept("docs/checklist-appstore.md"), issue_count=22),
    Step(
        "2026-04-03",
        "류시온",
        "release: 0.3.0-beta",
        (*_kept("docs/memory/lessons-release.md"), *_specs("cfo", "status", "gantt"), *_specs("cmo", "gantt")),
        tag="v0.3.0-beta",
    ),
    Step(
        "2026-04-06",
        "조이안",
        "docs: 가이드와 설계를 제자리로",
        _kept("docs/guide/player-sdk.rst", "docs/memory/user-feedback.md"),
        moves=(
            ("docs/player.md", "docs/design/player.md"),
            ("docs/streaming-guide.adoc", "docs/guide/streaming-guide.adoc"),
        ),
        issue_count=23,
    ),
    Step(
        "2026-04-08",
        "서강민",
        "android: 저장 공간 부족 크래시 수정",
        (*_kept("src/android/DownloadWorker.kt"), *_specs("coo", "status", "gantt")),
        issue_count=26,
    ),
    Step(
        "2026-04-09",
        "정하람",
        "adr: LL-HLS 제안, Fastify 기각",
        (*_kept("docs/adr/0011-ll-hls.md", "docs/adr/0012-fastify.md"), *_tasks(is_unchecked=False)),
        issue_count=28,
    ),
    Step(
        "2026-04-09",
        "문채원",
        "api: 라이브 채팅 시험",
        texts=(("docs/design/live-chat.md", CHAT_DESIGN),),
        branch=CHAT,
        hour=20,
    ),
    Step("2026-04-10", "윤서진", "docs: Phase 2 회고", is_last=True),
    Step("2026-04-10", "문채원", "api: 채팅 묶음 전송", texts=(("src/api/chat.ts", CHAT_TS),), branch=CHAT, hour=21),
)

STEPS = (*PHASE_1, *PHASE_2)
