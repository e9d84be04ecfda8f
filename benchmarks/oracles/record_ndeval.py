"""What ndeval (pyndeval) says of drawn needs: alpha-nDCG, whose ideal depends on its order of ties.

``python -m benchmarks.oracles.record_ndeval`` records it for the tests.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np

RECORDED = Path(__file__).resolve().parents[2] / "tests" / "oracles" / "recorded" / "ndeval.json"
ALPHAS, CUTOFFS, QUERIES = (0.2, 0.5, 0.9), (5, 10, 20), 40
"""ndeval knows these cutoffs alone."""


def drawn(seed: int) -> dict[str, Any]:
    """Needs and a ranking for each query: passages cover several needs, and many are alike."""
    rng = np.random.default_rng(seed)
    needs, run = dict[str, list[list[str]]](), dict[str, list[str]]()
    for number in range(QUERIES):
        names = [f"p{at}" for at in rng.permutation(12)[: rng.integers(2, 10)]]
        needs[f"q{number}"] = [
            [names[at] for at in rng.permutation(len(names))[: rng.integers(1, len(names) + 1)]]
            for _ in range(rng.integers(1, 6))
        ]
        every = [f"p{at}" for at in rng.permutation(15)]
        run[f"q{number}"] = every[: rng.integers(1, 16)]
    return {"needs": needs, "run": run}


def asked(seed: int) -> dict[str, Any]:
    """The same with ndeval's numbers: by alpha and cutoff, by query."""
    import pyndeval

    case = drawn(seed)
    qrels = [
        pyndeval.SubtopicQrel(query, str(number), passage, 1)
        for query, needs in case["needs"].items()
        for number, need in enumerate(needs, 1)
        for passage in need
    ]
    run = [
        pyndeval.ScoredDoc(query, passage, 100.0 - rank)
        for query, found in case["run"].items()
        for rank, passage in enumerate(found)
    ]
    numbers: dict[str, dict[str, float]] = {}
    for alpha in ALPHAS:
        wanted = [f"alpha-nDCG@{cutoff}" for cutoff in CUTOFFS]
        found = pyndeval.ndeval(qrels, run, measures=wanted, alpha=alpha)
        for cutoff in CUTOFFS:
            named = f"alpha-nDCG(alpha={alpha})@{cutoff}"
            numbers[named] = {
                query: values[f"alpha-nDCG@{cutoff}"] for query, values in found.items()
            }
    return {**case, "numbers": numbers}


if __name__ == "__main__":
    RECORDED.write_text(json.dumps(asked(0)) + "\n", encoding="utf-8")
