"""What the explorer offers to filter by."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pytest

from ragscore.dataset import Dataset
from ragscore.models import Query
from ragscore.report.explorer.filters import MAX_VALUES, Groups, filter_of, filterable
from ragscore.results import DatasetResult
from tests.factories.explored import (
    read,
    report_of,
)


def test_tags_and_metadata(panel: DatasetResult) -> None:
    told, _ = read(report_of(panel), panel)
    found = {
        (group["key"], value): [told["id"][row] for row in np.cumsum(rows)]
        for group in told["tags"]
        for value, rows in zip(group["values"], group["queries"], strict=True)
    }
    assert found == {
        ("topic", "x"): ["q1", "q3"],
        ("topic", "y"): ["q2"],
        ("kind", "exact"): ["q1"],
        ("kind", "long"): ["q2"],
        ("tags", "rent"): ["q1", "q3"],
    }


@pytest.mark.parametrize(
    ("metadata", "kept"),
    [
        ([{"n": n} for n in range(10)], False),
        ([{"n": n % 3} for n in range(10)], True),
        ([{"n": "all"} for _ in range(10)], False),
        ([{"n": None} for _ in range(10)], False),
        ([{"n": {"nested": 1}} for _ in range(10)], False),
        ([{"n": n % 2 == 0} for n in range(10)], True),
    ],
)
def test_only_what_groups_queries_is_a_filter(
    metadata: Sequence[Mapping[str, Any]], kept: bool
) -> None:
    queries = [Query(id=f"q{n}", text="?", metadata=dict(one)) for n, one in enumerate(metadata)]
    columns = Dataset.from_rows({"a": "a"}, queries, {}).queries
    assert bool(filterable(columns, columns.ids)) == kept


def tagged(*queries: Query) -> Groups:
    """What queries can be filtered by."""
    columns = Dataset.from_rows({"a": "a"}, list(queries), {}).queries
    return filterable(columns, columns.ids)


@pytest.mark.parametrize("key", ["tags", "topic"])
def test_of_many_values_those_of_several_queries_are_offered(key: str) -> None:
    """q0 has t0, q1 has t0 and t1, ...: of 100 values, 99 belong to several queries."""
    several = [[f"t{at}" for at in range(max(0, n - n % 7), n + 1)] for n in range(100)]
    made = [
        Query(id=f"q{n}", text="?", tags=one)
        if key == "tags"
        else Query(id=f"q{n}", text="?", metadata={key: one})
        for n, one in enumerate(several)
    ]
    counts = Counter(value for one in several for value in one)
    (group,) = tagged(*made)
    assert group["key"] == key
    assert len(group["values"]) == MAX_VALUES
    left_out = set(counts) - set(group["values"])
    assert min(counts[one] for one in group["values"]) >= 2
    assert max(counts[one] for one in left_out) <= min(counts[one] for one in group["values"])


def test_a_tag_that_a_key_says_is_offered_once() -> None:
    """``code`` says what ``kind: code`` says; ``text`` stands at another query too."""
    groups = tagged(
        Query(id="q1", text="?", tags=["code", "rent"], metadata={"kind": "code"}),
        Query(id="q2", text="?", tags=["text"], metadata={"kind": "text"}),
        Query(id="q3", text="?", tags=["text", "code"], metadata={"kind": "code"}),
        Query(id="q4", text="?", metadata={"kind": "other"}),
        Query(id="q5", text="?"),
        Query(id="q6", text="?"),
    )
    assert {one["key"]: one["values"] for one in groups} == {
        "kind": ["code", "other", "text"],
        "tags": ["rent", "text"],
    }
    asked = {
        ("kind", "code"): "kind:code",
        ("tags", "code"): "kind:code",
        ("tags", "kind:code"): "kind:code",
        ("tags", "text"): "text",
        ("kind", "none"): None,
        ("tags", "none"): None,
        ("other", "code"): None,
    }
    assert {one: filter_of(groups, *one) for one in asked} == asked
