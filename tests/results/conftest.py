"""A small result on disk."""

from __future__ import annotations

import shutil
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


@pytest.fixture(scope="session")
def ran_once(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a result with two runs and a failure."""
    return ran_in(tmp_path_factory.mktemp("house"))


def ran_in(folder: Path) -> Path:
    write_dataset(folder / "data", tagged=True)
    (folder / "raises_in_results.py").write_text(
        "def retrieve(query, k):\n    raise RuntimeError('no connection')\n", encoding="utf-8"
    )
    config = folder / "house.yaml"
    config.write_text(CONFIG, encoding="utf-8")
    result = run_experiment(load_experiment(config), output=folder / "results" / "one")
    assert result.folder is not None
    return result.folder


@pytest.fixture
def written(ran_once: Path, tmp_path: Path) -> Path:
    """A copy of that result; its dataset stands where it was run."""
    return Path(shutil.copytree(ran_once, tmp_path / "results" / "one"))


@pytest.fixture
def written_here(tmp_path: Path) -> Path:
    """The same result, run in the test's folder; its dataset stands in ``data``."""
    return ran_in(tmp_path)
