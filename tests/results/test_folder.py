"""open_result: everything comes back, and what is damaged or foreign says so."""

from __future__ import annotations

import json
import os
import shutil
from datetime import UTC, date, datetime
from decimal import Decimal
from pathlib import Path

import numpy as np
import pytest

from ragscore import BM25, Dataset, Passage, evaluate, load_run
from ragscore.errors import ConfigError, DataError
from ragscore.results import open_result
from ragscore.results.manifest_file import read_document
from tests.factories.manifests import write_manifest


def test_scores_come_back_as_they_were(written: Path) -> None:
    result = open_result(written)
    summary = json.loads((written / "summary.json").read_text(encoding="utf-8"))
    said = {
        (row["retriever"], row["measure"]): (row["value"], row["queries"], row["defined"])
        for row in summary["results"]
    }
    read = {
        (row.retriever, row.measure): (row.value, row.queries, row.defined)
        for row in result.scores.rows()
    }
    assert list(read) == list(said)
    for key, (value, queries, defined) in said.items():
        assert read[key] == (pytest.approx(value, abs=1e-12), queries, defined)
    assert result.name == "house"
    assert result.primary == "nDCG@3"
    assert result.datasets == ["data"]
    assert result.retrievers == ["bm25", "words"]
    assert list(result.failures) == [("data", "broken")]


def test_runs_data_and_latency_come_back(written: Path) -> None:
    result = open_result(written)
    run = result.run("data", "bm25")
    assert run.to_dict() == load_run(written / "runs" / "bm25.parquet").to_dict()
    assert list(run.queries) == ["q1", "q2", "q3", "q4"]
    assert len(result.dataset().queries) == 4
    assert result.dataset() is result.dataset("data")
    assert result["data"].latency["bm25"] > 0


def test_other_measures_are_computed_from_the_runs(written: Path) -> None:
    result = open_result(written)
    again = result.scored(["R@2", "nDCG@3"])
    assert [str(measure) for measure in again.measures] == ["R@2", "nDCG@3"]
    at_once = result.scored(["P@3", "nDCG@3"])
    for retriever in result.retrievers:
        recorded = result.scores[retriever].per_query("nDCG@3")
        assert again[retriever].per_query("nDCG@3") == recorded
        assert at_once[retriever].per_query("nDCG@3") == recorded
    assert [str(measure) for measure in at_once.measures] == ["P@3", "nDCG@3"]
    with pytest.raises(ConfigError, match="above the depth of 4"):
        result.scored(["R@5"])


def test_the_newest_of_several_is_opened(written: Path) -> None:
    other = shutil.copytree(written, written.with_name("two"))
    manifest = read_document(other)
    manifest["created"] = "2999-01-01T00:00:00+00:00"
    write_manifest(other, manifest)
    assert open_result(written.parent).folder.name == "two"


def damage(folder: Path, days: int, name: str) -> Path:
    """A result with a broken manifest, written so many days after 2026 began."""
    broken = shutil.copytree(folder, folder.parent / name)
    (broken / "manifest.json").write_text("{", encoding="utf-8")
    written = datetime(2026, 1, 1, tzinfo=UTC).timestamp() + days * 86400
    for path in broken.iterdir():
        if path.name != "manifest.json":  # it was damaged today
            os.utime(path, (written, written))
    return broken


@pytest.mark.parametrize(
    ("name", "days"), [("first", -100), ("20251231-235959", 100), ("20251231-235959-2", 100)]
)
def test_a_damaged_older_result_is_of_no_concern(written: Path, name: str, days: int) -> None:
    damage(written, days, name)
    manifest = read_document(written)
    manifest["created"] = "2026-01-01T00:00:00+00:00"
    write_manifest(written, manifest)
    assert open_result(written.parent).folder == written


@pytest.mark.parametrize(("name", "days"), [("last", 100), ("20260101-000001", -100)])
def test_a_damaged_newest_result_is_an_error(written: Path, name: str, days: int) -> None:
    broken = damage(written, days, name)
    manifest = read_document(written)
    manifest["created"] = "2026-01-01T00:00:00+00:00"
    write_manifest(written, manifest)
    with pytest.raises(DataError, match="not a manifest that ragscore can read") as refused:
        open_result(written.parent)
    assert str(refused.value).startswith(str(broken / "manifest.json"))
    assert "It is the newest result there" in str(refused.value)
    assert str(written) in str(refused.value)


def test_opening_reads_no_scores(written: Path) -> None:
    scores = written / "scores.parquet"
    scores.write_bytes(bytes(reversed(scores.read_bytes())))
    result = open_result(written)
    with pytest.raises(DataError, match=r"scores\.parquet: its content is not what was recorded"):
        _ = result.scores


@pytest.mark.parametrize("name", ["scores.parquet", "summary.json", "runs/words.parquet"])
def test_a_missing_or_cut_file_is_told(written: Path, name: str) -> None:
    content = (written / name).read_bytes()
    (written / name).write_bytes(content[:-1])
    with pytest.raises(DataError, match=rf"{name}: it has [\d,]+ bytes, but [\d,]+ were recorded"):
        open_result(written)
    (written / name).unlink()
    with pytest.raises(DataError, match=rf"{name}: the file is missing"):
        open_result(written)


@pytest.mark.parametrize(
    ("manifest", "told"),
    [
        ("", "not a manifest that ragscore can read"),
        ("[]", "not a manifest that ragscore can read"),
        ('{"schema": 2}', "schema: the number 2 where 1 is expected"),
        ('{"schema": 1, "name": "another program"}', "experiment: missing"),
    ],
)
def test_a_foreign_manifest_is_refused(tmp_path: Path, manifest: str, told: str) -> None:
    (tmp_path / "manifest.json").write_text(manifest, encoding="utf-8")
    with pytest.raises(DataError, match=told):
        open_result(tmp_path)


def test_what_is_no_folder_of_results(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    for name, told in (
        ("gone", "no such folder"),
        ("", r"it has no manifest\.json"),
        ("file", "it is a file"),
    ):
        with pytest.raises(DataError, match=told):
            open_result(tmp_path / name)


def test_changed_data_are_refused_with_counts(written_here: Path, tmp_path: Path) -> None:
    truth = tmp_path / "data" / "ground_truth.jsonl"
    before = truth.read_text(encoding="utf-8")
    truth.write_text(before.replace('"rent-due": 2', '"rent-due": 1'), encoding="utf-8")
    with pytest.raises(
        DataError, match="6 judgments, and now it has as many, with different content"
    ):
        open_result(written_here).dataset()
    truth.write_text(before.replace('"rent-due": 2, ', ""), encoding="utf-8")
    with pytest.raises(DataError, match=r"6 judgments, and now it has .* and 5 judgments"):
        open_result(written_here).dataset()
    shutil.rmtree(tmp_path / "data")
    result = open_result(written_here)
    with pytest.raises(DataError, match="no longer exists"):
        result.dataset()
    # Whatever needs no data still works.
    assert result.run("data", "bm25").depth == 4


@pytest.mark.parametrize(
    ("file", "row"),
    [
        ("passages.jsonl", {"metadata": {"year": 2021}}),
        ("queries.jsonl", {"metadata": {"year": 2021}}),
        ("queries.jsonl", {"tags": ["kind:numeric"]}),
    ],
)
def test_changed_tags_and_metadata_are_refused(
    written_here: Path, tmp_path: Path, file: str, row: dict[str, object]
) -> None:
    first, *others = (tmp_path / "data" / file).read_text(encoding="utf-8").splitlines()
    lines = [json.dumps({**json.loads(first), **row}), *others]
    (tmp_path / "data" / file).write_text("\n".join(lines), encoding="utf-8")
    with pytest.raises(DataError, match="as many, with different tags or metadata"):
        open_result(written_here).dataset()
    # Older results do not say what the metadata was.
    manifest = json.loads((written_here / "manifest.json").read_text(encoding="utf-8"))
    del manifest["datasets"][0]["metadata_digest"]
    write_manifest(written_here, manifest)
    assert len(open_result(written_here).dataset().queries) == 4


def test_any_metadata_of_python_is_known_again(tmp_path: Path) -> None:
    odd = {
        "year": np.int64(2021),
        "on": date(2021, 3, 1),
        "price": Decimal("1.50"),
        "places": {"Leith", "Harbour", "Quay"},
        "share": float("nan"),
        "large": 10**30,
    }
    passages = [Passage(id="a", text="Rent is due.", metadata=odd)]
    dataset = Dataset.from_rows(passages, {"q1": "When?"}, {"q1": ["a"]})
    folder = evaluate(dataset, {"bm25": BM25()}, ["RR"]).save(tmp_path / "result").folder
    read = open_result(tmp_path / "result").dataset()
    assert open_result(folder, datasets={"dataset": dataset}).dataset() is dataset
    assert read.corpus is not None
    assert read.corpus.metadata[0] == {
        "year": 2021,
        "on": "2021-03-01",
        "price": "1.50",
        "places": ["Harbour", "Leith", "Quay"],
        "share": None,
        "large": 10**30,
    }


def test_a_weighed_mean_without_its_data_is_an_error(written_here: Path, tmp_path: Path) -> None:
    shutil.rmtree(tmp_path / "data")
    with pytest.raises(DataError, match="no longer exists"):
        _ = open_result(written_here).scores


@pytest.mark.parametrize(
    ("dataset", "retriever", "told"),
    [
        ("data", "bm52", "no retriever is named 'bm52'. Did you mean 'bm25'"),
        ("date", "bm25", "no dataset is named 'date'. Did you mean 'data'"),
        ("data", "broken", "'broken' failed on data: "),
    ],
)
def test_names_that_have_no_run(written: Path, dataset: str, retriever: str, told: str) -> None:
    with pytest.raises(DataError) as caught:
        open_result(written).run(dataset, retriever)
    assert told in str(caught.value)


def test_an_undefined_value_is_nan(written: Path) -> None:
    values = open_result(written).scores["bm25"].per_query("MR")
    assert np.isnan(values["q4"])
