"""The golden values of datasets/worked-examples, to 1e-12."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

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


@pytest.mark.parametrize(
    "case",
    EXPECTED["values"],
    ids=lambda case: f"{case['query']}-{case['measure']}",
)
def test_value(case: dict[str, Any], run: Run, judgments: dict[str, Qrels]) -> None:
    measure, grades = str(case["measure"]), case["grades"]
    if isinstance(grades, dict):
        by_itself = score({case["query"]: case["retrieved"]}, {case["query"]: grades}, [measure])
        assert by_itself.entries[0].means[0] == pytest.approx(case["value"], abs=1e-12, rel=0)
        return
    scores = score(run, judgments[str(grades)], [measure]).entries[0]
    assert scores.per_query(measure)[str(case["query"])] == pytest.approx(
        case["value"], abs=1e-12, rel=0
    )


@pytest.mark.parametrize("case", EXPECTED["means"], ids=lambda case: case["measure"])
def test_mean(case: dict[str, object], run: Run, judgments: dict[str, Qrels]) -> None:
    chosen = case["queries"]
    assert isinstance(chosen, list)
    graded = judgments[str(case["grades"])].to_dict()
    qrels = Qrels.from_dict({query: graded[query] for query in chosen})
    scores = score(run, qrels, [str(case["measure"])]).entries[0]
    assert scores.means[0] == pytest.approx(case["value"], abs=1e-12, rel=0)
