"""The baseline: what a result reached, written so that a diff reads well, and read as data."""

from __future__ import annotations

import json
import math
import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ragscore import ConfigError, DataError, Result, evaluate
from ragscore.gate.baseline import (
    Baseline,
    BaselineDataset,
    BaselineRetriever,
    baseline_text,
    lowered,
    read_baseline,
    write_baseline,
)
from tests.factories.hostile_texts import HOSTILE

MEASURES = ("nDCG@10", "AP@10", "RR@10", "P@10", "R@10")


def made(answers: dict[str, list[str]], relevant: dict[str, list[str]]) -> Result:
    """A result of one retriever over queries that are also their texts."""
    passages = {name: f"text of {name}" for listed in relevant.values() for name in listed}
    passages |= {name: f"text of {name}" for listed in answers.values() for name in listed}
    data: dict[str, Any] = {
        "passages": passages,
        "queries": {name: name for name in relevant},
        "ground_truth": relevant,
    }
    return evaluate(data, {"mine": lambda query, k: answers[query][:k]}, list(MEASURES))


RELEVANT = {"q2": ["b"], "q1": ["a"], "q3": ["c"]}
GOOD = {"q1": ["a", "b"], "q2": ["b", "c"], "q3": ["x", "c"]}
BAD = {"q1": ["a", "b"], "q2": ["x", "c"], "q3": ["x", "c"]}


@pytest.fixture(scope="module")
def good() -> Result:
    return made(GOOD, RELEVANT)


def synthetic(queries: int) -> Baseline:
    """Values as they are in the worst case: no two alike, each with all its digits."""
    values = np.random.default_rng(7).random((len(MEASURES), queries))
    ids = tuple(f"q{at:04}" for at in range(queries))
    data = BaselineDataset(name="faq", digest="d" * 64, passages="j" * 64)
    return Baseline(datasets=[data], retrievers=[reached("faq", "bm25", MEASURES, ids, values)])


def reached(
    dataset: str, retriever: str, measures: Sequence[str], ids: Sequence[str], values: Any
) -> BaselineRetriever:
    """A retriever's values, float64[M, Q], with their means."""
    rows = np.asarray(values, dtype=float)
    means = [math.fsum(row) / len(row) for row in (row[~np.isnan(row)] for row in rows)]
    kept = [[None if math.isnan(value) else value for value in row] for row in rows.T.tolist()]
    return BaselineRetriever(
        dataset=dataset,
        retriever=retriever,
        measures=list(measures),
        means=means,
        values=dict(zip(ids, kept, strict=True)),
    )


def only(entry: BaselineRetriever) -> Baseline:
    """A baseline of one retriever."""
    known = BaselineDataset(name=entry.dataset, digest="x")
    return Baseline(datasets=[known], retrievers=[entry])


def test_500_queries_and_5_measures_take_less_than_60_kb() -> None:
    assert len(baseline_text(synthetic(500)).encode()) < 60_000


def test_what_is_read_is_what_was_written_to_the_last_bit(good: Result, tmp_path: Path) -> None:
    for baseline in (Baseline.from_result(good), synthetic(40)):
        write_baseline(baseline, tmp_path / "baseline.json")
        again = read_baseline(tmp_path / "baseline.json")
        assert baseline_text(again) == baseline_text(baseline)
        assert again.retrievers == baseline.retrievers


def test_it_holds_the_results_own_values_one_query_on_each_line(good: Result) -> None:
    baseline = Baseline.from_result(good, ["nDCG@10", "R@10"])
    entry = baseline.get("dataset", "mine")
    assert entry is not None
    assert tuple(entry.values) == ("q1", "q2", "q3")
    assert entry.per_query("ndcg@10") == good.scores["mine"].per_query("nDCG@10")
    assert entry.mean("R@10") == good.scores["mine"].mean("R@10")
    with pytest.raises(KeyError, match="P@10 is not in the baseline"):
        entry.mean("P@10")
    lines = baseline_text(baseline).splitlines()
    assert '"q1": [1, 1],' in lines
    assert '"q3": [0.6309297535714575, 1]' in lines or '"q3": [0.6309297535714574, 1]' in lines


def test_it_holds_no_text_and_no_passage_unless_asked(good: Result) -> None:
    silent = baseline_text(Baseline.from_result(good))
    assert "text of" not in silent
    assert '"a"' not in silent
    asked = Baseline.from_result(good, passages=1)
    assert asked.retrievers[0].passages == {"q1": ["a"], "q2": ["b"], "q3": ["x"]}
    assert '"q3": ["x"]' in baseline_text(asked)


def test_one_query_that_changes_is_one_line_of_the_diff(good: Result) -> None:
    before = baseline_text(Baseline.from_result(good)).splitlines()
    after = baseline_text(Baseline.from_result(made(BAD, RELEVANT))).splitlines()
    changed = [line for line, other in zip(before, after, strict=True) if line != other]
    # The passage x is new, and so is the dataset's digest.
    assert [line.split(":")[0].strip() for line in changed] == ['"means"', '"q2"']


def test_names_may_be_any_text(tmp_path: Path) -> None:
    names = tuple(dict.fromkeys(HOSTILE))
    values = np.arange(len(names), dtype=float)[None, :] / len(names)
    values[0, 0] = math.nan
    entry = reached("d\x1b", HOSTILE[0], ["AR"], names, values)
    write_baseline(only(entry), tmp_path / "b.json")
    again = read_baseline(tmp_path / "b.json")
    assert set(again.retrievers[0].values) == set(names)
    text = (tmp_path / "b.json").read_text(encoding="utf-8")
    assert all(character.isprintable() or character == "\n" for character in text)


def changed(change: Callable[[Any], object]) -> str:
    document = json.loads(baseline_text(synthetic(2)))
    change(document)
    return json.dumps(document)


def of_size(document: Any, value: float) -> None:
    """Give every query the same value of a measure without a range."""
    document["retrievers"][0].update(
        measures=["DCG@10"], means=[value], values={"q0000": [value], "q0001": [value]}
    )


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("{", "not a baseline"),
        ("[" * 100_000, "nested more than 100 deep"),
        ("<<<<<<< HEAD\n{}", "not a baseline that ragscore can read: line 1 is not JSON"),
        ('{"schema": 1e999}', "not a number"),
        (changed(lambda d: d.update(schema=2)), "schema"),
        (changed(lambda d: d["retrievers"].append(d["retrievers"][0])), "twice"),
        (changed(lambda d: d["retrievers"][0].update(dataset="other")), "does not list"),
        (changed(lambda d: d["retrievers"][0]["values"].update(q0=[1])), "1 values for 5"),
        (changed(lambda d: d["retrievers"][0].update(means=[])), "0 values for 5"),
        (changed(lambda d: d["retrievers"][0]["values"].update(q0=["1"] * 5)), "values"),
        (changed(lambda d: d["retrievers"][0].update(measures=["P@1"] * 5)), "P@1' .* twice"),
        (changed(lambda d: d["datasets"].append(d["datasets"][0])), "dataset .faq. twice"),
        (changed(lambda d: None).replace('"q0001"', '"q0000"'), "'q0000' twice"),
        (
            changed(lambda d: d["retrievers"][0]["values"].update(q0000=[7] * 5)),
            "outside of 0 to 1",
        ),
        (changed(lambda d: d["retrievers"][0]["values"].update(q0000=[0] * 5)), "edited or merged"),
        (changed(lambda d: None).replace('"q0001": [', '"q0001": [NaN, '), "not a number"),
        (changed(lambda d: of_size(d, 1e308)), r"DCG@10 of bm25: a value is larger than 1e\+150"),
        (changed(lambda d: of_size(d, -1e200)), "a value is larger than"),
        (changed(lambda d: None).replace('"q0001": [', f'"q0001": [{10**30}, '), "too large"),
    ],
)
def test_what_is_no_baseline_is_an_error_with_its_place(
    text: str, said: str, tmp_path: Path
) -> None:
    (tmp_path / "b.json").write_text(text)
    with pytest.raises(DataError, match=said) as error:
        read_baseline(tmp_path / "b.json")
    assert error.value.problems[0].where == str(tmp_path / "b.json")


def test_a_pipe_or_a_missing_file_does_not_stop_the_reader(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(DataError, match="named pipe"):
        read_baseline(tmp_path / "pipe")
    with pytest.raises(DataError, match="no such baseline"):
        read_baseline(tmp_path / "none")


def test_one_that_is_too_large_is_not_written(
    good: Result, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is written can be read: the limit is the same, to the byte."""
    baseline, path = Baseline.from_result(good), tmp_path / "b.json"
    size = len(baseline_text(baseline).encode())
    for most in (size, size - 1):
        monkeypatch.setattr("ragscore.gate.baseline.MAX_BYTES", most)
        if most == size:
            write_baseline(baseline, path)
            read_baseline(path)
            path.unlink()
            continue
        with pytest.raises(DataError, match=rf"would have {size:,} bytes, .*--measure") as error:
            write_baseline(baseline, path)
        assert error.value.problems[0].where == str(path)
        assert not path.exists()


def test_what_could_not_be_read_again_is_not_written(tmp_path: Path) -> None:
    path = tmp_path / "b.json"
    for entry, fault in (
        (reached("d", "r", ["DCG@10"], ["q"], [[1e200]]), "a value is larger than"),
        (reached("d", "r", ["RR", "RR"], ["q"], [[1], [1]]), "the measure 'RR' of r twice"),
    ):
        with pytest.raises(DataError, match=f"could not be read again: .*{fault}"):
            write_baseline(only(entry), path)
        assert not path.exists()


def test_one_that_is_too_large_is_not_read(tmp_path: Path) -> None:
    with (tmp_path / "b.json").open("wb") as file:
        file.truncate(200_000_000)
    with pytest.raises(DataError, match=r"larger than .*with fewer measures"):
        read_baseline(tmp_path / "b.json")


def test_the_order_of_its_lines_means_nothing(tmp_path: Path) -> None:
    document = json.loads(baseline_text(synthetic(20)))
    values = document["retrievers"][0]["values"]
    document["retrievers"][0]["values"] = dict(reversed(values.items()))
    (tmp_path / "b.json").write_text(json.dumps(document))  # as a formatter leaves it
    assert baseline_text(read_baseline(tmp_path / "b.json")) == baseline_text(synthetic(20))


def test_only_what_falls_or_goes_missing_is_lowered(good: Result) -> None:
    high, low = Baseline.from_result(good), Baseline.from_result(made(BAD, RELEVANT))
    assert lowered(high, high) == lowered(low, high) == ()
    assert {value.measure for value in lowered(high, low)} == set(MEASURES)
    fewer = Baseline.from_result(good, ["nDCG@10"])
    missing = lowered(high, fewer)
    assert {value.measure for value in missing} == set(MEASURES) - {"nDCG@10"}
    assert all(math.isnan(value.now) for value in missing)
    without = made({"q1": ["a"], "q2": ["b"]}, {"q1": ["a"], "q2": ["b"]})
    assert {value.lost for value in lowered(high, Baseline.from_result(without))} == {1}
    assert lowered(high, Baseline(datasets=[], retrievers=[]))


def test_a_query_that_has_no_value_any_more_is_lost_though_the_mean_rises() -> None:
    def of(*values: float) -> Baseline:
        return only(reached("d", "r", ["AP"], ["q1", "q2", "q3"], [values]))

    undefined = math.nan
    [value] = lowered(of(0.5, 0.5, undefined), of(0.9, undefined, undefined))
    assert (value.before, value.now, value.lost) == (0.5, 0.9, 1)
    assert lowered(of(0.5, undefined, undefined), of(0.5, 0.6, undefined)) == ()


def test_of_a_measure_that_is_better_lower_a_rise_is_what_counts() -> None:
    def of(value: float) -> Baseline:
        return only(reached("d", "r", ["MR"], ["q"], [[value]]))

    assert lowered(of(2.0), of(3.0))
    assert not lowered(of(3.0), of(2.0))


def test_the_gate_asks_it_by_names(good: Result) -> None:
    baseline = Baseline.from_result(good, ["nDCG@10"])
    assert baseline.keys == (("dataset", "mine"),)
    known = baseline.dataset("dataset")
    assert known is not None
    assert known.digest == good.manifest.datasets[0].digest
    assert baseline.dataset("other") is None
    values = baseline.values("dataset", "mine", "ndcg@10")
    assert values == good.scores["mine"].per_query("nDCG@10")
    assert baseline.values("dataset", "mine", "P@10") is None
    assert baseline.values("dataset", "other", "nDCG@10") is None


def test_an_unknown_retriever_is_named(good: Result) -> None:
    with pytest.raises(ConfigError, match=r"no retriever is named 'minee'\. Did you mean 'mine'"):
        Baseline.from_result(good, retrievers=["minee"])
