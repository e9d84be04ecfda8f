"""What must not come back: rows that list passages, and rules on metadata."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ragscore import BM25, Dataset, evaluate, load_dataset, open_result
from ragscore.dataset import Qrels
from ragscore.dataset.conditions import Condition
from ragscore.dataset.forbidden import LISTED
from ragscore.errors import ConfigError, DataError
from ragscore.formats import write_dataset
from tests.factories.thorough import examples

PASSAGES = [
    {"id": f"p{number}", "text": f"text {number}", "metadata": metadata}
    for number, metadata in enumerate(
        [
            {"tenant": "a", "year": 2019, "tags": ["draft"]},
            {"tenant": "b", "year": 2020, "tags": ["final", "draft"]},
            {"tenant": "a", "year": 2021},
            {"year": 2021, "tags": []},
            {"tenant": "c"},
            {},
        ]
    )
]
QUERIES = [
    {"id": "q0", "text": "zero", "metadata": {"tenant": "a", "since": 2020, "not": "draft"}},
    {"id": "q1", "text": "one", "metadata": {"tenant": "b"}},
    {"id": "q2", "text": "two"},
]
TRUTH = [{"query_id": "q0", "passages": {"p0": 0}}, {"query_id": "q1", "passages": {"p5": 1}}]
OTHERS = {"field": "tenant", "op": "!=", "value": "query.tenant"}
OPTIONS: list[dict[str, Any]] = [
    OTHERS,
    {"field": "tenant", "value": "query.tenant"},
    {"field": "year", "op": "<", "value": "query.since"},
    {"field": "year", "op": ">=", "value": 2020},
    {"field": "tenant", "op": "in", "value": ["b", "c"]},
    {"field": "tenant", "op": "not in", "value": ["b", "c"]},
    {"field": "tags", "op": "any", "value": ["old", "x"]},
    {"field": "tenant", "op": "contains", "value": "query.tenant"},
    {"field": "tags", "op": "contains", "value": "query.not"},
]


def dataset(forbidden: Any = None, truth: Any = TRUTH) -> Dataset:
    return Dataset.from_rows(PASSAGES, QUERIES, truth, forbidden=forbidden)


def fulfils(rule: dict[str, Any], passage: dict[str, Any], query: dict[str, Any]) -> bool:
    """A rule in plain Python."""
    wanted, op = rule["value"], rule.get("op", "=")
    if isinstance(wanted, str) and wanted.startswith("query."):
        wanted = query.get("metadata", {}).get(wanted.removeprefix("query."))
    found = passage["metadata"].get(rule["field"])
    if wanted is None or found is None:
        return False
    return {
        "=": lambda: found == wanted,
        "!=": lambda: found != wanted,
        "<": lambda: found < wanted,
        ">=": lambda: found >= wanted,
        "in": lambda: found in wanted,
        "not in": lambda: found not in wanted,
        "any": lambda: any(value in wanted for value in found),
        "contains": lambda: wanted in found,
    }[op]()


@given(
    rules=st.lists(st.sampled_from(OPTIONS), max_size=3),
    lists=st.lists(st.tuples(st.integers(0, 2), st.integers(0, 5)), max_size=8),
    rows=st.lists(st.lists(st.integers(-1, 5), min_size=4, max_size=4), min_size=3, max_size=3),
)
@settings(max_examples=examples(60), deadline=None)
def test_flags_are_those_of_plain_python(rules: Any, lists: Any, rows: Any) -> None:
    truth = [
        {
            "query_id": f"q{query}",
            "passages": {"p0": 0},
            "forbidden": [f"p{passage}" for of, passage in lists if of == query],
        }
        for query in range(3)
    ]
    made = dataset(rules, truth).qrels
    block, query_rows = np.array(rows, dtype=np.int32), np.array([2, 0, 1])
    wanted = [
        [
            passage >= 0
            and (
                (query, passage) in lists
                or any(fulfils(rule, PASSAGES[passage], QUERIES[query]) for rule in rules)
            )
            for passage in of_query
        ]
        for query, of_query in zip(query_rows.tolist(), rows, strict=True)
    ]
    if not rules and not lists:
        assert made.forbidden is None
        return
    assert made.forbidden is not None
    assert made.forbidden.flags(query_rows, block).tolist() == wanted
    everything = np.tile(np.arange(6, dtype=np.int32), (3, 1))
    flags = made.forbidden.flags(np.arange(3), everything)
    assert made.forbidden.restricted.tolist() == flags.any(axis=1).tolist()
    # Over another vocabulary, and over a part of it.
    ids = made.passages
    turned = type(ids)([*reversed(list(ids)), "new"])
    renumbered = made.onto(turned).forbidden
    assert renumbered is not None
    assert renumbered.flags(np.arange(3), everything[:, ::-1]).tolist() == flags.tolist()
    assert not renumbered.flags(np.arange(3), np.full((3, 1), 6, dtype=np.int32)).any()
    part = np.array([1, 4])
    kept = made.part(part, type(ids)(["p1", "p4"])).forbidden
    assert kept is not None
    assert kept.flags(np.arange(3), everything[:, :2]).tolist() == flags[:, part].tolist()


def test_what_forbids_it_is_known() -> None:
    truth = [{"query_id": "q0", "passages": {"p0": 0}, "forbidden": ["p1", "p5", "p1"]}]
    made = dataset([OTHERS, {"field": "year", "op": "<", "value": 2020}], truth).qrels.forbidden
    assert made is not None
    (sources,) = made.sources(np.array([0]), np.arange(6, dtype=np.int32)[None]).tolist()
    assert sources == [3, LISTED, 0, 0, 2, LISTED]
    assert [made.name(source) for source in (LISTED, 2, 3)] == [
        "",
        "tenant != query.tenant",
        "year < 2020",
    ]


def test_digests_know_what_is_forbidden_and_flat_ones_know_nothing_of_it() -> None:
    flat, ruled = dataset(), dataset(OTHERS)
    listed = dataset(truth=[{**TRUTH[0], "forbidden": ["p1"]}, TRUTH[1]])
    digests = {each.qrels.digest for each in (flat, ruled, listed)}
    assert len(digests) == 3
    assert len({each.qrels.judgments_digest for each in (flat, ruled, listed)}) == 3
    again = Qrels.from_dict(
        {"q0": {"p0": 0}, "q1": {"p5": 1}}, queries=flat.queries.ids, passages=flat.corpus.ids
    )
    assert again.digest == flat.qrels.digest
    moved = [{**passage, "metadata": {**passage["metadata"]}} for passage in PASSAGES]
    moved[1]["metadata"]["tenant"] = "c"
    elsewhere = Dataset.from_rows(moved, QUERIES, TRUTH, forbidden=OTHERS)
    assert elsewhere.qrels.digest != ruled.qrels.digest, "the rule reads other metadata"
    other = dataset({**OTHERS, "op": "="})
    assert other.qrels.judgments_digest != ruled.qrels.judgments_digest
    turned = listed.qrels.onto(type(listed.corpus.ids)([*reversed(list(listed.corpus.ids))]))
    assert turned.judgments_digest == listed.qrels.judgments_digest


@pytest.mark.parametrize(
    ("rule", "says"),
    [
        ({**OTHERS, "field": "tenent"}, "forbidden.field: no passage has metadata 'tenent'. Did"),
        ({**OTHERS, "value": "query.x"}, "forbidden.value: no query has metadata 'x'"),
        ({**OTHERS, "value": 7}, "forbidden.value: passage 'p0' has tenant 'a' (text) and the"),
        ([OTHERS, {"field": "tags", "value": "a"}], "forbidden[1].field: passage 'p0' has tags"),
    ],
)
def test_a_rule_that_does_not_fit_is_an_error_at_its_place(rule: Any, says: str) -> None:
    with pytest.raises(ConfigError) as caught:
        dataset(rule)
    assert str(caught.value).startswith(says)


def test_rules_need_a_corpus() -> None:
    with pytest.raises(ConfigError, match="there is no corpus, and rules read the metadata"):
        Dataset.from_rows(None, QUERIES, {"q0": ["p0"]}, forbidden=OTHERS)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    write_dataset(dataset(truth=[{**TRUTH[0], "forbidden": ["p1", "p4"]}, TRUTH[1]]), tmp_path)
    return tmp_path


def write(folder: Path, *rows: dict[str, Any]) -> None:
    (folder / "ground_truth.jsonl").write_text("\n".join(map(json.dumps, rows)))


def test_lists_are_written_and_read(folder: Path) -> None:
    made = load_dataset(folder)
    wanted = dataset(truth=[{**TRUTH[0], "forbidden": ["p4", "p1"]}, TRUTH[1]])
    assert made.qrels.digest == wanted.qrels.digest
    ruled = load_dataset(folder, forbidden=Condition(field="year", op="<", value=2020))
    assert ruled.qrels.rules == (Condition(field="year", op="<", value=2020),)
    assert ruled.digest != made.digest


def test_a_query_may_have_forbidden_passages_alone(folder: Path, tmp_path: Path) -> None:
    write(folder, *TRUTH, {"query_id": "q2", "forbidden": ["p3"]})
    made = load_dataset(folder)
    write_dataset(made, tmp_path / "again")
    assert load_dataset(tmp_path / "again").qrels.digest == made.qrels.digest
    assert made.qrels.forbidden is not None
    assert made.qrels.forbidden.restricted.tolist() == [False, False, True]


def test_ids_that_are_not_there_are_errors_with_their_line(folder: Path) -> None:
    write(folder, *TRUTH, {"query_id": "q2", "forbidden": ["p3", "p77"]})
    with pytest.raises(DataError) as caught:
        load_dataset(folder)
    assert "ground_truth.jsonl:3: forbidden: the passage 'p77' is not in" in str(caught.value)
    counted = load_dataset(folder, allow_missing=True)
    assert counted.counts["missing_passages"] == 1
    write(folder, *TRUTH, {"query_id": "q9", "forbidden": ["p3"]})
    with pytest.raises(DataError, match="jsonl:3: forbidden: the query 'q9' is not in"):
        load_dataset(folder)
    with pytest.raises(DataError, match="the passage 'p77' is not in the corpus"):
        dataset(truth=[{**TRUTH[0], "forbidden": ["p77"]}])
    with pytest.raises(DataError, match="the query 'q9' is not among the queries"):
        dataset(truth=[*TRUTH, {"query_id": "q9", "forbidden": ["p3"]}])


def test_relevant_and_forbidden_at_once_is_an_error(folder: Path) -> None:
    write(folder, TRUTH[0], {"query_id": "q1", "passages": {"p4": 0, "p2": 1}})
    with pytest.raises(DataError) as caught:
        load_dataset(folder, forbidden=Condition(**OTHERS))
    assert str(caught.value).endswith(
        "ground_truth.jsonl:2: the passage 'p2' has grade 1 for the query 'q1', and the rule "
        "tenant != query.tenant forbids it. Correct the judgment or the rule"
    )
    many = [{"id": f"m{n}", "text": "x", "metadata": {"tenant": "x"}} for n in range(30)]
    truth = {"q": [f"m{n}" for n in range(30)]}
    with pytest.raises(DataError) as caught:
        Dataset.from_rows(many, {"q": "x"}, truth, forbidden={"field": "tenant", "value": "x"})
    assert len(caught.value.problems) == 20
    write(folder, {"query_id": "q1", "passages": {"p4": 1}, "forbidden": ["p4"]})
    with pytest.raises(DataError, match="jsonl:1: forbidden: the passage 'p4' is relevant for"):
        load_dataset(folder)


def test_rules_follow_documents_into_their_chunks(tmp_path: Path) -> None:
    documents = [
        {"id": id, "text": f"{id} pays twelve crowns. It is cold.", "metadata": {"tenant": id}}
        for id in ("n", "s")
    ]
    queries = [{"id": "q", "text": "What does n pay?", "metadata": {"tenant": "n"}}]
    truth = [{"query_id": "q", "evidence": [{"document": "n", "quote": "twelve crowns"}]}]
    options = {"documents": documents, "forbidden": OTHERS}
    data = Dataset.from_rows(None, queries, truth, **options)
    by_sentence = BM25(chunk={"kind": "characters", "size": 24})
    result = evaluate(data, {"bm25": by_sentence}, ["Leak@4", "LeakCount@4"], depth=4)
    result.save(tmp_path / "saved")
    for each in (result, open_result(tmp_path / "saved")):
        wanted = {"Leak@4": 1.0, "LeakCount@4": 1.0}
        assert each.to_dict() == {"dataset": {"bm25": wanted}}
    own = Dataset.from_rows(
        None, queries, truth, documents=documents, forbidden={**OTHERS, "op": "="}
    )
    with pytest.raises(DataError, match=r"the rule tenant = query.tenant forbids it"):
        evaluate(own, {"bm25": by_sentence}, ["RR"])
    with pytest.raises(ConfigError, match="no passage has metadata 'owner'"):
        Dataset.from_rows(
            None, queries, truth, documents=documents, forbidden={**OTHERS, "field": "owner"}
        )
