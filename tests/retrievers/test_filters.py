"""Filters by metadata: the allowed passages of a search of everything, in its order."""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as some
from pydantic import ValidationError

from ragscore.dataset import Corpus, Queries
from ragscore.dataset.conditions import Condition
from ragscore.dataset.metadata_filter import MetadataFilter
from ragscore.errors import RetrieverError
from ragscore.models import Passage, Query
from ragscore.retrievers import BM25, Custom, Faiss
from ragscore.retrievers.corpus_retriever import CorpusRetriever
from tests.factories import with_metadata

CORPUS, QUERIES = with_metadata.corpus(), with_metadata.queries()
SINCE = {"field": "year", "op": ">=", "value": "query.year"}
FILTERS: dict[str, Any] = {
    "of the query": SINCE,
    "a constant": {"field": "place", "value": "Bonn"},
    "not equal": {"field": "year", "op": "!=", "value": 2003},
    "before": {"field": "year", "op": "<", "value": 2003},
    "one of a list": {"field": "year", "op": "in", "value": [2001, 2004]},
    "one of the query's": {"field": "year", "op": "in", "value": "query.years"},
    "none of a list": {"field": "year", "op": "not in", "value": [2001, 2004]},
    "none of the query's": {"field": "year", "op": "not in", "value": "query.years"},
    "any of a list": {"field": "labels", "op": "any", "value": ["tax", "law"]},
    "in a list": {"field": "labels", "op": "contains", "value": "tax"},
    "in a text": {"field": "place", "op": "contains", "value": "as"},
    "all of several": [SINCE, {"field": "labels", "op": "contains", "value": "law"}],
}
OPS: dict[str, Callable[[Any, Any], Any]] = {
    "=": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    ">=": operator.ge,
    "in": lambda found, wanted: found in wanted,
    "not in": lambda found, wanted: found not in wanted,
    "any": lambda found, wanted: any(value in wanted for value in found),
    "contains": lambda found, wanted: wanted in found,
}


def allows(conditions: Any, passage: Mapping[str, Any], query: Mapping[str, Any]) -> bool:
    """Whether a query may get a passage, condition by condition."""
    for condition in conditions if isinstance(conditions, list) else [conditions]:
        wanted = condition["value"]
        if isinstance(wanted, str) and wanted.startswith("query."):
            wanted = query.get(wanted.removeprefix("query."))
            if wanted is None:
                continue
        found = passage.get(condition["field"])
        if found is None or not OPS[condition.get("op", "=")](found, wanted):
            return False
    return True


def wanted(spec: CorpusRetriever, conditions: Any, depth: int) -> dict[str, list[str]]:
    """The allowed passages among all that the retriever finds without its filter."""
    everything = spec.build(CORPUS).search(QUERIES, len(CORPUS)).to_dict()
    return {
        query: [
            passage
            for passage in found
            if allows(
                conditions,
                CORPUS.metadata.get(CORPUS.ids.row(passage), {}),
                QUERIES.metadata.get(QUERIES.ids.row(query), {}),
            )
        ][:depth]
        for query, found in everything.items()
    }


def got(spec: CorpusRetriever, depth: int) -> dict[str, list[str]]:
    found = spec.build(CORPUS).search(QUERIES, depth).to_dict()
    return {query: list(passages) for query, passages in found.items()}


@pytest.fixture(params=["bm25", "bm25+", "faiss", "faiss l2", "hnsw", "custom"])
def spec(request: pytest.FixtureRequest, tmp_path: Path) -> CorpusRetriever:
    """A retriever without a filter."""
    kind = request.param
    if kind == "custom":
        (tmp_path / "scores_nothing.py").write_text(with_metadata.FUNCTION)
        return Custom(use="scores_nothing:search", folder=str(tmp_path))
    if kind.startswith("bm25"):
        return BM25(variant="lucene" if kind == "bm25" else "bm25+", tokenizer="words")
    encoder = with_metadata.encoder(tmp_path, CORPUS, QUERIES)
    index = "HNSW8" if kind == "hnsw" else "Flat"
    return Faiss(encoder=encoder, index=index, metric="l2" if kind == "faiss l2" else "cosine")


@pytest.mark.parametrize("conditions", FILTERS.values(), ids=FILTERS)
@pytest.mark.parametrize("depth", [1, 7, 200])
def test_the_allowed_passages_in_their_order(
    spec: CorpusRetriever, conditions: Any, depth: int
) -> None:
    assert got(spec.changed(filter=conditions), depth) == wanted(spec, conditions, depth)


def test_what_is_searched_in_blocks_is_the_same(spec: CorpusRetriever) -> None:
    index = spec.changed(filter=SINCE).build(CORPUS)
    whole = index.search(QUERIES, 5).to_dict()
    parts = [index.search(QUERIES.select([row]), 5).to_dict() for row in range(len(QUERIES))]
    assert {query: found for part in parts for query, found in part.items()} == whole
    assert len(index.search(QUERIES.select([]), 5)) == 0


def test_who_cannot_restrict_the_search_fetches_so_many_and_counts(tmp_path: Path) -> None:
    (tmp_path / "first_ones.py").write_text(with_metadata.FUNCTION)
    spec = Custom(use="first_ones:search", folder=str(tmp_path), filter=SINCE, overfetch=10)
    index = spec.build(CORPUS)
    found = index.search(QUERIES, 4)
    bare = spec.changed(filter=None, overfetch=1_000).build(CORPUS).search(QUERIES, 10).to_dict()
    short = 0
    for row, query in enumerate(QUERIES.ids):
        asked = QUERIES.metadata.get(row, {})
        of_all = {passage.id for passage in CORPUS if allows(SINCE, passage.metadata, asked)}
        kept = [passage for passage in bare[query] if passage in of_all]
        assert list(found.to_dict()[query]) == kept[:4]
        short += len(kept) < min(4, len(of_all))
    counts = index.filter_counts(QUERIES)
    assert counts is not None
    assert (counts.fetched, counts.short) == (10, short)
    assert counts.short > 0
    index.search(QUERIES, 4)
    assert index.filter_counts(QUERIES) == counts  # a query that is searched again counts once


def test_queries_that_no_filter_restricts_and_that_may_get_nothing() -> None:
    index = BM25(filter=SINCE).build(CORPUS)
    index.search(QUERIES, 5)
    counts = index.filter_counts(QUERIES)
    years = [QUERIES.metadata.get(row, {}).get("year") for row in range(len(QUERIES))]
    assert counts is not None
    assert counts.unrestricted == years.count(None) == 5
    assert counts.nothing == years.count(2006) > 0
    assert counts.short == counts.fetched == 0
    assert BM25().build(CORPUS).filter_counts(QUERIES) is None


def test_shares_of_the_corpus() -> None:
    allowing = MetadataFilter.over([Condition(field="place", value="Bonn")], CORPUS)
    bonn = sum(passage.metadata.get("place") == "Bonn" for passage in CORPUS)
    assert allowing.shares(QUERIES).tolist() == [bonn / len(CORPUS)] * len(QUERIES)


def passages(*values: Any) -> Corpus:
    return Corpus.from_passages(
        Passage(id=f"p{at}", text="rent", metadata={} if value is None else {"year": value})
        for at, value in enumerate(values)
    )


def asked(*values: Any) -> Queries:
    return Queries.from_rows(
        Query(id=f"q{at}", text="rent", metadata={} if value is None else {"year": value})
        for at, value in enumerate(values)
    )


def problems(condition: dict[str, Any], corpus: Corpus, queries: Queries) -> list[str]:
    return [problem.what for problem in BM25(filter=condition).check_data(corpus, queries)]


AT = {"field": "year", "value": "query.year"}


@pytest.mark.parametrize(
    ("condition", "corpus", "queries", "said"),
    [
        ({**AT, "field": "yaer"}, passages(1), asked(1), "no passage has metadata 'yaer'"),
        ({**AT, "value": "query.yaer"}, passages(1), asked(1), "no query has metadata 'yaer'"),
        (AT, passages(None), asked(1), "no passage has metadata 'year'"),
        (
            AT, passages(2020, "2021"), asked(1),
            "passage 'p0' has year 2020 (a number) and passage 'p1' has year '2021' (text), which "
            "cannot be compared",
        ),
        (
            AT, passages(None, 2020), asked(None, "2020"),
            "passage 'p1' has year 2020 (a number) and query 'q1' has year '2020' (text), which "
            "cannot be compared",
        ),
        (
            {"field": "year", "op": "<", "value": 2020}, passages("2020"), asked(None),
            "passage 'p0' has year '2020' (text) and the value of the filter is 2020 (a number), "
            "which cannot be compared",
        ),
        (
            {"field": "year", "value": True}, passages(1), asked(None),
            "passage 'p0' has year 1 (a number) and the value of the filter is True (true or "
            "false), which cannot be compared",
        ),
        (AT, passages([2020]), asked(1), "passage 'p0' has year [2020] (a list), and op: = takes"),
        (AT, passages({"a": 1}), asked(1), "passage 'p0' has year {'a': 1} (something that"),
        ({**AT, "op": "in"}, passages([1]), asked(1), "passage 'p0' has year [1] (a list), and op: "
         "in takes one value"),
        ({**AT, "op": "not in"}, passages([1]), asked(1), "passage 'p0' has year [1] (a list), and "
         "op: not in takes one value"),
        ({**AT, "op": "any"}, passages(1), asked(1), "passage 'p0' has year 1 (a number), which is "
         "not a list"),
        ({**AT, "op": "any"}, passages([1]), asked(["1"]), "passage 'p0' has in year 1 (a number) "
         "and query 'q0' has year '1' (text), which cannot be compared"),
        (
            {**AT, "op": "contains"}, passages(2020), asked(2020),
            "passage 'p0' has year 2020 (a number), which is neither a list nor text",
        ),
        (
            {**AT, "op": "contains"}, passages([1, "a"]), asked(1),
            "passage 'p0' has in year 1 (a number) and passage 'p0' has in year 'a' (text), which",
        ),
        (
            {**AT, "op": "<"}, passages("9", "10"), asked("11"),
            "the values of year are numbers written as text, among which '10' comes before '9'",
        ),
    ],
)  # fmt: skip
def test_what_does_not_fit_the_data_is_said_before_a_search(
    condition: dict[str, Any], corpus: Corpus, queries: Queries, said: str
) -> None:
    (found,) = problems(condition, corpus, queries)
    assert found.startswith(said)
    if "no query" in said:  # another block of queries may have it
        BM25(filter=condition).build(corpus).search(queries, 5)
        return
    with pytest.raises(RetrieverError) as caught:
        BM25(filter=condition).build(corpus).search(queries, 5)
    assert said in str(caught.value)


@pytest.mark.parametrize(
    ("condition", "corpus", "queries"),
    [
        ({**AT, "op": "<"}, passages("2020-01-31", "2021-02-01"), asked("2020-07-01")),
        ({**AT, "op": "<"}, passages("2019", "2020"), asked("2021")),
        (AT, passages("9", "10"), asked("10")),
        (AT, passages(2020, 2020.5), asked(2020.0, None)),
        ({**AT, "op": "in"}, passages(2020), asked(2020, [2020, 2021])),
        ({**AT, "op": "not in"}, passages(2020), asked(2020, [2020, 2021], [])),
        ({**AT, "op": "contains"}, passages([], ["a"]), asked("a")),
        ({**AT, "op": "any"}, passages([], ["a"]), asked("a", ["a", "b"])),
    ],
)
def test_what_can_be_compared(condition: dict[str, Any], corpus: Corpus, queries: Queries) -> None:
    assert problems(condition, corpus, queries) == []


@pytest.mark.parametrize(
    ("op", "held", "instead"),
    [
        ("in", [1], "Use op: any"),
        ("not in", [1], "one value in each passage"),
        ("any", 1, "Use op: in"),
        ("=", [1], "Use op: contains"),
    ],
)
def test_the_op_that_is_meant_is_named(op: Any, held: Any, instead: str) -> None:
    with pytest.raises(RetrieverError, match=instead):
        BM25(filter={**AT, "op": op}).build(passages(held)).search(asked(1), 5)


values = some.one_of(some.none(), some.integers(-2, 2), some.sampled_from([0.5, 1.0]))
lists = some.one_of(some.none(), some.lists(some.sampled_from("abc"), max_size=3))


@given(
    some.lists(values, min_size=1, max_size=12),
    some.lists(values, min_size=1, max_size=6),
    some.sampled_from(["=", "!=", "<", "<=", ">", ">="]),
)
def test_every_comparison_of_numbers(held: list[Any], wanted: list[Any], op: Any) -> None:
    allowing = MetadataFilter.over(
        [Condition(field="year", op=op, value="query.year")], passages(*held)
    )
    compare = {"=": operator.eq, "!=": operator.ne, "<": operator.lt, "<=": operator.le,
               ">": operator.gt, ">=": operator.ge}[op]  # fmt: skip
    for members, allowed in allowing.allowed(asked(*wanted)):
        for query in members.tolist():
            value = wanted[query]
            assert allowed.tolist() == [
                value is None or (found is not None and compare(found, value)) for found in held
            ] or not any(found is not None for found in held)


@given(
    some.lists(lists, min_size=1, max_size=8),
    some.lists(some.lists(some.sampled_from("abcd")), min_size=1),
)
def test_what_lists_have_any_of(held: list[Any], wanted: list[list[str]]) -> None:
    allowing = MetadataFilter.over(
        [Condition(field="year", op="any", value="query.year")], passages(*held)
    )
    if any(found is not None for found in held):
        for members, allowed in allowing.allowed(asked(*wanted)):
            for query in members.tolist():
                values = {*wanted[query]}
                assert allowed.tolist() == [bool(values & {*(found or ())}) for found in held]


@given(some.lists(lists, min_size=1, max_size=8), some.lists(some.sampled_from("abcd"), min_size=1))
def test_what_lists_contain(held: list[Any], wanted: list[str]) -> None:
    allowing = MetadataFilter.over(
        [Condition(field="year", op="contains", value="query.year")], passages(*held)
    )
    if any(found is not None for found in held):
        for members, allowed in allowing.allowed(asked(*wanted)):
            for query in members.tolist():
                assert allowed.tolist() == [wanted[query] in (found or ()) for found in held]


def test_large_whole_numbers_are_compared_exactly() -> None:
    corpus = passages(2**60, 2**60 + 1, 2**60 + 2)
    allowing = MetadataFilter.over([Condition(field="year", op="<=", value="query.year")], corpus)
    assert allowing.shares(asked(2**60 + 1, 2**60)).tolist() == [2 / 3, 1 / 3]


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"filter": {"field": "year", "value": "query."}}, "'query.' names no key"),
        ({"filter": {"field": "year", "op": "in", "value": 3}}, "op: in takes a list"),
        ({"filter": {"field": "year", "value": [3]}}, "op: = takes one value"),
        ({"filter": {"field": "year", "op": "not in", "value": 3}}, "op: not in takes a list"),
        ({"filter": {"field": "year", "op": "any", "value": 3}}, "op: any takes a list"),
        ({"filter": {"field": "year", "op": "not in", "value": []}}, "restricts nothing"),
        ({"filter": {"field": "", "value": 3}}, "at least 1 character"),
        ({"filter": []}, "an empty list restricts nothing"),
        ({"filter": {"field": "year", "op": "in", "value": []}}, "allows no passage"),
        ({"overfetch": 50}, "overfetch has no meaning without filter"),
    ],
)
def test_options_that_make_no_sense_are_refused(options: dict[str, Any], said: str) -> None:
    with pytest.raises(ValidationError, match=said):
        BM25.model_validate(options)


def test_one_condition_and_a_list_of_it_are_the_same() -> None:
    for made in (BM25, partial(Faiss, encoder="minilm")):
        assert made(filter=SINCE) == made(filter=[SINCE])
        assert made(filter=SINCE).key() == made(filter=[SINCE]).key() != made().key()
