"""The verdict, what it rests on, and the table of the retrievers: the numbers of compare()."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from ragscore import compare
from ragscore.comparison.comparing import dataset_comparer
from ragscore.comparison.verdict_text import verdict_headline
from ragscore.elements import Headline, Paragraph, Table
from ragscore.messages import Message, translated
from ragscore.report.model import Choice, Trust
from ragscore.report.ranking import decided_best
from ragscore.report.report import Report
from ragscore.report.sections.trust import trust
from ragscore.scoring import Scores
from tests.factories.built_report import (
    Data,
    inside,
    of_datasets,
    reordered,
    rows_of,
    section,
    tables,
    variants,
)


@pytest.mark.parametrize(("baseline", "measure"), [(0, 0), (1, 0), (2, 5), (0, 7)])
def test_the_verdict_and_the_table_are_those_of_compare(
    small: Report, report: Report, baseline: int, measure: int
) -> None:
    panel = small.result.dataset_results[0]
    name, primary = panel.retrievers[baseline], panel.measures[measure]
    entries = reordered(panel, primary).entries
    every = dataset_comparer(entries, panel.options, searches=panel.searches)
    wanted = every.chosen(name, primary)
    told, row, ranking = section(report, "verdict").elements
    verdict = every.chosen(panel.baseline, primary).verdict  # whose baseline no reader chooses
    headline, *below = told.variants[Choice(measure=primary)]
    assert isinstance(headline, Headline)
    assert (replace(headline, note=""), *below) == translated(verdict.elements(), "en")
    assert bool(headline.note) == (measure != 0)
    assert isinstance(row, Trust)
    (table,) = ranking.variants[Choice(name, primary)]
    assert isinstance(table, Table)
    rows = rows_of(table)
    assert list(rows) == sorted(panel.retrievers, key=lambda one: -wanted[primary].means[one].value)
    for one in wanted[primary].differences:
        found = rows[one.retriever]
        assert found["difference"].value == one.value
        there = one.interval.estimable
        bounds = (one.interval.low, one.interval.high) if there else (None, None)
        assert (found["difference"].low, found["difference"].high) == bounds
        assert found["p corrected"].value == one.p_adjusted
        assert found["W/L/T"].value == f"{one.wins}/{one.losses}/{one.ties}"
        assert bool(found["difference"].mark) == one.decided
        drawn = found["difference"].bar
        assert drawn is not None
        assert (drawn.value, drawn.low, drawn.high) == (
            pytest.approx((one.value, one.interval.low, one.interval.high), nan_ok=True)
        )
    assert rows[name]["difference"].value is None
    shown = [column.name for column in table.columns if not column.extra]
    assert shown[:3] == ["retriever", primary, "difference"]
    timed = {"latency p50 ms"}  # hidden where it is about the same for all
    assert {column.name for column in table.columns if column.extra} - timed == {
        *(set(panel.measures) - {primary}),
        "p corrected",
    }
    for column in table.columns:
        if column.name not in panel.measures:
            continue
        for retriever, mean in wanted[column.name].means.items():
            cell = rows[retriever][column.name]
            assert (cell.value, cell.low, cell.high) == (
                mean.value,
                mean.low,
                mean.high,
            )


@pytest.mark.slow
@pytest.mark.parametrize("language", ["en", "ko"])
def test_a_choice_of_the_reader_is_not_taken_for_the_experiments(
    data_of: Data, language: str
) -> None:
    data = data_of("small", language)
    panel = data.result.dataset_results[0]
    default = panel.comparisons[panel.baseline, panel.primary].verdict
    word = data.say(verdict_headline(default).word)
    for choice, (headline, *_) in variants(data, "verdict").items():
        assert isinstance(headline, Headline)
        if choice.measure == panel.primary:
            assert headline.note == ""
        else:
            assert headline.note.endswith(f": {word}.")
            assert panel.labels[panel.primary] in headline.note


def test_bold_stands_only_where_it_is_decided_against_every_other(
    small: Report, report: Report
) -> None:
    panel = small.result.dataset_results[0]
    decided = 0
    for measure in panel.measures:
        made = compare(reordered(panel, measure), options=panel.options)
        leader = made.datasets[0].leader
        best = leader[0].retriever if all(one.decided for one in leader) else None
        shown = panel.comparisons[panel.baseline, panel.primary]
        assert decided_best(shown, measure) == best
        (table,) = tables(section(report, "measures"), "measures")
        rows = rows_of(table)
        strong = {name for name in panel.retrievers if rows[name][measure].strong}
        assert strong == ({best} if best else set())
        decided += best is not None
    assert decided < len(panel.measures)


def test_bold_is_seen_where_one_retriever_wins(data_of: Data) -> None:
    # "presence" knows no frequencies, and "titles" no texts: over 200 queries that shows.
    data = data_of("200")
    (table,) = tables(section(data, "measures"), "measures")
    strong = [cell for row in table.rows for cell in row if cell.strong]
    assert strong
    assert all(cell.retriever == data.result.dataset_results[0].retrievers[2] for cell in strong)


@pytest.mark.parametrize(
    ("field", "values", "item", "level", "says"),
    [
        ("unjudged", (0.1, 0.15, 0.12), "judged", "good", "85.0 to 90.0 %"),
        ("unjudged", (0.7, 0.7, 0.7), "judged", "fair", "30.0 %"),
        ("unjudged", (0.1, 0.4, 0.1), "judged", "poor", "60.0 to 90.0 %"),
        ("tied", (0, 0, 1), "ties", "good", "1.4 %"),
        ("tied", (0, 0, 2), "ties", "fair", "2.7 %"),
        ("tied", (0, 74, 2), "ties", "poor", "100 %"),
        ("missing", (0, 0, 0), "missing", "good", "0"),
        ("missing", (0, 1, 0), "missing", "fair", "1"),
        ("empty", (2, 0, 0), "missing", "fair", "2"),
        ("empty", (0, 4, 0), "missing", "poor", "4"),
    ],
)
def test_levels_of_the_trust_row(
    small: Report, field: str, values: tuple[Any, ...], item: str, level: str, says: str
) -> None:
    panel = small.result.dataset_results[0]
    entries = []
    for entry, value in zip(panel.scores.entries, values, strict=True):
        given = value if field in ("missing", "empty") else {panel.k: value}
        changes = {field: given}
        if field == "tied":
            changes["tied_share"] = {panel.k: value / entry.counts.queries}
        entries.append(replace(entry, counts=replace(entry.counts, **changes)))
    changed = panel.holding(scores=Scores(tuple(entries)))
    row = trust(small, changed)
    (found,) = [one for one in row.items if one.id == f"trust-{item}"]
    assert (found.level, str(found.value)) == (level, says)
    assert isinstance(found.detail[0], Table)
    assert len(found.detail[0].rows) == 3
    assert isinstance(found.detail[1], Paragraph)


@pytest.mark.parametrize(("margin", "level"), [(0.5, "good"), (0.02, "fair"), (0.001, "poor")])
def test_the_detectable_difference_is_held_against_the_margin(
    small: Report, margin: float, level: str
) -> None:
    panel = small.result.dataset_results[0]
    key = (panel.baseline, panel.primary)
    made = panel.comparisons[key]
    differences = tuple(replace(one, margin=margin) for one in made[panel.primary].differences)
    measures = (replace(made.measures[0], differences=differences), *made.measures[1:])
    wider = panel.holding(comparisons={key: replace(made, measures=measures)})
    row = trust(small, wider)
    (found,) = [one for one in row.items if one.id == "trust-detectable"]
    assert found.level == level
    detail = found.detail[0]
    assert isinstance(detail, Table)
    wanted = panel.comparisons[panel.baseline, panel.primary][panel.primary].differences
    assert [row[1].value for row in detail.rows] == [one.detectable for one in wanted]
    # One that is not estimable says why, in the last column.
    assert [str(row[-1].text) for row in detail.rows if row[1].value is None] == [
        f"only {one.differing} of {one.n} queries differ" for one in wanted if one.withheld
    ]


def test_queries_that_only_some_were_scored_on_show(small: Report) -> None:
    panel = small.result.dataset_results[0]
    first, *others = panel.scores.entries
    more = replace(first, query_ids=[*first.query_ids, "only here"])
    changed = panel.holding(scores=Scores((more, *others)))
    row = trust(small, changed)
    (found,) = [one for one in row.items if one.id == "trust-queries"]
    assert (str(found.value), found.level) == ("74 of 75", "fair")


def test_one_retriever_gets_its_k(data_of: Data) -> None:
    report = data_of("one-retriever")
    (panel,) = report.result
    headline, row, table = section(report, "verdict").elements
    assert isinstance(headline, Headline)
    assert (headline.state, headline.text) == ("K", str(panel.tunings["bm25"].sentence))
    assert isinstance(row, Trust)
    assert [one.id for one in row.items] == ["trust-judged", "trust-ties", "trust-missing"]
    assert isinstance(table, Table)
    names = [column.name for column in table.columns]
    assert not {"difference", "p corrected", "W/L/T"} & set(names)
    assert not any(cell.strong for row in table.rows for cell in row)
    found = {one.id for one in report.panels[0].sections}
    assert "differences" not in found
    assert {"curves", "queries", "judgments", "measures", "computed"} <= found
    assert {*panel.measures} <= set(names)
    assert (report.panels[0].chosen.baselines, [*report.panels[0].chosen.measures]) == ((), [])


def test_retrievers_that_could_not_be_compared_are_told_apart_from_one(small: Report) -> None:
    panel = small.result.dataset_results[0].holding(
        comparisons={},
        notes=(Message("Not compared: {error}", {"error": "scored on other queries"}),),
    )
    report = of_datasets(small, panel)
    first = section(report, "verdict").elements[0]
    assert isinstance(first, Paragraph)
    assert first.kind == "warning"
    assert (
        Paragraph("Not compared: scored on other queries", "warning")
        in section(report, "judgments").elements
    )


def test_a_failed_retriever_stands_with_its_error(small: Report) -> None:
    panel = small.result.dataset_results[0].holding(failures={"dense": "the model is not there"})
    report = of_datasets(small, panel)
    for table in tables(section(report, "verdict"), "leaderboard"):
        last = table.rows[-1]
        assert (last[0].value, last[1].text) == ("dense", "failed")
        assert last[1].hint == "the model is not there"
        assert any("the model is not there" in note for note in table.notes)
    (failed,) = tables(section(report, "judgments"), "failed")
    assert rows_of(failed)["dense"]["error"].text == "the model is not there"
    row = next(one for one in inside(section(report, "verdict")) if isinstance(one, Trust))
    assert [(one.value, one.level) for one in row.items if one.id == "trust-failed"] == [
        ("1 of 4", "poor")
    ]


def test_outside_a_named_family_nothing_is_marked(data_of: Data) -> None:
    """The experiment names the second retriever: with another baseline on the page, only the pair
    of the two has a corrected p and may have a mark."""
    data = data_of("200")
    (panel,) = data.result
    named = panel.retrievers[1]
    options = panel.options.model_copy(update={"baseline": named})
    comparer, primary = dataset_comparer(panel.scores.entries, options), panel.measures[0]
    changed = panel.holding(
        options=options,
        comparisons={(name, primary): comparer.chosen(name, primary) for name in panel.retrievers},
        primaries=(primary,),
    )
    report = of_datasets(data, changed)
    marks = {}
    ranking = section(report, "verdict").elements[-1]
    for choice, (table,) in ranking.variants.items():
        for retriever, row in rows_of(table).items():
            if retriever == choice.baseline:
                continue
            inside = named in (retriever, choice.baseline)
            assert (row["p corrected"].value is not None) == inside
            if inside:
                pair = frozenset((retriever, choice.baseline))
                assert marks.setdefault(pair, row["difference"].mark) == row["difference"].mark
            else:
                assert row["difference"].mark == ""
        family = f"the {len(panel.retrievers) - 1} comparisons with {named}"
        assert table.key[0] == ("*", f"decided among {family}")
        outside = any("have no mark" in note for note in table.notes)
        assert outside == (choice.baseline != named)
    assert any(marks.values())
    (pairs,) = tables(section(report, "measures"), "pairs")
    assert not any(cell.mark for row in pairs.rows for cell in row)
    assert any(f"compares with {named}" in note for note in pairs.notes)
