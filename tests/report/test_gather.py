"""report_data(): what sections read is what the public functions say, and gaps are told."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ragscore.blocks import Paragraph
from ragscore.cli.compare_report import compared_result
from ragscore.comparison import CompareOptions, compare
from ragscore.comparison.overlap import overlaps
from ragscore.comparison.slices import slices
from ragscore.dataset import Queries
from ragscore.dataset.labels import clusters_of, labels
from ragscore.diagnose import causes
from ragscore.errors import DataError
from ragscore.models import Query
from ragscore.report.build import build
from ragscore.report.data import report_data
from ragscore.report.options import ReportOptions
from ragscore.report.sections import SECTIONS
from ragscore.results import DatasetResult, open_result
from ragscore.results.places import result_at
from ragscore.results.slicing import automatic_keys
from ragscore.scoring import Scores
from ragscore.tuning import TuneOptions, tune
from tests.factories.built_report import in_english, section
from tests.factories.results import Row, bm25, ran, written
from tests.factories.scores import rounded_slices

Made = Callable[[str], Path]

PASSAGES: list[Row] = [
    {"id": f"p{number}", "text": f"word{number} word{number % 4} shared and more of it {number}"}
    for number in range(24)
]
QUERIES: list[Row] = [
    {
        "id": f"q{number}",
        "text": f"word{number} word{number % 3}",
        "tags": [f"kind:{'ab'[number % 2]}"],
        "metadata": {"part": f"part {number // 2}", "own": f"value {number}", "all": "same"},
    }
    for number in range(20)
]
TRUTH: list[Row] = [
    {"query_id": f"q{number}", "passages": {f"p{number}": 1, f"p{number % 4}": number % 2}}
    for number in range(4, 20)
]
TWO: dict[str, Row] = {"one": bm25(), "two": bm25(k1=0.2, b=0.9)}


def tiny(folder: Path, **parts: Any) -> Path:
    """The result of a small experiment; its dataset stands in ``folder / "data"``."""
    written(folder / "data", PASSAGES, QUERIES, TRUTH)
    given = {"retrievers": TWO, "measures": ["RR@5", "P@3"], "depth": 10, "latency": False}
    return ran(folder, "tiny", [folder / "data"], **{**given, **parts})


def panel_of(folder: Path, **options: Any) -> DatasetResult:
    (panel,) = report_data(open_result(folder), ReportOptions(**options)).panels
    return panel


def part_of(folder: Path, dataset: str, primary: str) -> Scores:
    """The scores of one dataset with a measure listed first."""
    result = open_result(folder)
    own = next(one for one in result.scores.entries if one.dataset == dataset)
    order = sorted(map(str, own.measures), key=lambda measure: measure != primary)
    return Scores(tuple(one for one in result.scored(order).entries if one.dataset == dataset))


# What is compared.


@pytest.mark.parametrize(("kind", "language"), [("small", "en"), ("two-datasets", "ko")])
def test_every_choice_is_what_compare_says(kind: str, language: Any, result_of: Made) -> None:
    data = report_data(open_result(result_of(kind)), ReportOptions(language=language))
    for panel in data.panels:
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
    (said_of_kind,) = slices(
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
        assert panel.comparisons[baseline, "RR@5"].verdict.text
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
        "The baseline broken has no run here; all pairs are compared, and tables show the others "
        "against one.",
    )
    assert "no connection" in panel.failures["broken"]


def test_choices_are_shortened_so_that_a_page_holds_them(tmp_path: Path) -> None:
    many = {f"r{number}": bm25(k1=0.1 + number / 10) for number in range(13)}
    measures = ["RR@5", "P@3", "R@3", "nDCG@3", "AP@3"]
    panel = panel_of(tiny(tmp_path, retrievers=many, measures=measures))
    assert (len(panel.baselines), panel.primaries) == (13, tuple(measures[:4]))
    assert len(panel.comparisons) == 52
    assert [len(one.measures) for one in panel.comparisons.values()] == [5] * 52
    (note,) = in_english(panel.notes_on("measures"))
    assert note.startswith("Of 5 measures, the first 4 can be chosen as primary")


def test_one_retriever_has_means_and_curves_and_nothing_to_compare(result_of: Made) -> None:
    panel = panel_of(result_of("one-retriever"))
    assert (panel.comparisons, panel.pairs, panel.overlap) == ({}, {}, ())
    assert panel.notes == ()
    assert not any(panel.notes_on(section) for section in SECTIONS)
    other = panel_of(result_of("small"))
    (alone,), (of,) = panel.slices["bm25"], other.slices["bm25"]
    assert alone.by == of.by == "kind"
    for one, same in zip(alone.slices, of.slices, strict=True):
        assert (one.value, one.n) == (same.value, same.n)
        for measure, again in zip(one.measures, same.measures, strict=True):
            assert (measure.measure, measure.swaps, measure.gaps) == (again.measure, (), ())
            assert repr(measure.means) == repr(again.means[:1])
    assert repr(panel.means["nDCG@10"]["bm25"]) == repr(other.means["nDCG@10"]["bm25"])
    assert list(panel.tunings) == ["bm25"]
    assert panel.causes is not None


# What stands beside.


def test_slices_are_those_of_slices_for_every_baseline(tmp_path: Path) -> None:
    folder = tiny(tmp_path, compare={"slices": ["kind", "part", "own"], "resamples": 1000})
    # Tags and metadata may be added and taken away: no result depends on them.
    changed = [{**one, "metadata": {"part": one["metadata"]["part"]}} for one in QUERIES]
    shutil.rmtree(tmp_path / "data")
    written(tmp_path / "data", PASSAGES, changed, TRUTH)
    panel = panel_of(folder)
    assert panel.data is not None
    assert in_english(panel.notes_on("slices")) == (
        "No slices by 'own': no query has a tag or metadata 'own'",
    )
    assert list(panel.slices) == ["one", "two"]
    for baseline, found in panel.slices.items():
        said = slices(
            panel.scores,
            panel.data.queries,
            ["kind", "part"],
            panel.options.model_copy(update={"baseline": baseline}),
        )
        assert [one.by for one in found] == ["kind", "part"]
        # Sums of differences are added in another order: the last digit may differ.
        assert [rounded_slices(one) for one in found] == [rounded_slices(one) for one in said]


@pytest.mark.parametrize(
    ("tags", "metadata", "keys"),
    [
        # A value for each query, and one for all, part nothing.
        (lambda n: [], lambda n: {"half": n // 10, "own": n, "all": 1, "few": n // 7}, "half few"),
        # Tags say what their prefix says.
        (lambda n: [f"kind:{'ab'[n % 2]}"], lambda n: {}, "kind"),
        (lambda n: [f"kind:{'ab'[n % 2]}", "plain"], lambda n: {}, "kind"),
        # So do those that part the queries as another key does; the others are left.
        (lambda n: ["odd" if n % 2 else "even"], lambda n: {"kind": "ab"[n % 2]}, "kind"),
        (lambda n: ["ab"[n % 2], *["few"] * (n < 4)], lambda n: {"kind": n % 2}, "kind tags"),
        (lambda n: ["even" if n % 2 else "odd"], lambda n: {"part": "x"}, "tags"),
        # Of many tags those of ten queries or more count.
        (lambda n: [f"rare {n}", "odd" if n < 10 else "even"], lambda n: {}, "tags"),
        (lambda n: [f"rare {n}"], lambda n: {"nested": {"a": n}, "null": None}, ""),
        (lambda n: [], lambda n: {}, ""),
    ],
)
def test_keys_that_part_the_queries_well_are_sliced_by_unasked(
    tags: Callable[[int], list[str]], metadata: Callable[[int], Row], keys: str
) -> None:
    ids = [f"q{number}" for number in range(20)]
    queries = Queries.from_rows(
        Query(id=one, text="?", tags=tags(number), metadata=metadata(number))
        for number, one in enumerate(ids)
    )
    found, left, left_out = automatic_keys(queries, ids)
    assert found == tuple(keys.split())
    if "rare 0" in tags(0) and keys:
        assert left_out == ("result_frequent_tags",)
        assert labels(left, "tags") == {one: tuple(tags(n)[1:]) for n, one in enumerate(ids)}
    elif keys == "kind tags":
        assert left_out == ("result_same_tags",)
        assert labels(left, "tags") == dict.fromkeys(ids[:4], ("few",))
        assert labels(left, "kind") == labels(queries, "kind")
    else:
        assert left is queries


def test_unasked_slices_say_which_tags_they_leave_out(tmp_path: Path) -> None:
    tagged = [
        {**one, "tags": [f"rare {number}", "early" if number < 10 else "late"], "metadata": {}}
        for number, one in enumerate(QUERIES)
    ]
    truth = [{"query_id": f"q{number}", "passages": {f"p{number}": 1}} for number in range(20)]
    written(tmp_path / "data", PASSAGES, tagged, truth)
    folder = ran(tmp_path, "tiny", [tmp_path / "data"], retrievers=TWO, measures=["RR@5"])
    panel = panel_of(folder)
    (tags,) = panel.slices["two"]
    assert [one.value for one in tags.slices] == ["early", "late"]
    assert panel.notes == ()
    told = "Slices by tag are those of tags that 10 queries or more have."
    assert {one: in_english(panel.notes_on(one)) for one in SECTIONS if panel.notes_on(one)} == {
        "slices": (told,)
    }
    for one in ("slices", "judgments"):
        made = section(build(report_data(open_result(folder))), one)
        assert (Paragraph(told, "note") in made.blocks) == (one == "slices")


def test_overlap_causes_and_curves_are_what_their_functions_say(result_of: Made) -> None:
    panel, result = panel_of(result_of("small")), open_result(result_of("small"))
    data, name = result.dataset(), result.datasets[0]
    runs = {one: result.run(name, one).renamed(one) for one in result.retrievers}
    assert repr(panel.overlap) == repr(overlaps(list(runs.values()), data.qrels, panel.scores))
    asked = panel.scores.entries[0].query_ids
    told = causes(runs, data, asked, k=10)
    assert panel.causes is not None
    assert panel.k == 10
    for one, run in runs.items():
        np.testing.assert_array_equal(panel.causes.of[one], told.of[one])
        tuning = tune(run, data, TuneOptions(measures=["P", "R", "F1", "nDCG"]))
        assert panel.tunings[one].to_dict() == tuning.to_dict()
        assert panel.tunings[one].context is not None
        assert panel.runs[one].to_dict() == run.to_dict()


def test_the_overlap_reads_the_rankings_that_were_scored(tmp_path: Path) -> None:
    passages = [{**row, "title": row["text"]} for row in PASSAGES]
    passages += [{"id": row["id"], "title": "", "text": row["text"]} for row in QUERIES]
    written(tmp_path / "data", passages, QUERIES, TRUTH)
    # One returns the query itself, which the profile drops, and two never does.
    two = {"one": bm25(), "two": bm25(fields=["title"])}
    parts: dict[str, Any] = {"retrievers": two, "measures": ["R@10"], "depth": 12}
    panel = panel_of(ran(tmp_path, "self", [tmp_path / "data"], profile="beir", **parts))
    result = open_result(tmp_path / "result")
    assert panel.data is not None
    judged = panel.data.qrels, panel.scores
    recorded = overlaps([result.run("data", one).renamed(one) for one in TWO], *judged)
    (pair,) = panel.overlap
    assert (pair,) == overlaps(list(panel.runs.values()), *judged)
    assert pair.rbo != recorded[0].rbo
    # So does comparison.json, and ``ragscore compare`` of the folder.
    text = (tmp_path / "result" / "comparison.json").read_text(encoding="utf-8")
    assert json.loads(text)["overlap"]["data"][0]["rbo"] == pair.rbo
    result = result_at(tmp_path / "result")
    assert compared_result(result, {}, []).overlap == {"data": (pair,)}


def test_k_is_chosen_as_the_experiment_says(tmp_path: Path) -> None:
    folder = tiny(tmp_path, tune={"rule": "recall", "target": 0.5, "language": "en"})
    tunings = panel_of(folder, language="ko").tunings
    for tuning in tunings.values():
        assert (tuning.options.rule, tuning.options.target) == ("recall", 0.5)
        assert tuning.setting is None or tuning.sentence_in("ko").startswith("k")
        assert {str(measure) for measure in tuning.curves} == {"P", "R", "F1", "nDCG"}


def test_a_score_cut_is_advised_as_it_was_and_drawn_against_k(tmp_path: Path) -> None:
    folder = tiny(tmp_path, tune={"by": "score", "rule": "recall", "target": 0.5})
    panel = panel_of(folder)
    asked = {one.retriever: one for one in open_result(folder).tunings}
    for name, tuning in panel.tunings.items():
        assert tuning.thresholds.by == "score"
        assert tuning.sentence == asked[name].sentence
    assert [one.thresholds.by for one in panel.curves.values()] == ["k"] * len(panel.tunings)
    assert {one.state for one in panel.curves.values()} == {"no rule"}


# Datasets that are gone, changed, or there already.


def test_without_its_dataset_all_that_was_recorded_is_still_told(tmp_path: Path) -> None:
    measures = ["RR@5", "P@3", "P(average=micro,denominator=min)@3"]
    folder = tiny(tmp_path, measures=measures)
    whole = panel_of(folder)
    assert whole.measures == (*measures[:2], "P(denominator=min,average=micro)@3")
    shutil.move(tmp_path / "data", tmp_path / "elsewhere")
    panel = panel_of(folder)
    assert (panel.data, panel.causes, panel.tunings, panel.slices) == (None, None, {}, {})
    assert "is not there any more" in in_english(panel.notes)[0]
    assert in_english(panel.notes)[1].endswith(
        "only be told with the dataset: " + whole.measures[2] + "."
    )
    assert panel.measures == ("RR@5", "P@3")
    for key, found in panel.comparisons.items():
        assert found.verdict == whole.comparisons[key].verdict
    assert panel.overlap[0].recall_first is None
    assert panel.overlap[0].jaccard == whole.overlap[0].jaccard
    assert panel.runs["one"].to_dict() == whole.runs["one"].to_dict()


def test_clusters_that_are_not_known_are_not_passed_over(tmp_path: Path) -> None:
    folder = tiny(tmp_path, compare={"cluster": "part"})
    with (tmp_path / "data" / "queries.jsonl").open("a", encoding="utf-8") as file:
        file.write('{"id": "new", "text": "?"}\n')
    panel = panel_of(folder)
    assert panel.comparisons == {}
    assert "has changed since" in in_english(panel.notes)[0]
    assert in_english(panel.notes)[1].startswith(
        "Not compared: queries are taken in clusters by 'part'"
    )


def test_a_dataset_in_memory_is_not_read_again(tmp_path: Path) -> None:
    folder = tiny(tmp_path)
    data = open_result(folder).dataset()
    shutil.rmtree(tmp_path / "data")
    opened = open_result(folder, datasets={"data": data})
    (panel,) = report_data(opened).panels
    assert panel.data is data
    queries = data.queries.select(range(5))
    with pytest.raises(DataError, match="the dataset has changed"):
        open_result(folder, datasets={"data": replace(data, queries=queries)})
    with pytest.raises(DataError, match="no dataset is named 'other'"):
        open_result(folder, datasets={"other": data})


def test_datasets_have_their_own_panels(result_of: Made) -> None:
    data = report_data(open_result(result_of("two-datasets")))
    assert [panel.index for panel in data.panels] == [0, 1]
    assert [panel.dataset for panel in data.panels] == ["harbour-tenancy", "insurer-handbook-ko"]
    for panel in data.panels:
        assert panel.entry.name == panel.dataset
        assert panel.scores.datasets == [panel.dataset]
        assert panel.data is not None
        assert panel.data.name == panel.dataset
    assert data.retrievers == ("words", "flat", "blanks")


def test_what_came_before_is_read_and_not_compared(tmp_path: Path) -> None:
    first = tiny(tmp_path / "a", description="the first")
    shutil.copytree(tmp_path / "a" / "data", tmp_path / "b" / "data")
    second = ran(
        tmp_path / "b", "tiny", [tmp_path / "b" / "data"], retrievers=TWO, measures=["RR@5"]
    )
    data = report_data(open_result(second), before=open_result(first))
    assert data.before is not None
    assert (data.description, data.before.description) == ("", "the first")
    (now,), (then,) = data.panels, data.before.panels
    assert then.data is now.data
    assert "every" not in vars(then)
    assert then.scores.retrievers == ["one", "two"]
    assert set(then.runs) == {"one", "two"}
