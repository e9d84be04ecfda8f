"""A report as a whole: its sections, a dataset that is gone, Korean."""

from __future__ import annotations

import html
import math
import re
import shutil
from collections.abc import Iterator
from copy import copy
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from ragscore import load_experiment, run_experiment
from ragscore.elements import Details, Headline, Paragraph, Table
from ragscore.errors import ConfigError
from ragscore.report.html.page import page
from ragscore.report.latex_document import latex_document
from ragscore.report.markdown_file import as_markdown
from ragscore.report.model import Beside, Choice, Figure, Swap, Trust, WithoutScript
from ragscore.report.options import ReportOptions
from ragscore.report.report import Report
from ragscore.results import open_result
from tests.factories import results
from tests.factories.built_report import Data, in_english, inside, section, tables, variants
from tests.factories.pages import SHOWN

KINDS = ("small", "one-retriever", "two-datasets", "korean", "hostile")
HANGUL = re.compile("[가-힣]")


def test_every_section_is_there_in_the_order_of_the_table(data_of: Data) -> None:
    sections = data_of("small").panels[0].sections
    assert [one.id for one in sections] == list(SHOWN)
    assert all(one.title for one in sections if one.id != "verdict")


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_ids_are_unique_and_rows_fit_their_columns(data_of: Data, kind: str) -> None:
    report = data_of(kind)
    for panel in report.panels:
        assert [one.id for one in panel.sections if one.elements] == [o.id for o in panel.sections]
    default: list[str] = []
    for panel in report.panels:
        for one in panel.sections:
            for element in one.elements:
                for found in inside(element):
                    if isinstance(found, Table):
                        names = [column.name for column in found.columns]
                        assert len(set(names)) == len(names), found.id
                        assert all(len(row) == len(names) for row in found.rows), found.id
                        # The summary that opens it names a table of one query.
                        assert found.title or found.id.partition("-")[0] == "worst"
                    if isinstance(found, Swap):
                        assert found.default in found.variants
                        assert len({_named(choice) for choice in found.variants}) == 1
                default += list(_shown_ids(element))
    assert len(set(default)) == len(default)
    assert all(re.fullmatch(r"[\w-]+", one, re.ASCII) for one in default)


def _named(choice: Choice) -> tuple[bool, bool]:
    return choice.baseline is None, choice.measure is None


def _shown_ids(element: Any) -> Iterator[str]:
    """Ids of tables and charts in the default variant."""
    if isinstance(element, Table | Figure):
        yield element.id
    for one in element.shown if isinstance(element, Swap) else _held(element):
        yield from _shown_ids(one)


def _held(element: Any) -> list[Any]:
    match element:
        case Details() | WithoutScript():
            return list(element.elements)
        case Beside():
            return [one for part in element.parts for one in part]
        case Trust():
            return [one for item in element.items for one in item.detail]
    return []


@pytest.mark.parametrize("kind", ["small", "korean"])
def test_what_cells_say_is_their_number_rounded(data_of: Data, kind: str) -> None:
    checked = 0
    report = data_of(kind)
    for one in report.panels[0].sections:
        for table in (element for element in inside(one) if isinstance(element, Table)):
            for cell in (cell for row in table.rows for cell in row):
                if not isinstance(cell.value, int | float) or isinstance(cell.value, bool):
                    continue
                assert math.isfinite(cell.value)
                shown = cell.text.replace(",", "").split(" (")[0]
                if "<" in shown or shown.lstrip("+-").count(".") != 1 or "%" in shown:
                    continue
                if shown.endswith("B"):  # in bytes
                    continue
                digits = len(shown.split(".")[1])
                assert abs(float(shown) - cell.value) <= 0.5000001 * 10**-digits, cell
                if cell.low is not None and cell.high is not None:
                    assert cell.low <= cell.value <= cell.high, cell
                checked += 1
    assert checked > 500


def test_sections_are_chosen_by_name_in_that_order(small: Report) -> None:
    some = replace(small, options=ReportOptions(sections=("measures", "verdict")))
    assert [one.id for one in some.panels[0].sections] == ["measures", "verdict"]
    wrong = replace(small, options=ReportOptions(sections=("measure",)))
    with pytest.raises(ConfigError, match="no section is named 'measure'") as caught:
        _ = wrong.panels
    assert "Did you mean 'measures'?" in str(caught.value)


def test_a_section_that_was_installed_elsewhere_costs_no_report(small: Report) -> None:
    named = replace(small, options=ReportOptions(sections=("verdict", "theirs")))
    with pytest.raises(ConfigError, match="no section is named 'theirs'"):
        _ = named.panels
    report = replace(named, strict=False)
    verdict, theirs = report.panels[0].sections
    assert (verdict.id, theirs.id) == ("verdict", "theirs")
    (warning,) = theirs.elements
    assert isinstance(warning, Paragraph)
    assert warning.kind == "warning"
    assert "not installed" in warning.text


def test_two_datasets_have_panels_of_their_own(data_of: Data) -> None:
    report = data_of("two-datasets")
    assert [one.dataset for one in report.panels] == ["harbour-tenancy", "insurer-handbook-ko"]
    for panel in report.panels:
        assert panel.sections[0].id == "verdict"
        assert panel.sections[-1].id == "computed"
    assert tables(section(report, "verdict", 1), "d1-leaderboard")
    assert not tables(section(report, "verdict", 1), "leaderboard")
    assert report.panels[0].facts != report.panels[1].facts


def test_the_head_names_dataset_sizes_and_primary_measure(report: Report) -> None:
    facts = dict(report.panels[0].facts)
    assert facts["Dataset"] == "harbour-tenancy"
    assert facts["Queries"] == "87 (13 unanswerable)"
    assert facts["Passages"] == "185"
    assert facts["Primary measure"] == "nDCG@10"


def test_a_dataset_that_is_gone_costs_only_what_needs_it(tmp_path: Path) -> None:
    copied = tmp_path / "harbour-tenancy"
    shutil.copytree(results.DATASETS / "harbour-tenancy", copied)
    folder = results.ran(tmp_path, "gone", [copied], retrievers=results.some(2), depth=20)
    shutil.rmtree(copied)
    report = Report(open_result(folder), ReportOptions())
    (told,) = in_english(report.result.dataset_results[0].notes)
    assert str(copied) in told
    for name in ("curves", "failures"):
        assert section(report, name).elements == (Paragraph(told, "note"),)
    notes = [one for one in inside(section(report, "judgments")) if isinstance(one, Paragraph)]
    assert any("no longer exists" in one.text and one.kind == "warning" for one in notes)
    assert isinstance(variants(report, "verdict")[Choice(measure="nDCG@10")][0], Headline)
    assert tables(section(report, "measures"), "measures")


def test_every_format_says_why_there_is_nothing(tmp_path: Path) -> None:
    (tmp_path / "raises_in_build.py").write_text(
        "def retrieve(query, k):\n    raise RuntimeError('no connection')\n", encoding="utf-8"
    )
    config = tmp_path / "x.yaml"
    broken = "{kind: custom, use: raises_in_build:retrieve}"
    listed = "".join(f"  r{number}: {broken}\n" for number in range(7))
    data = results.DATASETS / "harbour-tenancy"
    config.write_text(
        f"name: none\ndescription: Nothing works\ndataset: {data.as_posix()}\n"
        f"measures: [RR@5]\ndepth: 5\nlatency: false\nreport: false\nretrievers:\n{listed}",
        encoding="utf-8",
    )
    result = run_experiment(load_experiment(config), output=tmp_path / "result")
    assert result.folder is not None
    report = Report(open_result(result.folder), ReportOptions())
    assert (report.panels, len(report.notes)) == ((), 7)
    shown = report.text(width=200)
    for text in (page(report), as_markdown(report), latex_document(report)):
        plain = html.unescape(text).replace(r"\textquotesingle{}", "'")
        for one in ("Nothing works", *report.notes):
            assert one.split(" (")[0] in plain
            assert one.split(" (")[0] in shown
    assert report.notes[-1] == "And 2 more retrievers failed."


def test_a_description_stands_on_the_page_and_in_every_text(small: Report) -> None:
    result = copy(small.result)
    vars(result)["description"] = "What <b>this</b> is for"
    report = replace(small, result=result)
    assert report.notes == ()
    assert '<p id="description"><bdi>What &lt;b&gt;this' in page(report)
    assert 'id="description"' not in page(small)
    shown = report.text(width=100)
    assert "What <b>this</b> is for" in shown
    assert "What &lt;b&gt;this" in as_markdown(report)
    assert r"What \textless{}b" in latex_document(report)


def test_a_korean_report_says_the_same_in_korean(data_of: Data, report: Report) -> None:
    korean = data_of("small", "ko")
    assert [one.id for one in korean.panels[0].sections] == [
        one.id for one in report.panels[0].sections
    ]
    for one in korean.panels[0].sections:
        assert one.id == "verdict" or HANGUL.search(one.title), one.id
        for element in inside(one):
            if isinstance(element, Table) and element.title:
                assert HANGUL.search(element.title), element.title
            if isinstance(element, Headline):
                assert HANGUL.search(element.word)
                assert HANGUL.search(element.text)
    for english, other in zip(_tables(report), (table for table in _tables(korean)), strict=True):
        for row, same in zip(english.rows, other.rows, strict=True):
            numbers = [cell.value for cell in row if isinstance(cell.value, int | float)]
            assert numbers == [cell.value for cell in same if isinstance(cell.value, int | float)]


def _tables(report: Report) -> list[Table]:
    return [
        element
        for one in report.panels[0].sections
        if one.id != "queries"
        for element in inside(one)
        if isinstance(element, Table)
    ]
