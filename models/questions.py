"""The ways in which people ask for a thing that a heading or a docstring only names.

A part of the headings and docstrings is put into such a form, so that the words of asking come to say
nothing about what is asked for. Which part, and which form, follows from the text alone.
"""

import zlib

from models.pairs import is_korean

_ENGLISH = ("how to {}", "how do I {}?", "what is {}?", "{} example", "{} usage")
_KOREAN = ("{} 방법", "{}하는 방법", "{} 어떻게 하나요?", "{}란 무엇인가요?", "{} 사용법", "{} 예제", "{}에 대한 설명")
_CODE = (
    "{language} {said}",
    "how to {said} in {language}",
    "{language} how to {said}",
    "{language} code to {said}",
    "{language} function to {said}",
    "{said} in {language}",
    "{said} {language}",
)


def asked(heading: str) -> str:
    """One heading of four as a question."""
    number = zlib.crc32(heading.encode())
    if number % 4:
        return heading
    forms = _KOREAN if is_korean(heading) else _ENGLISH
    return forms[number // 4 % len(forms)].format(heading)


def asked_of_code(said: str, language: str) -> str:
    """Every other docstring as one would search for its function."""
    number = zlib.crc32(said.encode())
    if number % 2:
        return said
    return _CODE[number // 2 % len(_CODE)].format(said=said.rstrip("."), language=language)
