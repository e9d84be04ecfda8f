"""Arrays of passage numbers, as FAISS returns them, score as the same ids as text would."""

from __future__ import annotations

import tracemalloc
from typing import Any

import numpy as np
import pytest

from ragscore.dataset import Ids, NumberedIds, Qrels
from ragscore.errors import DataError
from ragscore.run import Run
from ragscore.scoring import score
from ragscore.scoring.inputs import NumberedBlocks

MEASURES = ["nDCG@5", "AP", "RR", "P@10", "R@depth", "ERR@5", "Judged@3", "NumRet"]


def example(queries: int = 300, depth: int = 12, passages: int = 40, seed: int = 3) -> Any:
    """Rankings with holes, duplicates and tied scores; judgments with negative grades."""
    generator = np.random.default_rng(seed)
    rows = generator.integers(-1, passages, (queries, depth))
    scores = generator.integers(0, 6, (queries, depth)) / 2.0
    judged = {
        int(query): {
            int(passage): float(generator.integers(-1, 4))
            for passage in generator.choice(passages + 5, 6, replace=False)
        }
        for query in generator.choice(queries + 20, queries - 30, replace=False)
    }
    return rows, scores, judged


def as_text(rows: Any, scores: Any, judged: Any) -> tuple[Run, dict[str, dict[str, float]]]:
    vocabulary = Ids(map(str, range(60)))
    run = Run.make(Ids(map(str, range(len(rows)))), vocabulary, rows, scores)
    return run, {str(q): {str(p): g for p, g in grades.items()} for q, grades in judged.items()}


@pytest.mark.parametrize("with_scores", [False, True])
@pytest.mark.parametrize("missing", ["zero", "drop"])
@pytest.mark.parametrize("depth", [None, 4])
def test_numbers_score_as_text_ids_do(with_scores: bool, missing: Any, depth: int | None) -> None:
    rows, scores, judged = example()
    scores = scores if with_scores else None
    run, qrels = as_text(rows, scores, judged)
    options = {"missing": missing, "depth": depth, "unanswerable": ["3", "17", "310", "x"]}
    ours = score(rows, judged, MEASURES, scores=scores, **options).entries[0]
    theirs = score(run, qrels, MEASURES, **options).entries[0]
    assert ours.measures == theirs.measures
    assert ours.counts == theirs.counts
    for measure in ours.measures:
        assert ours.per_query(measure) == pytest.approx(theirs.per_query(measure), abs=1e-12)
    for name, curve in ours.curves.items():
        np.testing.assert_allclose(curve.mean, theirs.curves[name].mean, atol=1e-12)


@pytest.mark.slow
def test_blocks_of_many_queries_come_together_in_order() -> None:
    rows, _, judged = example(queries=30_000, depth=12, passages=50, seed=5)
    run, qrels = as_text(rows, None, judged)
    ours, theirs = (score(a, b, ["AP"]).entries[0] for a, b in ((rows, judged), (run, qrels)))
    assert sorted(ours.query_ids, key=int) == list(ours.query_ids)
    assert ours.per_query("AP") == pytest.approx(theirs.per_query("AP"), abs=1e-12)


@pytest.mark.parametrize("dtype", [np.int32, np.int64, np.uint16])
def test_every_form_of_judgments(dtype: Any) -> None:
    rows = np.array([[4, 2, 7], [1, 0, 5]], dtype=dtype)
    as_rows = np.array([[2, 9], [5, 0]], dtype=dtype)
    triple = (np.array([1, 0, 1, 0]), np.array([5, 2, 0, 9]), np.ones(4))
    columns = ["0", "0", "1", "1"], ["2", "9", "5", "0"], np.ones(4)
    forms: list[Any] = [
        {0: {2: 1, 9: 1}, 1: {5: 1, 0: 1}},
        {0: [2, 9], 1: [5, 0]},
        as_rows,
        triple,
        Qrels.from_columns(*columns, queries=NumberedIds(2), passages=NumberedIds(10)),
    ]
    for qrels in forms:
        entry = score(rows, qrels, ["RR", "R@3"]).entries[0]
        assert entry.per_query("RR") == {"0": 0.5, "1": 0.5}
        assert entry.per_query("R@3") == {"0": 0.5, "1": 1.0}


@pytest.mark.parametrize(
    ("run", "qrels", "scores", "said"),
    [
        (np.zeros(3, int), {0: [1]}, None, "the ranking has shape"),
        (np.zeros((1, 3)), {0: [1]}, None, "hold float64, where whole numbers"),
        (np.full((1, 1), 2**40), {0: [1]}, None, "the passage number 1099511627776 is too large"),
        (np.array([[-2]]), {0: [1]}, None, "a passage row lies outside"),
        (np.array([[1]]), {"0": [1]}, None, "where whole numbers are expected"),
        (np.array([[1]]), {0: [-1]}, None, "passage number outside"),
        (np.array([[1]]), {0: {1: np.nan}}, None, "the grade of passage '1' is nan"),
        (np.array([[1]]), (np.array([0]), np.array([1, 2]), np.ones(1)), None, "differ in length"),
        (np.array([[1]]), (np.zeros(2, int), np.ones(2, int), np.ones(2)), None, "judged twice"),
        (np.array([[1]]), Qrels.from_dict({"q": ["a"]}), None, "name text ids"),
        (np.array([[1]]), 7, None, "a int is not judgments"),
        (np.array([[1]]), {0: [1]}, np.ones((1, 2)), "scores for (1, 1) passages"),
        (np.array([[1]]), {0: [1]}, np.array([[np.nan]]), "query '0': the score of passage '1'"),
        ({"q": ["a"]}, {"q": ["a"]}, np.ones((1, 1)), "the run is not an array"),
        ([["a"]], {"q": ["a"]}, None, "a list is not a run"),
        ({"q": ["a"]}, [["a"]], None, "a list is not judgments"),
    ],
)
def test_wrong_arrays(run: Any, qrels: Any, scores: Any, said: str) -> None:
    with pytest.raises(DataError) as caught:
        score(run, qrels, ["RR"], scores=scores)
    assert said in str(caught.value)


class Foreign:
    """What ranx's Run and Qrels look like from outside."""

    def __init__(self, values: dict[str, dict[str, float]], name: str | None = None) -> None:
        self.values, self.name = values, name

    def to_dict(self) -> dict[str, dict[str, float]]:
        return self.values


def test_objects_of_other_libraries_by_their_dicts() -> None:
    run, qrels = Foreign({"q": {"a": 0.5, "b": 1.5}}, "bm25"), Foreign({"q": {"a": 1}})
    assert score(run, qrels, ["RR"]).to_dict() == {"dataset": {"bm25": {"RR": 0.5}}}


@pytest.mark.parametrize("first", [0, 5])
def test_numbered_ids_are_ids(first: int) -> None:
    numbered, stored = NumberedIds(20, first), Ids(map(str, range(first, first + 20)))
    assert numbered == stored
    assert stored == numbered
    assert (hash(numbered), numbered.digest) == (hash(stored), stored.digest)
    assert list(numbered) == list(stored)
    assert (numbered[3], numbered[-1], numbered[2:5]) == (stored[3], stored[-1], stored[2:5])
    odd = ["7", "07", "-1", "+7", " 7", "٣", "x", "", "999", "9" * 30, "19", "24"]
    assert numbered.rows(odd).tolist() == stored.rows(odd).tolist()
    assert [text in numbered for text in odd] == [text in stored for text in odd]
    assert (
        numbered.rows(NumberedIds(30, 2)).tolist() == stored.rows(Ids(NumberedIds(30, 2))).tolist()
    )
    assert list(numbered.extended(["x", "7", "x"])) == list(stored.extended(["x", "7", "x"]))
    assert numbered.extended(NumberedIds(10, first)) is numbered
    assert numbered.starts_with(NumberedIds(7, first))
    assert not numbered.starts_with(NumberedIds(7, first + 1))
    assert numbered.starts_with(Ids(stored[:4]))
    assert stored.starts_with(NumberedIds(4, first))
    with pytest.raises(IndexError):
        numbered[20]


def test_measuring_begins_at_once() -> None:
    """Before the first block is judged the array is looked through, and not copied."""
    rows = np.arange(4_000_000, dtype=np.int64).reshape(40_000, 100)
    queries = np.arange(40_000)
    qrels = (queries, rows[:, 7].copy(), np.ones(len(queries)))
    next(iter(NumberedBlocks(rows, None, qrels)))()
    tracemalloc.start()
    try:
        next(iter(NumberedBlocks(rows, None, qrels)))()
        _, most = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert most < rows.nbytes / 2
