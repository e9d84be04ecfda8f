"""What a run notes: one in the singular, and other retrievers where there are some."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace

import pytest

from ragscore import Dataset, evaluate
from ragscore.errors import RetrieverError
from ragscore.experiment.run_notes import RunNotes, note_data
from ragscore.progress import SILENT
from tests.factories.witness import Witness

DATASET = Dataset.from_rows(
    passages={"p": "text"}, queries={"q": "question"}, ground_truth={"q": ["p"]}, name="one"
)


def _fails(query: str, k: int) -> list[str]:
    raise OSError("gone")


def _answers(query: str, k: int) -> list[str]:
    return ["p"]


@pytest.mark.parametrize(
    ("others", "said"),
    [({}, "system failed"), ({"b": _answers}, "system failed; the other retrievers continue")],
)
def test_other_retrievers_continue_where_there_are_some(
    others: dict[str, object], said: str
) -> None:
    notes = Witness()
    with suppress(RetrieverError):  # where none is left
        evaluate(DATASET, {"system": _fails, **others}, ["RR"], progress=notes)
    assert said in map(str, notes.notes)


@pytest.mark.parametrize(("count", "said"), [(1, "1 passage is"), (2, "2 passages are")])
def test_one_passage_is_empty_and_two_are(count: int, said: str) -> None:
    notes = RunNotes(SILENT)
    note_data(replace(DATASET, counts={"empty_passages": count}), notes)
    assert [str(note) for note in notes.kept] == [f"one: {said} empty"]
