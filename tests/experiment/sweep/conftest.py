from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from ragscore.retrievers.bm25 import BM25Index
from ragscore.retrievers.fusion import FusionIndex
from ragscore.text import Analyzer
from tests.factories.house import write_dataset
from tests.factories.swept_house import CONFIG, GRID


@pytest.fixture
def config(tmp_path: Path) -> Path:
    write_dataset(tmp_path / "house")
    path = tmp_path / "config.yaml"
    path.write_text(CONFIG + GRID)
    return path


@pytest.fixture
def calls(monkeypatch: pytest.MonkeyPatch) -> Counter[str]:
    """Counts what is searched of more than one query, and what is tokenised."""
    counted: Counter[str] = Counter()
    for index in (BM25Index, FusionIndex):
        real = index.search

        def search(self: Any, queries: Any, *given: Any, real: Any = real) -> Any:
            counted["search" if len(queries) > 1 else "single"] += 1
            return real(self, queries, *given)

        monkeypatch.setattr(index, "search", search)
    terms = Analyzer.terms

    def counted_terms(self: Analyzer, texts: Any) -> Any:
        counted["tokenise"] += 1
        return terms(self, texts)

    monkeypatch.setattr(Analyzer, "terms", counted_terms)
    return counted
