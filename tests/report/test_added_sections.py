"""Sections of installed packages: what they return, and what is wrong with it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from ragscore.elements import Paragraph
from ragscore.errors import ConfigError
from ragscore.report.options import ReportOptions
from ragscore.report.report import Report
from ragscore.report.sections import SECTIONS

PLUGIN = """\
from ragscore.elements import Paragraph, Section
from ragscore.messages import _
from ragscore.report.report import Report
def good(report, panel):
    return Section('good', _('Cost'), (Paragraph(_('{n} prices', n=panel.dataset)),))
def broken(report, panel):
    prices = {}
    return len(prices['price'])
def text(report, panel):
    return 'a text'
def silent(report, panel):
    return None
def unknown(report, panel):
    return Section('unknown', f"{_('Prices')} of it", ())
def mixed(report, panel):
    return Section('mixed', 'Mixed', (Paragraph('a'), 'a text'))
def bare(report, panel):
    return Section('bare', 'Bare', Paragraph('a'))
"""
RAISES = "    return len(prices['price'])"


@pytest.fixture
def plugin(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A package as pip leaves it, with sections of its own."""
    (tmp_path / "report_plugin.py").write_text(PLUGIN, encoding="utf-8")
    info = tmp_path / "report_plugin-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(
        "Metadata-Version: 2.1\nName: report-plugin\nVersion: 1.0\n", encoding="utf-8"
    )
    names = ("good", "broken", "text", "silent", "unknown", "mixed", "bare", "absent")
    (info / "entry_points.txt").write_text(
        "[ragscore.report_sections]\n"
        + "".join(f"{name} = report_plugin:{name}\n" for name in names),
        encoding="utf-8",
    )
    monkeypatch.syspath_prepend(str(tmp_path))


def test_sections_of_an_installed_package(plugin: None, small: Report) -> None:
    wrong = {
        "broken": "KeyError: 'price'",
        "text": "returned 'a text' (str), and ragscore.elements.Section(id, title, (element, ...))",
        "unknown": "TypeError: an f-string would lose the translation",
        "mixed": "elements[1] of the Section that it returned is a str, and ragscore.elements.",
        "bare": "the elements of the Section that it returned are a Paragraph, and ragscore.",
        "absent": "absent",
    }
    asked = ("good", "silent", *wrong, "measures")
    report = replace(small, options=ReportOptions(sections=asked))
    found = {one.id: one for one in report.panels[0].sections}
    assert list(found) == ["good", *wrong, "measures"]
    assert found["good"].elements == (Paragraph("harbour-tenancy prices"),)
    for name, told in wrong.items():
        (warning,) = found[name].elements
        assert isinstance(warning, Paragraph)
        assert warning.kind == "warning"
        assert told in warning.text
    place = f"report_plugin.py:{1 + PLUGIN.splitlines().index(RAISES)}"
    assert place in found["broken"].elements[0].text
    assert [note.split("'")[1] for note in report.failed] == list(wrong)
    assert place in report.failed[0]
    korean = replace(report, options=report.options.changed(language="ko")).panels[0].sections[0]
    assert korean.title == "비용", "ragscore says it too"
    assert korean.elements == found["good"].elements
    # Nobody asked for them: they stay out.
    assert "good" not in [one.id for one in small.panels[0].sections]


def test_a_section_of_ragscore_that_returns_something_else(
    small: Report, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(SECTIONS._loaded, "measures", lambda report, panel: ["a text"])
    report = replace(small, options=ReportOptions(sections=("verdict", "measures")))
    with pytest.raises(ConfigError, match=r"report\.sections\.measures: it returned .*\(list\)"):
        _ = report.panels
