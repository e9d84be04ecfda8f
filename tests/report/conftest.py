"""Results, pages made of them, and one browser to look at them; each is made but once."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from ragscore.names import Language
from ragscore.report.options import ReportOptions
from ragscore.report.report import Report
from ragscore.results import open_result
from tests.factories.built_report import Data
from tests.factories.pages import OPTIONS, write_page
from tests.factories.results import RESULTS, Made
from tests.report.browser import Browser, browser


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
    def made(kind: str, language: Language = "en") -> Report:
        return Report(open_result(result_of(kind)), ReportOptions(language=language))

    return made


@pytest.fixture(scope="session")
def small(data_of: Data) -> Report:
    """What is gathered of the default result."""
    return data_of("small")


@pytest.fixture(scope="session")
def report(small: Report) -> Report:
    """Its report in English."""
    return small


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
