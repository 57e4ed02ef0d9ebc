"""The vectors of a workspace through changes of the model, troubles and restarts; the clock of its pauses stands."""

import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from consiglierd.errors import EmbeddingUnavailable
from consiglierd.index.proposals import Scope
from consiglierd.index.vector_question import VectorQuestion
from consiglierd.model.deadline import Deadline
from consiglierd.store.connection import connect, transaction
from consiglierd.store.vectors import VectorStore
from consiglierd.workspaces.vector_side import VectorSideOfWorkspace
from tests.support.hashed_embedder import HashedEmbedder
from tests.support.held_index import HeldIndex


@dataclass
class Model(HashedEmbedder):
    """A hashed embedder that may be held up before it embeds documents."""

    name: str
    may_embed: threading.Event = field(default_factory=threading.Event)
    is_asked: threading.Event = field(default_factory=threading.Event)

    def __post_init__(self) -> None:
        super().__init__(32, self.name)
        self.recipe = self.name
        self.may_embed.set()
        # A text with this in it cannot be embedded.
        self.poison = "\0"

    def embed_documents(  # type: ignore[override]  # one more argument
        self, texts: list[str], *, is_urgent: bool, is_abandoned: Callable[[], bool]
    ) -> NDArray[np.float32]:
        self.is_asked.set()
        while not self.may_embed.wait(0.05):
            if is_abandoned():
                raise EmbeddingUnavailable("not wanted", kind="ended")
        rows = super().embed_documents(texts, is_urgent=is_urgent)
        rows[[self.poison in text for text in texts]] = np.nan
        return rows

    def embed_query(self, text: str, timeout_s: float) -> NDArray[np.float32]:
        return self.embed_queries([text])[0]


EVERYTHING = Scope(None, frozenset())


class Choice:
    """Asks for the model of a name; names without a model cannot be had."""

    def __init__(self, *models: Model) -> None:
        self.models = {model.name: model for model in models}
        self.name: str | None = models[0].name

    def asked(self) -> object:
        return self.name

    def wanted(self, is_abandoned: Callable[[], bool]) -> Model | None:
        if self.name is None:
            return None
        found = self.again(self.name, is_abandoned)
        if found is None:
            raise EmbeddingUnavailable("it cannot be had", kind="down")
        return found

    def again(self, recipe: str, is_abandoned: Callable[[], bool]) -> Model | None:
        return self.models.get(recipe)


class Side:
    """A side over documents, on a thread of its own; time passes only by `pass_s`."""

    def __init__(self, folder: Path, choice: Choice) -> None:
        self.choice = choice
        self.held = HeldIndex(folder)
        self.now_s = 0.0
        self.open()

    def open(self) -> None:
        self.store = VectorStore(self.held.store)
        self.side = VectorSideOfWorkspace(
            self.held.folder, self.held.store, self.store, self.choice, clock=lambda: self.now_s
        )
        self.thread = threading.Thread(target=self.side.run)
        self.thread.start()

    def close(self) -> None:
        self.side.stop()
        self.thread.join(30)
        assert not self.thread.is_alive()
        self.store.close()

    def write(self, *numbers: int) -> None:
        self.held.write({f"{number}.md": f"# {number}\n\n검색 {number * 7}\n" for number in numbers})
        self.side.wake()

    def ask_for(self, name: str | None) -> None:
        self.choice.name = name
        self.side.wake()

    def until(self, is_so: Callable[[], bool]) -> None:
        assert self.side.wait_until(is_so, 30), self.side.state()

    def until_complete(self, name: str) -> None:
        model = f"hashed-{name}-32"
        self.until(lambda: self.side.state().model == model and self.side.lag(self.held.store.head()) == 0)

    def answering(self) -> str:
        """The model that answers, and that its vectors are those of every chunk."""
        question = self.side.side("검색", self.held.store.head(), Deadline.after(30))
        assert isinstance(question, VectorQuestion), question
        live = self.held.store.live_ids()[1].tolist()
        assert list(question.propose(100, EVERYTHING).ids) == live
        state = self.side.state()
        assert state.model is not None
        return state.model

    def folders(self) -> int:
        return len(list(self.held.folder.glob("vector-*")))

    def count(self, table: str) -> int:
        with self.held.store.reading() as connection:
            return int(connection.execute(f"SELECT count(*) FROM {table}").fetchone()[0])


@pytest.fixture
def side(tmp_path: Path) -> Iterator[Side]:
    made = Side(tmp_path, Choice(Model("a"), Model("b"), Model("c")))
    yield made
    made.close()
    made.held.close()


def test_after_a_restart_in_the_middle_of_a_change_the_old_vectors_answer(side: Side) -> None:
    side.write(*range(5))
    side.until_complete("a")
    new = side.choice.models["b"]
    new.may_embed.clear()
    side.ask_for("b")
    assert new.is_asked.wait(30)
    side.close()
    new.is_asked.clear()
    side.open()
    assert new.is_asked.wait(30)
    assert side.answering() == "hashed-a-32"
    assert side.side.state().filling == "hashed-b-32"
    new.may_embed.set()
    side.until_complete("b")
    assert side.answering() == "hashed-b-32"
    side.until(lambda: side.count("embedding_models") == 1 and side.folders() == 1)


def test_after_a_restart_the_old_vectors_answer_while_the_wanted_model_is_out_of_reach(side: Side) -> None:
    side.write(*range(5))
    side.until_complete("a")
    side.ask_for("unknown")
    side.close()
    side.open()
    side.until(lambda: side.side.state().failure is not None)
    assert side.answering() == "hashed-a-32"
    assert side.side.state().warnings == ("no vectors are being made: it cannot be had",)


def test_where_the_old_model_is_gone_the_new_one_answers_at_once(side: Side) -> None:
    side.write(*range(5))
    side.until_complete("a")
    side.close()
    del side.choice.models["a"]
    side.choice.name = "b"
    side.open()
    side.until_complete("b")
    assert side.answering() == "hashed-b-32"


@pytest.mark.parametrize("names", ["ba", "bc", "bcab", "bcbc"])
def test_changes_of_mind_in_the_middle_leave_nothing_behind(side: Side, names: str) -> None:
    side.write(*range(5))
    side.until_complete("a")
    windows = side.count("window_vectors")
    for name, following in pairwise(names):
        if name == "a":
            continue
        model = side.choice.models[name]
        model.may_embed.clear()
        model.is_asked.clear()
        side.ask_for(name)
        assert model.is_asked.wait(30)
        assert side.answering() == "hashed-a-32"
        side.choice.name = following
        model.may_embed.set()
    side.ask_for(names[-1])
    side.until_complete(names[-1])
    side.until(lambda: side.count("embedding_models") == 1 and side.folders() == 1)
    assert side.count("window_vectors") == side.count("section_windows") == windows


def test_vectors_of_forgotten_sections_are_forgotten(side: Side) -> None:
    side.write(*range(5))
    side.until_complete("a")
    windows = side.count("window_vectors")
    side.held.remove([f"{number}.md" for number in range(4)])
    assert side.held.store.prune(side.held.store.head(), at_least_bytes=0)
    side.side.wake()
    side.until(lambda: side.count("window_vectors") == windows // 5)
    side.close()
    side.held.remove(["4.md"])
    assert side.held.store.prune(side.held.store.head(), at_least_bytes=0)
    side.open()
    side.until(lambda: side.count("window_vectors") == 0)


def test_what_could_not_be_embedded_is_told_and_tried_again(side: Side) -> None:
    model = side.choice.models["a"]
    model.poison = "# 3"
    side.write(*range(5))
    side.until_complete("a")
    found = side.side.side("검색", side.held.store.head(), Deadline.after(30))
    assert isinstance(found, VectorQuestion)
    assert (found.waiting, len(found.propose(100, EVERYTHING).ids)) == (1, 4)
    assert side.side.state().warnings == (
        "1 sections could not be embedded; words find them, and they are tried again",
    )
    asked = len(model.embedded)
    side.side.wake()
    side.write(9)
    side.until_complete("a")
    assert len(model.embedded) == asked + 2, "not again at once"
    model.poison = "\0"
    side.now_s += 301
    side.side.wake()
    side.until(lambda: side.side.state().left_out == 0 and side.side.state().waiting == 0)
    assert side.answering() == "hashed-a-32"


def test_what_could_not_be_embedded_is_tried_again_after_a_restart(side: Side) -> None:
    side.choice.models["a"].poison = "# 3"
    side.write(*range(5))
    side.until_complete("a")
    side.close()
    side.choice.models["a"].poison = "\0"
    side.open()
    side.until_complete("a")
    assert side.answering() == "hashed-a-32"
    assert side.side.state().warnings == ()


def test_a_model_that_cannot_be_had_is_not_waited_for_when_another_is_asked_for(side: Side) -> None:
    """The clock stands: the pause does not end by itself."""
    side.write(*range(5))
    side.ask_for("unknown")
    side.until(lambda: side.side.state().failure is not None)
    side.ask_for("c")
    side.until_complete("c")
    assert side.side.state().failure is None


def test_what_is_removed_during_a_pause_is_not_proposed(side: Side) -> None:
    side.write(*range(5))
    side.until_complete("a")
    side.ask_for("unknown")
    side.until(lambda: side.side.state().failure is not None)
    side.held.remove(["0.md"])
    side.side.wake()

    def proposed() -> int:
        question = side.side.side("검색", side.held.store.head(), Deadline.after(30))
        assert isinstance(question, VectorQuestion)
        return len(question.propose(100, EVERYTHING).ids)

    side.until(lambda: proposed() == 4)


def test_a_database_in_use_and_a_disk_that_refuses_are_tried_again(side: Side, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("consiglierd.index.vector.SAVE_AT_LEAST", 3)
    monkeypatch.setattr("consiglierd.store.connection.BUSY_TIMEOUT_MS", 10)
    side.close()
    side.open()
    side.until(lambda: side.folders() == 1)
    (folder,) = side.held.folder.glob("vector-*")
    (folder / "generation-1").write_text("in the way")
    side.write(*range(5))
    side.until(lambda: side.side.state().failure == "they cannot be written: File exists")
    (folder / "generation-1").unlink()
    side.now_s += 100
    side.side.wake()
    side.until(lambda: side.side.state().failure is None)
    side.held.write({"5.md": "# 5\n\n새 글\n"})
    other = connect(side.held.store.path)
    with transaction(other):
        side.side.wake()
        side.until(lambda: "locked" in (side.side.state().failure or ""))
    other.close()
    side.now_s += 100
    side.side.wake()
    side.until_complete("a")
    assert side.thread.is_alive()


def test_a_damaged_database_ends_the_thread_and_is_remembered(side: Side) -> None:
    side.write(*range(5))
    side.until_complete("a")
    other = connect(side.held.store.path)
    other.execute("DROP TABLE section_windows")
    other.close()
    side.write(7)
    side.thread.join(30)
    assert not side.thread.is_alive()
    assert side.held.store.is_damaged
    assert side.side.state().failure == "the database is damaged, it is built anew"
