"""The section of a gate: the verdict of each dataset, in every format and both languages."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from ragscore import Result
from ragscore.elements.model import Headline, Paragraph, Table, all_elements
from ragscore.gate import GateResult, gate_result
from ragscore.gate.record import gate_files
from tests.factories.gated import answering


def gated(outcome: GateResult | None) -> Result:
    """A result whose gate said so."""
    made = answering(20)
    if outcome is not None:
        made.parts.extra_files.update(gate_files(outcome))  # type: ignore[attr-defined]
    return made


@pytest.fixture(scope="module")
def outcome() -> GateResult:
    """One condition fails, one holds."""
    found = gate_result(
        answering(20), max_drop={"RR": 0.1}, min={"P@1": 0.1}, baseline=answering(50)
    )
    return replace(found, baseline="kept.json", notes=("a note of the gate",))


@pytest.mark.parametrize(
    ("language", "words"), [("en", ["FAIL", "PASS"]), ("ko", ["실패", "통과"])]
)
def test_it_shows_verdict_notes_and_every_condition(
    outcome: GateResult, language: str, words: list[str]
) -> None:
    report = gated(outcome).report(sections=["gate"], language=language)  # type: ignore[arg-type]
    (panel,) = report.panels  # type: ignore[attr-defined]
    (section,) = panel.sections
    shown = list(all_elements(section.elements))
    (headline,) = (element for element in shown if isinstance(element, Headline))
    assert (headline.state, headline.word, headline.level) == ("FAIL", words[0], "poor")
    assert "0.333" in headline.text
    assert any("-0.500" in text for _, text in headline.lines)
    (table,) = (element for element in shown if isinstance(element, Table))
    assert [row[0].text for row in table.rows] == words
    note, against, tests = [element.text for element in shown if isinstance(element, Paragraph)]
    assert note == "a note of the gate"
    assert "kept.json" in against
    assert words[0] in tests


def test_a_dataset_shows_its_own_conditions_and_verdict(outcome: GateResult) -> None:
    elsewhere = tuple(
        replace(each, dataset="other") if each.verdict == "FAIL" else each
        for each in outcome.conditions
    )
    (panel,) = gated(replace(outcome, conditions=elsewhere)).report(sections=["gate"]).panels  # type: ignore[attr-defined]
    (section,) = panel.sections
    (headline,) = (
        element for element in all_elements(section.elements) if isinstance(element, Headline)
    )
    assert headline.state == "PASS"
    nothing = tuple(replace(each, dataset="other") for each in outcome.conditions)
    for none in (replace(outcome, conditions=nothing), None):
        (panel,) = gated(none).report(sections=["gate"]).panels  # type: ignore[attr-defined]
        assert not panel.sections


def test_every_format_has_it(outcome: GateResult, tmp_path: Path) -> None:
    formats = ("html", "markdown", "latex", "csv")
    gated(outcome).report(sections=["gate"], formats=formats).write(tmp_path)
    written = [path for path in tmp_path.rglob("*") if path.suffix in (".html", ".md", ".tex")]
    texts = {path.suffix: path.read_text(encoding="utf-8") for path in written}
    assert set(texts) == {".html", ".md", ".tex"}
    assert all("0.333" in text for text in texts.values())
    (table,) = tmp_path.rglob("*gate*.csv")
    assert table.read_text(encoding="utf-8").count("\n") == 3
