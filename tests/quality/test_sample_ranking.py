"""What the sample project answers, beside a reviewed file: a change of the ranking shows up there as a difference.

After a change that is meant: `python -m tests.quality.test_sample_ranking` writes the file anew.
"""

import random
import tempfile
from pathlib import Path

from consiglierd.ingest.docs.parse import parse_document
from tests.support.held_index import HeldIndex, Options
from tests.support.judged_corpora import ROLES, RULES, sample_project

GOLDEN = Path(__file__).with_name("sample_ranking.txt")
SHOWN = 3
QUESTIONS = (
    ("자막 동기화 오류", None),
    ("로그인 토큰 갱신", None),
    ("로그인 토큰 갱신", "ios_developer"),
    ("보안 관련 결정", None),
    ("보안 관련 결정", "security"),
    ("결제 모듈을 누가 맡나", "coo"),
    ("예산 초과 위험", "cfo"),
    ("예산 초과 위험", "cto"),
    ("출시 마케팅 채널", "cmo"),
    ("앱스토어 심사 전 확인할 것", None),
    ("데이터베이스 마이그레이션 순서", "database_developer"),
    ("동영상 재생 끊김", None),
    ("refresh token rotation", None),
    ("player buffer underrun", None),
    ("RLS 정책", None),
    ("v1.0", None),
    ("SwiftUI 화면 전환", "ios_developer"),
    ("Kotlin coroutine", "android_developer"),
    ("이번 주 진행률", "director"),
    ("기술 부채 심각도 높음", "cto"),
    ("zq77xk 없는말뭉치", None),
)


def ranking(folder: Path) -> str:
    """Each question, the places of its first hits and what they are, or why there are none."""
    index = HeldIndex(folder, rules=RULES, options=Options(ROLES))
    contents = sample_project(random.Random(0))
    index.put({path: (content, parse_document(path, content, RULES)) for path, content in contents.items()})
    lines = []
    for text, role in QUESTIONS:
        result = index.search(text, SHOWN, role=role)
        lines.append(f"{text}  [{role}]" if role else text)
        lines.extend(f"    {hit.file}:{hit.line_start}  {hit.file_type}  {hit.heading}" for hit in result.hits)
        if not result.hits:
            lines.append(f"    ({result.reason_code})")
    index.close()
    return "\n".join(lines) + "\n"


def test_the_sample_answers_as_the_reviewed_file_says(tmp_path: Path) -> None:
    assert ranking(tmp_path).splitlines() == GOLDEN.read_text(encoding="utf-8").splitlines()


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as temporary:
        GOLDEN.write_text(ranking(Path(temporary)), encoding="utf-8")
