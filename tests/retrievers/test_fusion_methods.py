"""Fusion by scores: as ranx computes it where it does, and by the definition where it does not."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path
from statistics import fmean, stdev
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as some

from ragscore.dataset import Corpus, Ids
from ragscore.errors import ConfigError, RetrieverError
from ragscore.experiment import Experiment, load_experiment, run_experiment
from ragscore.retrievers import BM25, Faiss, Fusion
from ragscore.retrievers.fusion_methods import METHODS
from ragscore.retrievers.graph import informed
from ragscore.run import Returned, Run
from tests.factories.fused import fused

RECORDED = Path(__file__).parents[1] / "oracles" / "recorded" / "ranx-fusion.json"
BY_SCORE = [name for name in METHODS.own if name != "rrf"]
Lists = Mapping[str, Mapping[str, float]]


def recorded() -> dict[str, Any]:
    found: dict[str, Any] = json.loads(RECORDED.read_text(encoding="utf-8"))
    return found


@pytest.mark.parametrize("asked", recorded()["numbers"])
def test_as_ranx_computes_it(asked: str) -> None:
    record = recorded()
    method, _, setting = asked.partition(" ")
    name, _, value = setting.partition("=")
    options = {name: json.loads(value)} if name else {}
    found = fused(record["runs"], method=method, **options).to_dict()
    for query, wanted in record["numbers"][asked].items():
        if method == "rrf" and query == "equal scores":
            continue  # ties are ranked in another order there
        assert found[query] == pytest.approx(wanted, abs=1e-9), query


def scaled(scores: list[float], low: float, high: float) -> list[float]:
    return [(score - low) / (high - low) for score in scores]


BY_HAND: dict[str, Any] = {
    "theoretical-min-max": lambda scores: scaled(scores, -10.0, max(scores)),
    "distribution-based": lambda scores: scaled(
        scores, fmean(scores) - 3 * stdev(scores), fmean(scores) + 3 * stdev(scores)
    ),
}


@pytest.mark.parametrize("method", BY_HAND)
def test_the_others_by_their_definition(method: str) -> None:
    runs: list[Lists] = [
        {"q": {"a": 7.5, "b": 4.0, "c": 1.0}},
        {"q": {"b": 0.75, "d": 0.5, "a": -0.25}},
    ]
    weights = (2.0, 0.5)
    wanted: dict[str, float] = {}
    for run, weight in zip(runs, weights, strict=True):
        values = BY_HAND[method](list(run["q"].values()))
        for passage, value in zip(run["q"], values, strict=True):
            wanted[passage] = wanted.get(passage, 0.0) + weight * value
    assert fused(runs, method=method, weights=weights).to_dict()["q"] == pytest.approx(
        wanted, abs=1e-12
    )


@pytest.mark.parametrize(
    ("method", "single", "equal"),
    [
        ("min-max", 0.0, 0.0),
        ("z-score", 0.0, 0.0),
        ("theoretical-min-max", 1.0, 1.0),
        ("distribution-based", 0.5, 0.5),
        ("comb-mnz", 0.0, 0.0),
    ],
)
def test_a_single_passage_and_equal_scores(method: str, single: float, equal: float) -> None:
    # 0.1 three times has a mean that is rounded.
    scores = {"equal": 0.1, "large": 1e6 / 3}
    run = {"single": {"a": 3.0}, "none": {}}
    run |= {query: dict.fromkeys("abc", score) for query, score in scores.items()}
    found = fused([run, {query: {} for query in run}], method=method).to_dict()
    assert found == {
        "single": {"a": single},
        "equal": dict.fromkeys("abc", equal),
        "large": dict.fromkeys("abc", equal),
        "none": {},
    }


rankings = some.dictionaries(
    some.sampled_from("abcdefgh"),
    some.floats(-9, 50, allow_nan=False, width=32),
    max_size=8,
)


@pytest.mark.parametrize("method", METHODS.own)
@given(some.lists(rankings, min_size=2, max_size=4), some.data())
def test_what_holds_for_every_method(method: str, lists: list[dict[str, float]], data: Any) -> None:
    runs = [{"q": found, "r": {}} for found in lists]
    whole = fused(runs, method=method).to_dict()
    assert set(whole["q"]) == {passage for found in lists for passage in found}
    assert np.isfinite(list(whole["q"].values())).all()
    assert whole["r"] == {}
    turned = data.draw(some.permutations(runs))
    assert fused(turned, method=method).to_dict() == whole  # to the last bit, in whatever order
    doubled = fused(runs, method=method, weights=[2.0] * len(runs)).to_dict()["q"]
    assert doubled == {passage: 2 * score for passage, score in whole["q"].items()}
    some_depth = data.draw(some.integers(1, 4))
    cut = [
        {query: dict(list(Run.from_dict({"q": found}).to_dict().get("q", {}).items())[:some_depth])
         for query, found in run.items()}
        for run in runs
    ]  # fmt: skip
    both = [fused(found, some_depth, method=method).to_dict() for found in (runs, cut)]
    assert both[0] == both[1]


@pytest.mark.parametrize("method", BY_SCORE)
def test_an_input_without_scores_is_named(method: str) -> None:
    said = (
        f"'b' returned an order without scores, and the method '{method}' reads scores. "
        "Use method: rrf"
    )
    with pytest.raises(RetrieverError, match=re.escape(said)):
        fused([{"q": {"a": 1.0}}, {"q": ["a", "b"]}], method=method)
    found = fused([{"q": {"a": 1.0}}, {"q": []}], method=method).to_dict()
    assert found["q"].keys() == {"a"}


def test_the_lowest_scores_come_from_the_inputs() -> None:
    fusion = Fusion(retrievers=["x", "y"], method="theoretical-min-max")
    cosine = Faiss(encoder="minilm")
    specs = {"x": BM25(), "y": cosine, "both": fusion}
    found = informed(specs)["both"]
    assert isinstance(found, Fusion)
    assert found.minimums == (0.0, -1.0)
    own = fusion.changed(minimums=[-5, -5])
    assert informed({**specs, "both": own})["both"] == own
    with pytest.raises(RetrieverError, match="the lowest score that 'x', 'y' can give is not"):
        fusion.build(Corpus(Ids("a"), [""]))


def test_a_lowest_score_that_is_not_known_is_said_before_anything_runs() -> None:
    with pytest.raises(ConfigError) as caught:
        Experiment(
            datasets=["d"],  # type: ignore[list-item]
            retrievers={
                "bm25": BM25(),
                "l2": Faiss(encoder="minilm", metric="l2"),
                "both": Fusion(retrievers=["bm25", "l2"], method="theoretical-min-max"),
            },
        )
    said = "retrievers.both.minimums: the lowest score that 'l2' can give is not known. Give the"
    assert str(caught.value).startswith(said)


def write(folder: Path, name: str, returned: Mapping[str, Returned]) -> None:
    run = Run.from_dict(returned, name=name).to_dict()
    lines = [
        f"{query} Q0 {passage} {rank} {score} {name}"
        for query, passages in run.items()
        for rank, (passage, score) in enumerate(passages.items(), 1)
    ]
    (folder / f"{name}.trec").write_text("\n".join(lines) + "\n", encoding="utf-8")


def test_recorded_runs_are_fused_without_a_corpus(tmp_path: Path) -> None:
    data = tmp_path / "data"
    data.mkdir()
    (data / "queries.tsv").write_text("q\twhat\n", encoding="utf-8")
    (data / "qrels.txt").write_text("q 0 a 1\n", encoding="utf-8")
    write(tmp_path, "x", {"q": {"a": 2.0, "b": 4.0}})
    write(tmp_path, "y", {"q": {"a": 0.9, "c": 0.1}})
    (tmp_path / "x.yaml").write_text(
        "dataset: data\nmeasures: [RR]\ndepth: 5\nreport: false\nretrievers:\n"
        "  x: {kind: recorded, run: x.trec}\n  y: {kind: recorded, run: y.trec}\n"
        "  mm: {kind: fusion, retrievers: [x, y], method: min-max, weights: [1, 3]}\n"
        "  tmm: {kind: fusion, retrievers: [x, y], method: theoretical-min-max,"
        " minimums: [0, -1]}\n"
    )
    result = run_experiment(load_experiment(tmp_path / "x.yaml"), output=tmp_path / "out")
    assert not result.failures
    assert result.runs["data", "mm"].to_dict()["q"] == {"a": 3.0, "b": 1.0, "c": 0.0}
    wanted = {"a": 1.5, "b": 1.0, "c": 1.1 / 1.9}
    assert result.runs["data", "tmm"].to_dict()["q"] == pytest.approx(wanted)
