"""The golden values of datasets/worked-examples, to 1e-12."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from ragscore import load_dataset, load_run
from ragscore.dataset import Qrels
from ragscore.run import Run
from ragscore.scoring import score

FOLDER = Path(__file__).resolve().parents[2] / "datasets" / "worked-examples"
EXPECTED = json.loads((FOLDER / "expected.json").read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def run() -> Run:
    return load_run(FOLDER / "runs" / "retrieved.trec")


@pytest.fixture(scope="module")
def judgments() -> dict[str, Qrels]:
    ranked = load_dataset(FOLDER).qrels
    binary = {query: list(graded) for query, graded in ranked.to_dict().items()}
    return {"ranked": ranked, "binary": Qrels.from_dict(binary)}


def test_values(run: Run, judgments: dict[str, Qrels]) -> None:
    for case in EXPECTED["values"]:
        query, measure, grades = str(case["query"]), str(case["measure"]), case["grades"]
        if isinstance(grades, dict):
            found = score({query: case["retrieved"]}, {query: grades}, [measure])
        else:
            found = score(run, judgments[str(grades)], [measure])
        value = found.entries[0].per_query(measure)[query]
        assert value == pytest.approx(case["value"], abs=1e-12, rel=0), (query, measure)


@pytest.mark.parametrize("case", EXPECTED["means"], ids=lambda case: case["measure"])
def test_mean(case: dict[str, object], run: Run, judgments: dict[str, Qrels]) -> None:
    chosen = case["queries"]
    assert isinstance(chosen, list)
    graded = judgments[str(case["grades"])].to_dict()
    qrels = Qrels.from_dict({query: graded[query] for query in chosen})
    scores = score(run, qrels, [str(case["measure"])]).entries[0]
    assert scores.means[0] == pytest.approx(case["value"], abs=1e-12, rel=0)
