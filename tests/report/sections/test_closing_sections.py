"""The sections of notes, judgments, times, and how to compute it all again."""

from __future__ import annotations

from dataclasses import replace

import pytest

from ragscore.elements import Code, Facts, Paragraph
from ragscore.elements.cells import EARLIER
from ragscore.messages import _, few_names, text_of
from ragscore.report.report import Report
from ragscore.report.sections.curves import curves
from ragscore.results.manifest import RetrieverEntry
from tests.factories.built_report import (
    Data,
    inside,
    of_datasets,
    rows_of,
    section,
    tables,
    with_manifest,
)


def test_notes_list_few_names_and_short_ones(small: Report) -> None:
    (panel,) = small.result
    names = ["x" * 800, *(f"measure {number}" for number in range(6))]
    assert str(few_names(names)) == (
        f"{'x' * 39}…, measure 0, measure 1, measure 2, measure 3 and 2 more"
    )
    assert text_of(few_names(names[1:]), "ko").endswith("measure 4 외 1개")
    noted = {
        f"r{number}": replace(
            panel.tunings["bm25"], retriever=f"r{number}", notes=(_("the best value"),)
        )
        for number in range(7)
    }
    entries = [RetrieverEntry(dataset="", name=name, status="complete") for name in noted]
    manifest = small.result.manifest.model_copy(update={"retrievers": tuple(entries)})
    made = curves(
        with_manifest(small, manifest),
        panel.holding(retrievers=tuple(noted), tunings=noted, curves=noted),
    )
    notes = [str(one.text) for one in inside(made) if isinstance(one, Paragraph)]
    assert any(note.startswith("r0, r1, r2, r3, r4 and 2 more: the best value") for note in notes)


def test_judgments_show_every_count(small: Report, report: Report) -> None:
    panel = small.result.dataset_results[0]
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


def test_how_it_was_computed_can_be_repeated(small: Report, report: Report) -> None:
    made = section(report, "computed")
    code = [one.text for one in inside(made) if isinstance(one, Code)]
    assert small.result.experiment_text in code
    assert sum("Definition" in text for text in code) == len(
        small.result.dataset_results[0].measures
    )
    listed = [one.rows for one in inside(made) if isinstance(one, Facts)]
    facts = {key: value for rows in listed[:-1] for key, value in rows}
    assert facts["Dataset digest"] == small.result.dataset_results[0].entry.digest
    assert facts["Seed"] == "1234"
    assert facts["Margin"] == "0.01 on measures from 0 to 1"
    assert "numpy" in facts
    assert "cores" in facts
    (files,) = tables(made, "files")
    assert {row[0].value for row in files.rows} == set(small.result.manifest.files)


def test_the_command_can_be_pasted(small: Report) -> None:
    manifest = small.result.manifest.model_copy(
        update={"command": ("ragscore", "run", "my config.yaml")}
    )
    made = section(with_manifest(small, manifest), "computed")
    assert Code("ragscore run 'my config.yaml'", "sh") in made.elements
    argv = ["/home/me/ragscore/__main__.py", "run", "x.yaml"]
    made = section(with_manifest(small, manifest.model_copy(update={"command": argv})), "computed")
    assert Code("python -m ragscore run x.yaml", "sh") in made.elements


@pytest.mark.slow
def test_several_datasets_have_their_unweighted_average(data_of: Data, small: Report) -> None:
    report = data_of("two-datasets")
    wanted = report.result.scores.averages()
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
    assert not tables(section(small, "measures"), "average")


def test_times_from_the_cache_are_marked(small: Report) -> None:
    panel = small.result.dataset_results[0]
    cached, timed, *_ = panel.retrievers
    entry = panel.entries[cached]
    assert entry.latency is not None
    latency = replace(entry.latency, from_cache=True)
    entry = entry.model_copy(update={"run_from_cache": True, "latency": latency})
    listed = [entry, *(one for one in small.result.manifest.retrievers if one.name != cached)]
    manifest = small.result.manifest.model_copy(update={"retrievers": tuple(listed)})
    changed = panel.holding(entries={**panel.entries, cached: entry})
    report = of_datasets(with_manifest(small, manifest), changed)
    for name, column, place, note in (
        ("leaderboard", "latency p50 ms", "verdict", "timed in an earlier run"),
        ("cost", "p50 ms", "cost", "measured in an earlier run"),
    ):
        table = tables(section(report, place), name)[0]
        rows = rows_of(table)
        assert (rows[cached][column].mark, rows[timed][column].mark) == (EARLIER, "")
        said = [*table.notes, f"{EARLIER} {str(rows[cached][column].hint).partition(', ')[2]}"]
        assert any(line.startswith(f"{EARLIER} {note}") for line in said)
        plain = tables(section(small, place), name)[0]
        assert not any(EARLIER in line for line in plain.notes)
    facts = next(one for one in section(report, "computed").elements if isinstance(one, Facts))
    told = dict(facts.rows)["Total run time"]
    assert told.endswith(" s, not counting what came from the cache")
