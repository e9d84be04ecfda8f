"""What stands behind a mean, counted."""

from __future__ import annotations

import math
from functools import partial
from importlib.util import find_spec
from typing import Any

import numpy as np
import pytest

from ragscore.dataset import Ids, Qrels
from ragscore.elements import Table
from ragscore.errors import DataError, MeasureError, MissingPackageError
from ragscore.judge import Blocks, judge
from ragscore.messages import translated
from ragscore.run import Run
from ragscore.scoring import Scores, score


def test_who_is_averaged() -> None:
    scores = score(
        {"found": ["a"], "empty": [], "nobody judged": ["a"], "no answer": ["a"]},
        {"found": ["a"], "empty": ["a"], "missing": ["a"], "none": {"a": 0}, "no answer": {"a": 0}},
        ["P@1", "MR"],
        unanswerable=["no answer"],
    )
    entry = scores.entries[0]
    assert list(entry.query_ids) == ["found", "empty", "missing", "none"]
    assert entry.mean("P@1") == 0.25
    assert entry.mean("MR") == 1.0
    counts = entry.counts
    assert (counts.queries, counts.missing, counts.empty) == (4, 2, 1)
    assert (counts.without_relevant, counts.unanswerable) == (1, 1)
    assert (counts.answered_unanswerable, counts.without_judgments) == (1, 1)
    assert [row.defined for row in scores.rows()] == [4, 1]


def test_ties_are_counted_at_each_cutoff() -> None:
    run = Run.from_dict({"q": {"a": 3.0, "b": 2.0, "c": 2.0, "d": 1.0}, "r": {"a": 1.0, "b": 1.0}})
    counts = score(run, {"q": ["a"], "r": ["a"]}, ["P@1", "P@2", "P@3"]).entries[0].counts
    assert counts.tied == {1: 1, 2: 1, 3: 0, 4: 0}
    cut = score(run.cut(3), {"q": ["a"], "r": ["a"]}, ["P@2", "P@10"]).entries[0].counts
    assert cut.tied == {2: 1, 3: 1, 10: 0}, "at the depth the tied last passage is counted"


def test_a_negative_grade_is_in_the_pool_but_not_judged() -> None:
    scores = score({"q": ["n", "a"]}, {"q": {"n": -1, "a": 1}}, ["nDCG@2", "R@2", "DCG@2"])
    entry = scores.entries[0]
    assert entry.mean("R@2") == 1.0
    assert entry.mean("DCG@2") == pytest.approx(1 / math.log2(3))
    assert entry.counts.unjudged == {2: 0.5}


def test_blocks_change_nothing() -> None:
    generator = np.random.default_rng(7)
    ids = Ids(f"p{number}" for number in range(50))
    queries = Ids(f"q{number}" for number in range(33))
    rows = np.array([generator.permutation(50)[:20] for _ in queries])
    run = Run.make(queries, ids, rows, generator.normal(size=rows.shape))
    qrels = Qrels.from_dict(
        {q: {f"p{n}": float(n % 4) for n in generator.permutation(50)[:9]} for q in queries},
        passages=ids,
    )
    whole = judge(run, qrels)
    parts = [judged().dense() for judged in Blocks(run, qrels, places=100)]
    assert len(parts) == 7
    np.testing.assert_array_equal(whole.grades, np.concatenate([part.grades for part in parts]))
    np.testing.assert_array_equal(
        whole.n_relevant(2), np.concatenate([p.n_relevant(2) for p in parts])
    )


def test_run_and_judgments_over_different_ids_are_refused() -> None:
    run = Run.from_dict({"q": ["a"]})
    with pytest.raises(DataError, match="number their passages differently"):
        judge(run, Qrels.from_dict({"q": ["b"]}))


def test_a_cutoff_beyond_what_came_back() -> None:
    entry = score({"q": ["a"]}, {"q": ["a", "b"]}, ["P@10", "R@10", "nDCG@10"]).entries[0]
    assert entry.mean("P@10") == 0.1
    assert entry.mean("R@10") == 0.5


def test_nothing_at_all() -> None:
    entry = score({}, {}, ["P@10", "nDCG", "MR"]).entries[0]
    assert entry.counts.queries == 0
    assert np.isnan(entry.means).all()


def test_curves_are_the_means_at_every_cutoff() -> None:
    run, qrels = {"q": ["a", "x", "b"], "r": ["x"]}, {"q": ["a", "b"], "r": ["y"]}
    entry = score(run, qrels, ["P@1", "P@2", "P@3", "MR"]).entries[0]
    np.testing.assert_allclose(entry.curves["P"].mean, entry.means[:3])
    np.testing.assert_allclose(entry.curves["P"].squares, [1.0, 0.25, 4 / 9])
    np.testing.assert_array_equal(entry.curves["MR"].defined, [1, 1, 1])


def test_a_measure_at_depth_is_averaged_whatever_the_depths() -> None:
    deep = score({"q": ["x", "x2", "a"]}, {"q": ["a"]}, ["R@2", "R@depth"], dataset="deep")
    flat = score({"q": ["x", "y"]}, {"q": ["a"]}, ["R@2", "R@depth"], dataset="flat")
    assert deep["run"].mean("R@depth") == deep["run"].mean("R@3") == 1.0
    averages = {row.measure: row.value for row in Scores.joined([deep, flat]).averages()}
    assert averages == {"R@2": 0.0, "R@depth": 0.5}


def texts(table: Table) -> list[list[str]]:
    """The header and the rows as they are read."""
    rows = [[f"{cell.text} {cell.interval}".strip() for cell in row] for row in table.rows]
    return [[str(column.head) for column in table.columns], *rows]


def test_a_dataset_named_average_is_not_the_average() -> None:
    one = score({"q": ["a"]}, {"q": ["a"]}, ["P@1"], dataset="average")
    two = score({"q": ["x"]}, {"q": ["a"]}, ["P@1"], dataset="two")
    both = Scores.joined([one, two])
    assert texts(both.table("average"))[1:] == [["run", "1.000"]]
    assert texts(both.average_table())[1:] == [["run", "0.500"]]


def test_the_average_over_datasets_is_unweighted_and_labelled() -> None:
    one = score({"q": ["a"]}, {"q": ["a"]}, ["P@1"], dataset="one", retriever="r")
    two = score(
        {f"q{n}": ["x"] for n in range(3)},
        {f"q{n}": ["a"] for n in range(3)},
        ["P@1"],
        dataset="two",
        retriever="r",
    )
    both = Scores.joined([one, two])
    (average,) = both.averages()
    assert (average.dataset, average.value) == ("average", 0.5)
    assert texts(both.average_table()) == [["Retriever", "P@1"], ["r", "0.500"]]
    table = "Retriever    P@1\nr          0.500"
    assert str(both).endswith(f"average of 2 datasets, unweighted\n{table}")
    assert list(one.averages()) == []
    with pytest.raises(KeyError, match="several datasets"):
        both["r"]
    assert both["two", "r"].mean("P@1") == 0


def test_tables_in_all_forms() -> None:
    scores = score({"q": ["a"]}, {"q": ["a"]}, ["AP@10", "RR"], retriever="<b>")
    assert texts(scores.table()) == [["Retriever", "mAP@10", "mRR"], ["<b>", "1.000", "1.000"]]
    assert texts(translated(scores.table(), "ko"))[0] == ["검색기", "mAP@10", "mRR"]
    assert "&lt;b&gt;" in scores._repr_html_()
    assert "mAP@10" in str(scores)
    assert scores.to_polars().columns[:4] == ["dataset", "retriever", "measure", "value"]
    assert scores.per_query().to_dicts()[0]["query"] == "q"


def test_tables_of_pandas_need_pandas_alone() -> None:
    run = {"q": ["x", "a"], "r": []}
    scores = score(run, {"q": ["a"], "r": ["a"]}, ["RR", "MR"], retriever="bm25")
    tables = (
        scores.to_pandas,
        partial(scores.to_pandas, per_query=True),
        Run.from_dict(run).to_pandas,
    )
    if find_spec("pandas") is None:
        for table in tables:
            with pytest.raises(MissingPackageError, match=r"with: pip install pandas$"):
                table()
        return
    means, values, ranking = (table() for table in tables)
    assert means[["measure", "value", "defined"]].values.tolist() == [
        ["RR", 0.25, 2],
        ["MR", 2.0, 1],
    ]
    assert list(values.columns) == scores.per_query().columns
    assert values["value"].isna().tolist() == [False, False, False, True]
    assert ranking[["query", "passage", "rank"]].values.tolist() == [["q", "x", 1], ["q", "a", 2]]


def test_a_micro_average_pools_the_queries() -> None:
    run = {"many": ["a", "b", "c", "x"], "one": ["y", "a"], "none": ["a"], "lost": []}
    qrels = {"many": ["a", "b", "c"], "one": ["a"], "none": {"a": 0}, "lost": ["a", "b"]}
    texts = ["P(average=micro)@4", "P(denominator=min,average=micro)@4"]
    texts += ["P(denominator=min,average=micro,empty=skip)@2"]
    entry = score(run, qrels, texts).entries[0]
    assert entry.means.tolist() == pytest.approx([4 / 16, 4 / (3 + 1 + 0 + 2), 3 / (2 + 1 + 2)])
    for measure, mean in zip(entry.measures, entry.means, strict=True):
        assert isinstance(measure.cutoff, int)
        curve = entry.curves[str(measure.family())]
        assert curve.mean[measure.cutoff - 1] == pytest.approx(mean), "at all cutoffs alike"
    nothing = score({"q": ["a"]}, {"q": {"a": 0}}, texts[1:2]).entries[0]
    assert math.isnan(nothing.means[0])


def test_a_cutoff_past_everything_that_came_back_is_not_computed_for_flat_measures() -> None:
    run, qrels = {"q": ["x", "a"], "r": ["b"]}, {"q": ["a", "b"], "r": ["b"], "s": ["a"]}
    for name in ("R", "Success", "RR", "AP", "MR"):
        near = score(run, qrels, [f"{name}@2"]).entries[0]
        far = score(run, qrels, [f"{name}@1000"], bounds=True).entries[0]
        np.testing.assert_array_equal(near.values, far.values)
        assert len(far.curves[name].mean) == 2
        assert far.counts.unjudged == {2: pytest.approx(1 / 3), 1000: pytest.approx(1 / 3)}
        assert far.counts.tied == {2: 0, 1000: 0}
    assert score(run, qrels, ["P@1000"]).entries[0].means[0] == pytest.approx(2 / 3000)
    assert score({}, qrels, ["R@1000", "MR@5"]).entries[0].values.tolist()[0] == [0, 0, 0]


@pytest.mark.parametrize(
    ("run", "qrels"), [({1: {"a": 1.0}}, {"1": ["a"]}), ({"1": {"a": 1.0}}, {"1": {7: 1}})]
)
def test_ids_that_are_no_texts_are_refused(run: Any, qrels: Any) -> None:
    with pytest.raises(DataError, match="has type int, and ids are text"):
        score(run, qrels, ["RR"])


def test_a_cutoff_far_below_everything_is_refused() -> None:
    with pytest.raises(
        MeasureError, match="the cutoff is 100,000,000, and no query got more than 1"
    ):
        score({"q": ["a"]}, {"q": ["a"]}, ["P@100000000"])
    deep = score({"q": ["a"]}, {"q": ["a"]}, ["P@1000000", "R@100000000"])
    assert deep.to_dict() == {"dataset": {"run": {"P@1000000": 1e-6, "R@100000000": 1.0}}}
