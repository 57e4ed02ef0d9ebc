"""The house holds: arrows, sizes, names, manners, and the weight of the client."""

import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator

import pytest

from tests.house import arrows, manners, shape
from tests.house.source import ROOT, Breach, Source, read_package, read_tests

DAEMON = read_package("consiglierd")
CLIENT = read_package("consigliere")
TESTS = read_tests()

Rule = Callable[[Source], Iterator[Breach]]

RULES: tuple[tuple[Rule, tuple[Source, ...]], ...] = (
    (arrows.arrow_breaches, DAEMON + CLIENT),
    (arrows.library_breaches, DAEMON),
    (arrows.delayed_import_breaches, DAEMON),
    (shape.size_breaches, DAEMON + CLIENT),
    (shape.name_breaches, DAEMON + CLIENT),
    (shape.opening_breaches, DAEMON + CLIENT + TESTS),
    (manners.catch_breaches, DAEMON + CLIENT),
    (manners.sleep_breaches, DAEMON + TESTS),
    (manners.any_breaches, DAEMON + CLIENT),
    (manners.ignore_breaches, DAEMON + CLIENT + TESTS),
    (manners.sql_breaches, DAEMON + CLIENT),
)


def listed(breaches: Iterable[Breach]) -> str:
    return "\n".join(str(breach) for breach in breaches)


@pytest.mark.parametrize(("rule", "sources"), RULES, ids=[rule.__name__ for rule, _ in RULES])
def test_the_house_has_no(rule: Rule, sources: tuple[Source, ...]) -> None:
    breaches = [breach for source in sources for breach in rule(source)]
    assert not breaches, "\n" + listed(breaches)


def test_hot_modules_of_the_client_load_only_the_standard_library() -> None:
    by_name = {source.module: source for source in CLIENT}
    breaches = [breach for hot in arrows.HOT_MODULES for breach in arrows.weight_breaches(hot, by_name)]
    assert not breaches, "\n" + listed(breaches)


def test_hot_modules_of_the_client_load_where_nothing_is_installed() -> None:
    script = f"import sys; sys.path.insert(0, {str(ROOT / 'client')!r}); import " + ", ".join(arrows.HOT_MODULES)
    done = subprocess.run([sys.executable, "-IS", "-c", script], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_long_functions_are_rare() -> None:
    lengths = [
        (source.at(line), name, length)
        for source in DAEMON + CLIENT
        for name, line, length in shape.function_lengths(source)
    ]
    long = [f"{place} `{name}` {length}" for place, name, length in lengths if length > shape.WANTED_FUNCTION_LINES]
    assert len(long) <= len(lengths) // 50, (
        f"more than one in fifty is over {shape.WANTED_FUNCTION_LINES} lines:\n" + "\n".join(long)
    )


# Every rule can fail: (rule, module, text that keeps it, text that breaks it, a word of the reason).
LONG_FUNCTION = "def f():\n" + "    x = 1\n" * 60
PAIRS: tuple[tuple[Rule, str, str, str, str], ...] = (
    (
        arrows.arrow_breaches,
        "consiglierd.store.read",
        "import consiglierd.model.ids",
        "import consiglierd.index",
        "above",
    ),
    (
        arrows.arrow_breaches,
        "consiglierd.store.read",
        "from consiglierd.store import write",
        "from consiglierd.text import counts",
        "sibling",
    ),
    (
        arrows.arrow_breaches,
        "consiglierd.serve.x",
        "import consiglierd.search",
        "import consiglierd.store.read",
        "services",
    ),
    (
        arrows.arrow_breaches,
        "consiglierd.search.x",
        "import consiglierd.text",
        "from consiglierd.settings import load",
        "plain arguments",
    ),
    (arrows.arrow_breaches, "consiglierd.search.x", "import consiglierd", "from consiglierd import wiring", "above"),
    (arrows.arrow_breaches, "consiglierd.search.x", "import json", "from . import score", "relative"),
    (
        arrows.arrow_breaches,
        "consiglierd.serve.x",
        "import consigliere.protocol.search",
        "import consigliere.client",
        "wire",
    ),
    (
        arrows.arrow_breaches,
        "consiglierd.workspaces.x",
        "import consiglierd.search",
        "import consigliere.protocol.search",
        "wire",
    ),
    (
        arrows.arrow_breaches,
        "consigliere.client",
        "import consigliere.exchange",
        "import consiglierd.model.ids",
        "milliseconds",
    ),
    (arrows.arrow_breaches, "consigliere.cli.x", "import consigliere.launch", "import consigliere.mcp", "sibling"),
    (arrows.arrow_breaches, "consiglierd.search.x", "import re", "import consiglierd.attic", "no level"),
    (arrows.arrow_breaches, "consiglierd.model.x", "import re", "def f():\n    import consiglierd.serve", "above"),
    (arrows.library_breaches, "consiglierd.store.x", "import sqlite3", "import tantivy", "belongs to index"),
    (arrows.library_breaches, "consiglierd.git.x", "import subprocess", "from zmq import asyncio", "belongs to serve"),
    (
        arrows.delayed_import_breaches,
        "consiglierd.git.x",
        "if 1:\n    import json",
        "def f():\n    import json",
        "function",
    ),
    (shape.size_breaches, "consiglierd.git.x", "x = 1\n" * 350, "x = 1\n" * 351, "350"),
    (shape.size_breaches, "consiglierd.wiring", "x = 1\n" * 250, "x = 1\n" * 251, "250"),
    (shape.size_breaches, "consiglierd.git.x", "def f():\n" + "    x = 1\n" * 59, LONG_FUNCTION, "61 lines"),
    (shape.name_breaches, "consiglierd.git.x", "x = 1", "", ""),
    (shape.opening_breaches, "consiglierd.git.x", '"""Runs git."""', '"""."""', "nothing"),
    (shape.opening_breaches, "consiglierd.git.x", '"""Runs git."""', "x = 1", "without"),
    (
        shape.opening_breaches,
        "consiglierd.git.x",
        '"""Runs git.\n\nIt is safe. Really."""',
        '"""Runs git. Reads trees."""',
        "two",
    ),
    (shape.opening_breaches, "consiglierd.git.x", '"""Runs git."""', '"""git stuff"""', "not a sentence"),
    (
        manners.catch_breaches,
        "consiglierd.git.x",
        "try:\n  x\nexcept OSError:\n  y",
        "try:\n  x\nexcept Exception:\n  y",
        "everything",
    ),
    (
        manners.catch_breaches,
        "consiglierd.git.x",
        "try:\n  x\nexcept BaseException:\n  y\n  raise",
        "try:\n  x\nexcept:\n  y",
        "everything",
    ),
    (manners.catch_breaches, "consiglierd.supervisor", "try:\n  x\nexcept Exception:\n  y", "", ""),
    (manners.sleep_breaches, "consiglierd.git.x", "await_event()", "time.sleep(1)", "wait for"),
    (manners.sleep_breaches, "consiglierd.git.x", "asyncio.sleep(0)", "from time import sleep", "wait for"),
    (manners.any_breaches, "consiglierd.git.x", "def _f(a: Any): ...", "def f(*, a: dict[str, Any]): ...", "Any"),
    (manners.any_breaches, "consiglierd.git.x", "def f(a: object) -> int: ...", "def f() -> typing.Any: ...", "Any"),
    (manners.any_breaches, "consigliere.client", "def f() -> dict[str, Any]: ...", "def f(a: Any): ...", "Any"),
    (
        manners.ignore_breaches,
        "consiglierd.git.x",
        "x  # type: ignore[arg-type]  # the stub is wrong",
        "x  # type: ignore[arg-type]",
        "reason",
    ),
    (manners.ignore_breaches, "consiglierd.git.x", "x  # ignore", "x  # type: ignore  # the stub is wrong", "code"),
    (manners.sql_breaches, "consiglierd.store.x", "q = 'SELECT a FROM b'", "", ""),
    (
        manners.sql_breaches,
        "consiglierd.search.x",
        '"""SELECT a FROM b."""',
        "q = f'SELECT {a} FROM b'",
        "owns no tables",
    ),
    (
        manners.sql_breaches,
        "consiglierd.search.x",
        "q = 'select from the list'",
        "q = 'INSERT OR REPLACE INTO t'",
        "owns no tables",
    ),
)


@pytest.mark.parametrize(("rule", "module", "kept", "broken", "reason"), PAIRS)
def test_a_rule_can_fail(rule: Rule, module: str, kept: str, broken: str, reason: str) -> None:
    assert not list(rule(Source(module, "made_up.py", kept)))
    if broken:
        breaches = list(rule(Source(module, "made_up.py", broken)))
        assert breaches
        assert reason in listed(breaches)


@pytest.mark.parametrize("module", ["consiglierd.git.utils", "consiglierd.file_helpers.x", "consigliere.managers"])
def test_the_rule_on_names_can_fail(module: str) -> None:
    assert list(shape.name_breaches(Source(module, "made_up.py", "")))


@pytest.mark.parametrize(
    ("texts", "is_light"),
    [
        ({"consigliere": "", "consigliere.client": "import json"}, True),
        ({"consigliere": "", "consigliere.client": "import msgspec"}, False),
        ({"consigliere": "", "consigliere.client": "import consigliere.x", "consigliere.x": "import zmq"}, False),
        ({"consigliere": "import zmq", "consigliere.client": "import json"}, False),
        ({"consigliere": "", "consigliere.client": "def f():\n    import msgspec"}, True),
        ({"consigliere": "", "consigliere.client": "if TYPE_CHECKING:\n    import msgspec"}, True),
        ({"consigliere": ""}, False),
    ],
)
def test_the_rule_on_weight_can_fail(texts: dict[str, str], is_light: bool) -> None:
    sources = {module: Source(module, f"{module}.py", text) for module, text in texts.items()}
    assert (not list(arrows.weight_breaches("consigliere.client", sources))) is is_light
