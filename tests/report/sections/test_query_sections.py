"""The sections of single queries: differences, failures, slices, the explorer's fallback."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from ragscore.diagnose import CAUSES, causes
from ragscore.elements import Paragraph
from ragscore.report.model import Explorer, Figure, WithoutScript
from ragscore.report.report import Report
from ragscore.report.sections.differences import per_query
from ragscore.report.sections.failures import cause_texts, failures
from tests.factories.built_report import Data, inside, rows_of, section, tables, variants


def test_differences_of_queries_have_the_mean_that_is_compared(small: Report) -> None:
    panel = small.result.dataset_results[0]
    for (baseline, measure), comparison in panel.comparisons.items():
        for one in comparison[measure].differences:
            values = per_query(panel, one.retriever, baseline, measure)
            assert np.nanmean(values) == pytest.approx(one.value, abs=1e-12)
            assert int((values > 1e-9).sum()) == one.wins


def test_charts_of_queries_and_labels_say_what_is_compared_of_odd_measures(data_of: Data) -> None:
    data = data_of("odd-measures")
    (panel,) = data.result
    for (baseline, measure), comparison in panel.comparisons.items():
        for one in comparison[measure].differences:
            values = per_query(panel, one.retriever, baseline, measure)
            values = values[~np.isnan(values)]
            assert values.mean() == pytest.approx(one.value), (baseline, measure)
            assert (values > 1e-12).sum() == one.wins
    report = data
    for choice, (table,) in section(report, "verdict").elements[-1].variants.items():
        label = next(column.label for column in table.columns if column.axis is not None)
        assert label.startswith("ln gmAP: ") == (choice.measure == "gmAP")
        summed = "NumRelRet: compared as means per query, not sums" in table.notes
        assert summed == (choice.measure == "NumRelRet")


def test_each_choice_has_a_chart_for_each_other_retriever(small: Report, report: Report) -> None:
    for choice, elements in variants(report, "differences").items():
        figures = [
            one for element in elements for one in inside(element) if isinstance(one, Figure)
        ]
        others = {n for n, name in enumerate(small.result.retrievers) if name != choice.baseline}
        assert {one.id for one in figures} == {f"differences-{n}" for n in others}


def test_each_query_fails_once_for_a_retriever(small: Report) -> None:
    panel = small.result.dataset_results[0]
    assert panel.data is not None
    queries = panel.scores.entries[0].query_ids
    found = causes(panel.runs, panel.data, queries, k=panel.k)
    made = failures(small, panel.holding(causes=found))
    assert made is not None
    (table,) = tables(made, "failures")
    for name, row in rows_of(table).items():
        counts = found.counts(name)
        assert counts["failed"] == counts["cut"] == 0, "there is none, so that no column says so"
        listed = [cause for cause in CAUSES if cause not in ("cut", "failed")]
        assert [row[cause].value for cause in listed] == [counts[one] for one in listed]
        assert [key for key in row if key in CAUSES] == list(cause_texts(panel.k))[:-2]
        success = panel.scores[name].per_query("Success@10").values()
        assert row["found"].value == sum(success)
        parts = [row[key].value for key in ("found", *listed)]
        assert sum(parts) == len(found.query_ids)


def test_without_texts_no_near_duplicates_are_promised(small: Report) -> None:
    panel = small.result.dataset_results[0]
    assert panel.causes is not None
    said = []
    for texts in (True, False):
        made = failures(small, panel.holding(causes=replace(panel.causes, texts=texts)))
        assert made is not None
        said.append([str(one.text) for one in made.elements if isinstance(one, Paragraph)])
    assert [one for one in said[1] if one not in said[0]] == [
        "The texts of the passages are not known, so near-duplicates cannot be detected."
    ]


def test_queries_have_an_explorer_and_the_worst_without_a_script(report: Report) -> None:
    explorer, worst = section(report, "queries").elements
    assert explorer == Explorer(0)
    assert isinstance(worst, WithoutScript)
    assert worst.elements


def test_slices_have_means_and_sizes(data_of: Data) -> None:
    data = data_of("200")
    report, (panel,) = data, data.result
    assert [of.by for of in panel.slices[panel.baseline]] == ["kind"]
    for of in panel.slices[panel.baseline]:
        found = tables(section(report, "slices"), f"slices-{of.by}")
        assert len(found) == len(panel.measures)
        for at, table in enumerate(found):
            for one, row in zip(of.slices, table.rows, strict=False):
                assert (row[0].value, row[1].value) == (one.value, one.n)
                assert ("small" in row[0].text) == one.small
                values = [cell.value for cell in row[2:-1]]
                assert values == [mean.value for mean in one.measures[at].means.values()]


@pytest.mark.parametrize(("primary", "told"), [("R(relevant_from=2)@10", ["2"]), ("R@10", [])])
def test_failures_say_from_which_grade_a_passage_is_relevant(
    small: Report, primary: str, told: list[str]
) -> None:
    made = failures(small, small.result.dataset_results[0].holding(primary=primary))
    assert made is not None
    texts = [str(one.text) for one in made.elements if isinstance(one, Paragraph)]
    found = [text for text in texts if text.startswith("A passage is relevant here from grade")]
    assert [text.split("grade ")[1].split()[0] for text in found] == told
