"""A small result on disk."""

from __future__ import annotations

from pathlib import Path

import pytest

from ragscore import load_experiment, run_experiment
from tests.factories.house import write_dataset

CONFIG = """\
name: house
dataset: data
retrievers:
  bm25: {kind: bm25}
  words: {kind: bm25, tokenizer: words}
  broken: {kind: custom, use: "raises_in_results:retrieve"}
measures: [nDCG@3, P@3, R@depth, MR, "P(average=micro,denominator=min)@3"]
depth: 4
latency: {queries: 3}
"""


@pytest.fixture
def written(tmp_path: Path) -> Path:
    """The folder of a result with two runs and a failure; its dataset stands in ``data``."""
    write_dataset(tmp_path / "data", tagged=True)
    (tmp_path / "raises_in_results.py").write_text(
        "def retrieve(query, k):\n    raise RuntimeError('no connection')\n", encoding="utf-8"
    )
    config = tmp_path / "house.yaml"
    config.write_text(CONFIG, encoding="utf-8")
    result = run_experiment(load_experiment(config), output=tmp_path / "results" / "one")
    assert result.folder is not None
    return result.folder
