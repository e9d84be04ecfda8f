"""Tokens and money that foreign code says it used."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Any

import pytest

from ragscore import BM25, Fusion, Result, evaluate
from ragscore.errors import RetrieverError
from ragscore.progress import SILENT, Progress
from ragscore.retrievers.rerank import Rerank
from ragscore.retrievers.rerank.own_reranker import OwnReranker
from ragscore.usage import Usage
from tests.factories.rooms import DATASET
from tests.factories.witness import Witness


class Metered:
    """Counts as the client of an API would."""

    def __init__(self) -> None:
        self.usage: Any = {"tokens": 100, "price": 0.01, "currency": "USD"}

    def retrieve(self, queries: list[str], k: int) -> list[list[str]]:
        tokens = self.usage["tokens"] + 10 * len(queries)
        self.usage = {"tokens": tokens, "price": tokens / 10_000, "currency": "USD"}
        return [["p1"] for _ in queries]


class Wrong(Metered):
    said: Any = None

    def retrieve(self, queries: list[str], k: int) -> list[list[str]]:
        self.usage = self.said
        return [["p1"] for _ in queries]


def used(thing: Any, progress: Progress = SILENT) -> Usage | None:
    result: Result = evaluate(DATASET, {"mine": thing}, ["P@1"], progress=progress)
    return result.stages["d", "mine"].usage


def test_a_class_counts_from_its_beginning_and_an_object_from_when_it_was_given() -> None:
    assert used(Metered) == Usage(160, pytest.approx(0.016), "USD")  # type: ignore[arg-type]
    thing = Metered()
    for _ in range(2):
        assert used(thing) == Usage(60, pytest.approx(0.006), "USD")  # type: ignore[arg-type]


def test_a_reranker_counts_too(tmp_path: Path) -> None:
    (tmp_path / "metered_reranker.py").write_text(METERED_RERANKER, encoding="utf-8")
    by = OwnReranker(use="metered_reranker:Score", folder=str(tmp_path))
    retrievers = {"a": BM25(), "best": Rerank(retriever="a", n=3, by=by)}
    result = evaluate(DATASET, retrievers, ["P@1"], latency_queries=2)
    assert result.stages["d", "best"].usage == Usage(5 + 6 * 10)
    assert result.stages["d", "best"].latency is None
    assert result.stages["d", "a"].usage is None


METERED_RERANKER = """
class Score:
    def __init__(self):
        self.usage = {"tokens": 5}

    def __call__(self, query, passages):
        self.usage["tokens"] += 10
        return [-float(at) for at in range(len(passages))]
"""


def test_a_fusion_counts_nothing_of_its_inputs() -> None:
    retrievers = {"mine": Metered, "a": BM25(), "both": Fusion(retrievers=("mine", "a"))}
    result = evaluate(DATASET, retrievers, ["P@1"], latency_queries=2)
    assert result.stages["d", "both"].usage is None


@pytest.mark.parametrize(
    ("said", "note"),
    [
        (7, "it is 7. Make it a mapping such as"),
        ({"token": 3}, "it has 'token'. Allowed: tokens, price, currency"),
        ({"tokens": -1}, "tokens is -1. It is a whole number of 0 or more"),
        ({"tokens": True}, "tokens is True"),
        ({"price": float("nan"), "currency": "USD"}, "price is nan"),
        ({"price": 1.0}, "a price needs a currency"),
        ({"price": 1.0, "currency": "<b>" * 10}, "text of up to 12 characters"),
        ({"tokens": 4}, "smaller than before"),
        ({"price": 1, "currency": "KRW"}, "its currency changed from USD to KRW"),
    ],
)
def test_a_wrong_usage_costs_no_run(said: Any, note: str) -> None:
    notes, thing = Witness(), Wrong()
    thing.said = said
    assert used(thing, notes) is None
    (shown,) = [text for text in notes.notes if "usage" in text]
    assert note in shown


def test_a_usage_that_raises_costs_no_run() -> None:
    class Raising(Metered):
        def __getattribute__(self, name: str) -> Any:
            if name == "usage" and threading.current_thread() is not None and hasattr(self, "done"):
                raise OSError("no network")
            return super().__getattribute__(name)

        def retrieve(self, queries: list[str], k: int) -> list[list[str]]:
            self.done = True
            return [["p1"] for _ in queries]

    notes = Witness()
    assert used(Raising, notes) is None
    assert any("no network" in text for text in notes.notes)


def test_a_retriever_without_usage_has_none() -> None:
    assert used(lambda query, k: ["p1"]) is None
    with pytest.raises(RetrieverError):
        used(lambda query, k: 1 / 0)
