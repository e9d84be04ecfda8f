"""What was forbidden is read with a result again, or the result says that it has changed."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from ragscore import Dataset, DatasetSpec, evaluate, open_result
from ragscore.dataset.conditions import Condition
from ragscore.errors import DataError
from ragscore.formats import write_dataset

SECRET = "a tenant that nobody may read"
RULE = Condition(field="tenant", op="!=", value="query.tenant")
DATA: dict[str, list[dict[str, Any]]] = {
    "passages": [
        {"id": "a", "text": "text", "metadata": {"tenant": "x"}},
        {"id": "b", "text": "text", "metadata": {"tenant": SECRET}},
    ],
    "queries": [{"id": "q", "text": "text", "metadata": {"tenant": "x"}}],
    "ground_truth": [{"query_id": "q", "passages": {"a": 1}}],
}


def saved(data: Any, folder: Path) -> Path:
    evaluate(data, {"mine": lambda query, k: ["b", "a"]}, ["RR", "Leak@1"]).save(folder)
    return folder


def test_rules_of_rows_in_python_are_kept(tmp_path: Path) -> None:
    again = open_result(saved({**DATA, "forbidden": [RULE]}, tmp_path / "saved"))
    assert again.to_dict() == {"dataset": {"mine": {"RR": 0.5, "Leak@1": 1.0}}}
    assert again.scored(["Leak@2"]).to_dict() == {"dataset": {"mine": {"Leak@2": 1.0}}}


@pytest.mark.parametrize(("old", "new"), [('"tenant"', '"owner"'), (SECRET, "y"), ('"x"', "7")])
def test_other_metadata_is_other_data_and_is_not_quoted(tmp_path: Path, old: str, new: str) -> None:
    write_dataset(Dataset.from_rows(*DATA.values()), tmp_path / "data")
    spec = DatasetSpec(path=str(tmp_path / "data"), forbidden=RULE)
    folder = saved(spec, tmp_path / "saved")
    assert open_result(folder).dataset("data").qrels.rules == (RULE,)
    passages = tmp_path / "data" / "passages.jsonl"
    passages.write_text(passages.read_text().replace(old, new))
    with pytest.raises(DataError) as caught:
        open_result(folder).dataset("data")
    assert SECRET not in str(caught.value)
    assert "Put the old files back" in str(caught.value)
