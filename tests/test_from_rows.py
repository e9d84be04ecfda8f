"""Dataset.from_rows checks plain mappings as the loader checks files."""

from __future__ import annotations

import unicodedata
from typing import Any

import numpy as np
import pytest

from ragscore import Dataset, Query
from ragscore.errors import DataError


@pytest.mark.parametrize(
    ("passages", "queries", "judged", "says"),
    [
        ({1: "x"}, {}, {}, 'passages: id: 1 where text is expected. Write "1" in quotes'),
        ({"": "x"}, {}, {}, "passages: the id is empty"),
        ({"a": None}, {}, {}, "passages, id 'a': text: None where text is expected"),
        ({}, {"q": 3}, {}, "queries, id 'q': text: 3 where text is expected"),
        ({}, {2: "x"}, {}, "queries: id: 2 where text"),
        ({}, {"q": "x"}, {"q": [1]}, "ground truth, query 'q': id: 1 where text"),
        ({}, {"q": "x"}, {3: ["a"]}, "ground truth: id: 3 where text"),
        (
            {"a": "x"},
            {"q": "x"},
            {"q": {"a": "high"}},
            "ground truth, query 'q': passages.a: 'high' where a number is expected",
        ),
        ({"a": "x"}, {"q": "x"}, {"q": {"a": True}}, "passages.a: True where a number"),
        ({"a": "x"}, {"q": "x"}, {"q": {"a": float("nan")}}, "the grade of passage 'a' is nan"),
        (
            {"a": "x"},
            [Query(id="q", text="x", answerable=False)],
            {"q": ["a"]},
            "the query 'q' is marked unanswerable, and the passage 'a' has grade 1. "
            "Remove answerable: false, or give grade 0",
        ),
    ],
)
def test_what_is_wrong(passages: Any, queries: Any, judged: Any, says: str) -> None:
    with pytest.raises(DataError) as caught:
        Dataset.from_rows(passages, queries, judged)
    assert says in str(caught.value)


def test_twenty_problems_are_enough() -> None:
    with pytest.raises(DataError) as caught:
        Dataset.from_rows(dict.fromkeys(range(50), "x"), dict.fromkeys(range(50), "x"), {})
    assert len(caught.value.problems) == 20


def test_numbers_of_any_kind_are_grades() -> None:
    grades = {"a": 1, "b": 0.5, "c": np.int64(2), "d": np.float32(0.25)}
    dataset = Dataset.from_rows(dict.fromkeys("abcd", "x"), {"q": "x"}, {"q": grades})
    assert dataset.qrels.to_dict() == {"q": {"a": 1.0, "b": 0.5, "c": 2.0, "d": 0.25}}


@pytest.mark.parametrize(
    ("known", "named", "hint"),
    [
        (unicodedata.normalize("NFC", "보증금"), unicodedata.normalize("NFD", "보증금"),
         "which differs in Unicode form"),
        ("a1", "a1\u200b", "which differs in Unicode form"),
        ("7", "007", "there is '7', which differs in leading zeros"),
        ("Doc1", "doc1", "there is 'Doc1', which differs in case"),
        ("7", "7.0", "there is '7', which differs in .0 at the end"),
        ("lease", "lease.pdf", "there is 'lease', which differs in its suffix"),
    ],
)  # fmt: skip
def test_an_id_that_is_spelled_otherwise_is_named(known: str, named: str, hint: str) -> None:
    with pytest.raises(DataError, match=f"the passage .* is not in the corpus; .*{hint}"):
        Dataset.from_rows({known: "x"}, {"q": "?"}, {"q": [named]})
    with pytest.raises(DataError, match=f"the query .* is not among the queries; .*{hint}"):
        Dataset.from_rows({"a": "x"}, {known: "?"}, {named: ["a"]})
    row = {"query_id": "q", "evidence": [{"document": named, "quote": "x"}]}
    with pytest.raises(DataError, match=rf"there is no document .*\. There is .*{hint[-12:]}"):
        Dataset.from_rows(None, {"q": "?"}, [row], documents={known: "x"})
    with pytest.raises(DataError, match="is not in the corpus\\. Add"):
        Dataset.from_rows({"other": "x"}, {"q": "?"}, {"q": [named]})
