"""Sweeps whose values a test chooses, as an experiment would hand them over."""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import Any

import numpy as np

from ragscore import Experiment, run_experiment
from ragscore.results.result import Result
from ragscore.sweeps.model import SweptConfigurations
from tests.factories.results import DATASETS, bm25

K1, B = (0.6, 0.9, 1.2, 1.5), (0.3, 0.6, 0.9)
WRITTEN: dict[str, dict[str, Any]] = {
    "bm25": {"kind": "bm25", "k1": 1.2, "tokenizer": {"kind": "words"}},
    "words": {"kind": "bm25", "tokenizer": {"kind": "words"}},
    "hybrid": {"kind": "fusion", "retrievers": ["bm25", "words"]},
}
INPUTS = {"bm25": (), "words": (), "hybrid": ("bm25", "words")}


def swept(**parts: Any) -> SweptConfigurations:
    """Twelve configurations of bm25 on 40 queries: k1 = 0.9 is the best, b does nothing."""
    settings = [{"bm25.k1": k1, "bm25.b": b} for k1, b in itertools.product(K1, B)]
    random = np.random.default_rng(5)
    hard = random.normal(0.5, 0.15, 40)
    worth = np.array([-0.3 * abs(setting["bm25.k1"] - 0.9) for setting in settings])
    values = np.clip(hard + worth[:, None] + random.normal(0, 0.05, (12, 40)), 0, 1)
    given: dict[str, Any] = {
        "dataset": "harbour",
        "measure": "nDCG@10",
        "query_ids": tuple(f"q{number}" for number in range(40)),
        "retrievers": ("bm25",) * 12,
        "settings": tuple(settings),
        "values": values,
        "means": {"nDCG@10": values.mean(axis=1), "P@5": values.mean(axis=1) / 2},
        "latency_ms": np.linspace(0.4, 1.5, 12),
        "index_bytes": np.full(12, 80_872.0),
        "written": {"bm25": np.clip(hard - 0.09 + random.normal(0, 0.05, 40), 0, 1)},
        "specs": WRITTEN,
        "inputs": INPUTS,
    }
    return SweptConfigurations(**{**given, **parts})


def equal(configurations: int, queries: int, seed: int = 0) -> SweptConfigurations:
    """Configurations whose scores are permuted for each query: none is better."""
    random = np.random.default_rng(seed)
    hard = random.normal(0.5, 0.2, queries)
    values = np.clip(hard + random.normal(0, 0.15, (configurations, queries)), 0, 1)
    return swept(
        query_ids=tuple(map(str, range(queries))),
        retrievers=("bm25",) * configurations,
        settings=tuple({"bm25.k1": number / 100} for number in range(configurations)),
        values=random.permuted(values, axis=0),
        means={},
        latency_ms=np.full(configurations, np.nan),
        index_bytes=np.full(configurations, np.nan),
        written={},
    )


def swept_result(folder: Path, **parts: Any) -> Result:
    """A result with two retrievers on the small worked examples, and a sweep of 12 configurations
    on its queries."""
    experiment = {
        "name": "swept",
        "datasets": [{"path": str(DATASETS / "worked-examples")}],
        "retrievers": {"bm25": bm25(k1=1.2), "words": bm25()},
        "measures": ["nDCG@10", "P@5"],
        "depth": 20,
        "latency": False,
        "report": False,
    }
    ran = run_experiment(Experiment.model_validate(experiment), output=folder / "without")
    (entry,) = ran.manifest.datasets
    query_ids = tuple(ran.scores.entries[0].query_ids)
    count = len(query_ids)
    given = {
        "values": swept().values[:, :count],
        "written": {"bm25": swept().written["bm25"][:count]},
    }
    made = swept(dataset=entry.name, query_ids=query_ids, **{**given, **parts})
    ran.parts.held_sweeps = {entry.name: made}
    return Result(ran.parts).save(folder / "swept")
