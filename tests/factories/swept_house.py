"""A sweep of BM25 and a fusion over the house, as an experiment's files, and what runs it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ragscore import Cache, load_experiment, run_experiment
from ragscore.progress import Progress

CONFIG = """\
dataset: house
retrievers:
  bm25: {kind: bm25}
  words: {kind: bm25, tokenizer: words}
  hybrid: {kind: fusion, retrievers: [bm25, words]}
measures: [nDCG@3, R@depth]
depth: 4
latency: {queries: 3}
report: false
sweep:
"""
GRID = "  bm25: {k1: [0.6, 1.2], b: [0.3, 0.9]}\n  hybrid: {weights: [[1, 1], [1, 3]]}\n"


def swept(config: Path, cache: Path | None = None, notes: Progress | None = None) -> Any:
    result = run_experiment(
        load_experiment(config),
        output=config.parent / "out",
        overwrite=True,
        cache=Cache(cache) if cache else None,
        progress=notes or Progress(),
    )
    return result.parts.held_sweeps["house"]  # type: ignore[attr-defined]
