"""A sweep from the experiment to the pasted YAML, which gives the value of the best."""

from __future__ import annotations

import json
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
    assert found.configured == pytest.approx(entry.means[1])


def test_the_pasted_yaml_gives_the_value_of_the_best(tuned: Result, tmp_path: Path) -> None:
    found = open_result(tuned.folder)[NAME].sweep
    pasted = {**EXPERIMENT, **yaml.safe_load(found.yaml)}
    again = run_experiment(Experiment.model_validate(pasted), output=tmp_path / "again")
    (entry,) = (
        entry for entry in again.scores.entries if entry.retriever == found.winner.retriever
    )
    assert entry.means[1] == pytest.approx(found.in_sample, abs=1e-12)


@pytest.mark.parametrize(("grid", "edge"), [([0, 0.4, 0.8], None), ([0.2, 0.5, 0.8], "smallest")])
def test_no_value_is_offered_beyond_what_an_option_allows(
    grid: list[float], edge: str | None, tmp_path: Path
) -> None:
    """Long passages are right here, so BM25 is better the smaller b is, down to 0."""
    rows: dict[str, list[dict[str, object]]] = {"passages": [], "queries": [], "ground_truth": []}
    for at in range(20):
        word, other = f"topic{at}", "filler " * (1 + at // 2)
        rows["passages"].append({"id": f"long{at}", "text": f"{word} {other} {word}"})
        rows["passages"].append({"id": f"short{at}", "text": word})
        rows["queries"].append({"id": f"q{at}", "text": word})
        rows["ground_truth"].append({"query_id": f"q{at}", "passages": {f"long{at}": 1}})
    for name, lines in rows.items():
        text = "".join(f"{json.dumps(line)}\n" for line in lines)
        (tmp_path / f"{name}.jsonl").write_text(text, encoding="utf-8")
    experiment = {
        **EXPERIMENT,
        "dataset": {"path": str(tmp_path)},
        "measures": ["RR@10"],
        "retrievers": {"bm25": bm25()},
        "sweep": {"bm25": {"b": grid, "k1": [1.2, 1.5]}},
    }
    result = run_experiment(Experiment.model_validate(experiment), output=tmp_path / "result")
    for read in (result, open_result(result.folder)):
        found = read[tmp_path.name].sweep
        assert found.winner.settings["bm25.b"] == grid[0]
        assert found.edges == ({"bm25.b": edge} if edge else {})
