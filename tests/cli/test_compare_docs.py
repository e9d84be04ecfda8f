"""docs/compare.md names every option, and its typical spreads are measured."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

from ragscore import BM25, evaluate
from ragscore.comparison.power_analysis import TYPICAL
from tests.factories.command import Ragscore

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "compare.md").read_text(encoding="utf-8")


def spread(dataset: str, **retrievers: BM25) -> float:
    """Standard deviation of the differences in nDCG@10 between two retrievers."""
    result = evaluate(ROOT / "datasets" / dataset, retrievers, ["nDCG@10"])
    one, other = (result.scores[name].values[0] for name in retrievers)
    return round(float(np.std(one - other, ddof=1)), 2)


@pytest.mark.slow
def test_typical_spreads_are_those_of_the_examples() -> None:
    """The others, of BM25 and dense retrievers, need a model: configs/quickstart.yaml."""
    pytest.importorskip("kiwipiepy")
    two = {"bm25": BM25(), "k1-b": BM25(k1=0.9, b=0.4)}
    assert spread("harbour-tenancy", **two) == TYPICAL["settings"][1]
    two = {"spaces": BM25(tokenizer="words"), "morphemes": BM25(tokenizer="korean")}
    assert spread("insurer-handbook-ko", **two) == TYPICAL["tokenizers"][1]


@pytest.mark.parametrize("command", ["compare", "power"])
def test_every_option_is_told(command: str, ragscore: Ragscore) -> None:
    options = set(re.findall(r"--[a-z-]+", ragscore(command, "--help").stdout))
    assert {option for option in options - {"--help"} if option not in PAGE} == set()
