"""Results that an index lists."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.factories.copied_results import copied
from tests.factories.results import DATASETS, bm25, ran

TENANCY = DATASETS / "harbour-tenancy"


@pytest.fixture(scope="session")
def original(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A result of two retrievers."""
    retrievers = {"bm25": bm25(), "flat": bm25(k1=0.1)}
    return _ran(tmp_path_factory.mktemp("two"), retrievers)


@pytest.fixture(scope="session")
def single(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A result of one retriever, which is compared with nothing."""
    return _ran(tmp_path_factory.mktemp("one"), {"bm25": bm25()})


def _ran(place: Path, retrievers: dict[str, Any]) -> Path:
    measures = ["nDCG@10", "R@10"]
    return ran(place, "tenancy", [TENANCY], retrievers=retrievers, measures=measures, depth=10)


@pytest.fixture
def top(tmp_path: Path, original: Path, single: Path) -> Path:
    """Three results of one experiment, one of another, one that is damaged."""
    top = tmp_path / "results"
    for day in (1, 2, 5):
        created = f"2026-11-0{day}T10:00:00+00:00"
        copied(original, top / "tenancy" / f"2026110{day}", created=created)
    copied(single, top / "deep" / "er" / "solo", experiment="solo")
    broken = copied(original, top / "tenancy" / "broken")
    (broken / "scores.parquet").unlink()
    return top
