"""An experiment names where its vectors, indexes and runs are kept for other machines."""

from __future__ import annotations

from pathlib import Path
from uuid import uuid4

import pytest

from ragscore import Cache, load_experiment, run_experiment
from ragscore.cli import main
from ragscore.errors import ConfigError
from ragscore.experiment import plan
from ragscore.experiment.config.load_experiment import resolved_yaml

TEXT = "dataset: faq\nretrievers: {bm25: {kind: bm25}}\nmeasures: [RR]\nreport: false\n"
DENSE = """\
dataset: faq
retrievers:
  bm25: {kind: bm25}
  dense: {kind: faiss, encoder: minilm, metric: cosine}
measures: [RR]
report: false
"""


@pytest.fixture
def config(tmp_path: Path) -> Path:
    rows = {
        "passages": '{"id": "p1", "text": "Rent is due on the first."}',
        "queries": '{"id": "q1", "text": "When is rent due?"}',
        "ground_truth": '{"query_id": "q1", "passages": {"p1": 1}}',
    }
    (tmp_path / "faq").mkdir()
    for name, row in rows.items():
        (tmp_path / "faq" / f"{name}.jsonl").write_text(row, encoding="utf-8")
    path = tmp_path / "first.yaml"
    path.write_text(TEXT, encoding="utf-8")
    return path


def ran(config: Path, output: str, store: str, capsys: pytest.CaptureFixture[str]) -> str:
    """What the command notes of a run that keeps its entries in a store."""
    folder = str(config.parent / output)
    assert main(["run", str(config), "-o", folder, "--store", store, "--format", "json"]) == 0
    return capsys.readouterr().err


def test_a_folder_takes_the_place_of_the_users_cache(
    config: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(config.parent)
    monkeypatch.setenv("RAGSCORE_CACHE", str(config.parent / "mine"))
    ran(config, "one", "shared", capsys)
    assert (config.parent / "shared" / "runs").is_dir()
    assert not (config.parent / "mine").exists()
    experiment = load_experiment(config, ["store=shared"])
    assert experiment.store == str(config.parent / "shared")
    assert load_experiment(config.parent / "one" / "experiment.yaml") == experiment
    assert plan(experiment).cache == str(config.parent / "shared")
    assert [row.kept for row in plan(experiment).retrievers] == [1]


def test_machines_share_runs_below_a_url(
    config: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("fsspec")
    url = f"file://{config.parent / 'shared'}"
    experiment = load_experiment(config, [f"store={url}"])
    results = []
    for machine in ("first", "second"):
        monkeypatch.setenv("RAGSCORE_CACHE", str(config.parent / machine))
        results.append(run_experiment(experiment, output=config.parent / machine / "result"))
    cached = [result.manifest.retrievers[0].run_from_cache for result in results]
    assert cached == [False, True]
    assert results[0].to_dict() == results[1].to_dict()
    assert f"store: {url}" in resolved_yaml(experiment)


def test_a_plan_fetches_nothing(
    config: Path, vectors_kept: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """But it sees what other machines have: other options of the same encoder."""
    fsspec = pytest.importorskip("fsspec")
    url = f"memory://{uuid4().hex}"
    monkeypatch.setenv("RAGSCORE_CACHE", str(config.parent / "first"))
    config.write_text(f"{DENSE}store: {url}\n", encoding="utf-8")
    run_experiment(config, output=config.parent / "result")
    system, root = fsspec.core.url_to_fs(url)
    before = {path: system.cat_file(path) for path in system.find(root)}
    here = {path for path in config.parent.rglob("*") if path.is_file()}

    monkeypatch.setenv("RAGSCORE_CACHE", str(config.parent / "second"))
    config.write_text(f"{DENSE.replace('cosine', 'l2')}store: {url}\n", encoding="utf-8")
    cache = Cache.at(url)
    planned = {row.retriever: row for row in plan(config, cache=cache).retrievers}
    assert (planned["bm25"].kept, planned["dense"].kept) == (1, 0)
    assert (planned["dense"].reused, planned["dense"].texts) == (("vectors",), 0)
    assert main(["run", str(config), "--dry-run"]) == 0
    assert {path: system.cat_file(path) for path in system.find(root)} == before
    assert {path for path in config.parent.rglob("*") if path.is_file()} == here
    assert cache.store is not None
    assert (cache.store.fetched, cache.store.written, cache.writes) == (0, 0, 0)


def test_no_cache_leaves_the_store_alone(config: Path, capsys: pytest.CaptureFixture[str]) -> None:
    store = config.parent / "shared"
    config.write_text(f"{TEXT}store: {store}\n", encoding="utf-8")
    assert main(["run", str(config), "-o", str(config.parent / "one"), "--no-cache"]) == 0
    assert not store.exists()


@pytest.mark.parametrize(
    ("store", "message"),
    [
        ("s3://key:hidden@bucket", "first.yaml:5:8: store: 's3://bucket' holds more than a place"),
        ("''", "first.yaml:5:8: store: "),
        ("7", "first.yaml:5:8: store: "),
    ],
)
def test_a_store_that_is_none_is_found_before_anything_runs(
    config: Path, store: str, message: str
) -> None:
    config.write_text(f"{TEXT}store: {store}\n", encoding="utf-8")
    with pytest.raises(ConfigError) as caught:
        load_experiment(config)
    assert message in str(caught.value)
    assert "hidden" not in caught.value.problems[0].what


def test_a_store_that_cannot_be_used_ends_the_command(
    config: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("fsspec")
    (config.parent / "file").touch()
    output = config.parent / "one"
    url = f"file://{config.parent / 'file'}"
    assert main(["run", str(config), "-o", str(output), "--store", url]) == 1
    assert "the store cannot be used" in capsys.readouterr().err
    assert not output.exists()
