"""How far a sample of a corpus lifts the scores of three retrievers, with and without a pool.

``python -m benchmarks.sampled_corpus FOLDER`` prints a table: what each retriever reaches on the
whole corpus of a dataset, and by how much more it reaches on samples; ``--sample 100 1600`` names
how many passages are drawn.
"""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from ragscore import Cache, Experiment, Result, run_experiment

RETRIEVERS: Mapping[str, Any] = {
    "bm25": {"kind": "bm25"},
    "words": {"kind": "bm25", "tokenizer": "words"},
    "minilm": {"kind": "faiss", "encoder": "minilm"},
}
POOLS: tuple[tuple[str, ...], ...] = ((), ("bm25",), ("bm25", "minilm"))


def searched(folder: str, corpus: Any, measure: str, cache: Cache) -> Result:
    """The result of all retrievers on a corpus or on a sample of it."""
    parts = {
        "datasets": [{"path": folder, "corpus": corpus}],
        "retrievers": RETRIEVERS,
        "measures": [measure],
        "latency": False,
        "compare": False,
        "report": False,
    }
    with tempfile.TemporaryDirectory() as output:
        experiment = Experiment.model_validate(parts)
        return run_experiment(experiment, output=Path(output, "result"), cache=cache)


def rows(folder: str, samples: list[int], measure: str, cache: Cache) -> Iterator[list[str]]:
    """The whole corpus, then each sample."""
    result = searched(folder, True, measure, cache)
    whole = {name: result.scores[name].mean(measure) for name in RETRIEVERS}
    (entry,) = result.manifest.datasets
    yield ["the whole corpus", f"{entry.passages:,}", *(f"{whole[name]:.3f}" for name in whole)]
    for count in samples:
        for pool in POOLS:
            corpus = {"sample": count, **({"pool": list(pool)} if pool else {})}
            result = searched(folder, corpus, measure, cache)
            (entry,) = result.manifest.datasets
            lifted = (result.scores[name].mean(measure) - whole[name] for name in whole)
            named = f", pool: [{', '.join(pool)}]" if pool else ""
            written = f"`sample: {count}{named}`"
            yield [written, f"{entry.passages:,}", *(f"{value:+.3f}" for value in lifted)]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder")
    parser.add_argument("--sample", type=int, nargs="+", default=[100, 1600])
    parser.add_argument("--measure", default="nDCG@10")
    given = parser.parse_args()
    print(f"| {given.measure} | passages | {' | '.join(RETRIEVERS)} |", flush=True)
    print("|---|" + "---|" * (len(RETRIEVERS) + 1))
    for cells in rows(given.folder, given.sample, given.measure, Cache.default()):
        print(f"| {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main()
