"""A sweep from the experiment to the pasted YAML, which gives the value of the best."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from ragscore import Experiment, open_result, run_experiment
from ragscore.results.result import Result
from tests.factories.results import DATASETS, bm25

NAME = "harbour-tenancy"
EXPERIMENT = {
    "name": "tuned",
    "dataset": {"path": str(DATASETS / NAME)},
    "measures": ["R@10", "nDCG@10"],
    "depth": 20,
    "latency": False,
    "report": False,
}
RETRIEVERS = {
    "bm25": {"kind": "bm25", "k1": 1.2},
    "words": bm25(),
    "hybrid": {"kind": "fusion", "retrievers": ["bm25", "words"]},
}
SWEEP = {
    "bm25": {"k1": [0.4, 1.2, 2.0], "tokenizer.stem": [True]},
    "hybrid": {"weights": [[1, 1], [1, 3]], "k": [20, 60]},
    "for": "nDCG@10",
}


@pytest.fixture(scope="module")
def tuned(tmp_path_factory: pytest.TempPathFactory) -> Result:
    experiment = {**EXPERIMENT, "retrievers": RETRIEVERS, "sweep": SWEEP}
    folder = tmp_path_factory.mktemp("tuned") / "result"
    return run_experiment(Experiment.model_validate(experiment), output=folder)


def mean_of(result: Result, retriever: str) -> float:
    return result.to_dict()[NAME][retriever]["nDCG@10"]


def test_every_configuration_is_among_the_findings(tuned: Result) -> None:
    found = tuned[NAME].sweep
    assert len(found.configurations) == 3 + 3 * 4
    assert {best.retriever: best.configurations for best in found.by_retriever} == {
        "bm25": 3,
        "hybrid": 12,
    }
    assert found.measure == "nDCG@10"
    assert set(found.winner.means) == {"R@10", "nDCG@10"}
    assert found.winner.means["nDCG@10"] == pytest.approx(found.winner.value)


def test_the_settings_of_the_file_are_the_experiments_own_run(tuned: Result) -> None:
    found = tuned[NAME].sweep
    (entry,) = (
        entry for entry in tuned.scores.entries if entry.retriever == found.winner.retriever
    )
    assert found.written.value == pytest.approx(entry.means[1])


def test_the_pasted_yaml_gives_the_value_of_the_best(tuned: Result, tmp_path: Path) -> None:
    found = open_result(tuned.folder)[NAME].sweep
    pasted = {**EXPERIMENT, **yaml.safe_load(found.yaml)}
    again = run_experiment(Experiment.model_validate(pasted), output=tmp_path / "again")
    (entry,) = (
        entry for entry in again.scores.entries if entry.retriever == found.winner.retriever
    )
    assert entry.means[1] == pytest.approx(found.optimistic, abs=1e-12)
