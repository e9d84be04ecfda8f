"""Collapsing: a parent stands where its best child stood, however deep that is."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as some
from pydantic import ValidationError

from ragscore import evaluate
from ragscore.dataset import Corpus, Ids, Queries
from ragscore.dataset.allowed import Allowed
from ragscore.dataset.conditions import Condition
from ragscore.dataset.metadata_filter import MetadataFilter
from ragscore.errors import ConfigError, RetrieverError
from ragscore.models import Passage
from ragscore.retrievers import BM25, Custom, Faiss, Index
from ragscore.retrievers.base import NO_INPUTS, RestrictedIndex
from ragscore.retrievers.collapsed import CollapsedIndex, StandsFor, collapsed, parents
from ragscore.retrievers.corpus_retriever import CorpusRetriever
from ragscore.retrievers.filtered import FilteredIndex
from ragscore.run import Run
from tests.factories import with_metadata

CORPUS, QUERIES = with_metadata.corpus(), with_metadata.queries()
BY_PARENT = "metadata.parent"
SINCE = {"field": "year", "op": ">=", "value": "query.year"}


def wanted(children: dict[str, float], scored: bool) -> list[str]:
    """Parents by their best child, found one child after the other."""
    best: dict[str, float] = {}
    for child, score in children.items():
        parent = CORPUS.metadata.get(CORPUS.ids.row(child), {}).get("parent")
        if parent is not None:
            best.setdefault(parent, score)
    if not scored:
        return list(best)
    return sorted(best, key=lambda parent: (best[parent], parent), reverse=True)


@pytest.fixture(params=["bm25", "faiss", "custom"])
def spec(request: pytest.FixtureRequest, tmp_path: Path) -> CorpusRetriever:
    """A retriever that is not collapsed."""
    if request.param == "bm25":
        return BM25(tokenizer="words")
    if request.param == "faiss":
        return Faiss(encoder=with_metadata.encoder(tmp_path, CORPUS, QUERIES))
    (tmp_path / "unscored.py").write_text(with_metadata.FUNCTION)
    return Custom(use="unscored:search", folder=str(tmp_path))


@pytest.mark.parametrize("options", [{}, {"filter": SINCE}], ids=["all", "filtered"])
@pytest.mark.parametrize("depth", [1, 3, 100])
def test_the_best_child_counts(spec: CorpusRetriever, options: Any, depth: int) -> None:
    children = spec.changed(**options).build(CORPUS).search(QUERIES, len(CORPUS))
    index = spec.changed(collapse=BY_PARENT, **options).build(CORPUS)
    found = index.search(QUERIES, depth).to_dict()
    for query, passages in children.to_dict().items():
        assert list(found[query]) == wanted(passages, children.scores is not None)[:depth]
    assert index.passages_indexed == with_metadata.PARENTS


def test_parents_are_not_searched_and_what_has_no_parent_stands_for_itself() -> None:
    corpus = Corpus.from_passages(
        [
            Passage(id="book", text="rent rent rent"),
            Passage(id="chapter", text="rent", metadata={"parent": "book"}),
            Passage(id="section", text="tax", metadata={"parent": "chapter"}),
            Passage(id="alone", text="rent paid"),
            Passage(id="own", text="tax paid now", metadata={"parent": "own"}),
            Passage(id="part", text="nothing", metadata={"parent": "own"}),
        ]
    )
    index = BM25(collapse=BY_PARENT, tokenizer="words").build(corpus)
    found = index.search(Queries.from_texts({"q": "rent", "r": "tax", "s": "nothing"}), 9).to_dict()
    # `chapter` is a parent itself, so nothing that is searched counts for `book`.
    assert list(found["q"]) == ["alone"]
    assert list(found["r"]) == ["chapter", "own"]
    assert list(found["s"]) == ["own"]


class Ranked(Index):
    """Returns a ranking that is given, and counts what it was asked."""

    name = "ranked"

    def __init__(self, passages: Ids, scores: list[float]) -> None:
        self.passages, self.scores = passages, scores
        self.widths: list[int] = []

    def search(self, queries: Queries, depth: int, inputs: Any = NO_INPUTS) -> Run:
        self.widths.append(depth)
        rows = np.tile(np.arange(len(self.passages)), (len(queries), 1))
        scores = np.tile(self.scores, (len(queries), 1))
        return Run.make(queries.ids, self.passages, rows, scores).cut(depth)


@given(some.lists(some.tuples(some.integers(-1, 5), some.integers(0, 3)), min_size=1, max_size=40))
def test_a_deeper_search_goes_on_where_a_shallower_one_ends(drawn: list[tuple[int, int]]) -> None:
    windows = Ids(f"w{at:02}" for at in range(len(drawn)))
    stands_for = StandsFor(np.array([row for row, _ in drawn], dtype=np.int32), Ids("fbadce"))
    index = Ranked(windows, [float(score) for _, score in drawn])
    asked = Queries.from_texts({"q": "?"})
    whole = list(CollapsedIndex(index, stands_for).search(asked, 9).to_dict()["q"].items())
    best: dict[str, float] = {}
    for row, score in drawn:
        if row >= 0:
            best["fbadce"[row]] = max(best.get("fbadce"[row], 0.0), float(score))
    assert whole == sorted(best.items(), key=lambda item: item[::-1], reverse=True)
    for depth in (1, 2, 3):
        found = CollapsedIndex(index, stands_for).search(asked, depth)
        assert list(found.to_dict()["q"].items()) == whole[:depth]


class Restricted(Ranked, RestrictedIndex):
    """The same, which can search the allowed passages alone."""

    def search_allowed(self, queries: Queries, depth: int, allowed: Allowed | None) -> Run:
        assert allowed is not None
        whole = self.search(queries, len(self.passages))
        rows = whole.rows.copy()
        for members, passages in allowed:
            part = rows[members]
            rows[members] = np.where((part >= 0) & passages[part], part, -1)
        return Run.make(queries.ids, self.passages, rows, whole.scores).cut(depth)


def test_windows_of_the_allowed_passages() -> None:
    # Windows 0 to 5 of passages 0, 1, 0, 2, 1, 2; only passages 1 and 2 are allowed.
    stands_for = StandsFor(np.array([0, 1, 0, 2, 1, 2], dtype=np.int32), Ids(["a", "b", "c"]))
    windows = Restricted(Ids(f"w{at}" for at in range(6)), [9.0, 8.0, 7.0, 6.0, 5.0, 4.0])
    corpus = Corpus.from_passages(
        Passage(id=name, text="x", metadata={"open": name != "a"}) for name in "abc"
    )
    allowing = MetadataFilter.over([Condition(field="open", value=True)], corpus)
    index = FilteredIndex(collapsed(windows, stands_for), allowing, 1)
    asked = Queries.from_texts({"q": "?", "r": "?"})
    for depth in (1, 2, 3):
        found = index.search(asked, depth).to_dict()
        assert list(found["r"].items()) == [("b", 8.0), ("c", 6.0)][:depth]


class Pool(Index):
    """Returns what its input found, as retrievers do that score a pool of candidates."""

    name = "pool"

    def search(self, queries: Queries, depth: int, inputs: Any = NO_INPUTS) -> Run:
        return inputs["first"].cut(depth)  # type: ignore[no-any-return]


def test_the_runs_of_inputs_are_handed_on() -> None:
    asked = Queries.from_texts({"q": "?", "r": "?"})
    children = {"q": ["p001", "p002", "p003"], "r": ["p004"]}
    first = Run.from_dict(children, queries=asked.ids, passages=CORPUS.ids)
    stands_for = parents(CORPUS, "parent")
    assert isinstance(stands_for, StandsFor)
    found = CollapsedIndex(Pool(), stands_for).search(asked, 9, {"first": first})
    for query, passages in children.items():
        wanted = [CORPUS.metadata[CORPUS.ids.row(child)]["parent"] for child in passages]
        assert list(found.to_dict()[query]) == list(dict.fromkeys(wanted))
    anywhere = Condition(field="place", op="in", value=["Bonn", "Basel"])
    everywhere = MetadataFilter.over([anywhere], CORPUS)
    kept = FilteredIndex(Pool(), everywhere, 100).search(asked, 9, {"first": first})
    assert {query: list(passages) for query, passages in kept.to_dict().items()} == children


def test_few_searches_where_children_are_spread_evenly() -> None:
    count = 4_000
    stands_for = StandsFor(
        np.arange(count, dtype=np.int32) % 1_000, Ids(f"d{at}" for at in range(1_000))
    )
    index = Ranked(Ids(f"w{at}" for at in range(count)), [float(-at) for at in range(count)])
    found = CollapsedIndex(index, stands_for).search(Queries.from_texts({"q": "?", "r": "?"}), 10)
    assert list(found.to_dict()["r"]) == [f"d{at}" for at in range(10)]
    assert index.widths == [120]


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        ([("p", {"parent": "x"}), ("r", {"parent": "y"})],
         "passage 'p' has parent 'x', which is not a passage of the corpus (1 other passage names"),
        ([("p", {"parent": 7})], "passage 'p' has parent 7, which is not a passage of the corpus"),
        ([("r", {"parent": "p"}), ("p", {"parent": "q"}), ("q", {"parent": "p"})],
         "passage 'p' has parent 'q', which is below 'p' itself"),
        ([("p", {"source": "p"})], "no passage has metadata 'parent'"),
        ([("p", {})], "no passage has metadata 'parent'"),
    ],
)  # fmt: skip
def test_parents_that_are_not_there(rows: list[tuple[str, dict[str, Any]]], said: str) -> None:
    corpus = Corpus.from_passages(
        Passage(id=name, text="x", metadata=metadata) for name, metadata in rows
    )
    (problem,) = BM25(collapse=BY_PARENT).check_data(corpus, QUERIES)
    assert problem.what.startswith(said)
    with pytest.raises(RetrieverError, match="retriever 'bm25'"):
        BM25(collapse=BY_PARENT).build(corpus)


@pytest.mark.parametrize(
    ("collapse", "said"),
    [("parent", r"Write metadata\.parent"), ("metadata.", "names no key")],
)
def test_a_collapse_names_metadata(collapse: str, said: str) -> None:
    with pytest.raises(ValidationError, match=said):
        BM25.model_validate({"collapse": collapse})


def test_judgments_of_children_alone_are_an_error_before_anything_is_searched() -> None:
    rows: dict[str, Any] = {
        "passages": [
            {"id": "book", "text": ""},
            {"id": "page", "text": "rent", "metadata": {"parent": "book"}},
        ],
        "queries": {"q": "rent"},
    }
    spec = {"bm25": BM25(collapse="metadata.parent")}
    with pytest.raises(ConfigError) as caught:
        evaluate({**rows, "ground_truth": {"q": ["page"]}}, spec, ["RR"])
    assert str(caught.value) == (
        "retrievers.bm25.collapse, dataset: it returns parents, and the only passage judged "
        "relevant is not one: 'page'. Judge the parents, or leave collapse out"
    )
    judged = {"q": {"page": 1, "book": 1}}
    assert evaluate({**rows, "ground_truth": judged}, spec, ["RR"]).to_dict() == {
        "dataset": {"bm25": {"RR": 1.0}}
    }
