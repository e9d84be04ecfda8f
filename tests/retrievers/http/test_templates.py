"""Templates of requests, and paths in responses."""

from __future__ import annotations

import json
import re
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragscore.outside.secrets import Secrets
from ragscore.retrievers.http.json_path import NotThereError, steps_of, values_at
from ragscore.retrievers.http.template import check_template, filled, filled_text

FIELDS = {"query": 'a "b" {k} ${KEY}', "k": 3, "filter": [{"field": "year"}], "query.year": 2020}
SECRETS = Secrets({"KEY": "{query}"})


@pytest.mark.parametrize(
    ("template", "expected"),
    [
        ("{k}", 3),
        ("{query.year}", 2020),
        ("{query.month}", None),
        ("{filter}", [{"field": "year"}]),
        ("top {k}", "top 3"),
        ("{filter}!", '[{"field": "year"}]!'),
        ("{{k}}", "{k}"),
        ("${KEY}", "{query}"),
        ("{query}", 'a "b" {k} ${KEY}'),
        ("q: {query}", 'q: a "b" {k} ${KEY}'),
        (["{k}", 1, None, True], [3, 1, None, True]),
        ({"{k}": {"n": "{k}"}}, {"3": {"n": 3}}),
    ],
)
def test_fields_become_values(template: Any, expected: Any) -> None:
    assert filled(template, FIELDS, SECRETS) == expected


@given(st.text())
def test_no_query_can_change_the_request_around_it(query: str) -> None:
    body = filled({"q": "<{query}>", "n": 1}, {"query": query}, SECRETS)
    assert json.loads(json.dumps(body)) == {"q": f"<{query}>", "n": 1}


@pytest.mark.parametrize(
    ("template", "said"),
    [
        ({"q": "{qurey}"}, "'{qurey}' is not a field of a query. Did you mean 'query'?"),
        ("{}", "'{}' is not a field"),
        ("{query.}", "names no key"),
        ({"q": {"query": None}}, 'Write "{query}"'),
    ],
)
def test_what_is_no_template(template: Any, said: str) -> None:
    with pytest.raises(ValueError, match=re.escape(said)):
        check_template(template)


def test_values_are_written_into_urls() -> None:
    url = filled_text(
        "/s?q={query}&k={k}", {"query": "a&b", "k": 3}, SECRETS, lambda text: f"<{text}>"
    )
    assert url == "/s?q=<a&b>&k=<3>"


@pytest.mark.parametrize(
    ("path", "data", "expected"),
    [
        ("ids[*]", {"ids": ["a", "b"]}, ["a", "b"]),
        ("$.ids[0][*]", {"ids": [["a"]]}, ["a"]),
        ("[*].id", [{"id": 1}], [1]),
        ("$[*]", [], []),
        ("hits[*].id", {"hits": None}, []),
        ("a['b c'][*][\"x.y\"].z", {"a": {"b c": [{"x.y": {"z": None}}]}}, [None]),
    ],
)
def test_paths_find(path: str, data: Any, expected: list[Any]) -> None:
    assert values_at(data, path) == expected


@pytest.mark.parametrize(
    ("data", "said"),
    [
        ({}, "it has no 'hits'"),
        ([], "it has no 'hits'"),
        ({"hits": {}}, "hits is {}, not a list"),
        ({"hits": [{"doc": {"id": "a"}}, {"doc": {}}]}, r"hits\[1\].doc has no 'id'"),
        ({"hits": ["a"]}, r"hits\[0\] has no 'doc': 'a'"),
    ],
)
def test_what_is_missing_is_named(data: Any, said: str) -> None:
    with pytest.raises(NotThereError, match=said):
        values_at(data, "hits[*].doc.id")


@given(st.text(max_size=12))
def test_any_text_is_a_path_or_refused(path: str) -> None:
    with suppress(ValueError):
        assert all(step is None or isinstance(step, str | int) for step in steps_of(path))
