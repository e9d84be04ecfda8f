from __future__ import annotations

from pathlib import Path

import pytest

from ragscore import Dataset
from tests.factories.house import PASSAGES, QUERIES, TRUTH, Write

ROWS = {
    "passages.jsonl": '{"id": "p1", "text": "Rent is due on the first day."}\n',
    "queries.jsonl": '{"id": "q1", "text": "When is rent due?"}\n',
    "ground_truth.jsonl": '{"query_id": "q1", "passages": ["p1"]}\n',
}


@pytest.fixture
def write(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Write:
    """Writes a file into an empty current folder that holds one small dataset, ``statutes``."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "statutes").mkdir()
    for name, text in ROWS.items():
        (tmp_path / "statutes" / name).write_text(text, encoding="utf-8")

    def write_file(content: str | bytes, name: str = "x.yaml") -> str:
        data = content.encode("utf-8") if isinstance(content, str) else content
        (tmp_path / name).write_bytes(data)
        return name

    return write_file


@pytest.fixture
def dataset() -> Dataset:
    return Dataset.from_rows(PASSAGES, QUERIES, TRUTH, name="house")
