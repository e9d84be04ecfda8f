"""What was forbidden is read with a result again, or the result says that it has changed."""

from __future__ import annotations

from pathlib import Path

import pytest

from ragscore import evaluate, open_result
from ragscore.errors import DataError

SECRET = "a tenant that nobody may read"
DATA = {
    "passages": [
        {"id": "a", "text": "text", "metadata": {"tenant": "x"}},
        {"id": "b", "text": "text", "metadata": {"tenant": SECRET}},
    ],
    "queries": [{"id": "q", "text": "text", "metadata": {"tenant": "x"}}],
    "ground_truth": [{"query_id": "q", "passages": {"a": 1}}],
    "forbidden": [{"field": "tenant", "op": "!=", "value": "query.tenant"}],
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    result = evaluate(DATA, {"mine": lambda query, k: ["b", "a"]}, ["RR", "Leak@1"])
    result.save(tmp_path / "saved")
    return tmp_path / "saved"


def test_rules_are_kept(folder: Path) -> None:
    again = open_result(folder)
    assert again.to_dict() == {"dataset": {"mine": {"RR": 0.5, "Leak@1": 1.0}}}
    assert again.scored(["Leak@2"]).to_dict() == {"dataset": {"mine": {"Leak@2": 1.0}}}


@pytest.mark.parametrize(("old", "new"), [('"tenant"', '"owner"'), (SECRET, "y"), ('"x"', "7")])
def test_other_metadata_is_other_data_and_is_not_quoted(folder: Path, old: str, new: str) -> None:
    (passages,) = folder.rglob("passages.jsonl")
    passages.write_text(passages.read_text().replace(old, new))
    with pytest.raises(DataError) as caught:
        open_result(folder).dataset("dataset")
    assert SECRET not in str(caught.value)
    assert "Put the old files back" in str(caught.value)
