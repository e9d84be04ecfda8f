"""A few queries that every explorer test looks at."""

from __future__ import annotations

import pytest

from ragscore.dataset import Dataset
from ragscore.models import Passage
from ragscore.results import DatasetResult
from tests.factories.explored import (
    QUERIES,
    RUNS,
    TEXTS,
    TRUTH,
    large,
    panel_of,
)


@pytest.fixture(scope="session")
def dataset() -> Dataset:
    passages = [Passage(id=name, text=text, title=f"On {name}") for name, text in TEXTS.items()]
    return Dataset.from_rows(passages, QUERIES, TRUTH)


@pytest.fixture(scope="session")
def panel(dataset: Dataset) -> DatasetResult:
    return panel_of(RUNS, dataset)


@pytest.fixture(scope="session")
def wide() -> DatasetResult:
    return large()
