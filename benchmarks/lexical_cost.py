"""What the words of a corpus cost: the size of what is kept of them, the time to index and to ask."""

import tempfile
import time
from pathlib import Path

import numpy as np

from benchmarks.quality import fill
from benchmarks.question_sets import as_plain_text, load
from consiglierd.text.counts import count_section, pack
from tests.support.held_index import HeldIndex, Options

SETS = ("react-docs-ko", "react-docs-en", "tldr-ko2en")
ASKED = 400
HITS = 5


def print_costs(data: Path) -> None:
    print("words of a corpus   packed terms a section  folder of Tantivy  CPU to index  search by words p50, p99")
    for name in SETS:
        documents, questions = load(data / name, None)
        packed = sum(len(pack(count_section(each.text, [each.title]))) for each in documents) / len(documents)
        with tempfile.TemporaryDirectory(prefix="csb-lexical-") as temporary:
            index = HeldIndex(Path(temporary), options=Options())
            began = time.process_time()
            fill(index, documents)
            filled_s = time.process_time() - began
            files = [each for each in (Path(temporary) / "lexical").rglob("*") if each.is_file()]
            size = sum(each.stat().st_size for each in files)
            took = []
            for question in questions[:ASKED]:
                began = time.perf_counter()
                index.search(as_plain_text(question.text), HITS)
                took.append(time.perf_counter() - began)
            index.close()
        middle, worst = np.quantile(took, (0.5, 0.99)) * 1000
        told = f"{packed:13.0f} bytes {size / 1e6:15.1f} MB {filled_s:11.1f} s {middle:15.1f} {worst:5.1f} ms"
        print(f"{name:19} {told}", flush=True)
