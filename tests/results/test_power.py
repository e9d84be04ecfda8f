"""power(): what a number of queries can detect, of scores, a result and a dataset."""

from __future__ import annotations

from pathlib import Path

import pytest

import ragscore
from ragscore import ConfigError, DataError, power, score
from ragscore.cli import main

ROOT = Path(__file__).parents[2]
HARBOUR = ROOT / "datasets" / "harbour-tenancy"
CONFIG = """\
name: twins
dataset: {dataset}
retrievers:
  bm25: {{kind: bm25}}
  twin: {{kind: bm25}}
  plain: {{kind: bm25, tokenizer: words}}
measures: [nDCG@10, R@10]
depth: 20
"""


@pytest.fixture(scope="module")
def twins(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A result in which two of three retrievers returned the same."""
    folder = tmp_path_factory.mktemp("twins")
    config = folder / "twins.yaml"
    config.write_text(CONFIG.format(dataset=HARBOUR), encoding="utf-8")
    ragscore.run_experiment(ragscore.load_experiment(config), output=folder / "out")
    return folder / "out"


def test_identical_retrievers_count_as_one(twins: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (found,) = power(twins).datasets
    assert [str(spread.of) for spread in found.spreads] == ["bm25 and plain"]
    assert found.comparisons == 1
    assert str(found.notes[0]) == (
        "bm25 and twin returned the same passages for every query: they count as one retriever"
    )
    assert main(["power", str(twins)]) == 0
    assert capsys.readouterr().out == f"{power(twins)}\n"


def test_a_folder_its_result_and_its_scores_say_the_same(twins: Path) -> None:
    result = ragscore.open_result(twins)
    by_folder, by_result = power(twins, measure="R@10"), power(result, measure="R@10")
    assert by_folder == by_result
    (of_scores,) = power(result.scores, measure="R@10").datasets
    spreads = {str(spread.of): spread.sd for spread in of_scores.spreads}
    assert spreads["bm25 and plain"] == by_folder.datasets[0].spreads[0].sd
    # Scores don't know what came back: the twins are two, and never differ.
    assert of_scores.comparisons == 3
    assert "bm25 and twin: none of the 74 queries differ: not estimable" in map(
        str, of_scores.notes
    )


def test_a_dataset_by_typical_spreads() -> None:
    by_folder, by_dataset = power(HARBOUR), power(ragscore.load_dataset(HARBOUR))
    assert by_folder == by_dataset
    assert len(by_dataset.datasets[0].spreads) == 4


def test_what_power_refuses(twins: Path) -> None:
    one = score({"q": ["a"]}, {"q": ["a"]}, ["P@1"], retriever="bm25")
    for options, told in (
        ({"sd": -1.0}, "sd: -1 is not a standard deviation"),
        ({"comparisons": 0}, "comparisons: 0. Give 1 or more"),
        ({"difference": 0.0}, "difference: 0"),
        ({"measure": "R@9"}, "R@9 was not scored"),
        ({"cluster": "topic"}, "needs the queries"),
    ):
        with pytest.raises(ConfigError, match=told):
            power(one, **options)  # type: ignore[arg-type]
    with pytest.raises(DataError, match="there is one retriever"):
        power(one)
    with pytest.raises(ConfigError, match="a dataset has no scores"):
        power(HARBOUR, measure="R@3")
    with pytest.raises(ConfigError, match="Did you mean 'topic'"):
        power(twins, cluster="topc")


def test_one_retriever_with_a_spread_that_is_known() -> None:
    qrels = {f"q{n}": ["a"] for n in range(74)}
    found = power(score(qrels, qrels, ["RR@5"], retriever="bm25"), sd=0.2).datasets[0]
    assert found.spreads[0].detectable == power(HARBOUR, sd=0.2).datasets[0].spreads[0].detectable
