"""The section of k: what the rule recommends, and what each target takes."""

from __future__ import annotations

import pytest

from ragscore import tune
from ragscore.elements import Facts, Paragraph, Section
from ragscore.messages import translated
from ragscore.report.model import Figure
from ragscore.report.report import Report
from ragscore.report.sections.curves import curves
from ragscore.results import DatasetResult
from ragscore.tuning import TuneOptions
from tests.factories.built_report import inside, rows_of, section, tables


def tuned(data: Report, **options: object) -> tuple[DatasetResult, Section]:
    """The first panel with other tunings, and its curves section."""
    (panel, *_) = data.result
    assert panel.data is not None
    asked = TuneOptions(measures=["P", "R", "F1", "nDCG"], **options)
    tunings = {name: tune(run, panel.data, asked) for name, run in panel.runs.items()}
    panel = panel.holding(tunings=tunings, curves=tunings if asked.by == "k" else panel.curves)
    made = curves(data, panel)
    assert made is not None
    return panel, translated(made, "en")


@pytest.mark.parametrize("by", ["k", "score"])
def test_what_the_rule_recommends_stands_with_its_rule(small: Report, by: str) -> None:
    panel, made = tuned(small, rule="recall", target=0.6, by=by)
    (table,) = tables(made, "recommended-k")
    which = "smallest k" if by == "k" else "strictest cut"
    assert table.title == f"Recommended: {which} with recall at least 0.6"
    assert tables(made, "reaching") == []
    rows = rows_of(table)
    said = next(one for one in made.elements if isinstance(one, Facts))
    for name, wanted in panel.tunings.items():
        at = wanted.setting
        assert at is not None
        assert rows[name][by].value == wanted.cut
        for measure, band in wanted.curves.items():
            if str(measure) in rows[name]:
                cell = rows[name][str(measure)]
                assert (cell.value, cell.low) == (band.mean[at], band.low[at])
        assert wanted.context is not None
        assert rows[name]["context"].value == wanted.context[at]
        done = wanted.held_out[wanted.judged_by]
        assert rows[name]["held out"].value == pytest.approx(done.mean)
        assert dict(said.rows)[name] == str(wanted.sentence)
        if by == "score":
            assert rows[name]["answered"].value == wanted.passages.answered.mean[at]
    drawn = {one.id for one in inside(made) if isinstance(one, Figure)}
    assert {"curves-R", "precision-recall"} <= drawn  # against k, whatever is cut
    assert ("coverage" in drawn) == (by == "score")


def test_without_a_rule_the_page_recommends_nothing(small: Report, report: Report) -> None:
    (panel,) = small.result
    made = section(report, "curves")
    assert tables(made, "recommended-k") == []
    (table,) = tables(made, "reaching")
    assert "without a rule" in table.notes[0]
    shown = [
        (row[0].value, row[1].value, row[2].value, row[3].value, row[4].value) for row in table.rows
    ]
    wanted = [
        (
            name,
            "highest" if reached.recall is None else reached.recall,
            reached.setting.value,
            *(reached.setting.measures[measure].value for measure in ("P", "R")),
        )
        for name, one in panel.tunings.items()
        for reached in one.reaching
    ]
    assert shown == wanted
    assert not any("ecommended" in one.text for one in inside(made) if isinstance(one, Paragraph))
    assert not any(isinstance(one, Facts) for one in made.elements)  # the note has said it once


def test_an_unreached_target_shows_what_each_recall_takes(small: Report) -> None:
    panel, made = tuned(small, rule="precision", target=1.0)
    assert {one.state for one in panel.tunings.values()} == {"not reached"}
    assert tables(made, "recommended-k") == []
    (table,) = tables(made, "reaching")
    assert not any("without a rule" in note for note in table.notes)
