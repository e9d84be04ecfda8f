"""run_experiment on real retrievers: what the folder holds, and what a second run does."""

from __future__ import annotations

import json
from pathlib import Path

import jsonschema
import numpy as np
import polars
import pytest

import ragscore
from ragscore import Cache, load_experiment, load_run, run_experiment
from ragscore.errors import ConfigError
from ragscore.results.manifest_file import read_document
from ragscore.results.summary import summary_schema
from tests.factories.house import PASSAGES, TWO, write_config, write_dataset


def test_the_folder_says_everything(tmp_path: Path) -> None:
    write_dataset(tmp_path / "data")
    experiment = load_experiment(write_config(tmp_path, TWO, report=True))
    result = run_experiment(experiment, output=tmp_path / "out")
    folder = result.folder
    assert folder == tmp_path / "out"
    written = sorted(p.relative_to(folder).as_posix() for p in folder.rglob("*") if p.is_file())
    assert [name for name in written if not name.startswith("report")] == [
        "comparison.json",
        "comparison.md",
        "experiment.yaml",
        "manifest.json",
        *(
            f"runs/{name}.{kind}"
            for name in ("bm25", "both", "words")
            for kind in ("parquet", "trec")
        ),
        "scores.parquet",
        "summary.csv",
        "summary.json",
    ]
    assert {"report.html", "report/report.md"} <= {name for name in written if "report" in name}
    summary = json.loads((folder / "summary.json").read_text(encoding="utf-8"))
    jsonschema.Draft202012Validator.check_schema(summary_schema())
    jsonschema.validate(summary, summary_schema())
    assert summary["schema"] == 1
    assert [row["measure"] for row in summary["results"][:4]] == ["nDCG@3", "AP@3", "R@4", "MR"]
    assert [row["label"] for row in summary["results"][:4]] == ["nDCG@3", "mAP@3", "R@4", "MR"]
    counts = summary["counts"][0]
    assert (counts["queries"], counts["empty"], counts["missing"]) == (4, 1, 0)
    means = polars.read_csv(folder / "summary.csv")
    assert means["value"].to_list() == [row["value"] for row in summary["results"]]
    per_query = polars.read_parquet(folder / "scores.parquet")
    assert per_query.columns == ["dataset", "retriever", "query", "measure", "value"]
    assert len(per_query) == 3 * 4 * 4
    mean = per_query.filter(retriever="bm25", measure="nDCG@3")["value"].mean()
    assert mean == pytest.approx(summary["results"][0]["value"], abs=1e-15)


def test_the_manifest_explains_the_run(tmp_path: Path) -> None:
    write_dataset(tmp_path / "data")
    result = run_experiment(load_experiment(write_config(tmp_path, TWO)), output=tmp_path / "out")
    manifest = read_document(tmp_path / "out")
    assert manifest["datasets"][0]["passages"] == 5
    assert manifest["versions"]["bm25s"]
    for entry in manifest["retrievers"]:
        assert entry["status"] == "complete"
        assert entry["depth"] <= 4
        assert entry["search_seconds"] > 0
        assert entry["queries_per_second"] > 0
        assert 0 < entry["latency"]["p50_ms"] <= entry["latency"]["p95_ms"]
        assert entry["trec"] == {"written": True, "reason": None, "scores": entry["trec"]["scores"]}
    assert result.manifest.config_digest == manifest["config_digest"]


def test_the_resolved_config_gives_the_same_result(tmp_path: Path) -> None:
    write_dataset(tmp_path / "data")
    first = run_experiment(load_experiment(write_config(tmp_path, TWO)), output=tmp_path / "one")
    again = load_experiment(tmp_path / "one" / "experiment.yaml")
    second = run_experiment(again, output=tmp_path / "elsewhere" / "two")
    assert second.to_dict() == first.to_dict()
    assert second.manifest.config_digest == first.manifest.config_digest


def test_recorded_runs_replay_to_the_same_numbers(tmp_path: Path) -> None:
    write_dataset(tmp_path / "data")
    first = run_experiment(load_experiment(write_config(tmp_path, TWO)), output=tmp_path / "out")
    body = (
        "dataset: data\nretrievers:\n"
        "  parquet: {kind: recorded, run: out/runs/both.parquet}\n"
        "  trec: {kind: recorded, run: out/runs/both.trec}\n"
        "measures: [nDCG@3, mAP@3, R@depth, MR]\ndepth: 4\n"
    )
    replayed = run_experiment(load_experiment(write_config(tmp_path, body)), output=tmp_path / "r")
    wanted = first.to_dict()["data"]["both"]
    assert replayed.to_dict()["data"] == {"parquet": wanted, "trec": wanted}


def test_a_second_run_searches_nothing_and_says_so(tmp_path: Path) -> None:
    write_dataset(tmp_path / "data")
    experiment = load_experiment(write_config(tmp_path, TWO))
    cache = Cache(tmp_path / "cache")
    first = run_experiment(experiment, output=tmp_path / "one", cache=cache)
    fresh = Cache(tmp_path / "cache")
    second = run_experiment(experiment, output=tmp_path / "two", cache=fresh)
    assert fresh.writes == 0
    assert not any(stage.run_from_cache for stage in first.stages.values())
    assert all(stage.run_from_cache for stage in second.stages.values())
    assert second.to_dict() == first.to_dict()
    for key, run in first.runs.items():
        np.testing.assert_array_equal(run.rows, second.runs[key].rows)
        assert second.stages[key].latency == first.stages[key].latency

    other = load_experiment(
        write_config(tmp_path, TWO.replace("[nDCG@3, mAP@3, R@depth, MR]", "[P@2]"))
    )
    third = run_experiment(other, output=tmp_path / "three", cache=fresh)
    assert all(stage.run_from_cache for stage in third.stages.values())
    assert fresh.writes == 1, "other measures search nothing; only scores.parquet is new"


def test_several_datasets_are_averaged_and_never_pooled(tmp_path: Path) -> None:
    write_dataset(tmp_path / "one")
    write_dataset(tmp_path / "two")
    with (tmp_path / "two" / "passages.jsonl").open("a", encoding="utf-8") as file:
        file.write('{"id": "more", "text": "rent"}\n')
    measures = "measures: [nDCG@3, R@depth]\n"
    body = f"datasets: [one, two]\nretrievers: {{bm25: {{kind: bm25}}}}\n{measures}depth: 9\n"
    result = run_experiment(load_experiment(write_config(tmp_path, body)), output=tmp_path / "out")
    assert (tmp_path / "out" / "runs" / "two" / "bm25.parquet").exists()
    summary = result.summary()
    assert [(row.dataset, row.measure) for row in summary.results] == [
        *(("one", "nDCG@3"), ("one", "R@5")),
        *(("two", "nDCG@3"), ("two", "R@6")),
    ]
    assert [(row.dataset, row.label) for row in summary.averages] == [
        ("average", "nDCG@3"),
        ("average", "R@depth"),
    ]


def test_only_reports_what_is_asked_and_searches_what_it_needs(tmp_path: Path) -> None:
    write_dataset(tmp_path / "data")
    experiment = load_experiment(write_config(tmp_path, TWO))
    result = run_experiment(experiment, output=tmp_path / "out", only=["both"])
    assert result.scores.retrievers == ["both"]
    full = run_experiment(experiment, output=tmp_path / "full")
    assert full.to_dict()["data"]["both"] == result.to_dict()["data"]["both"]
    with pytest.raises(ConfigError, match="Did you mean 'both'"):
        run_experiment(experiment, output=tmp_path / "out2", only=["bot"])


def test_only_is_written_as_it_was_run(tmp_path: Path) -> None:
    write_dataset(tmp_path / "data")
    body = TWO.replace("  both:", "  other: {kind: bm25, k1: 2}\n  both:")
    experiment = load_experiment(write_config(tmp_path, body))
    for only, names in (
        ((), ["bm25", "words", "other", "both"]),
        (["both"], ["bm25", "words", "both"]),
    ):
        folder = run_experiment(experiment, output=tmp_path / str(len(names)), only=only).folder
        assert folder is not None
        manifest = read_document(folder)
        written = load_experiment(folder / "experiment.yaml")
        assert list(written.retrievers) == names
        assert manifest["only"] == (only or None)
        assert manifest["config_digest"] == written.digest()


def test_depth_is_cut_to_the_corpus_with_a_note(tmp_path: Path) -> None:
    write_dataset(tmp_path / "data")
    body = TWO.replace("depth: 4", "depth: 100")
    result = run_experiment(load_experiment(write_config(tmp_path, body)), output=tmp_path / "out")
    assert any("depth 100 is cut to 5" in str(note) for note in result.notes)
    assert "R@5" in result.to_dict()["data"]["bm25"]


def test_ids_with_spaces_survive_and_have_no_trec_file(tmp_path: Path) -> None:
    names = {passage: f"금융 - {passage}.pdf - 4" for passage in PASSAGES}
    write_dataset(tmp_path / "data", names)
    result = run_experiment(load_experiment(write_config(tmp_path, TWO)), output=tmp_path / "out")
    assert not (tmp_path / "out" / "runs" / "bm25.trec").exists()
    entry = read_document(tmp_path / "out")["retrievers"][0]
    assert entry["trec"]["written"] is False
    assert "white space" in entry["trec"]["reason"]
    # one for all retrievers
    (note,) = [note for note in map(str, result.notes) if "white space" in note]
    assert note.startswith("data, bm25, words, both: no TREC file: ")
    back = load_run(tmp_path / "out" / "runs" / "bm25.parquet")
    assert back.to_dict() == result.runs["data", "bm25"].to_dict()


@pytest.mark.parametrize(
    "name",
    [
        "../out",
        "/elsewhere/out",
        "a/b",
        "a\\b",
        ".hidden",
        "x" * 201,
        "",
        "a:b",
        "x ",
    ],
)
def test_a_dataset_cannot_write_outside_the_result(tmp_path: Path, name: str) -> None:
    write_dataset(tmp_path / "one")
    write_dataset(tmp_path / "two")
    body = (
        f"datasets: [one, {{path: two, name: {json.dumps(name)}}}]\n"
        "retrievers: {bm25: {kind: bm25}}\nmeasures: [P@1]\ndepth: 4\n"
    )
    with pytest.raises(ConfigError, match=r"\bname\b"):
        load_experiment(write_config(tmp_path, body))
    with pytest.raises(ConfigError, match=r"\bname\b"):
        ragscore.load_dataset(tmp_path / "one", name=name)


def test_a_dataset_has_no_name_that_windows_reserves(tmp_path: Path) -> None:
    for name in ("con", "NUL.x"):
        write_dataset(tmp_path / name)
        assert ragscore.load_dataset(tmp_path / name).name == f"_{name}"
        with pytest.raises(ConfigError, match="Windows reserves this name"):
            ragscore.load_dataset(tmp_path / name, name=name)
