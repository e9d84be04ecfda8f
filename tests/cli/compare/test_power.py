"""``ragscore power``: plans from results, datasets and run files."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from ragscore import power
from ragscore.dataset import Dataset
from ragscore.stats.power import detectable_difference, queries_needed
from tests.factories.lexical import CONFIG, ROOT


def test_power_of_a_result(result: Path, ragscore) -> None:
    code, out, _ = ragscore("power", result, "--difference", "0.03", "--format", "json")
    assert code == 0
    (plan,) = json.loads(out)["datasets"]
    found = (plan["queries"], plan["comparisons"], plan["alpha"])
    assert found == (74, 3, pytest.approx(0.05 / 3))
    for spread in plan["spreads"]:
        sd = spread["sd"]
        assert spread["detectable"] >= detectable_difference(sd, 74, alpha=0.025)
        assert spread["needed"]["0.03"] >= queries_needed(0.03, sd, alpha=0.025)
        assert 0 < spread["power"] < 1


def test_power_tells_a_spread_that_few_queries_show(result: Path, ragscore) -> None:
    code, out, _ = ragscore("power", result, "-m", "Success@5")
    assert code == 0
    assert "bm25 and k1-b: only 1 of 74 queries differ: not estimable" in out
    assert "bm25 and words: all queries but 9 have the same value, so the sd is uncertain" in out
    _, out, _ = ragscore("power", result)
    assert "informative" not in out


def test_power_of_a_dataset(ragscore) -> None:
    dataset = ROOT / "datasets" / "harbour-tenancy"
    code, out, _ = ragscore("power", dataset)
    assert code == 0
    assert out.startswith(
        "With 74 judged queries you can detect a difference of at least 0.023 to 0.149"
    )
    code, out, _ = ragscore("power", dataset, "--sd", "0.2", "--comparisons", "3")
    shown = detectable_difference(0.2, 74, alpha=0.05 / 3)
    assert out.startswith(
        f"With 74 judged queries you can detect a difference of at least {shown:.3f}"
    )
    assert "0.05/3" in out


def test_power_counts_clusters(result: Path, ragscore) -> None:
    code, out, _ = ragscore("power", result, "--cluster", "topic", "--format", "json")
    assert code == 0
    (plan,) = json.loads(out)["datasets"]
    _, compared, _ = ragscore("compare", result, "--cluster", "topic", "--format", "json")
    (dataset,) = json.loads(compared)["datasets"]
    assert plan["clusters"] == dataset["clusters"] == 35
    primary = dataset["measures"][0]["differences"]
    found = {f"bm25 and {one['retriever']}": one for one in primary}
    for spread in plan["spreads"]:
        if spread["of"] in found:
            assert spread["detectable"] == pytest.approx(found[spread["of"]]["detectable"])
            assert spread["needed"]["0.01"] == found[spread["of"]]["needed"]
    code, out, _ = ragscore("power", ROOT / "datasets" / "harbour-tenancy", "--cluster", "topic")
    assert code == 0
    assert "74 judged queries in 35 clusters" in out


def test_power_counts_the_clusters_of_the_experiment(tmp_path: Path, ragscore) -> None:
    config = tmp_path / "x.yaml"
    text = CONFIG.format(dataset=ROOT / "datasets" / "harbour-tenancy")
    config.write_text(text + "compare: {cluster: topic}\n")
    ragscore("run", config, "--output", tmp_path / "out", "-q")
    assert "74 judged queries in 35 clusters" in ragscore("power", tmp_path / "out")[1]


def test_power_of_a_geometric_mean_is_that_of_its_logarithms(result: Path, ragscore) -> None:
    _, out, _ = ragscore("power", result, "-m", "GMAP", "--format", "json")
    planned = {one["of"]: one for one in json.loads(out)["datasets"][0]["spreads"]}
    _, out, _ = ragscore("compare", result, "-m", "GMAP", "--format", "json")
    for one in json.loads(out)["datasets"][0]["measures"][0]["differences"]:
        spread = planned[f"bm25 and {one['retriever']}"]
        assert spread["detectable"] == pytest.approx(one["detectable"])


@pytest.mark.parametrize(
    ("arguments", "code", "told"),
    [
        (["{result}", "--cluster", "topc"], 2, "Did you mean 'topic'?"),
        (["{result}", "--sd", "-1"], 2, "--sd: -1 is not a standard deviation"),
        (["{result}", "--comparisons", "0"], 2, "--comparisons: 0. Give 1 or more"),
        (["{result}", "--difference", "0"], 2, "--difference: 0 is not above 0"),
        (["{result}", "--difference", "-1"], 2, "--difference: -1 is not above 0"),
        (["{result}", "--difference", "nan"], 2, "--difference: nan is not a finite number"),
        (["{result}", "--difference", "inf"], 2, "--difference: inf is not a finite number"),
        (["{result}", "--difference", "5"], 2, "--difference: 5 is more than nDCG@10 can differ"),
        (["{root}/datasets/harbour-tenancy", "--difference", "5"], 2, "--difference: 5 is more"),
        (["{root}/datasets/harbour-tenancy", "-m", "R@3"], 2, "a dataset has no scores"),
        (["nowhere"], 3, "nowhere"),
    ],
)
def test_wrong_asks_of_power(
    arguments: list[str], code: int, told: str, result: Path, ragscore
) -> None:
    given = [text.format(result=result, root=ROOT) for text in arguments]
    found, out, err = ragscore("power", *given)
    assert (found, out) == (code, "")
    assert told in err


def judged(queries: int) -> Dataset:
    names = [f"q{number}" for number in range(queries)]
    relevant = {name: ["a"] for name in names}
    return Dataset.from_rows({"a": "text"}, dict.fromkeys(names, "?"), relevant)


def test_power_of_one_query_and_of_spreads_that_no_judging_reaches() -> None:
    """Nothing is divided by zero, and what nobody judges is not counted."""
    (one,) = power(judged(1), sd=0.2, difference=0.1).datasets[0].spreads
    assert (one.sd, one.units, one.detectable, one.power) == (0.2, 1, None, None)
    for sd, counted in ((5.0, True), (50.0, False)):
        (spread,) = power(judged(10), sd=sd).datasets[0].spreads
        assert (spread.needed["0.01"] is not None) == counted
