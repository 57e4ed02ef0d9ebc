"""The lines of keys, in every form in which TOML writes them."""

import tomllib

from hypothesis import given
from hypothesis import strategies as st

from consiglierd.settings.toml_lines import key_lines

EVERY_FORM = '''\
top = 1  # a = 2
[a.b]
c = """
not = 1
[x]
"""
"quoted \\u00e9.key" = [ # [z]
  1,
  2, { in_array = 1 },
]
d.e = { f = 1, g = { h = "}", i = [] }, j = 2 }

[[list]]
k = 'it''s' ; broken
'''


def test_every_form_of_a_key_has_its_line() -> None:
    text = EVERY_FORM.replace(" ; broken", "").replace("'it''s'", "'its'") + "[[list]]\nk = 1\n[last]"
    tomllib.loads(text)
    assert key_lines(text) == {
        ("top",): 1,
        ("a", "b"): 2,
        ("a", "b", "c"): 3,
        ("a", "b", "quoted é.key"): 7,
        ("a", "b", "quoted é.key", "in_array"): 9,
        ("a", "b", "d", "e"): 11,
        ("a", "b", "d", "e", "f"): 11,
        ("a", "b", "d", "e", "g"): 11,
        ("a", "b", "d", "e", "g", "h"): 11,
        ("a", "b", "d", "e", "g", "i"): 11,
        ("a", "b", "d", "e", "j"): 11,
        ("list",): 13,
        ("list", "k"): 14,
        ("last",): 17,
    }


@given(st.text(alphabet="ab.=[]{},\"'#\n \\", max_size=60))
def test_text_that_is_not_toml_never_raises(text: str) -> None:
    assert all(line >= 1 for line in key_lines(text).values())
