"""Compare what a dry run says of sweeps with what they take.

    RAGSCORE_CONFORMANCE_DATA=... python benchmarks/plan_accuracy.py

Each sweep is planned and run twice in new caches: before anything ran, and after its retrievers ran
with the settings of the file. What it takes is the whole call, datasets and files included.
"""

from __future__ import annotations

import math
import os
import tempfile
import time
from pathlib import Path
from typing import Any

from ragscore import Cache, Experiment, plan, run_experiment

ROOT = Path(__file__).resolve().parent.parent
K1_B = {
    "k1": {"from": 0.2, "to": 4.0, "steps": 20},
    "b": {"from": 0.1, "to": 1.0, "steps": 10},
}
FEW = {"k1": [0.9, 1.2, 1.5], "b": [0.3, 0.5, 0.9]}
WEIGHTS = {"weights": [[1, 1], [1, 2], [2, 1], [1, 4]]}


def experiments() -> dict[str, dict[str, Any]]:
    """By what is swept, an experiment."""
    bm25 = {"kind": "bm25"}
    words = {"kind": "bm25", "tokenizer": "words"}
    dense = {"kind": "faiss", "encoder": "minilm"}
    harbour = {
        "dataset": {"path": str(ROOT / "datasets" / "harbour-tenancy")},
        "retrievers": {
            "bm25": bm25,
            "dense": dense,
            "hybrid": {"kind": "fusion", "retrievers": ["bm25", "dense"]},
        },
        "sweep": {"bm25": FEW, "hybrid": WEIGHTS},
    }
    found = {"9 BM25 and 36 hybrids with minilm, harbour-tenancy": harbour}
    if collections := os.environ.get("RAGSCORE_CONFORMANCE_DATA"):
        dataset = {"path": str(Path(collections) / "collections" / "cranfield")}
        hybrid = {"kind": "fusion", "retrievers": ["bm25", "words"]}
        found |= {
            "200 BM25, Cranfield": {
                "dataset": dataset,
                "retrievers": {"bm25": bm25},
                "sweep": {"bm25": K1_B},
            },
            "9 BM25 and 36 hybrids of them, Cranfield": {
                "dataset": dataset,
                "retrievers": {"bm25": bm25, "words": words, "hybrid": hybrid},
                "sweep": {"bm25": FEW, "hybrid": WEIGHTS},
            },
        }
    return found


def planned_and_taken(experiment: Experiment, folder: Path) -> str:
    """What the plan says and what the run takes, as a line."""
    cache = Cache(folder / "cache")
    rows = [row for row in plan(experiment, cache=cache).retrievers if row.kept < row.runs]
    unknown = any(math.isnan(row.seconds + row.bytes) for row in rows)
    seconds = math.fsum(row.seconds for row in rows if not math.isnan(row.seconds))
    size = math.fsum(row.bytes for row in rows if not math.isnan(row.bytes))
    before, began = size_of(folder / "cache"), time.perf_counter()
    run_experiment(experiment, output=folder / f"out-{bool(experiment.sweep)}", cache=cache)
    took, grown = time.perf_counter() - began, size_of(folder / "cache") - before
    known = " (and what is unknown)" if unknown else ""
    times = f"{seconds:.1f} s planned{known}, {took:.1f} s taken"
    return f"{times}; {size / 1e6:.1f} MB planned, {grown / 1e6:.1f} MB written"


def size_of(folder: Path) -> int:
    """Bytes of all files in it."""
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())


def main() -> None:
    """Print a line for each sweep and cache."""
    for what, parts in experiments().items():
        data = {"measures": ["nDCG@10"], "compare": False, "report": False, **parts}
        experiment = Experiment.model_validate(data)
        with tempfile.TemporaryDirectory() as place:
            print(f"{what}, first: {planned_and_taken(experiment, Path(place))}")
        with tempfile.TemporaryDirectory() as place:
            alone = experiment.model_copy(update={"sweep": False})
            planned_and_taken(alone, Path(place))
            print(f"{what}, after a run: {planned_and_taken(experiment, Path(place))}")


if __name__ == "__main__":
    main()
