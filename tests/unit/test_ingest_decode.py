"""Bytes of every encoding that people save documents in become text, lines and byte offsets."""

import pytest

from consiglierd.ingest.docs.decode import decode, is_binary, line_offsets, span_of, split_lines

KOREAN = "# 회의록\n\n오늘은 로그인 오류를 고쳤다. 담당은 한유림.\n다음 주에 배포한다.\n"


@pytest.mark.parametrize(
    ("content", "encoding"),
    [
        (KOREAN.encode("utf-8"), "utf-8"),
        (KOREAN.encode("utf-8-sig"), "utf-8-sig"),
        (b"\xff\xfe" + KOREAN.encode("utf-16-le"), "utf-16-le"),
        (b"\xfe\xff" + KOREAN.encode("utf-16-be"), "utf-16-be"),
        (KOREAN.encode("cp949"), "cp949"),
        (KOREAN.encode("euc-kr"), "cp949"),
        ("짧다".encode("cp949"), "cp949"),
        ("똠방각하 펲시콜라".encode("cp949"), "cp949"),
        (b"plain ascii\n", "utf-8"),
        (b"", "utf-8"),
    ],
)
def test_encoding_is_told_and_text_is_whole(content: bytes, encoding: str) -> None:
    decoded = decode(content)
    assert (decoded.encoding, decoded.problem) == (encoding, None)
    expected = content.decode("cp949" if encoding == "cp949" else encoding)
    assert decoded.text == expected.removeprefix("\ufeff")


def test_western_bytes_are_not_taken_for_korean() -> None:
    text = "Le café est fermé à Noël, désolé. Où êtes-vous allés l'été dernier?\n" * 5
    decoded = decode(text.encode("latin-1"))
    assert decoded.problem is None
    assert decoded.encoding != "cp949"
    assert "café" in decoded.text


@pytest.mark.parametrize("content", [b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR", b"\x7fELF\x02\x01\x01\x00text"])
def test_binary_content_is_a_problem_and_no_text(content: bytes) -> None:
    assert is_binary(content)
    decoded = decode(content)
    assert decoded.text == ""
    assert decoded.problem is not None
    assert decoded.problem.code == "binary"


def test_utf16_is_not_binary() -> None:
    assert not is_binary(b"\xff\xfe" + KOREAN.encode("utf-16-le"))


@pytest.mark.parametrize("content", [b"\xef\xbb\xbfab\xff", b"\xff\xfea\x00\x00\xd8", b"\xff\xfeabc"])
def test_broken_text_behind_a_mark_is_a_problem(content: bytes) -> None:
    decoded = decode(content)
    assert decoded.problem is not None
    assert decoded.problem.code == "undecodable"


def test_lines_end_at_line_ends_only() -> None:
    assert split_lines("a\r\nb\rc\nd") == ["a", "b", "c", "d"]
    assert split_lines("a\x0bb\x0cc\u2028d\x85e\x1cf\n") == ["a\x0bb\x0cc\u2028d\x85e\x1cf"]
    assert split_lines("") == []
    assert split_lines("\n") == [""]
    assert split_lines("a\n\n") == ["a", ""]
    assert split_lines("\r\n\n\r") == ["", "", ""]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16-le", "utf-16-be", "cp949"])
@pytest.mark.parametrize("text", ["가나\r\n다\r라\n\n마", "한 줄", "\n", "abc\r\n", "가\r\r나\n"])
def test_offsets_give_back_every_line_in_the_original_bytes(encoding: str, text: str) -> None:
    mark = {"utf-16-le": b"\xff\xfe", "utf-16-be": b"\xfe\xff"}.get(encoding, b"")
    content = mark + text.encode(encoding)
    decoded = decode(content)
    lines = split_lines(decoded.text)
    offsets = line_offsets(content, decoded, lines)
    assert len(offsets) == len(lines) + 1
    assert offsets[0] == 0
    assert offsets[-1] == len(content)
    for number, line in enumerate(lines, 1):
        span = span_of(offsets, number, number)
        piece = content[span.byte_start : span.byte_end].removeprefix(mark)
        assert piece.decode("utf-8-sig" if encoding == "utf-8-sig" else encoding).rstrip("\r\n") == line


def test_characters_beyond_the_basic_plane_keep_offsets_right_in_utf16() -> None:
    content = b"\xff\xfe" + "😀😀\n끝\n".encode("utf-16-le")
    decoded = decode(content)
    assert line_offsets(content, decoded, split_lines(decoded.text)) == [0, 2 + 10, 2 + 10 + 4]
