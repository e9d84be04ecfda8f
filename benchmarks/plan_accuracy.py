"""Compare what a dry run says of sweeps, and of a corpus in blocks, with what they take.

    RAGSCORE_CONFORMANCE_DATA=... python benchmarks/plan_accuracy.py
    python benchmarks/plan_accuracy.py --blocks 300000

Each sweep is planned and run twice in new caches: before anything ran, and after its retrievers ran
with the settings of the file. What it takes is the whole call, datasets and files included.

``--blocks N`` plans and runs BM25 and exact search of vectors of 128 dimensions, 1,000 queries over
N generated passages, and exact search with minilm over 2,000, a block of which was encoded before.
"""

from __future__ import annotations

import argparse
import math
import os
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from ragscore import Cache, Experiment, plan, run_experiment
from ragscore.experiment import run_stage

sys.path.insert(0, str(Path(__file__).parent))
from hundred_million import english
from streamed_search import make

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


def in_blocks(folder: Path, passages: int) -> dict[str, Experiment]:
    """By retriever, an experiment over a corpus in blocks; minilm's is smaller, its blocks too."""
    large, small = folder / "large", folder / "small"
    make(large, passages, 1_000, english())
    make(small, 2_000, 100, english())
    files = {"passages": str(large / "vectors"), "queries": str(large / "queries.npy")}
    given = {"kind": "faiss", "metric": "ip", "encoder": {"kind": "precomputed", **files}}
    rows = {
        "bm25": (large, 131_072, {"kind": "bm25"}),
        "exact": (large, 131_072, given),
        "minilm": (small, 500, {"kind": "faiss", "encoder": "minilm"}),
    }
    return {
        name: Experiment.model_validate(
            {
                "dataset": {"path": str(path), "block": block},
                "memory": "4GB",
                "retrievers": {name: spec},
                "measures": ["nDCG@10"],
                "latency": False,
                "compare": False,
                "report": False,
            }
        )
        for name, (path, block, spec) in rows.items()
    }


def planned_and_taken(experiment: Experiment, folder: Path) -> str:
    """What the plan says and what the run takes, as a line."""
    cache = Cache(folder / "cache")
    found = plan(experiment, cache=cache)
    rows = [row for row in found.retrievers if row.kept < row.runs]
    unknown = any(math.isnan(row.seconds + row.bytes) for row in rows)
    parts = [*rows, *found.corpora]
    seconds = math.fsum(part.seconds for part in parts if not math.isnan(part.seconds))
    size = math.fsum(part.bytes for part in parts if not math.isnan(part.bytes))
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
    """Print a line for each sweep and cache, or each retriever over blocks."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--blocks", type=int, help="passages of a corpus in blocks")
    if passages := parser.parse_args().blocks:
        with tempfile.TemporaryDirectory() as place:
            for name, experiment in in_blocks(Path(place), passages).items():
                folder = Path(place) / name
                if name == "minilm":
                    run_stage("encode", experiment, "1/4", cache=Cache(folder / "cache"))
                print(f"{name}: {planned_and_taken(experiment, folder)}", flush=True)
        return
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
