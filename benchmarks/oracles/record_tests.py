"""Ask statsmodels for corrected p-values and for equivalence by paired t tests (TOST); keep them
as tests/stats/recorded/corrections.json and equivalence.json.

    python -m benchmarks.oracles.record_tests        # in an environment with statsmodels
"""

from __future__ import annotations

import json
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
from statsmodels.stats.multitest import multipletests
from statsmodels.stats.weightstats import DescrStatsW, ttost_paired

FOLDER = Path(__file__).parents[2] / "tests" / "stats" / "recorded"
BY = {name: version(name) for name in ("statsmodels", "scipy", "numpy")}
THEIRS = {"holm": "holm", "bonferroni": "bonferroni", "bh": "fdr_bh"}
SEED = 1234


def families() -> list[list[float]]:
    random = np.random.default_rng(SEED)
    drawn = [random.random(size) ** 3 for size in (2, 3, 5, 11, 40)]
    return [
        [0.03],
        [1.0],
        [0.0, 0.5],
        [1.0, 1.0, 0.2],
        [0.01, 0.01, 0.01],
        [0.04, 0.01, 0.04, 0.01, 1.0, 0.5],
        [1e-300, 1e-12, 0.05],
        *(values.tolist() for values in drawn),
        np.round(random.random(30), 1).tolist(),
    ]


def corrections() -> list[dict[str, Any]]:
    return [
        {"p": p}
        | {ours: multipletests(p, method=theirs)[1].tolist() for ours, theirs in THEIRS.items()}
        for p in families()
    ]


def equivalences() -> list[dict[str, Any]]:
    random = np.random.default_rng(SEED)
    rows = []
    for queries, shift, spread, margin in [
        (2, 0.0, 0.1, 0.2),
        (5, 0.01, 0.02, 0.05),
        (10, 0.0, 0.05, 0.02),
        (30, -0.03, 0.05, 0.03),
        (30, 0.2, 0.05, 0.1),
        (200, 0.004, 0.05, 0.01),
        (1000, -0.02, 0.3, 0.02),
    ]:
        differences = np.round(random.normal(shift, spread, queries), 6)
        p, above, below = ttost_paired(differences, np.zeros(queries), -margin, margin)
        low, high = DescrStatsW(differences).tconfint_mean(alpha=0.1)
        rows.append(
            {
                "differences": differences.tolist(), "margin": margin, "p_tost": float(p),
                "p_above": float(above[1]), "p_below": float(below[1]),
                "low": float(low), "high": float(high),
            }
        )  # fmt: skip
    return rows


def main() -> None:
    for name, rows in {"corrections": corrections(), "equivalence": equivalences()}.items():
        lines = ",\n".join(f"    {json.dumps(row)}" for row in rows)
        text = f'{{\n  "by": {json.dumps(BY)},\n  "cases": [\n{lines}\n  ]\n}}\n'
        (FOLDER / f"{name}.json").write_text(text, encoding="utf-8")
        print(len(rows), FOLDER / f"{name}.json")


if __name__ == "__main__":
    main()
