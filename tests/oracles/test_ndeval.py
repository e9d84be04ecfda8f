"""alpha-nDCG is ndeval's: as recorded, and live where pyndeval is installed."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from benchmarks.oracles.record_ndeval import asked
from ragscore import Dataset, score

RECORDED = Path(__file__).parent / "recorded" / "ndeval.json"


def assert_alike(record: dict[str, Any]) -> None:
    rows = [{"query_id": query, "needs": needs} for query, needs in record["needs"].items()]
    passages = {f"p{at}": "text" for at in range(15)}
    dataset = Dataset.from_rows(passages, dict.fromkeys(record["needs"], "?"), rows)
    entry = score(record["run"], dataset, list(record["numbers"])).entries[0]
    for ours, theirs in zip(entry.measures, record["numbers"].values(), strict=True):
        assert entry.per_query(ours) == pytest.approx(theirs, rel=0, abs=1e-9), ours


def test_recorded() -> None:
    assert_alike(json.loads(RECORDED.read_text(encoding="utf-8")))


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_live(seed: int) -> None:
    pytest.importorskip("pyndeval", reason="pyndeval is not installed; the record is compared")
    assert_alike(asked(seed))
