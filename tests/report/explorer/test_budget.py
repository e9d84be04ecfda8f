"""What is cut where a page would be too large."""

from __future__ import annotations

from typing import Any

import pytest

from ragscore.dataset import Dataset
from ragscore.report.explorer.budget import LONGEST, explorer_payloads
from ragscore.report.explorer.packing import unpacked
from ragscore.results import DatasetResult
from tests.factories.explored import (
    PLENTY,
    QUERIES,
    TEXTS,
    panel_of,
    read,
    relevant_of,
    report_of,
)


@pytest.mark.parametrize(
    ("share", "kept", "others"),
    [
        (1.01, LONGEST, LONGEST),
        (0.8, LONGEST, 400),
        (0.54, LONGEST, 0),
        (0.45, 600, 0),
        (0.2, 200, 0),
    ],
)
def test_texts_are_cut_step_by_step(
    wide: DatasetResult, share: float, kept: int, others: int
) -> None:
    data = report_of(wide)
    whole = explorer_payloads(data, wide, PLENTY)
    assert whole.notes == ()
    room = int(whole.bytes * share)
    made = explorer_payloads(data, wide, room)
    assert made.bytes <= room
    assert made.explorer == whole.explorer, "numbers are never cut"
    before: Any = unpacked(whole.passages)
    after: Any = unpacked(made.passages)
    assert after["id"] == before["id"]
    for number, name in enumerate(after["id"]):
        place = int(name[1:]) % 8
        limit = kept if place < 3 or place == 4 else others
        text = before["text"][number]
        assert after["text"][number] == text[:limit]
        assert after["length"][number] == (len(text) if len(text) > limit else 0)
    assert bool(made.notes) == (share < 1)
    assert all("5 MB" in note for note in made.notes)


def test_grades_are_relevant_before_they_are_rounded() -> None:
    truth = {"q1": {"a": 1.0, "b": 0.99996, "c": 1.00004}}
    panel = panel_of({"one": {"q1": ["a", "b", "c"]}}, Dataset.from_rows(TEXTS, QUERIES[:1], truth))
    told, _ = read(report_of(panel), panel)
    assert told["grade"] == [1, 1, 1]
    assert relevant_of(told) == [True, False, True]


def test_then_the_depth_is_cut(wide: DatasetResult) -> None:
    data = report_of(wide)
    told, _ = read(data, wide)
    assert told["depth"] == 8
    smallest = explorer_payloads(data, wide, 0)
    told, _ = read(data, wide, 0)
    assert told["depth"] == 3
    assert any(
        "shows only the first 3 passages of each retriever" in note for note in smallest.notes
    )
    # The relevant passage at rank 5 is still told, with its rank.
    assert told["ranks"] == [[5] * 60]
    fits = explorer_payloads(data, wide, smallest.bytes)
    assert fits.bytes <= smallest.bytes


def test_a_huge_passage_is_cut_at_once() -> None:
    dataset = Dataset.from_rows({"a": "x" * 10**6, "b": "y"}, {"q": "z" * 5000}, {"q": ["a"]})
    panel = panel_of({"one": {"q": ["a", "b"]}}, dataset)
    data = report_of(panel)
    told, passages = read(data, panel)
    assert [len(text) for text in passages["text"]] == [LONGEST, 1]
    assert passages["length"] == [10**6, 0]
    assert len(told["text"][0]) < 2100
    assert explorer_payloads(data, panel, PLENTY).notes == ()
