"""Datasets are compared as the experiment says, for every baseline and measure."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from ragscore.comparison import CompareOptions, compare
from ragscore.dataset.labels import clusters_of
from ragscore.report.options import ReportOptions
from ragscore.report.report import Report
from ragscore.report.sections import SECTIONS
from ragscore.results import open_result
from ragscore.scoring import Scores
from tests.factories.built_report import in_english
from tests.factories.results import bm25, written
from tests.factories.scores import rounded_slices, slices_of
from tests.factories.tiny_results import PASSAGES, QUERIES, TRUTH, Made, panel_of, tiny


def part_of(folder: Path, dataset: str, primary: str) -> Scores:
    """The scores of one dataset with a measure listed first."""
    result = open_result(folder)
    own = next(one for one in result.scores.entries if one.dataset == dataset)
    order = sorted(map(str, own.measures), key=lambda measure: measure != primary)
    return Scores(tuple(one for one in result.scored(order).entries if one.dataset == dataset))


# What is compared.


@pytest.mark.parametrize(
    ("kind", "language"),
    [("small", "ko"), pytest.param("two-datasets", "en", marks=pytest.mark.slow)],
)
def test_every_choice_is_what_compare_says(kind: str, language: Any, result_of: Made) -> None:
    data = Report(open_result(result_of(kind)), ReportOptions(language=language))
    for panel in data.result.dataset_results:
        assert set(panel.comparisons) == {(b, p) for b in panel.baselines for p in panel.primaries}
        assert set(panel.primaries) == set(panel.measures)
        for (baseline, primary), found in panel.comparisons.items():
            said = compare(
                part_of(result_of(kind), panel.dataset, primary),
                CompareOptions(),
                latency=panel.latency,
            ).datasets[0]
            assert found.verdict == said.verdict
            assert (found.to_dict() == said.to_dict()) == (baseline == panel.baseline)
            assert repr(panel.means[primary]) == repr(said[primary].means)


def test_clusters_are_honoured(tmp_path: Path) -> None:
    folder = tiny(tmp_path, compare={"cluster": "part", "resamples": 500})
    panel = panel_of(folder)
    assert panel.data is not None
    said = compare(
        part_of(folder, "data", "P@3"),
        panel.options,
        clusters=clusters_of(panel.data.queries, "part"),
        identical={"data": panel.identical},
    ).datasets[0]
    assert said.clusters == 8
    assert panel.comparisons["one", "P@3"].to_dict() == said.to_dict()
    clusters = clusters_of(panel.data.queries, "part")
    (said_of_kind,) = slices_of(
        panel.scores, panel.data.queries, ["kind"], panel.options, clusters=clusters
    )
    assert rounded_slices(panel.slices["one"][1]) == rounded_slices(said_of_kind)


@pytest.mark.parametrize(
    ("asked", "baseline", "note"),
    [
        (False, "one", ""),
        ({"baseline": "two", "margin": 0.3}, "two", ""),
        ({"cluster": "all"}, "one", "Not compared: data: all 16 queries are in one cluster"),
        ({"slices": ["kind"]}, "one", ""),
    ],
    ids=str,
)
def test_recorded_options_are_read(tmp_path: Path, asked: Any, baseline: str, note: str) -> None:
    panel = panel_of(tiny(tmp_path, compare=asked))
    assert (panel.baseline, panel.baselines[0]) == (baseline, baseline)
    assert panel.options.margin == (asked.get("margin") if asked else None)
    if note:
        assert (panel.comparisons, panel.slices) == ({}, {})
        assert in_english(panel.notes)[0].startswith(note)
    else:
        assert next(iter(panel.comparisons)) == (baseline, "RR@5")
        assert panel.comparisons[baseline, "RR@5"].verdict.recommended
        assert panel.notes == ()


def test_a_baseline_without_a_run_gives_way_to_the_first(tmp_path: Path) -> None:
    broken = {"kind": "custom", "use": "raises_in_gather:retrieve"}
    (tmp_path / "raises_in_gather.py").write_text(
        "def retrieve(query, k):\n    raise RuntimeError('no connection')\n", encoding="utf-8"
    )
    written(tmp_path / "data", PASSAGES, QUERIES, TRUTH)
    from ragscore import load_experiment, run_experiment

    config = tmp_path / "x.yaml"
    config.write_text(
        "dataset: data\nmeasures: [RR@5]\ndepth: 5\nlatency: false\nreport: false\n"
        "compare: {baseline: broken}\nretrievers:\n"
        f"  broken: {broken}\n  one: {{kind: bm25}}\n  two: {{kind: bm25, k1: 0.1}}\n",
        encoding="utf-8",
    )
    result = run_experiment(load_experiment(config), output=tmp_path / "result")
    assert result.folder is not None
    panel = panel_of(result.folder)
    assert (panel.retrievers, panel.baseline) == (("one", "two"), "one")
    assert in_english(panel.notes) == (
        "The baseline broken has no run here, so all pairs are compared, and tables compare with "
        "one.",
    )
    assert "no connection" in panel.failures["broken"]


def test_choices_are_shortened_so_that_a_page_holds_them(tmp_path: Path) -> None:
    many = {f"r{number}": bm25(k1=0.1 + number / 10) for number in range(13)}
    measures = ["RR@5", "P@3", "R@3", "nDCG@3", "AP@3"]
    panel = panel_of(tiny(tmp_path, retrievers=many, measures=measures))
    means = {name: panel.scores[name].mean("RR@5") for name in panel.retrievers[1:]}
    left_out = set(means) - set(panel.baselines)
    assert (panel.baselines[0], len(panel.baselines)) == ("r0", 6)
    assert max(means[name] for name in left_out) <= min(map(means.get, panel.baselines[1:]))
    assert panel.primaries == tuple(measures[:3])
    assert len(panel.comparisons) == 18
    assert [len(one.measures) for one in panel.comparisons.values()] == [5] * 18
    of_baselines, of_measures = in_english(panel.notes_on("measures"))
    assert "6 of 13 retrievers can be chosen as baseline" in of_baselines
    assert "first 3 of 5 measures can be chosen as primary" in of_measures


def test_one_retriever_has_means_and_curves_and_nothing_to_compare(result_of: Made) -> None:
    panel = panel_of(result_of("one-retriever"))
    assert (panel.comparisons, panel.comparison, panel.overlap) == ({}, None, ())
    assert panel.notes == ()
    assert not any(panel.notes_on(section) for section in SECTIONS)
    other = panel_of(result_of("small"))
    (alone,), (of,) = panel.slices["bm25"], other.slices["bm25"]
    assert alone.by == of.by == "kind"
    for one, same in zip(alone.slices, of.slices, strict=True):
        assert (one.value, one.n) == (same.value, same.n)
        for measure, again in zip(one.measures, same.measures, strict=True):
            assert (measure.measure, measure.swaps, measure.gaps) == (again.measure, (), ())
            assert repr(measure.means) == repr({"bm25": again.means["bm25"]})
    assert repr(panel.means["nDCG@10"]["bm25"]) == repr(other.means["nDCG@10"]["bm25"])
    assert list(panel.tunings) == ["bm25"]
    assert panel.causes is not None
