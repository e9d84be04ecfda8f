"""A page keeps to its size, and says so where it cannot."""

from __future__ import annotations

from dataclasses import replace

import pytest

from ragscore.dataset import Ids
from ragscore.report.html.page import page
from tests.factories.built_report import Data, of_datasets
from tests.factories.html_pages import Parsed, report

SECTIONS = ("verdict", "queries")
"""The explorer, whose texts are cut, and one more."""


def test_a_page_that_is_too_large_says_by_how_much() -> None:
    small = page(report(max_mb=5.0))
    assert "max_mb" not in Parsed(small).text
    over = len(small.encode()) / 1e6 - 0.001
    text = page(report(max_mb=0.001))
    assert f"{over:.2g} MB larger than max_mb=0.001, " in Parsed(text).text


@pytest.mark.parametrize("kind", ["korean", pytest.param("two-datasets", marks=pytest.mark.slow)])
def test_a_page_fits_with_the_notes_of_what_was_cut(kind: str, data_of: Data) -> None:
    data = data_of(kind, "ko")

    def made(bytes: int) -> str:
        options = data.options.model_copy(update={"max_mb": bytes / 1e6, "sections": SECTIONS})
        return page(replace(data, options=options))

    least = len(made(1000).encode())
    for spare in (-500, 0, 250, 750, 2000):
        bytes = least + spare
        text = made(bytes)
        larger = len(text.encode()) > bytes
        assert ("MB 더 큽니다" in text) == larger, bytes


@pytest.mark.slow
def test_what_a_small_dataset_leaves_is_there_for_a_large_one(data_of: Data) -> None:
    """Whichever stands first on the page."""
    data = data_of("two-datasets")
    large, other = data.result
    few = Ids(other.runs[other.baseline].queries[:3])
    small = other.holding(runs={one: run.for_queries(few) for one, run in other.runs.items()})
    for panels in ((large, small), (small, large)):
        ordered = of_datasets(data, *(one.holding(index=at) for at, one in enumerate(panels)))
        chosen = data.options.model_copy(update={"sections": SECTIONS})
        whole = page(replace(ordered, options=chosen))
        assert "To keep the page below" not in whole
        for spare, cut in ((2_000, False), (-20_000, True)):
            limit = (len(whole.encode()) + spare) / 1e6
            options = chosen.model_copy(update={"max_mb": limit})
            text = page(replace(ordered, options=options))
            assert ("To keep the page below" in text) == cut, spare
