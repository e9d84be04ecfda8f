"""The sections that hold retrievers against each other: gaps, all pairs, margins, overlap."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations

import pytest

from ragscore import compare
from ragscore.elements import Paragraph, Table
from ragscore.messages import translated
from ragscore.report.model import Swap
from ragscore.report.report import Report
from ragscore.stats.corrections import adjust
from tests.factories.built_report import (
    Data,
    inside,
    of_datasets,
    reordered,
    section,
    tables,
    variants,
)


def test_the_overlap_of_pairs(small: Report, report: Report) -> None:
    panel = small.result.dataset_results[0]
    shown = tables(section(report, "differences"), "overlap")
    assert len(shown) == len(panel.measures)
    for measure, table in zip(panel.measures, shown, strict=True):
        for one, row in zip(panel.overlap, table.rows, strict=True):
            best = next(best for best in one.best_of if best.measure == measure)
            values = [cell.value for cell in row[1:]]
            recalls = [one.recall_first, one.recall_second, one.union_recall]
            assert values == [*recalls, best.oracle, one.rbo, one.jaccard]
            assert best.oracle >= max(best.first, best.second)


def test_one_retriever_has_its_measures_side_by_side(data_of: Data) -> None:
    data = data_of("one-retriever")
    (panel,) = data.result
    (of,) = panel.slices[panel.baseline]
    (table,) = tables(section(data, "slices"), "slices-kind")
    assert [one.name for one in table.columns] == ["slice", "n", *panel.measures]
    for one, row in zip(of.slices, table.rows, strict=True):
        assert [row[0].value, row[1].value] == [one.value, one.n]
        assert [cell.value for cell in row[2:]] == [
            mean.value for m in one.measures for mean in m.means.values()
        ]


def test_only_decided_gaps_are_listed(data_of: Data) -> None:
    data = data_of("200")
    panel = data.result.dataset_results[0]
    (of,) = panel.slices[panel.baseline]
    at = panel.measures.index(panel.primary)

    def gaps(p_values: list[float]) -> Table | Paragraph:
        """What stands for the first slices' gaps with these corrected p."""
        made = []
        for one in of.slices:
            here = one.measures[at]
            changed = tuple(
                replace(gap, p=p / 10, p_adjusted=p)
                for gap, p in zip(here.gaps, p_values, strict=True)
            )
            listed = list(one.measures)
            listed[at] = replace(here, gaps=changed)
            made.append(replace(one, measures=tuple(listed)))
        sliced = {**panel.slices, panel.baseline: (replace(of, slices=tuple(made)),)}
        report = of_datasets(data, panel.holding(slices=sliced))
        swaps = [one for one in section(report, "slices").elements if isinstance(one, Swap)]
        (element,) = swaps[1].shown
        assert isinstance(element, Table | Paragraph)
        return element

    none = gaps([0.05, 0.9, 1.0])
    assert isinstance(none, Paragraph)
    assert f"the smallest corrected p of {3 * len(of.slices)} tests is 0.050." in none.text
    some = gaps([0.04, 0.9, 0.01])
    assert isinstance(some, Table)
    assert [row[6].value for row in some.rows] == [0.01] * len(of.slices) + [0.04] * len(of.slices)
    first = of.slices[0].measures[at].gaps[2]
    assert some.rows[0][1].value == first.retriever
    assert [cell.value for cell in some.rows[0][2:5]] == [first.inside, first.outside, first.value]


@pytest.mark.slow
def test_all_pairs_are_corrected_over_all_pairs(small: Report, report: Report) -> None:
    panel = small.result.dataset_results[0]
    for choice, elements in variants(report, "measures").items():
        measure = choice.measure
        assert measure is not None
        pairs = list(combinations(panel.retrievers, 2))
        wanted = []
        for first, second in pairs:
            made = compare(
                reordered(panel, measure), options=panel.options, baseline=second, correction="none"
            ).datasets[0][measure]
            wanted.append(next(one for one in made.differences if one.retriever == first))
        corrected = adjust([one.test.p for one in wanted], panel.options.correction)
        table = elements[0]
        for row, one, p in zip(table.rows, wanted, corrected, strict=True):
            assert row[0].value == f"{one.retriever} - {one.baseline}"
            assert (row[1].value, row[1].low, row[1].high) == pytest.approx(
                (one.value, *(one.interval.low, one.interval.high))
                if one.interval.estimable
                else (one.value, None, None),
                abs=1e-12,
            )
            assert row[2].value == one.test.p
            assert row[3].value == pytest.approx(p)
            assert bool(row[1].mark) == (p < 0.05 and one.interval.low * one.interval.high > 0)


@pytest.mark.slow
@pytest.mark.parametrize("baselined", [False, True])
def test_page_and_compare_show_the_same_pairs(small: Report, baselined: bool) -> None:
    (panel,) = small.result
    options = panel.options.changed(
        baseline=panel.retrievers[1] if baselined else None,
        all_pairs=True, resamples=200,
    )  # fmt: skip
    result = small.result.viewed(compare=options)
    on_page = tables(section(replace(small, result=result), "measures"), "pairs")
    printed = [
        table
        for part in compare(result).elements()
        for table in part.elements
        if isinstance(table, Table) and table.id.startswith("pairs-")
    ]
    assert [translated(replace(table, id="pairs"), "en") for table in printed] == on_page
    assert {"difference", "p", "p corrected"} < {column.name for column in on_page[0].columns}
    (compared,) = result
    assert compared.comparison is not None
    assert compared.comparison.pairs == {
        measure: compared.comparison.all_pairs(measure) for measure in compared.measures
    }


def test_nothing_is_called_corrected_that_is_not(small: Report) -> None:
    (panel,) = small.result
    options = panel.options.model_copy(update={"correction": "none"})
    report = of_datasets(small, panel.holding(options=options))
    told = [
        text
        for name in ("verdict", "measures")
        for element in inside(section(report, name))
        if isinstance(element, Table) and element.id in ("leaderboard", "pairs")
        for text in (*element.notes, *(column.hint for column in element.columns))
        if "orrected" in text
    ]
    assert told
    assert all("ot corrected" in text for text in told)


def test_the_margin_table_is_that_of_the_comparison(small: Report, report: Report) -> None:
    panel = small.result.dataset_results[0]
    found = tables(section(report, "measures"), "margin")
    assert len(found) == len(panel.comparisons)
    for table, ((_, measure), made) in zip(found, panel.comparisons.items(), strict=True):
        for row, one in zip(table.rows, made[measure].differences, strict=True):
            if one.equivalence is None:
                assert (one.withheld, row[1].interval) == ("few differ", "not estimable")
                assert [cell.text for cell in row[2:8]] == [
                    *("not decided", "-", "not estimable"),
                    *("not decided", "-", "not estimable"),
                ]
                assert row[8].text == f"only {one.differing} of {one.n} queries differ"
                continue
            assert (row[1].low, row[1].high) == (
                one.equivalence.interval90.low,
                one.equivalence.interval90.high,
            )
            assert row[3].value == one.equivalence.p_tost
            assert (row[2].value == "yes") == one.equivalence.equivalent
