"""A project tree that changes in every way a person, an editor and git change one."""

import os
import shutil
import subprocess
from pathlib import Path

FOLDERS = ("", "docs", "docs/memory", "docs/adr", "archi/App/specs", "archi/App/specs/tasks", "노트")
NAMES = (
    "CHANGELOG.md", "ISSUES.md", "rules.md", "workflow.md", "DASHBOARD.md", "README.md", "readme.md", "a b.md",
    "a_b.md", "회의록.md", "guide.adoc", "notes.txt", "manual.rst", "cto-risk.md", "cto-wbs.md", "cfo-budget.md",
    "ios_dev-tasks.md", "0001-use-sqlite.md", "picture.png", "main.swift",
)  # fmt: skip
PIECES = (
    "# 프로젝트 안내\n\n이 문서는 프로젝트의 결정을 모은다.\n",
    "## [2026-03-28] 로그인 오류 수정\n\n- 구현: iOS 로그인 토큰 갱신을 고쳤다.\n",
    "## [2026-03-29] 보안 정책 결정\n\n결정: auth를 서버에서만 검증한다. RLS를 켠다.\n",
    "## ISSUE-12: 앱이 멈춘다\n\n- 상태: OPEN\n- 심각도: HIGH\n\nSwiftUI 목록에서 스크롤하면 멈춘다.\n",
    "## ISSUE-13: timeout in getUserName\n\n- 상태: CLOSED\n\nfixed in 1.0.21, see docs/rules.md\n",
    "## 배포 절차\n\n1. 빌드\n2. 검증\n\n```sh\nmake release VERSION=1.2.0\n```\n",
    "### 세부 사항\n\n| 이름 | 값 |\n|---|---|\n| timeout | 30 |\n",
    "- [ ] 로그인 화면 @ios_dev\n  - [x] 버튼\n- [x] 목록 화면\n",
    "---\ntitle: 기록\ntags: [security, ios]\nstatus: accepted\n---\n",
    "plain words about the memory daemon and its search index\n\n프로젝트메모리데몬을재시작한다\n",
    "= AsciiDoc 제목\n\n== 둘째 절\n\n----\ncode block\n----\n",
    "\n\n\n",
    "한 줄짜리 글",
    "| R1 | 일정 지연 | 높음 |\n|---|---|---|\n",
    "same text everywhere\n",
)
PROBE_NAME = "zqprobe.md"
PROBE_TEXT = "zqprobe 언제나 같은 글"
ENCODINGS = ("utf-8", "utf-8", "utf-8", "utf-8-sig", "utf-16", "cp949")
QUERIES = (
    "로그인 오류", "보안 정책 결정", "getUserName", "1.0.21", "memory daemon search", "배포 절차",
    "same text everywhere", '"토큰 갱신"', "메모리", "없는말이다", "ISSUE-12", "timeout", "readme", "sqlite", "zqprobe",
)  # fmt: skip


def git(root: Path, *arguments: str) -> None:
    """Real git, with an identity of its own and nobody's configuration."""
    subprocess.run(
        ["git", "-c", "user.name=T", "-c", "user.email=t@example.org", "-c", "commit.gpgsign=false", *arguments],
        cwd=root,
        check=True,
        capture_output=True,
        env={**os.environ, "GIT_CONFIG_GLOBAL": "/dev/null", "GIT_CONFIG_SYSTEM": "/dev/null"},
    )


class Tree:
    """The project's folder; every method leaves a tree that exists.

    It begins with `documents` in all its folders, some of which are others on the other branch.
    """

    def __init__(self, root: Path, *, documents: int = 0) -> None:
        self.root = root
        root.mkdir(parents=True)
        git(root, "init", "-q", "-b", "main")
        (root / ".gitignore").write_text("build/\n*.log\n")
        self._fill(range(documents))
        git(root, "add", ".")
        git(root, "commit", "-qm", "begin")
        git(root, "checkout", "-q", "-b", "other")
        self._fill(range(documents // 2, documents + documents // 2))
        git(root, "add", ".")
        git(root, "commit", "-q", "--allow-empty", "-m", "begin otherwise")
        git(root, "checkout", "-q", "main")

    def _fill(self, numbers: range) -> None:
        for number in numbers:
            pieces = [PIECES[(number * step + step) % len(PIECES)] for step in (1, 7, 11)]
            name = NAMES[(number * 3 + number // len(NAMES)) % len(NAMES)]
            self.write(FOLDERS[number % len(FOLDERS)], name, pieces, ENCODINGS[number % len(ENCODINGS)])

    def documents(self) -> list[Path]:
        """Whatever is not a file of settings or ignore rules."""
        return [path for path in self.files() if not path.name.startswith(".") and path.name != PROBE_NAME]

    def files(self) -> list[Path]:
        return sorted(
            path
            for path in self.root.rglob("*")
            if path.is_file() and not {".git", ".consigliere"} & set(path.relative_to(self.root).parts)
        )

    def folders(self) -> list[Path]:
        return sorted(
            path
            for path in self.root.rglob("*")
            if path.is_dir() and not {".git", ".consigliere"} & set(path.relative_to(self.root).parts)
        )

    def write(self, folder: str, name: str, pieces: list[str], encoding: str) -> None:
        path = self.root / folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes("".join(pieces).encode(encoding))

    def save_atomically(self, path: Path, text: str) -> None:
        temporary = path.with_name(path.name + "~tmp")
        temporary.write_text(text)
        temporary.rename(path)

    def touch_probe(self, number: int) -> None:
        """Edit a file behind a section that stays as it is: its old chunk goes, an equal one comes."""
        path = self.root / PROBE_NAME
        beginning = f"{PROBE_TEXT}\n\n"
        if not path.is_file() or not path.read_text().startswith(beginning):
            path.unlink(missing_ok=True)
            path.write_text(beginning)
        self.append(path, f"## 덧붙임 {number}\n\n{PROBE_TEXT} 다음 {number}\n\n")

    def append(self, path: Path, text: str) -> None:
        with path.open("ab") as file:
            file.write(text.encode())

    def rename(self, path: Path, folder: str, name: str) -> None:
        target = self.root / folder / name
        target.parent.mkdir(parents=True, exist_ok=True)
        if not target.is_dir():
            path.replace(target)

    def move_folder(self, path: Path, name: str) -> None:
        target = path.with_name(name)
        if not target.exists():
            path.rename(target)

    def delete(self, path: Path) -> None:
        if path.is_dir():
            shutil.rmtree(path)
        else:
            path.unlink()

    def commit_and_switch(self) -> None:
        git(self.root, "add", "-A")
        git(self.root, "commit", "-q", "--allow-empty", "-m", "step")
        result = subprocess.run(
            ["git", "symbolic-ref", "--short", "HEAD"], cwd=self.root, capture_output=True, text=True
        )
        git(self.root, "checkout", "-q", "other" if result.stdout.strip() == "main" else "main")
