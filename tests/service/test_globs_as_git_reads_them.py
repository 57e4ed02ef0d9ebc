"""Path globs name what they do in an ignore file of git, and Tantivy reads them alike, line ends and all."""

import subprocess
from pathlib import Path

import pytest
import tantivy
from hypothesis import given, settings
from hypothesis import strategies as st

from consiglierd.text.globs import glob_source, path_matches

PATHS = (
    "README.md", "a", "b/a", "docs/a.md", "docs/b/a.md", "docs/b/c/a.md", "x/docs/a.md", "docs/[a].md", "docs/a-1.md",
    "docs/a+1.md", "docs/a1.md", "docs/회의/메모-1.md", "노트/a.txt", "docs.md", "mydocs/a.md", "a.md/inner", "b.c/d",
    "a{1}.md", "a$.md", "a^.md", "a(1).md", "a|b.md", "A.MD", "odd/a\nb",
)  # fmt: skip
GLOBS = (
    "*.md", "docs", "docs/", "/docs", "docs/*", "docs/**", "docs/**/*.md", "**/a.md", "**/docs", "**/b/*",
    "docs/*/a.md", "docs/b/**", "?", "docs/a?1.md", "docs/a[-+]1.md", "docs/a[!-]1.md", "docs/a[0-9].md", "[a-c]",
    "docs/[[]a].md", "docs[--0]a.md", "docs[!x]a.md", r"docs/a[\-+]1.md", r"docs/[\[]a[\]].md", "docs/a[]]1.md",
    "docs/a[+--]1.md", "docs/a[--]1.md", r"docs/\[a\].md", "회의", "docs/회의/메모-?.md",
    "노트/*", "*.*", "a*", "*a", "a.md", "/a", "b/a", "a{1}.md", "a$.md", "a(1).md", "a|b.md", "a+1.md", "*docs*",
    "docs/**/c/**/a.md", "**", "[]a]", "docs/a[]-]1.md", "none/such", "odd", "odd/*", "odd/a?b", "odd/**", "odd/a[!c]b",
)  # fmt: skip
SMALL_GLOBS = st.text(alphabet="ab.*?/[]!-^\\가\n", min_size=1, max_size=8)
SMALL_PATHS = st.lists(st.text(alphabet="ab.-^[가\n", min_size=1, max_size=3), min_size=1, max_size=3, unique=True).map(
    "/".join
)


@pytest.mark.parametrize(
    ("glob", "named", "not_named"),
    [
        ("docs", {"docs/a\nb"}, {"mydocs/a"}),
        ("docs/**", {"docs/a\r\nb"}, {"docs"}),
        ("a\nb", {"a\nb"}, {"a b"}),
        ("x[+-9]y", {"x-y", "x0y", "x.y"}, {"x/y", "x:y"}),
        ("[가-나]", {"각"}, {"다"}),
        ("[a", {"[a"}, {"a"}),
        ("[b-a]", set(), {"a", "b"}),
        ("a[!b-a]", {"ab"}, {"a"}),
    ],
)
def test_a_glob_names(glob: str, named: set[str], not_named: set[str]) -> None:
    paths = named | not_named
    assert {path for path in paths if path_matches(path, glob)} == named == named_by_tantivy(sorted(paths), glob)


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("globs")
    subprocess.run(["git", "init", "-q", str(folder)], check=True, capture_output=True)
    for path in PATHS:
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text("")
    return folder


def named_by_git(repository: Path, glob: str) -> set[str]:
    """As a rule of an ignore file, which is where people know these patterns from."""
    rules = repository / ".git" / "info" / "exclude"
    rules.write_text(glob + "\n", encoding="utf-8")
    listed = subprocess.run(
        [
            "git",
            "-c",
            "core.excludesFile=/dev/null",
            "-c",
            "core.ignoreCase=false",
            "ls-files",
            "-oiz",
            "--exclude-standard",
        ],
        cwd=repository,
        check=True,
        capture_output=True,
    ).stdout
    return {name.decode() for name in listed.split(b"\0") if name}


@pytest.mark.parametrize("glob", GLOBS)
def test_git_names_the_same_paths(repository: Path, glob: str) -> None:
    assert {path for path in PATHS if path_matches(path, glob)} == named_by_git(repository, glob)


def named_by_tantivy(paths: list[str], glob: str) -> set[str]:
    schema = tantivy.SchemaBuilder().add_text_field("path", stored=True, tokenizer_name="raw").build()
    index = tantivy.Index(schema)
    writer = index.writer(heap_size=15_000_000, num_threads=1)
    for path in paths:
        writer.add_document(tantivy.Document.from_dict({"path": path}, schema))
    writer.commit()
    index.reload()
    searcher = index.searcher()
    query = tantivy.Query.regex_query(schema, "path", glob_source(glob))
    hits = searcher.search(query, limit=len(paths) + 1).hits
    return {str(searcher.doc(address)["path"][0]) for _, address in hits}


def test_tantivy_reads_the_expressions_as_python_does() -> None:
    for glob in GLOBS:
        assert named_by_tantivy(list(PATHS), glob) == {path for path in PATHS if path_matches(path, glob)}, glob


@settings(max_examples=60, deadline=None)
@given(st.lists(SMALL_PATHS, min_size=1, max_size=8, unique=True), SMALL_GLOBS)
def test_tantivy_reads_any_expression_as_python_does(paths: list[str], glob: str) -> None:
    assert named_by_tantivy(paths, glob) == {path for path in paths if path_matches(path, glob)}
