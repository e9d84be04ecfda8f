"""Results, pages made of them, and one browser to look at them; each is made but once."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from ragscore.report.build import Report, build
from ragscore.report.data import ReportData
from ragscore.report.gather import gather
from ragscore.report.options import ReportOptions
from ragscore.results import open_result
from ragscore.strings import Language
from tests.report import results
from tests.report.browser import Browser, browser
from tests.report.built import Data

Made = Callable[[str], Path]

RESULTS: dict[str, Callable[[Path], Path]] = {
    "small": results.small,
    "four": lambda folder: results.small(folder, 4),
    "five": lambda folder: results.small(folder, 5),
    "odd-measures": results.odd_measures,
    "one-retriever": results.one_retriever,
    "two-datasets": results.two_datasets,
    "korean": results.korean,
    "hostile": results.hostile,
    "500": lambda folder: results.sized(folder, 500),
    "5000": lambda folder: results.sized(folder, 5_000),
}
OPTIONS: dict[str, dict[str, Any]] = {"korean": {"language": "ko"}, "5000": {"max_mb": 25}}
"""Of the pages, where they are not the defaults."""


@pytest.fixture(scope="session")
def result_of(tmp_path_factory: pytest.TempPathFactory) -> Made:
    """The result folder of a kind in ``RESULTS``."""

    @cache
    def made(kind: str) -> Path:
        return RESULTS[kind](tmp_path_factory.mktemp(f"result-{kind}"))

    return made


@pytest.fixture(scope="session")
def data_of(result_of: Made) -> Data:
    """What is gathered of a kind of result, in a language."""

    @cache
    def made(kind: str, language: Language = "en") -> ReportData:
        return gather(open_result(result_of(kind)), ReportOptions(language=language))

    return made


@pytest.fixture(scope="session")
def small(data_of: Data) -> ReportData:
    """What is gathered of the default result."""
    return data_of("small")


@pytest.fixture(scope="session")
def report(small: ReportData) -> Report:
    """Its report in English."""
    return build(small)


@pytest.fixture(scope="session")
def page_of(result_of: Made, tmp_path_factory: pytest.TempPathFactory) -> Made:
    """The HTML page of a kind of result."""

    @cache
    def made(kind: str) -> Path:
        return write_page(result_of(kind), tmp_path_factory.mktemp("page"), **OPTIONS.get(kind, {}))

    return made


@pytest.fixture(scope="session")
def chromium(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    """The browser of this session."""
    with browser(tmp_path_factory.mktemp("profile")) as one:
        yield one


def write_page(result: Path, folder: Path, **options: Any) -> Path:
    """The report of a result as one HTML file."""
    from ragscore.report.build import build
    from ragscore.report.gather import gather
    from ragscore.report.html.page import page

    text = page(build(gather(open_result(result), ReportOptions(**options))))
    written = folder / "report.html"
    written.write_text(text, encoding="utf-8", newline="\n")
    return written
