"""Time the share of a run that goes into checking the digests of what it finds in the cache.

20,000 generated passages with vectors of 384 numbers, 1,000 queries, BM25 and an exact FAISS
index. Each case is a whole run, which loads the dataset and writes the result folder, or the
gathering of the vectors alone; the time inside the check is measured as it runs, so that both
meet the same machine, and the medians over the rounds are printed.

    python benchmarks/cache_digests.py [--rounds 7] [--passages 20000]

The check may take at most 3 % of a run.
"""

from __future__ import annotations

import argparse
import json
import shutil
import statistics
import tempfile
import time
from collections.abc import Callable, Iterable
from pathlib import Path

import numpy as np

import ragscore.cache as cache_module
from ragscore import Cache, load_experiment, run_experiment
from ragscore.cache import entry_key
from ragscore.encoders import MiniLM, encode_passages, gathering
from ragscore.encoders.dense_vectors import Encoded
from ragscore.encoders.vector_store import VectorStore, text_keys
from ragscore.progress import SILENT

DIMENSIONS, QUERIES = 384, 1_000
CONFIG = """
dataset: data
retrievers:
  bm25: {kind: bm25}
  dense: {kind: faiss, encoder: {kind: precomputed, passages: passages.npy, queries: queries.npy}}
measures: [nDCG@10]
latency: false
report: false
compare: false
"""


def main() -> None:
    """Print how long each case takes, and how much of that is the check."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--passages", type=int, default=20_000)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        texts = make(root, given.passages)
        experiment = load_experiment(root / "config.yaml")
        store = Cache(root / "cache")

        def run() -> None:
            run_experiment(experiment, output=root / "out", overwrite=True, cache=store)

        def indexes_only() -> None:
            shutil.rmtree(store.root / "runs", ignore_errors=True)
            run()

        def vectors_only() -> None:
            ids = list(map(str, range(len(texts))))
            encode_passages(MiniLM(), MiniLM().open(), ids, texts, store)

        run()
        for name, work in (
            ("runs from the cache", run),
            ("indexes from the cache, searched anew", indexes_only),
            ("vectors from the cache, alone", vectors_only),
        ):
            whole, check = timed(work, given.rounds)
            print(
                f"{name}: {whole:.3f} s, of which {1000 * check:.1f} ms check: {check / whole:.2%}"
            )


def timed(work: Callable[[], None], rounds: int) -> tuple[float, float]:
    """Median seconds of the work, and of the check in it."""
    real = cache_module.check_seal
    spent: list[float] = []

    def check(folder: Path, name: str, files: Iterable[str] | None = None) -> None:
        began = time.perf_counter()
        real(folder, name, files)
        spent.append(time.perf_counter() - began)

    cache_module.check_seal = check
    wholes, checks = [], []
    work()
    for _ in range(rounds):
        spent.clear()
        began = time.perf_counter()
        work()
        wholes.append(time.perf_counter() - began)
        checks.append(sum(spent))
    cache_module.check_seal = real
    return statistics.median(wholes), statistics.median(checks)


def make(root: Path, count: int) -> list[str]:
    """Write the dataset and its vectors, and keep vectors of the texts for an encoder."""
    random = np.random.default_rng(1)
    words = [f"word{number}" for number in range(20_000)]
    chosen = random.zipf(1.3, (count, 60)) % len(words)
    texts = [" ".join(words[word] for word in row) for row in chosen]
    data = root / "data"
    (data / "qrels").mkdir(parents=True)
    asked = [" ".join(text.split()[:6]) for text in texts[:QUERIES]]
    for name, rows in (("corpus", texts), ("queries", asked)):
        lines = (json.dumps({"_id": str(at), "text": text}) for at, text in enumerate(rows))
        (data / f"{name}.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
    judged = "".join(f"{at}\t{at}\t1\n" for at in range(QUERIES))
    (data / "qrels" / "test.tsv").write_text(f"query-id\tcorpus-id\tscore\n{judged}", "utf-8")
    vectors = random.standard_normal((count, DIMENSIONS), dtype=np.float32)
    np.save(root / "passages.npy", vectors)
    np.save(root / "queries.npy", vectors[:QUERIES])
    (root / "config.yaml").write_text(CONFIG, encoding="utf-8")
    key = entry_key(gathering.FORMAT, MiniLM().vector_key("passage"), "")
    keys, store = text_keys(texts), VectorStore(Cache(root / "cache"), key, Encoded.files, SILENT)
    for start in range(0, count, gathering.KEEP_TEXTS):
        part = slice(start, start + gathering.KEEP_TEXTS)
        store.keep(keys[part], vectors[part], np.zeros((len(keys[part]), 2), dtype=np.int32))
    return texts


if __name__ == "__main__":
    main()
