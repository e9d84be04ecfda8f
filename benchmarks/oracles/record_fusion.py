"""Ask ranx to fuse real runs; keep what it gives as tests/oracles/recorded/ranx-fusion.json.

    python -m benchmarks.oracles.record_fusion       # in an environment with ranx

The inputs are bm25 and minilm on the first queries of harbour-tenancy, to different depths, and
lists that are easily got wrong: one passage, equal scores, negative scores, no common passage.
``ragscore`` itself is imported to make them, and not needed where they are recorded: give the file
that ``--inputs`` writes to a Python that has ranx alone.
"""

from __future__ import annotations

import argparse
import json
from importlib.metadata import version
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
FILE = ROOT / "tests" / "oracles" / "recorded" / "ranx-fusion.json"
QUERIES, DEPTHS = 10, (12, 8)
WEIGHTS = [[1.0, 1.0], [0.3, 0.7], [2.0, 5.0]]
Lists = dict[str, dict[str, float]]

ODD: dict[str, list[dict[str, float]]] = {
    "one passage": [{"a": 3.5}, {"b": 0.25, "a": 0.125}],
    "one passage each": [{"a": 3.5}, {"a": -2.0}],
    "equal scores": [{"a": 2.5, "b": 2.5, "c": 2.5}, {"c": 0.75, "d": 0.5}],
    "negative scores": [{"a": -1.0, "b": -4.0}, {"b": -0.5, "c": -8.0, "d": -9.0}],
    "nothing in common": [{"a": 9.0, "b": 7.0}, {"c": 0.9, "d": 0.8, "e": 0.1}],
}


def inputs() -> list[Lists]:
    """The runs to fuse, by query."""
    from ragscore import BM25, Faiss, load_dataset

    dataset = load_dataset(ROOT / "datasets" / "harbour-tenancy")
    assert dataset.corpus is not None
    asked = dataset.queries.select(range(QUERIES))
    runs: list[Lists] = []
    for spec, depth, at in zip((BM25(), Faiss(encoder="minilm")), DEPTHS, (0, 1), strict=True):
        found = spec.build(dataset.corpus).search(asked, depth).to_dict()
        runs.append({**found, **{name: lists[at] for name, lists in ODD.items()}})
    return runs


def ask(runs: list[Lists]) -> dict[str, Any]:
    """What ranx gives for each method and its parameters."""
    import ranx

    def fused(**options: Any) -> Lists:
        given = [ranx.Run(run) for run in runs]
        found = ranx.fuse(runs=given, **options).to_dict()
        return {query: dict(passages) for query, passages in found.items()}

    numbers: dict[str, Any] = {}
    for k in (60, 5):
        numbers[f"rrf k={k}"] = fused(norm=None, method="rrf", params={"k": k})
    for ours, norm in (("min-max", "min-max"), ("z-score", "zmuv")):
        for weights in WEIGHTS:
            options = {"norm": norm, "method": "wsum", "params": {"weights": weights}}
            numbers[f"{ours} weights={json.dumps(weights)}"] = fused(**options)
    numbers["comb-mnz"] = fused(norm="min-max", method="mnz")
    return {"by": f"ranx {version('ranx')}", "runs": runs, "numbers": numbers}


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--inputs", type=Path, help="the runs: written, or read where they exist")
    path = parser.parse_args().inputs
    if path is not None and not path.exists():
        path.write_text(json.dumps(inputs()), encoding="utf-8")
        return
    runs = inputs() if path is None else json.loads(path.read_text(encoding="utf-8"))
    recorded = ask(runs)
    FILE.write_text(json.dumps(recorded, indent=None, sort_keys=True) + "\n", encoding="utf-8")
    print(len(recorded["numbers"]), FILE)


if __name__ == "__main__":
    main()
