"""Whatever happens to a tree and to the daemon, the index equals one made from scratch, and the judge agrees."""

import shutil
import tempfile
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import hypothesis.strategies as st
import pytest
from hypothesis import HealthCheck, Phase, settings
from hypothesis.stateful import RuleBasedStateMachine, precondition, rule, run_state_machine_as_test

from consiglierd.model.deadline import Deadline
from consiglierd.model.query import Query
from tests.support.bundled_embedder import BundledEmbedder
from tests.support.judge import judged
from tests.support.judged_corpora import JudgedVectors
from tests.support.living_daemon import LivingDaemon, wait_until_gone
from tests.support.rebuilt import Rebuilder, search_places
from tests.support.tree_machine import ENCODINGS, FOLDERS, NAMES, PIECES, PROBE_NAME, QUERIES, Tree
from tests.support.view import places, view_of

DOCUMENTS = 28
# Of the fifteen questions of a comparison, on the mean.
LEAST_ANSWERS = 5
PICK = st.integers(min_value=0, max_value=10_000)


class ProjectMachine(RuleBasedStateMachine):
    """Every rule changes the tree or the daemon; `compare` settles and compares with both judges."""

    rebuilder: Rebuilder
    embedding: str
    vectors: JudgedVectors | None
    # How many were made, and how many answers in them name more than the probe.
    comparisons = 0
    answers = 0

    def __init__(self) -> None:
        super().__init__()
        self.folder = Path(tempfile.mkdtemp(prefix="csg-tree-", dir="/tmp"))
        self.tree = Tree(self.folder / "project", documents=DOCUMENTS)
        self.compared = 0
        self.daemon = LivingDaemon(self.embedding)
        self.daemon.start()
        self.daemon.settle(self.tree.root)

    # -- the tree -----------------------------------------------------------------------------

    @rule(
        folder=st.sampled_from(FOLDERS),
        name=st.sampled_from(NAMES),
        pieces=st.lists(st.sampled_from(PIECES), max_size=6),
        encoding=st.sampled_from(ENCODINGS),
    )
    def create(self, folder: str, name: str, pieces: list[str], encoding: str) -> None:
        if not (self.tree.root / folder / name).is_dir():
            self.tree.write(folder, name, pieces, encoding)

    @precondition(lambda self: self.tree.documents())
    @rule(pick=PICK, piece=st.sampled_from(PIECES))
    def append(self, pick: int, piece: str) -> None:
        self.tree.append(self.picked(pick), piece)

    @precondition(lambda self: self.tree.documents())
    @rule(pick=PICK, pieces=st.lists(st.sampled_from(PIECES), max_size=4))
    def save_atomically(self, pick: int, pieces: list[str]) -> None:
        self.tree.save_atomically(self.picked(pick), "".join(pieces))

    @precondition(lambda self: self.tree.documents())
    @rule(pick=PICK, folder=st.sampled_from(FOLDERS), name=st.sampled_from(NAMES))
    def rename(self, pick: int, folder: str, name: str) -> None:
        self.tree.rename(self.picked(pick), folder, name)

    @precondition(lambda self: self.tree.documents())
    @rule(pick=PICK)
    def delete(self, pick: int) -> None:
        self.tree.delete(self.picked(pick))

    @precondition(lambda self: self.tree.folders())
    @rule(pick=PICK, name=st.sampled_from(("moved", "memory", "specs", "build")))
    def move_folder(self, pick: int, name: str) -> None:
        folders = self.tree.folders()
        self.tree.move_folder(folders[pick % len(folders)], name)

    @precondition(lambda self: self.tree.folders())
    @rule(pick=PICK)
    def delete_folder(self, pick: int) -> None:
        folders = self.tree.folders()
        self.tree.delete(folders[pick % len(folders)])

    @precondition(lambda self: self.tree.documents())
    @rule(pick=PICK, mode=st.sampled_from((0o600, 0o644, 0o755)))
    def change_rights(self, pick: int, mode: int) -> None:
        self.picked(pick).chmod(mode)

    @rule(rule_text=st.sampled_from(("docs/\n", "*.adoc\n", "!docs/\n", "build/\n", "/노트/\n")), own=st.booleans())
    def ignore(self, rule_text: str, own: bool) -> None:
        self.tree.append(self.tree.root / (".consigliereignore" if own else ".gitignore"), rule_text)

    @rule()
    def switch_branch(self) -> None:
        self.tree.commit_and_switch()

    @rule(
        text=st.sampled_from(
            ('[rooms]\nlogin = ["로그인", "token"]\n', '[index]\nexclude = ["docs/adr/**"]\n', "", "[index\nbroken")
        )
    )
    def settings(self, text: str) -> None:
        (self.tree.root / ".consigliere.toml").write_text(text)

    # -- the daemon ---------------------------------------------------------------------------

    @rule()
    def kill_and_restart(self) -> None:
        for child in self.daemon.kill():
            assert wait_until_gone(child), "a worker outlived the daemon"
        self.daemon.start()

    @rule()
    def stop_and_restart(self) -> None:
        self.daemon.stop()
        self.daemon.start()

    @rule(query=st.sampled_from(QUERIES))
    def search_without_waiting(self, query: str) -> None:
        reply = self.daemon.search(self.tree.root, query)
        for hit in reply["hits"]:
            assert self.lines_of(hit) == hit["text"]

    @rule()
    def compare(self) -> None:
        self.compare_now()

    # -- the comparison -----------------------------------------------------------------------

    def picked(self, pick: int) -> Path:
        documents = self.tree.documents()
        return documents[pick % len(documents)]

    def lines_of(self, hit: dict[str, Any]) -> str:
        from consiglierd.ingest.docs.decode import decode, split_lines

        lines = split_lines(decode((self.tree.root / hit["file"]).read_bytes()).text)
        return "\n".join(lines[hit["line_start"] - 1 : hit["line_end"]])

    def compare_now(self) -> None:
        # A settings file that is broken leaves the last good settings in force, which a new index
        # cannot know: it is mended before the two are compared.
        toml = self.tree.root / ".consigliere.toml"
        if toml.exists() and "broken" in toml.read_text():
            toml.write_text("")
        # With tombstones switched off this edit alone makes the comparison fail.
        self.compared += 1
        type(self).comparisons += 1
        self.tree.touch_probe(self.compared)
        self.daemon.settle_all(self.tree.root)
        living = view_of(self.tree.root / ".consigliere" / "consigliere.db")
        with self.rebuilder.rebuilt(self.tree.root) as rebuilt:
            scratch = rebuilt.view()
            assert living.documents == scratch.documents
            assert living.chunks == scratch.chunks
            assert living.terms == scratch.terms
            assert living.totals == scratch.totals
            for query in QUERIES:
                reply = self.daemon.search(self.tree.root, query, limit=8)
                assert not any(part.startswith("changed") for part in reply["partial"])
                assert places(reply) == rebuilt.search(query, limit=8)
                # The judge knows whole chunks, not which passage of a long one is shown.
                found = places(self.daemon.search(self.tree.root, query, limit=8, full=True))
                assert found == judged(self.tree.root, query, limit=8, vectors=self.vectors)
                type(self).answers += any(place[0] != PROBE_NAME for place in found)
                for hit in reply["hits"]:
                    assert self.lines_of(hit) == hit["text"]

    def teardown(self) -> None:
        try:
            self.compare_now()
        finally:
            self.daemon.close()
            shutil.rmtree(self.folder, ignore_errors=True)


def run_machine(embedding: str, runs: int, steps: int) -> None:
    with ExitStack() as stack:
        ProjectMachine.embedding = embedding
        ProjectMachine.vectors = JudgedVectors(BundledEmbedder.bundled()) if embedding == "bundled" else None
        ProjectMachine.comparisons = ProjectMachine.answers = 0
        ProjectMachine.rebuilder = stack.enter_context(Rebuilder(embedding))
        run_state_machine_as_test(
            ProjectMachine,
            settings=settings(
                max_examples=runs,
                stateful_step_count=steps,
                deadline=None,
                suppress_health_check=list(HealthCheck),
                phases=(Phase.generate,) if runs < 50 else (Phase.generate, Phase.shrink),
                derandomize=runs < 50,
                print_blob=True,
            ),
        )
    # A comparison of nothing with nothing says nothing.
    assert ProjectMachine.answers >= LEAST_ANSWERS * ProjectMachine.comparisons, ProjectMachine.answers


@pytest.mark.parametrize(("embedding", "runs"), [("none", 5), ("bundled", 3)])
def test_incremental_equals_rebuilt_and_the_judge(embedding: str, runs: int) -> None:
    run_machine(embedding, runs=runs, steps=15)


@pytest.mark.parametrize("honour_tombstones", [True, False])
def test_the_comparison_notices_when_tombstones_are_switched_off(tmp_path: Path, honour_tombstones: bool) -> None:
    """The check above can fail: with tombstones switched off, what was removed is found again."""
    tree = Tree(tmp_path / "project")
    with Rebuilder(honour_tombstones=honour_tombstones) as living, Rebuilder() as rebuilder:
        tree.write("docs", "README.md", [PIECES[9], PIECES[14]], "utf-8")
        workspace = living.opened(tree.root)
        tree.append(tree.root / "docs" / "README.md", PIECES[5])
        workspace.settle(Deadline.after(60.0))
        found = search_places(workspace.search(Query(text=QUERIES[4], limit=8), Deadline.after(60.0)))
        with rebuilder.rebuilt(tree.root) as rebuilt:
            assert (found == rebuilt.search(QUERIES[4], limit=8)) is honour_tombstones
            assert (found == judged(tree.root, QUERIES[4], limit=8)) is honour_tombstones


@pytest.mark.slow
@pytest.mark.parametrize("embedding", ["none", "bundled"])
def test_incremental_equals_rebuilt_and_the_judge_over_many_histories(embedding: str) -> None:
    run_machine(embedding, runs=200, steps=30)
