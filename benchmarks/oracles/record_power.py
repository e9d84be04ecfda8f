"""Ask statsmodels for the power of the paired t test; keep it as tests/stats/recorded/power.json.

    python -m benchmarks.oracles.record_power        # in an environment with statsmodels

Three lists of rows: ``power`` at (effect, n, alpha); ``effect``, what is detected at
(n, alpha, power); ``n``, fractional, that reaches power for (effect, alpha, power). Effects are
standardized. The last two are roots of ``TTestPower.power`` found by bisection: ``solve_power``
itself stops while its power is still off by up to 2e-5 (its distance is printed). Where
statsmodels says nan, for large noncentralities, the row is left out.
"""

from __future__ import annotations

import json
import math
import warnings
from importlib.metadata import version
from itertools import product
from pathlib import Path

import numpy as np
from scipy.optimize import brentq
from statsmodels.stats.power import TTestPower

FILE = Path(__file__).parents[2] / "tests" / "stats" / "recorded" / "power.json"
SIZES = [2, 3, 4, 5, 7, 10, 20, 30, 50, 100, 225, 1000, 5000, 20_000]
ALPHAS = [0.05 / comparisons for comparisons in (1, 3, 11, 100)]
EFFECTS = [0.001, 0.01, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 3.0]
POWERS = [0.5, 0.8, 0.9, 0.99]


def main() -> None:
    warnings.simplefilter("ignore")
    test = TTestPower()
    rows: dict[str, list[list[float]]] = {"power": [], "effect": [], "n": []}
    for effect, n, alpha in product(EFFECTS, SIZES, ALPHAS):
        found = float(test.power(effect, n, alpha))
        if not math.isnan(found):
            rows["power"].append([effect, n, alpha, found])
    for n, alpha, power in product(SIZES, ALPHAS, POWERS):
        effect = solved(test, power, nobs=n, alpha=alpha)
        if effect is not None:
            rows["effect"].append([n, alpha, power, effect])
    for effect, alpha, power in product(EFFECTS, ALPHAS, POWERS):
        needed = solved(test, power, effect_size=effect, alpha=alpha)
        if needed is not None:
            rows["n"].append([effect, alpha, power, needed])
    FILE.parent.mkdir(parents=True, exist_ok=True)
    recorded = {
        "by": {name: version(name) for name in ("statsmodels", "scipy")},
        **rows,
    }
    lines = [f'  "{key}": {json.dumps(value)}' for key, value in recorded.items()]
    FILE.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")
    print({name: len(of) for name, of in rows.items()}, FILE)


def solved(test: TTestPower, power: float, **given: float) -> float | None:
    """The one that is not given: the root of TTestPower.power, bracketed by doubling."""
    wanted = ({"effect_size", "nobs"} - given.keys()).pop()

    def lacking(value: float) -> float:
        return float(test.power(**{wanted: value}, **given)) - power

    low, high = (2.0, 4.0) if wanted == "nobs" else (1e-9, 1e-3)
    if lacking(low) > 0:
        return None
    while lacking(high) < 0:
        low, high = high, high * 2
    try:
        found = float(brentq(lacking, low, high, xtol=1e-13, rtol=1e-14))
    except ValueError:  # nan
        return None
    theirs = float(np.ravel(test.solve_power(power=power, **given))[0])
    print(f"{wanted} for {given}, {power}: solve_power differs by {abs(theirs) / found - 1:.1e}")
    return found


if __name__ == "__main__":
    main()
