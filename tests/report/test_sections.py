"""What the sections below the verdict hold: the numbers of compare(), tune() and the scores."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest

from ragscore import compare, tune
from ragscore.blocks import Code, Facts, Paragraph, Section, Table
from ragscore.blocks.cells import EARLIER
from ragscore.diagnose import CAUSES, causes
from ragscore.report.build import Report, build
from ragscore.report.charts.cause_chart import ORDER
from ragscore.report.data import ReportData
from ragscore.report.model import Explorer, Figure, Swap, WithoutScript
from ragscore.report.sections.curves import curves
from ragscore.report.sections.differences import per_query
from ragscore.report.sections.failures import failures
from ragscore.report.strings import STRINGS
from ragscore.results import DatasetResult, open_result
from ragscore.stats.corrections import adjust
from ragscore.strings import Sentence
from ragscore.tuning import TuneOptions
from tests.factories.built_report import Data, inside, reordered, rows_of, section, tables, variants


def tuned(data: ReportData, **options: object) -> tuple[DatasetResult, Section]:
    """The first panel with other tunings, and its curves section."""
    (panel, *_) = data.panels
    assert panel.data is not None
    asked = TuneOptions(measures=["P", "R", "F1", "nDCG"], **options)
    tunings = {name: tune(run, panel.data, asked) for name, run in panel.runs.items()}
    panel = panel.holding(tunings=tunings, curves=tunings if asked.by == "k" else panel.curves)
    made = curves(data, panel)
    assert made is not None
    return panel, made


@pytest.mark.parametrize("by", ["k", "score"])
def test_what_the_rule_recommends_stands_with_its_rule(small: ReportData, by: str) -> None:
    panel, made = tuned(small, rule="recall", target=0.6, by=by)
    (table,) = tables(made, "recommended-k")
    which = "smallest k" if by == "k" else "strictest cut"
    assert table.title == f"Recommended: {which} with recall at least 0.6"
    assert tables(made, "reaching") == []
    rows = rows_of(table)
    said = next(one for one in made.blocks if isinstance(one, Facts))
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
        assert rows[name]["held out"].value == pytest.approx(done.held_out)
        assert dict(said.rows)[name] == wanted.sentence
        if by == "score":
            assert rows[name]["answered"].value == wanted.passages.answered.mean[at]
    drawn = {one.id for one in inside(made) if isinstance(one, Figure)}
    assert {"curves-R", "precision-recall"} <= drawn  # against k, whatever is cut
    assert ("coverage" in drawn) == (by == "score")


def test_without_a_rule_the_page_recommends_nothing(small: ReportData, report: Report) -> None:
    (panel,) = small.panels
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
            "highest" if target is None else target,
            at + 1,
            one.curves[one.precision].mean[at],
            one.curves[one.recall].mean[at],
        )
        for name, one in panel.tunings.items()
        for target, at in one.reaching_settings()
    ]
    assert shown == wanted
    assert not any("ecommended" in one.text for one in inside(made) if isinstance(one, Paragraph))
    said = next(one for one in made.blocks if isinstance(one, Facts))
    assert dict(said.rows) == {name: one.sentence for name, one in panel.tunings.items()}


def test_an_unreached_target_shows_what_each_recall_takes(small: ReportData) -> None:
    panel, made = tuned(small, rule="precision", target=1.0)
    assert {one.state for one in panel.tunings.values()} == {"not reached"}
    assert tables(made, "recommended-k") == []
    (table,) = tables(made, "reaching")
    assert not any("without a rule" in note for note in table.notes)


def test_differences_of_queries_have_the_mean_that_is_compared(small: ReportData) -> None:
    panel = small.panels[0]
    for (baseline, measure), comparison in panel.comparisons.items():
        for one in comparison[measure].differences:
            values = per_query(panel, one.retriever, baseline, measure)
            assert np.nanmean(values) == pytest.approx(one.value, abs=1e-12)
            assert int((values > 1e-9).sum()) == one.wins


def test_charts_of_queries_and_labels_say_what_is_compared_of_odd_measures(data_of: Data) -> None:
    data = data_of("odd-measures")
    (panel,) = data.panels
    for (baseline, measure), comparison in panel.comparisons.items():
        for one in comparison[measure].differences:
            values = per_query(panel, one.retriever, baseline, measure)
            values = values[~np.isnan(values)]
            assert values.mean() == pytest.approx(one.value), (baseline, measure)
            assert (values > 1e-12).sum() == one.wins
    report = build(data)
    by_label = {
        block.id: block.title
        for choice, blocks in variants(report, "verdict").items()
        if choice.measure == "gmAP"
        for held in blocks
        for block in inside(held)
        if isinstance(block, Figure | Table)
    }
    assert "ln gmAP" in by_label["forest"]
    for choice, blocks in variants(report, "verdict").items():
        (table,) = [one for held in blocks for one in tables(held, "leaderboard")]
        assert "NumRelRet: means per query, not sums" in table.notes, choice


def test_each_choice_has_a_chart_for_each_other_retriever(
    small: ReportData, report: Report
) -> None:
    for choice, blocks in variants(report, "differences").items():
        figures = [one for block in blocks for one in inside(block) if isinstance(one, Figure)]
        others = {n for n, name in enumerate(small.retrievers) if name != choice.baseline}
        assert {one.id for one in figures} == {f"differences-{n}" for n in others}


def test_the_overlap_of_pairs(small: ReportData, report: Report) -> None:
    panel = small.panels[0]
    shown = tables(section(report, "differences"), "overlap")
    assert len(shown) == len(panel.measures)
    for measure, table in zip(panel.measures, shown, strict=True):
        for one, row in zip(panel.overlap, table.rows, strict=True):
            best = next(best for best in one.best_of if best.measure == measure)
            values = [cell.value for cell in row[1:]]
            recalls = [one.recall_first, one.recall_second, one.union_recall]
            assert values == [*recalls, best.oracle, one.rbo, one.jaccard]
            assert best.oracle >= max(best.first, best.second)


def test_each_query_fails_once_for_a_retriever(small: ReportData) -> None:
    panel = small.panels[0]
    assert panel.data is not None
    queries = panel.scores.entries[0].query_ids
    found = causes(panel.runs, panel.data, queries, k=panel.k)
    made = failures(small, panel.holding(causes=found))
    assert made is not None
    (table,) = tables(made, "failures")
    for name, row in rows_of(table).items():
        counts = found.counts(name)
        assert [row[cause].value for cause in CAUSES] == [counts.get(one, 0) for one in CAUSES]
        assert [key for key in row if key in CAUSES] == list(ORDER[1:])
        success = panel.scores[name].per_query("Success@10").values()
        assert row["found"].value == sum(success)
        parts = [row[key].value for key in ("found", *CAUSES)]
        assert sum(parts) == row["queries"].value == len(found.query_ids)


def test_without_texts_no_near_duplicates_are_promised(small: ReportData) -> None:
    panel = small.panels[0]
    assert panel.causes is not None
    said = []
    for texts in (True, False):
        made = failures(small, panel.holding(causes=replace(panel.causes, texts=texts)))
        assert made is not None
        said.append([one.text for one in made.blocks if isinstance(one, Paragraph)])
    assert [one for one in said[1] if one not in said[0]] == [
        small.strings("failures_without_texts")
    ]


def test_queries_have_an_explorer_and_the_worst_without_a_script(report: Report) -> None:
    explorer, worst = section(report, "queries").blocks
    assert explorer == Explorer(0)
    assert isinstance(worst, WithoutScript)
    assert worst.blocks


def test_slices_have_means_and_sizes(data_of: Data) -> None:
    data = data_of("500")
    panel, report = data.panels[0], build(data)
    assert [of.by for of in panel.slices[panel.baseline]] == ["kind"]
    for of in panel.slices[panel.baseline]:
        found = tables(section(report, "slices"), f"slices-{of.by}")
        assert len(found) == len(panel.measures)
        for at, table in enumerate(found):
            for one, row in zip(of.slices, table.rows, strict=False):
                assert (row[0].value, row[1].value) == (one.value, one.n)
                assert ("small" in row[0].text) == one.small
                values = [cell.value for cell in row[2:-1]]
                assert values == [mean.value for mean in one.measures[at].means]


def test_one_retriever_has_its_measures_side_by_side(data_of: Data) -> None:
    data = data_of("one-retriever")
    (panel,) = data.panels
    (of,) = panel.slices[panel.baseline]
    (table,) = tables(section(build(data), "slices"), "slices-kind")
    assert [one.name for one in table.columns] == ["slice", "n", *panel.measures]
    for one, row in zip(of.slices, table.rows, strict=True):
        assert [row[0].value, row[1].value] == [one.value, one.n]
        assert [cell.value for cell in row[2:]] == [m.means[0].value for m in one.measures]


def test_notes_list_few_names_and_short_ones(small: ReportData) -> None:
    (panel,) = small.panels
    names = ["x" * 800, *(f"measure {number}" for number in range(6))]
    assert small.strings.names(names) == (
        f"{'x' * 39}…, measure 0, measure 1, measure 2, measure 3 and 2 more"
    )
    assert STRINGS.strings("ko").names(names[1:]).endswith("measure 4 외 1개")
    noted = {
        f"r{number}": replace(panel.tunings["bm25"], remarks=(Sentence("note_edge", {"depth": 9}),))
        for number in range(7)
    }
    data = replace(small, retrievers=tuple(noted))
    made = curves(data, panel.holding(retrievers=tuple(noted), tunings=noted, curves=noted))
    notes = [one.text for one in inside(made) if isinstance(one, Paragraph)]
    assert any(note.startswith("r0, r1, r2, r3, r4 and 2 more: the 9 passages") for note in notes)


def test_only_decided_gaps_are_listed(data_of: Data) -> None:
    data = data_of("500")
    panel = data.panels[0]
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
        report = build(replace(data, panels=(panel.holding(slices=sliced),)))
        swaps = [one for one in section(report, "slices").blocks if isinstance(one, Swap)]
        (block,) = swaps[1].shown
        assert isinstance(block, Table | Paragraph)
        return block

    none = gaps([0.05, 0.9, 1.0])
    assert isinstance(none, Paragraph)
    assert f"of {3 * len(of.slices)} tests the smallest corrected p is 0.050." in none.text
    some = gaps([0.04, 0.9, 0.01])
    assert isinstance(some, Table)
    assert [row[6].value for row in some.rows] == [0.01] * len(of.slices) + [0.04] * len(of.slices)
    first = of.slices[0].measures[at].gaps[2]
    assert some.rows[0][1].value == first.retriever
    assert [cell.value for cell in some.rows[0][2:5]] == [first.inside, first.outside, first.value]


def test_judgments_show_every_count(small: ReportData, report: Report) -> None:
    panel = small.panels[0]
    made = section(report, "judgments")
    (counts,), (unjudged,) = tables(made, "counts"), tables(made, "unjudged")
    for name in panel.retrievers:
        wanted = panel.scores[name].counts
        row = rows_of(counts)[name]
        assert row["queries"].value == wanted.queries
        assert row["answered unanswerable"].value == wanted.answered_unanswerable == 13
        assert row["returned"].value == wanted.returned
        for k, share in wanted.unjudged.items():
            assert rows_of(unjudged)[name][f"unjudged@{k}"].value == share


def test_all_pairs_are_corrected_over_all_pairs(small: ReportData, report: Report) -> None:
    panel = small.panels[0]
    for choice, blocks in variants(report, "measures").items():
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
        table = blocks[0]
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


def test_nothing_is_called_corrected_that_is_not(small: ReportData) -> None:
    (panel,) = small.panels
    options = panel.options.model_copy(update={"correction": "none"})
    report = build(replace(small, panels=(panel.holding(options=options),)))
    told = [
        text
        for name in ("verdict", "measures")
        for block in inside(section(report, name))
        if isinstance(block, Table) and block.id in ("leaderboard", "pairs")
        for text in (*block.notes, *(column.hint for column in block.columns))
        if "orrected" in text
    ]
    assert told
    assert all("ot corrected" in text for text in told)


def test_the_margin_table_is_that_of_the_comparison(small: ReportData, report: Report) -> None:
    panel = small.panels[0]
    found = tables(section(report, "measures"), "margin")
    assert len(found) == len(panel.comparisons)
    for table, ((_, measure), made) in zip(found, panel.comparisons.items(), strict=True):
        for row, one in zip(table.rows, made[measure].differences, strict=True):
            if one.equivalence is None:
                assert (one.withheld, row[1].interval) == ("few differ", "not estimable")
                assert [cell.text for cell in row[2:8]] == [
                    *("not shown", "-", "not estimable"),
                    *("not shown", "-", "not estimable"),
                ]
                assert row[8].text == f"only {one.differing} of {one.n} queries differ"
                continue
            assert (row[1].low, row[1].high) == (
                one.equivalence.interval90.low,
                one.equivalence.interval90.high,
            )
            assert row[3].value == one.equivalence.p_tost
            assert (row[2].value == "yes") == one.equivalence.equivalent


def test_how_it_was_computed_can_be_repeated(small: ReportData, report: Report) -> None:
    made = section(report, "computed")
    code = [one.text for one in inside(made) if isinstance(one, Code)]
    assert small.experiment in code
    assert sum("Definition" in text for text in code) == len(small.panels[0].measures)
    listed = [one.rows for one in inside(made) if isinstance(one, Facts)]
    facts = {key: value for rows in listed[:-1] for key, value in rows}
    assert facts["Digest of the dataset"] == small.panels[0].entry.digest
    assert facts["Seed"] == "1234"
    assert facts["Margin"] == "0.01 on measures from 0 to 1"
    assert "numpy" in facts
    assert "cores" in facts
    (files,) = tables(made, "files")
    assert {row[0].value for row in files.rows} == set(small.manifest.files)
    (stages,) = tables(made, "stages")
    searched = rows_of(stages)["bm25"]["search s"].value
    assert searched == small.panels[0].entries["bm25"].search_seconds


def test_the_command_can_be_pasted(small: ReportData) -> None:
    manifest = small.manifest.model_copy(update={"command": ("ragscore", "run", "my config.yaml")})
    made = section(build(replace(small, manifest=manifest)), "computed")
    assert Code("ragscore run 'my config.yaml'", "sh") in made.blocks
    argv = ["/home/me/ragscore/__main__.py", "run", "x.yaml"]
    made = section(
        build(replace(small, manifest=manifest.model_copy(update={"command": argv}))), "computed"
    )
    assert Code("python -m ragscore run x.yaml", "sh") in made.blocks


def test_several_datasets_have_their_unweighted_average(data_of: Data, small: ReportData) -> None:
    data = data_of("two-datasets")
    report = build(data)
    wanted = open_result(data.folder).scores.averages()
    shown = {(one.retriever, one.measure): one.value for one in wanted}
    assert shown
    for panel, prefix in ((0, ""), (1, "d1-")):
        (table,) = tables(section(report, "measures", panel), f"{prefix}average")
        assert table.title == "Average of 2 datasets, unweighted"
        found = {
            (name, measure): cell.value
            for name, row in rows_of(table).items()
            for measure, cell in row.items()
            if measure != "retriever"
        }
        assert found == pytest.approx(shown)
        assert all(cell.interval == "" for row in table.rows for cell in row)
    assert not tables(section(build(small), "measures"), "average")


def test_times_from_the_cache_are_marked(small: ReportData) -> None:
    panel = small.panels[0]
    cached, timed, *_ = panel.retrievers
    entry = panel.entries[cached]
    assert entry.latency is not None
    latency = replace(entry.latency, from_cache=True)
    entry = entry.model_copy(update={"run_from_cache": True, "latency": latency})
    listed = [entry, *(one for one in small.manifest.retrievers if one.name != cached)]
    manifest = small.manifest.model_copy(update={"retrievers": tuple(listed)})
    changed = panel.holding(entries={**panel.entries, cached: entry})
    report = build(replace(small, panels=(changed,), manifest=manifest))
    for name, column, place in (
        ("leaderboard", "latency p50 ms", "verdict"),
        ("stages", "p50 ms", "computed"),
    ):
        table = tables(section(report, place), name)[0]
        rows = rows_of(table)
        assert (rows[cached][column].mark, rows[timed][column].mark) == (EARLIER, "")
        assert any(note.startswith(f"{EARLIER} timed in an earlier run") for note in table.notes)
        plain = tables(section(build(small), place), name)[0]
        assert not any("earlier" in note for note in plain.notes)
    facts = next(one for one in section(report, "computed").blocks if isinstance(one, Facts))
    told = dict(facts.rows)["Time of the whole run"]
    assert told.endswith(" s; what came from the cache was not computed again")


@pytest.mark.parametrize(("primary", "told"), [("R(relevant_from=2)@10", ["2"]), ("R@10", [])])
def test_failures_say_from_which_grade_a_passage_is_relevant(
    small: ReportData, primary: str, told: list[str]
) -> None:
    made = failures(small, small.panels[0].holding(primary=primary))
    assert made is not None
    texts = [one.text for one in made.blocks if isinstance(one, Paragraph)]
    found = [text for text in texts if text.startswith("A passage is relevant here from grade")]
    assert [text.split("grade ")[1].split()[0] for text in found] == told
