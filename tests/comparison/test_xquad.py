"""compare(): known figures on a public collection."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from ragscore.comparison import Comparison, compare
from ragscore.formats import load_dataset
from ragscore.retrievers import BM25
from ragscore.scoring import Scores, score
from ragscore.text import Snowball

# Known figures.


@pytest.fixture(scope="module")
def xquad(conformance: Path) -> Scores:
    dataset = load_dataset(conformance / "collections" / "xquad-en")
    assert dataset.corpus is not None
    fields = ("title", "text")
    specs = {
        "plain": BM25(tokenizer=Snowball(stem=False), fields=fields),
        "stemmed": BM25(fields=fields),
        "low": BM25(k1=0.9, b=0.4, fields=fields),
    }
    parts = []
    for name, spec in specs.items():
        run = spec.build(dataset.corpus).search(dataset.queries, 100)
        parts.append(score(run, dataset.qrels, ["nDCG@10"], dataset="xquad-en", retriever=name))
    return Scores.joined(parts)


@pytest.mark.parametrize("interval", ["t", "percentile"])
def test_known_figures_on_xquad(xquad: Scores, interval: str) -> None:
    one = compare(xquad, baseline="plain", interval=interval).datasets[0]
    figures = {
        "stemmed": (0.007, 0.002, 0.013, 0.005, (39, 25, 1126)),
        "low": (0.006, 0.001, 0.012, 0.032, (43, 34, 1113)),
    }
    for found in one.measures[0].differences:
        value, low, high, p, counted = figures[found.retriever]
        assert round(found.value, 3) == value
        assert (round(found.interval.low, 3), round(found.interval.high, 3)) == (low, high)
        # Monte Carlo: three standard errors of 10,000 sign flips.
        assert found.test.p == pytest.approx(p, abs=3 * np.sqrt(p * (1 - p) / 10_000))
        assert (found.wins, found.losses, found.ties) == counted


def test_known_verdict_on_xquad(xquad: Scores) -> None:
    comparison: Comparison = compare(Scores(xquad.entries[:2]))
    assert str(comparison["xquad-en"]) == (
        "Decided. Use stemmed: nDCG@10 0.968 [0.960, 0.975], the best of 2 retrievers.\n"
        "Sure: stemmed beats plain by 0.007 [+0.002, +0.013]."
    )
