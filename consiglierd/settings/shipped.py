"""The rooms and roles that are in force until a settings file says otherwise."""

from collections.abc import Mapping

from consiglierd.settings.schema import RoleSettings

ROOMS: Mapping[str, tuple[str, ...]] = {
    "ios": ("swift", "swiftui", "xcode", "ios_dev", "contentview"),
    "android": ("kotlin", "gradle", "android", "room", "manifest"),
    "security": ("rls", "auth", "injection", "owasp", "cve", "sanitize"),
    "api": ("endpoint", "route", "express", "node", "api"),
    "db": ("schema", "migration", "supabase", "postgres", "sqlite"),
    "architecture": ("mvvm", "mvp", "clean", "architect", "pattern"),
    "history": ("changelog", "completed", "resolved", "fixed"),
}


def _role(name: str, weights: Mapping[str, float], rooms: tuple[str, ...], *aliases: str) -> tuple[str, RoleSettings]:
    return name, RoleSettings(group=name, aliases=aliases, rooms=rooms, weights=weights)


_DIRECTOR = {"dashboard": 1.5, "workflow": 1.4, "rules": 1.3, "changelog": 1.3, "claude": 0.8, "checklist": 0.9}
_PM = {"dashboard": 1.5, "workflow": 1.4, "issues": 1.3, "claude": 0.8}
_SYSTEM = {"changelog": 1.5, "rules": 1.4, "workflow": 1.3, "debate": 1.3, "memory": 0.8, "dashboard": 0.9}
_DATA = {"changelog": 1.5, "rules": 1.3, "issues": 1.3, "memory": 0.9}
_CLOUD = {"rules": 1.5, "changelog": 1.4, "memory": 0.8}
_API = {"changelog": 1.5, "issues": 1.4, "claude": 1.3, "dashboard": 0.8, "memory": 0.8}
_DATABASE = {"changelog": 1.5, "rules": 1.4, "issues": 1.3, "dashboard": 0.8}
_WEB = {"changelog": 1.5, "claude": 1.4, "issues": 1.3, "rules": 1.3, "dashboard": 0.8}
_MOBILE = {
    "changelog": 1.5,
    "rules": 1.4,
    "claude": 1.4,
    "issues": 1.3,
    "checklist": 1.2,
    "dashboard": 0.7,
    "memory": 0.8,
}
_DESIGN = {"rules": 1.4, "issues": 1.3, "changelog": 1.3, "memory": 0.8}
_SECURITY = {"rules": 1.5, "issues": 1.5, "changelog": 1.3, "debate": 1.3, "memory": 0.8, "dashboard": 0.9}
_TEST = {"issues": 1.5, "changelog": 1.4, "checklist": 1.3, "workflow": 1.3, "memory": 0.8, "claude": 0.9}
_OPERATIONS = {"workflow": 1.5, "rules": 1.4, "changelog": 1.3, "memory": 0.8}
_WRITER = {"changelog": 1.5, "rules": 1.3, "workflow": 1.3}
_OFFICE = {"dashboard": 1.5, "rules": 1.4, "changelog": 1.3, "claude": 0.8}
_CTO = {"adr": 1.5, "tech-debt": 1.5, "spec": 1.4, "wbs": 1.4, "risk": 1.3, "status": 1.3}
_CFO = {"budget": 1.5, "dashboard": 1.4, "status": 1.4, "risk": 1.3}
_CMO = {"gtm": 1.5, "dashboard": 1.4, "changelog": 1.3}
_COO = {"risk": 1.5, "raci": 1.5, "status": 1.4, "workflow": 1.4, "gantt": 1.3}

ROLES: Mapping[str, RoleSettings] = dict(
    (
        _role("director", _DIRECTOR, ("history",), "디렉터", "총괄"),
        _role("pm", _PM, ("history",), "project_manager", "피엠", "프로젝트 매니저"),
        _role("system_architect", _SYSTEM, ("architecture",), "architect", "시스템 아키텍트", "아키텍트"),
        _role("data_architect", _DATA, ("architecture",), "데이터 아키텍트"),
        _role("cloud_architect", _CLOUD, ("architecture",), "클라우드 아키텍트"),
        _role(
            "api_developer", _API, ("api",), "api_dev", "api", "backend", "backend_dev", "api 개발자", "백엔드 개발자"
        ),
        _role("database_developer", _DATABASE, ("db",), "database_dev", "db_developer", "db_dev", "db", "db 개발자"),
        _role("web_developer", _WEB, ("api",), "web_dev", "web", "frontend", "frontend_dev", "웹 개발자"),
        _role("ios_developer", _MOBILE, ("ios",), "ios_dev", "ios", "ios 개발자"),
        _role("android_developer", _MOBILE, ("android",), "android_dev", "android", "안드로이드 개발자"),
        _role("ui_ux", _DESIGN, (), "ui/ux", "ui_ux_designer", "uiux", "ui", "ux", "designer", "디자이너"),
        _role("security", _SECURITY, ("security",), "security_engineer", "security_dev", "보안", "보안 담당자"),
        _role("tester", _TEST, (), "qa", "qa_engineer", "test_engineer", "테스터"),
        _role("cicd", _OPERATIONS, (), "ci/cd", "ci_cd", "cicd_engineer", "devops"),
        _role("infra", _OPERATIONS, (), "infra_engineer", "infrastructure", "sre", "인프라"),
        _role("tech_writer", _WRITER, ("history",), "technical_writer", "writer", "테크니컬 라이터"),
        _role("analyst", _OFFICE, (), "data_analyst", "분석가"),
        _role("accountant", _OFFICE, (), "accounting", "회계"),
        _role("marketing", _OFFICE, (), "marketer", "마케팅", "마케터"),
        _role("cto", _CTO, ("architecture",), "최고기술책임자"),
        _role("cfo", _CFO, (), "최고재무책임자"),
        _role("cmo", _CMO, (), "최고마케팅책임자"),
        _role("coo", _COO, ("history",), "최고운영책임자"),
    )
)

# A tag per role that documents name in so many words; short names that are also ordinary words
# ("web", "api", "writer") give no tag.
TAGS: Mapping[str, tuple[str, ...]] = {
    "director": ("director", "디렉터"),
    "pm": ("pm",),
    "cto": ("cto",),
    "cfo": ("cfo",),
    "cmo": ("cmo",),
    "coo": ("coo",),
    "ios_developer": ("ios_dev", "ios_developer", "iOS 개발자"),
    "android_developer": ("android_dev", "android_developer", "안드로이드 개발자"),
    "api_developer": ("api_dev", "api_developer", "API 개발자"),
    "database_developer": ("db_dev", "database_dev", "database_developer", "DB 개발자"),
    "web_developer": ("web_dev", "web_developer", "웹 개발자"),
    "security": ("security", "보안"),
    "tester": ("tester", "qa", "테스터"),
    "infra": ("infra", "인프라"),
    "designer": ("ui_ux", "designer", "디자이너"),
}
