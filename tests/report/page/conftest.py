"""The query explorer of the default result, opened in the browser."""

from __future__ import annotations

import pytest

from ragscore.dataset import Dataset
from ragscore.results import DatasetResult, open_result
from tests.factories.results import Made
from tests.report.browser import Browser


@pytest.fixture(scope="module")
def panel(result_of: Made) -> DatasetResult:
    """What the page of ``small`` was made of."""
    return open_result(result_of("small")).dataset_results[0]


@pytest.fixture(scope="module")
def data(panel: DatasetResult) -> Dataset:
    assert panel.data is not None
    return panel.data


@pytest.fixture
def explorer(chromium: Browser, page_of: Made) -> Browser:
    chromium.open(page_of("small"))
    chromium.js("document.querySelector('#explorer-0').scrollIntoView({behavior: 'instant'})")
    return chromium
