"""Reranking: the pool of another retriever in a new order, checked, blended, and never larger."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import count
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from pydantic import ValidationError

from ragscore import BM25, Cache, Fusion, evaluate
from ragscore.dataset import Corpus, Dataset, Ids, Queries
from ragscore.errors import ConfigError, RetrieverError
from ragscore.models import Passage
from ragscore.retrievers import Rerank
from ragscore.run import Returned, Run

CORPUS = Corpus(Ids("abcdef"), ["one", "two words", "three", "four", "five", "six"], list("ABCDEF"))
QUERIES = Queries.from_texts({"q": "how many", "none": "?"})
ANSWERS: dict[str, Any] = {}
"""What the reranker returns by query text; a function of the passages."""


def answer(query: str, passages: Sequence[Passage], **options: Any) -> Any:
    return ANSWERS[query](passages, **options)


async def answer_later(query: str, passages: Sequence[Passage]) -> Any:
    return ANSWERS[query](passages)


class Answering:
    def __init__(self, factor: float) -> None:
        self.factor = factor

    def __call__(self, query: str, passages: Sequence[Passage]) -> list[float]:
        return [self.factor * len(passage.text) for passage in passages]


def own(thing: str = "answer", **options: Any) -> dict[str, Any]:
    return {"kind": "custom", "use": f"{__name__}:{thing}", "options": options}


def reranked(
    returned: Mapping[str, Returned], queries: Queries = QUERIES, depth: int = 6, **options: Any
) -> Run:
    options = {"n": 3, "by": own(), **options}
    found = Run.from_dict(returned, queries=queries.ids, passages=CORPUS.ids)
    spec = Rerank(retriever="first", **options)
    return spec.build(CORPUS, name="mine").search(queries, depth, {"first": found})


def test_the_pool_in_the_order_of_its_scores() -> None:
    seen: list[Any] = []

    def by_title(passages: Sequence[Passage]) -> list[float]:
        seen.append([(passage.id, passage.title, passage.text) for passage in passages])
        return [{"a": 1.0, "b": 3.0, "c": 2.0}[passage.id] for passage in passages]

    ANSWERS["how many"] = by_title
    run = reranked({"q": list("abcd"), "none": []})
    assert run.to_dict() == {"q": {"b": 3.0, "c": 2.0, "a": 1.0}, "none": {}}
    assert seen == [[("a", "A", "one"), ("b", "B", "two words"), ("c", "C", "three")]]
    assert run.name == "mine"


def test_equal_scores_stand_as_everywhere() -> None:
    ANSWERS["how many"] = lambda passages: np.zeros(len(passages))
    assert list(reranked({"q": list("abcd")}).to_dict()["q"]) == ["c", "b", "a"]


@pytest.mark.parametrize("by", [own("answer_later"), own("Answering", factor=2.0)])
def test_async_code_and_classes(by: dict[str, Any]) -> None:
    ANSWERS["how many"] = lambda passages: [2.0 * len(passage.text) for passage in passages]
    assert reranked({"q": list("abc")}, by=by).to_dict()["q"] == {"b": 18.0, "c": 10.0, "a": 6.0}


def test_blend_weighs_both_scores_scaled_by_query() -> None:
    ANSWERS["how many"] = lambda passages: [1.0, 5.0, 3.0]
    run = reranked({"q": {"a": 9.0, "b": 8.0, "c": 5.0}}, blend=0.25)
    first, second = {"a": 1.0, "b": 0.75, "c": 0.0}, {"a": 0.0, "b": 1.0, "c": 0.5}
    wanted = {name: 0.25 * first[name] + 0.75 * second[name] for name in "abc"}
    assert run.to_dict()["q"] == pytest.approx(wanted, abs=1e-15)
    ANSWERS["how many"] = lambda passages: [7.0, 7.0]  # they say nothing, so the first decide
    run = reranked({"q": {"a": 9.0, "b": 8.0}}, blend=0.5)
    assert run.to_dict()["q"] == {"a": 0.5, "b": 0.0}


def test_blend_needs_scores() -> None:
    ANSWERS["how many"] = lambda passages: [1.0] * len(passages)
    with pytest.raises(RetrieverError, match="'first' has no scores that blend could weigh"):
        reranked({"q": ["a", "b"]}, blend=0.5)


@pytest.mark.parametrize(
    ("returned", "said"),
    [
        ([1.0, 2.0], r"returned 2 scores for 3 passages: \[1.0, 2.0\]"),
        (count(), "returned 4 scores for 3 passages"),  # which has no end
        ([1.0, float("nan"), 2.0], "returned the score nan for passage 'b'"),
        ([1.0, 2.0, "x"], "returned the score 'x' for passage 'c'"),
        ({"a": 1.0}, "a value of type dict, not a list of scores"),
        (None, "a value of type NoneType"),
    ],
)
def test_what_are_no_scores(returned: Any, said: str) -> None:
    ANSWERS["how many"] = lambda passages: returned
    with pytest.raises(RetrieverError, match=f"^retriever 'mine', query 'q': (returned )?{said}"):
        reranked({"q": list("abc")})


def test_code_that_raises_is_named_with_its_query() -> None:
    ANSWERS["how many"] = lambda passages: passages[9]
    said = r"query 'q': raised IndexError: list index out of range \(test_rerank.py:\d+\)"
    with pytest.raises(RetrieverError, match=said):
        reranked({"q": list("abc")})


def test_a_query_without_text_is_named() -> None:
    queries = Queries.from_texts({"blank": " "})
    with pytest.raises(RetrieverError, match="query 'blank': it has no text"):
        reranked({"blank": ["a"]}, queries)
    assert reranked({"blank": []}, queries).to_dict() == {"blank": {}}


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"fields": ["text", "text"]}, "named twice"),
        ({"fields": []}, "at least 1"),
        ({"n": 0}, "greater than 0"),
        ({"blend": -0.1}, "greater than or equal to 0"),
        ({"by": {"kind": "mmr", "encoder": "minilm", "relevance": 2}}, "less than or equal to 1"),
    ],
)
def test_options_that_make_no_sense_are_refused(options: dict[str, object], said: str) -> None:
    with pytest.raises(ValidationError, match=said):
        Rerank.model_validate({"retriever": "first", "by": own(), **options})


def test_an_input_that_is_missing() -> None:
    with pytest.raises(RetrieverError, match="the run of 'first' is missing"):
        Rerank(retriever="first", by=own()).build(CORPUS).search(QUERIES, 5)


def longest(query: str, passages: Sequence[Passage]) -> list[int]:
    return [len(passage.text) for passage in passages]


def data() -> Dataset:
    passages = {name: f"rent {'due ' * at}" for at, name in enumerate("abcdef")}
    return Dataset.from_rows(passages, {"q": "rent due"}, {"q": ["b"]})


def test_the_run_holds_the_pool_and_its_recall_is_that_of_the_pool(tmp_path: Path) -> None:
    specs = {
        "bm25": BM25(),
        "rerank": Rerank(retriever="bm25", n=2, by=own("longest")),
        "both": Fusion(retrievers=["bm25", "rerank"]),
    }
    cache = Cache(tmp_path)
    for again in (False, True):  # foreign code is called each time, and nothing of it is kept
        result = evaluate(data(), specs, ["R@2", "R@5"], depth=5, cache=cache)
        pool = result.runs["dataset", "bm25"].to_dict()["q"]
        assert set(result.runs["dataset", "rerank"].to_dict()["q"]) == set(list(pool)[:2])
        means = result.to_dict()["dataset"]
        assert means["rerank"]["R@5"] == means["rerank"]["R@2"] == means["bm25"]["R@2"]
        stages = result.stages
        assert stages["dataset", "bm25"].run_from_cache is again
        assert not stages["dataset", "rerank"].run_from_cache


def test_more_than_the_depth_is_refused_before_anything_runs() -> None:
    specs = {"bm25": BM25(), "mine": Rerank(retriever="bm25", n=20, by=own())}
    said = "retrievers.mine.n: it reads 20 passages of bm25, above the depth 10. Write depth: 20"
    with pytest.raises(ConfigError, match=said):
        evaluate(data(), specs, ["R@5"], depth=10)


def test_the_key_tells_what_changes_the_run() -> None:
    spec = Rerank(retriever="bm25", by={"kind": "mmr", "encoder": "minilm"})
    same = spec.changed(retriever="other")
    assert spec.key({"bm25": "k"}) == same.key({"other": "k"})
    batch = spec.changed(by={"kind": "mmr", "encoder": {"kind": "minilm", "batch_size": 4}})
    assert spec.key({"bm25": "k"}) == batch.key({"bm25": "k"})
    for changes in ({"n": 9}, {"blend": 0.1}, {"fields": ["text"]}):
        assert spec.key({"bm25": "k"}) != spec.changed(**changes).key({"bm25": "k"})
    assert spec.key({"bm25": "k"}) != spec.key({"bm25": "l"})
