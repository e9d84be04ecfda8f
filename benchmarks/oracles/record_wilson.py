"""Ask statsmodels for Wilson's interval; keep it as tests/stats/recorded/wilson.json.

    python -m benchmarks.oracles.record_wilson       # in an environment with statsmodels

Rows: successes, n, level, low, high.
"""

from __future__ import annotations

import json
from importlib.metadata import version
from pathlib import Path

from statsmodels.stats.proportion import proportion_confint

FILE = Path(__file__).parents[2] / "tests" / "stats" / "recorded" / "wilson.json"
SIZES = [1, 2, 5, 18, 50, 225, 1000, 100_000]
SHARES = [0, 0.05, 0.5, 0.89, 1]
LEVELS = [0.8, 0.9, 0.95, 0.99]


def main() -> None:
    rows = []
    for n in SIZES:
        for successes in sorted({round(share * n) for share in SHARES}):
            for level in LEVELS:
                low, high = proportion_confint(successes, n, alpha=1 - level, method="wilson")
                rows.append([successes, n, level, float(low), float(high)])
    recorded = {"by": {name: version(name) for name in ("statsmodels", "scipy")}, "rows": rows}
    lines = [f'  "{key}": {json.dumps(value)}' for key, value in recorded.items()]
    FILE.parent.mkdir(parents=True, exist_ok=True)
    FILE.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")
    print(len(rows), FILE)


if __name__ == "__main__":
    main()
