"""Trees of many documents, drawn from a seed."""

import random
from pathlib import Path

WORDS = [
    "로그인",
    "보안",
    "결정",
    "서버",
    "배포",
    "메모리",
    "색인",
    "검색",
    "문서",
    "회의",
    "일정",
    "위험",
    "토큰",
    "갱신",
    "오류",
    "수정",
    "구현",
    "화면",
    "목록",
    "재생",
    "영상",
    "결제",
    "계정",
    "login",
    "token",
    "refresh",
    "server",
    "deploy",
    "index",
    "search",
    "memory",
    "daemon",
    "schema",
    "migration",
    "endpoint",
    "timeout",
    "retry",
    "cache",
    "video",
    "getUserName",
    "parse_config",
    "release-notes",
    "1.0.21",
    "2.4.0",
    "SwiftUI",
    "Kotlin",
    "auth",
    "RLS",
]


def paragraph(rng: random.Random, length: int = 40) -> str:
    return " ".join(rng.choice(WORDS) for _ in range(length))


def document(rng: random.Random, sections: int = 5) -> str:
    parts = [f"# {paragraph(rng, 4)}\n\n{paragraph(rng, 20)}\n"]
    for number in range(sections):
        parts.append(
            f"\n## {paragraph(rng, 5)} {number}\n\n{paragraph(rng)}\n\n- {paragraph(rng, 8)}\n- {paragraph(rng, 8)}\n"
        )
    return "".join(parts)


def write_tree(root: Path, rng: random.Random, files: int) -> list[Path]:
    """`files` Markdown files in a few folders."""
    written = []
    for number in range(files):
        path = root / f"part-{number % 7}" / f"note-{number}.md"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(document(rng))
        written.append(path)
    return written
