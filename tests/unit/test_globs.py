"""Path globs name what git's would, and Tantivy reads the same expressions as Python."""

import unicodedata

import pytest
import tantivy
from hypothesis import given, settings
from hypothesis import strategies as st

from consiglierd.ingest.docs.types import file_type_of
from consiglierd.model.rules import DocumentRules, TypePattern
from consiglierd.text.globs import glob_source, path_matches

PATHS = (
    "a.md", "docs/a.md", "docs/deep/er/a.md", "docs/a.txt", "a/docs/b.md", "docs.md", "docs/[x].md", "docs/x.md",
    "src/a-b.md", "src/a+b.md", "한글/문서.md", "archi/App/specs/cto-wbs.md", ".github/a.md",
)  # fmt: skip
SCHEMA = tantivy.SchemaBuilder().add_text_field("path", tokenizer_name="raw", index_option="basic").build()


def named(glob: str) -> set[str]:
    return {path for path in PATHS if path_matches(path, glob)}


def test_a_glob_without_a_slash_matches_at_any_depth() -> None:
    assert named("a.md") == {"a.md", "docs/a.md", "docs/deep/er/a.md", ".github/a.md"}
    assert named("*.txt") == {"docs/a.txt"}


def test_a_folder_names_everything_below_it() -> None:
    below = {path for path in PATHS if path.startswith("docs/")}
    assert named("/docs/") == below
    assert named("docs/**") == below
    assert named("docs") == below | {"a/docs/b.md"}
    assert named("docs/deep") == {"docs/deep/er/a.md"}


def test_two_stars_span_folders_and_one_does_not() -> None:
    assert named("docs/*.md") == {"docs/a.md", "docs/[x].md", "docs/x.md"}
    assert named("docs/**/*.md") == {"docs/a.md", "docs/deep/er/a.md", "docs/[x].md", "docs/x.md"}
    assert named("**/er/*") == {"docs/deep/er/a.md"}
    assert named("archi/*/specs/*-wbs.md") == {"archi/App/specs/cto-wbs.md"}


def test_a_leading_slash_means_the_root() -> None:
    assert named("./docs/a.md") == {"docs/a.md"}
    assert named("") == set(PATHS)


def test_classes_and_escapes() -> None:
    assert named("docs/[ax].md") == {"docs/a.md", "docs/x.md"}
    assert named("docs/[!a].md") == {"docs/x.md"}
    assert named("docs/[w-z].md") == {"docs/x.md"}
    assert named(r"docs/\[x\].md") == {"docs/[x].md"}
    assert named("src/a+b.md") == {"src/a+b.md"}
    assert named("src/a?b.md") == {"src/a-b.md", "src/a+b.md"}
    assert named("docs/[") == set()


def test_normal_forms_find_each_other() -> None:
    decomposed = unicodedata.normalize("NFD", "한글/문서.md")
    assert path_matches(decomposed, "한글/*.md")
    assert path_matches("한글/문서.md", unicodedata.normalize("NFD", "한글/"))


def test_case_is_told_apart() -> None:
    assert named("DOCS/**") == set()


NAMES = ("a", "a/b", "b.md", "a/b/한.md", "[a]", "a-b", "a\\b", "{a}", "(a|b)", "a+b$", "a b", "b&&a", "한~")


@pytest.fixture(scope="module")
def searcher() -> tantivy.Searcher:
    index = tantivy.Index(SCHEMA)
    writer = index.writer(heap_size=15_000_000, num_threads=1)
    for name in NAMES:
        writer.add_document(tantivy.Document.from_dict({"path": name}, SCHEMA))
    writer.commit()
    writer.wait_merging_threads()
    index.reload()
    return index.searcher()


@settings(max_examples=200, deadline=None)
@given(glob=st.text(alphabet="ab/*?[]!^-\\.한&~{}()|+$ ", max_size=12))
def test_tantivy_reads_every_glob_as_python_does(searcher: tantivy.Searcher, glob: str) -> None:
    hits = searcher.search(tantivy.Query.regex_query(SCHEMA, "path", glob_source(glob)), limit=50).hits
    found = sorted(NAMES[address.doc] for _, address in hits)
    assert found == sorted(name for name in NAMES if path_matches(name, glob))


@pytest.mark.parametrize(
    ("glob", "path"),
    [
        ("*a" * 149 + "b", "a" * 250),
        ("docs/" + "*a" * 147 + "b", "docs/" + "a" * 250),
        ("**/" * 99 + "zz", "/".join("a" * 200)),
        ("**/a/" * 59 + "zz", "/".join("a" * 200)),
        ("**/*a" * 59 + "b", "/".join(["a" * 50] * 60)),
        ("*[!b]?" * 49 + "b", "a" * 250),
    ],
)
def test_a_hostile_glob_costs_little(glob: str, path: str) -> None:
    """Trying again at every star, each of these would take years."""
    assert not path_matches(path, glob)
    assert path_matches(path.replace("/", "") + "b", "*a" * 40 + "b")
    assert file_type_of(path + ".md", DocumentRules(extra_types=(TypePattern(glob, "adr"),))) == "general"
