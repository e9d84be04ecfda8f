"""The section of a sweep, in every format."""

from __future__ import annotations

from pathlib import Path

import pytest

from ragscore.cli import main
from ragscore.elements.model import Code, Headline, Table, all_elements
from ragscore.report.model import Figure
from ragscore.results.result import Result
from ragscore.sweeps import sweep_headline
from tests.factories.sweeps import swept_result

NAME = "worked-examples"


@pytest.fixture(scope="module")
def saved(tmp_path_factory: pytest.TempPathFactory) -> Result:
    return swept_result(tmp_path_factory.mktemp("swept"))


def elements(result: Result, language: str = "en") -> list:
    (panel,) = result.report(sections=["sweep"], language=language).panels
    (section,) = panel.sections
    assert section.id == "sweep"
    return list(all_elements(section.elements))


def test_the_headline_stands_once_on_a_page(saved: Result) -> None:
    (panel,) = saved.report().panels
    shown = all_elements(element for section in panel.sections for element in section.elements)
    headlines = [each.text for each in shown if isinstance(each, Headline)]
    assert headlines.count(str(sweep_headline(saved[NAME].sweep).text)) == 1


def test_it_shows_what_the_findings_say(saved: Result) -> None:
    found, shown = saved[NAME].sweep, elements(saved)
    (headline,) = (element for element in shown if isinstance(element, Headline))
    assert headline.text == str(sweep_headline(found).text)
    tables = {element.id: element for element in shown if isinstance(element, Table)}
    assert list(tables) == ["sweep", "sweep-all", "sweep-parameters"]
    assert len(tables["sweep"].rows) == 10
    assert [row[0].text for row in tables["sweep-all"].rows] == [
        each.label for each in found.configurations
    ]
    assert "P@5" in {column.name for column in tables["sweep"].columns}
    marks = {row[0].text for row in tables["sweep-all"].rows if row[2].mark}
    assert marks == {each.label for each in found.configurations if not each.in_best_set}
    (code,) = (element for element in shown if isinstance(element, Code))
    assert (code.text, code.language) == (found.yaml, "yaml")


def test_its_charts(saved: Result) -> None:
    figures = {element.id: element for element in elements(saved) if isinstance(element, Figure)}
    assert {"sweep-effects", "sweep-heat"} <= set(figures)
    assert figures["sweep-effects"].drawing.markup.count('class="mark"') == 2
    assert figures["sweep-heat"].drawing.markup.count('data-best="true"') == 1


def test_it_is_written_in_every_format(saved: Result, tmp_path: Path) -> None:
    formats = ["html", "markdown", "latex", "csv"]
    saved.report(sections=["sweep"], formats=formats, language="ko").write(tmp_path)
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert 'class="copy' in page or "pre" in page
    assert "bm25[k1=0.9,b=0.3]" in page
    assert "data-parameter=" in page
    written = {path.name for path in (tmp_path / "report").rglob("*") if path.is_file()}
    assert {"sweep.csv", "sweep-all.csv", "sweep.tex", "sweep-heat.svg", "report.md"} <= written
    lines = (tmp_path / "report" / "tables" / "sweep-all.csv").read_text("utf-8-sig").splitlines()
    assert len(lines) == 13
    assert "against the best low" in lines[0]


def test_no_sweep_no_section(saved: Result) -> None:
    without = Result(saved.parts)
    without.parts.held_sweeps, kept = {}, without.parts.held_sweeps
    try:
        (panel,) = without.report(sections=["sweep"]).panels
    finally:
        without.parts.held_sweeps = kept
    assert panel.sections == ()


def test_show_prints_it(saved: Result, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["show", str(saved.folder), "--section", "sweep"]) == 0
    printed = capsys.readouterr().out
    assert "Against the best" in printed
    assert "k1: 0.9  # was 1.2" in printed


def test_print_and_a_notebook_show_it(saved: Result) -> None:
    found = saved[NAME].sweep
    assert str(found).startswith("Sweep: 12 configurations of bm25 on worked-examples (19 queries)")
    shown = found._repr_html_()
    assert found.best in shown
    assert "<svg" in shown
    assert repr(found) == f"SweepResult('worked-examples': '{found.best}', best of 12)"


def test_a_retriever_whose_own_settings_failed_is_drawn_too(tmp_path: Path) -> None:
    settings = tuple({"odd.k1": number} for number in range(12))
    saved = swept_result(tmp_path, retrievers=("odd",) * 12, settings=settings, written={})
    figures = [element for element in elements(saved) if isinstance(element, Figure)]
    assert 'data-r="2"' in figures[0].drawing.markup


def test_hostile_names_and_values_are_shown_and_never_run(tmp_path: Path) -> None:
    odd = "</title><svg onload=alert(1)>\x1b[31m"
    values = ("<b>", '"', "'", "\u202e", "{x}", "%s", "\x00", "\t", "a" * 500, "-", "", " ")
    settings = tuple({f"{odd}.k": value} for value in values)
    specs = {odd: {"kind": "custom", "use": "</pre><script>alert(1)</script>"}}
    saved = swept_result(
        tmp_path, retrievers=(odd,) * 12, settings=settings, written={}, specs=specs, inputs={}
    )
    formats = ["html", "markdown", "latex", "csv"]
    saved.report(sections=["sweep"], formats=formats).write(tmp_path / "report")
    page = (tmp_path / "report" / "report.html").read_text(encoding="utf-8")
    assert "<svg onload" not in page
    assert "<script>alert" not in page
    assert "\x1b" not in str(saved[NAME].sweep)
