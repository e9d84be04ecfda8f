"""A p that no fewer resamples could make smaller: printed as what it is below."""

from __future__ import annotations

import numpy as np
import pytest

from ragscore.comparison import compare
from ragscore.elements import as_text
from ragscore.elements.numbers import p_text
from tests.factories.scores import scored

N = 60


def printed(*, resamples: int, all_pairs: bool = False, better: int = N) -> str:
    random = np.random.default_rng(7)
    base = random.uniform(0.2, 0.4, N)
    gain = np.where(np.arange(N) < better, 0.2, -0.2) + random.uniform(0, 0.05, N)
    values = {"bm25": base, "dense": base + gain, "best": base + 2 * gain}
    scores = scored({"nDCG@10": {name: row.tolist() for name, row in values.items()}})
    found = compare(scores, resamples=resamples, all_pairs=all_pairs)
    return as_text(found.elements())


def test_where_no_pattern_reaches_the_difference_p_is_below_its_floor() -> None:
    text = printed(resamples=100)
    row = next(line for line in text.split("\n") if line.startswith("dense "))
    assert row.split()[7:9] == ["<0.01", "<0.03"]  # 1 / 101, and three times that
    assert "0.010" not in row
    text = printed(resamples=100, all_pairs=True)
    (row,) = [line for line in text.split("\n") if line.startswith("bm25 - dense ")]
    assert row.split()[6:8] == ["<0.01", "<0.03"]


def test_where_patterns_reach_it_p_is_printed() -> None:
    text = printed(resamples=100, better=30)
    row = next(line for line in text.split("\n") if line.startswith("dense "))
    assert not any(cell.startswith("<") for cell in row.split())


@pytest.mark.parametrize(
    ("p", "text"),
    [
        *[(190 / 10_001, "<0.02"), (0.0494, "<0.05"), (0.05, "<0.06"), (0.005, "<0.006")],
        *[(0.0004, "<0.001"), (0.96, "<1"), (1.0, "1.000")],
    ],
)
def test_a_floor_is_rounded_up(p: float, text: str) -> None:
    assert p_text(p, floor=True) == text
