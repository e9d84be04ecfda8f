"""Documents and evidence as columns."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from ragscore.dataset import Dataset, Documents, EvidenceColumns, Ids
from ragscore.dataset.ground_truth_rows import ground_truth_rows
from ragscore.errors import DataError
from ragscore.models import Document

ROWS = [
    Document(id="a.md", text="Rent is due\r\non the first.", title="Rent", metadata={"year": 2024}),
    Document(id="b/c.txt", text="가구는 e\u0301 😀."),
]
DOCUMENTS = Documents.from_rows(ROWS)
EVIDENCE = EvidenceColumns.of(
    Ids(["q1", "q2"]), query=[1, 0, 0], document=[1, 0, 0], start=[4, 13, 0], end=[6, 26, 4]
)
FLAT = Dataset.from_rows({"p": "Rent."}, {"q1": "When?", "q2": "What?"}, {"q1": ["p"]})


def test_rows_come_back_as_they_were_given() -> None:
    assert list(DOCUMENTS) == ROWS
    assert DOCUMENTS.titles == ["Rent", ""]
    assert DOCUMENTS.lengths.tolist() == [26, 9]
    assert Documents.from_rows(ROWS[1:]).titles is None


def test_an_id_that_occurs_twice_is_refused() -> None:
    with pytest.raises(DataError, match=r"the id 'a\.md' occurs twice"):
        Documents.from_rows([ROWS[0], ROWS[0]])


def test_spans_are_in_the_order_of_queries_and_needs() -> None:
    assert EVIDENCE.query.tolist() == [0, 0, 1]
    assert EVIDENCE.need.tolist() == [0, 1, 0]  # each a need of its own, as they were given
    assert EVIDENCE.texts(DOCUMENTS) == ["on the first.", "Rent", "e\u0301"]
    assert EVIDENCE.grade.tolist() == [1, 1, 1]
    columns = [EVIDENCE.query, EVIDENCE.document, EVIDENCE.start, EVIDENCE.end, EVIDENCE.need]
    assert [column.dtype for column in columns] == [
        np.int64,
        np.int32,
        np.int64,
        np.int64,
        np.int32,
    ]


def test_no_evidence_at_all() -> None:
    nothing = EvidenceColumns.of(Ids(["q1"]), query=[], document=[], start=[], end=[])
    assert len(nothing) == 0
    assert nothing.texts(DOCUMENTS) == []


def test_documents_and_evidence_are_part_of_the_digest_where_they_are_there() -> None:
    with_documents = replace(FLAT, documents=DOCUMENTS)
    whole = replace(with_documents, evidence=EVIDENCE)
    moved = replace(with_documents, evidence=replace(EVIDENCE, start=EVIDENCE.start + 1))
    retitled = replace(with_documents, documents=replace(DOCUMENTS, titles=None))
    digests = [one.digest for one in (FLAT, with_documents, whole, moved, retitled)]
    assert len(set(digests)) == len(digests)
    # As it was before datasets had documents.
    assert FLAT.digest == "fbaa5ca990ad41c0553ca22398e11a33977d4e836d40db077a6d1275e3adca12"


def test_metadata_of_documents_is_part_of_the_metadata_digest() -> None:
    with_documents = replace(FLAT, documents=DOCUMENTS)
    other = replace(with_documents, documents=replace(DOCUMENTS, metadata={0: {"year": 2025}}))
    digests = {one.metadata_digest for one in (FLAT, with_documents, other)}
    assert len(digests) == 3


def test_white_space_at_the_ends_of_evidence_does_not_count() -> None:
    """A chunk that holds the rest holds the evidence: chunks leave their own out."""
    evidence = [
        {"document": "a", "start": 0, "end": 13},
        {"document": "a", "quote": " It is late. "},
    ]
    dataset = Dataset.from_rows(
        None,
        {"q": "When?"},
        [{"query_id": "q", "evidence": evidence}],
        documents={"a": "Rent is due.\n It is late. "},
    )
    assert dataset.evidence is not None
    assert dataset.evidence.start.tolist() == [0, 14]
    assert dataset.evidence.end.tolist() == [12, 25]


RENT = {"document": "d", "quote": "Rent is due."}
SAME = {"document": "d", "start": 0, "end": 12}
"""The same characters as :data:`RENT`."""


def cited(**row: Any) -> Dataset:
    truth = [{"query_id": "q", **row}]
    return Dataset.from_rows(None, {"q": "?"}, truth, documents={"d": "Rent is due. Pay it."})


@pytest.mark.parametrize(
    ("row", "instead"),
    [
        ({"evidence": [RENT, SAME]}, "Name it once; where it covers two needs, in a list"),
        ({"needs": [[RENT, {**SAME, "grade": 2}]]}, "Name it once"),
    ],
)
def test_characters_named_twice_are_refused(row: Any, instead: str) -> None:
    with pytest.raises(DataError) as refused:
        cited(**row)
    said = "ground truth, row 1: 'd' from 0 to 12 is named twice for the query 'q'. " + instead
    assert str(refused.value).startswith(said)


@pytest.mark.parametrize(
    "row", [{"needs": [[RENT], [SAME]]}, {"needs": [[RENT]], "evidence": [SAME]}]
)
def test_the_same_characters_may_cover_two_needs(row: Any) -> None:
    data = cited(**row)
    assert data.evidence is not None
    assert data.evidence.need.tolist() == [0, 1]
    (again,) = ground_truth_rows(data.qrels, data.evidence, data.documents)
    read = cited(**again.model_dump(exclude={"query_id"}, exclude_defaults=True))
    assert read.evidence is not None
    assert read.evidence.digest == data.evidence.digest
