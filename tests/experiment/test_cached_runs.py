"""Runs, latencies and indexes come from the cache only where they are what was asked for."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from ragscore import BM25, Cache, Dataset, Faiss, Fusion, Result, evaluate
from ragscore.results.stages import Stages
from ragscore.retrievers import MultiVector, Recorded, Rerank, RetrieverSpec, Sparse, keys
from ragscore.version import SEARCH_PACKAGES, installed_version

PASSAGES = {"due": "Rent is due on the first day.", "pets": "Dogs need the consent of the office."}
QUERIES = {"q1": "when is rent due", "q2": "may I keep dogs", "q3": "xyzzy"}


@pytest.fixture
def dataset() -> Dataset:
    truth = {"q1": ["due"], "q2": ["pets"], "q3": ["pets"]}
    return Dataset.from_rows(PASSAGES, QUERIES, truth, name="house")


def test_strict_is_asked_of_a_cached_run_too(dataset: Dataset, tmp_path: Path) -> None:
    run, cache = tmp_path / "run.trec", Cache(tmp_path / "cache")
    run.write_text("q1 Q0 pets 1 2 r\nq1 Q0 pets 2 1 r\n", encoding="utf-8")
    retrievers = {"old": Recorded(run=str(run)), "bm25": BM25()}
    assert not evaluate(dataset, retrievers, ["P@1"], cache=cache).failures
    strict = evaluate(dataset, retrievers, ["P@1"], cache=cache, strict=True)
    assert list(strict.failures) == [("house", "old")]


def test_asking_for_latency_later_searches_nothing_again(dataset: Dataset, tmp_path: Path) -> None:
    cache = Cache(tmp_path)

    def run(queries: int) -> Stages:
        result = evaluate(dataset, {"x": BM25()}, ["P@1"], cache=cache, latency_queries=queries)
        return result.stages["house", "x"]

    assert run(0).latency is None
    writes = cache.writes
    timed, larger, again = run(2), run(3), run(2)
    assert cache.writes == writes + 2, "one entry for each sample"
    assert timed.run_from_cache
    assert timed.latency is not None
    assert larger.latency is not None
    assert again.latency is not None
    assert (timed.latency.from_cache, larger.latency.queries) == (False, 3)
    assert again.latency == timed.latency
    assert again.latency.from_cache
    assert run(0).latency is None


@pytest.mark.parametrize("kind", ["runs", "tokens", "latency"])
def test_a_damaged_cache_entry_is_made_again(dataset: Dataset, tmp_path: Path, kind: str) -> None:
    def run() -> Result:
        cache = Cache(tmp_path)
        return evaluate(dataset, {"x": BM25()}, ["P@1"], cache=cache, latency_queries=2)

    first = run()
    files = sorted(path for path in (tmp_path / kind).rglob("*") if path.is_file())
    assert files
    for file in files:
        if kind == "tokens":  # the index is opened where there is no run
            shutil.rmtree(tmp_path / "runs")
        file.write_bytes(file.read_bytes()[: file.stat().st_size // 2])
        again = run()
        assert not again.failures, file
        assert again.to_dict() == first.to_dict(), file
        assert run().stages["house", "x"].run_from_cache, file


class Upgrade:
    """Installs other versions of packages, as far as their metadata says."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self._folder, self._patch = folder, monkeypatch

    def __call__(self, *packages: str) -> None:
        for package in packages:
            folder = self._folder / package / f"{package.replace('-', '_')}-999.0.dist-info"
            folder.mkdir(parents=True)
            (folder / "METADATA").write_text(f"Name: {package}\nVersion: 999.0\n", "utf-8")
            self._patch.syspath_prepend(folder.parent)
        installed_version.cache_clear()
        assert {installed_version(package) for package in packages} == {"999.0"}


@pytest.fixture
def upgrade(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Upgrade]:
    with monkeypatch.context() as patch:
        yield Upgrade(tmp_path / "upgraded", patch)
    installed_version.cache_clear()


MODEL = {"numpy", "sentence-transformers", "transformers", "torch"}
SERVICE = {"kind": "endpoint", "url": "http://localhost:1/v1", "model": "any"}
DEPENDS = {
    "bm25": (BM25(), {"numpy", "bm25s", "PyStemmer"}),
    "words": (BM25(tokenizer="words"), {"numpy"}),
    "korean": (BM25(tokenizer="korean"), {"numpy", "kiwipiepy", "kiwipiepy_model"}),
    "minilm": (Faiss(encoder="minilm"), {*MODEL, "faiss-cpu"}),
    "service": (Faiss(encoder=SERVICE), {"numpy", "faiss-cpu"}),
    "mmr": (Rerank(retriever="words", by={"kind": "mmr", "encoder": "minilm"}), MODEL),
    "sparse": (Sparse(model="any/sparse"), MODEL),
    "multi-vector": (MultiVector(model="any/multi"), MODEL),
    "cross": (Rerank(retriever="words", by={"kind": "cross-encoder", "model": "a/b"}), MODEL),
    "both": (Fusion(retrievers=["words", "service"]), {"numpy", "faiss-cpu"}),
}
"""Retrievers, and the packages of which another version may return something else."""


@pytest.mark.parametrize("package", [*SEARCH_PACKAGES[1:], "kiwipiepy_model", "polars"])
def test_keys_depend_on_the_packages_that_a_kind_uses(package: str, upgrade: Upgrade) -> None:
    specs: dict[str, RetrieverSpec] = {name: spec for name, (spec, _) in DEPENDS.items()}
    before = keys(specs)
    upgrade(package)
    after = keys(specs)
    changed = {name for name in specs if before[name] != after[name]}
    assert changed == {name for name, (_, packages) in DEPENDS.items() if package in packages}


def test_an_upgrade_of_what_bm25_never_loads_searches_nothing_again(
    dataset: Dataset, tmp_path: Path, upgrade: Upgrade
) -> None:
    def run() -> Stages:
        cache = Cache(tmp_path / "cache")
        return evaluate(dataset, {"x": BM25()}, ["P@1"], cache=cache).stages["house", "x"]

    assert not run().run_from_cache
    upgrade("torch", "kiwipiepy", "faiss-cpu")
    assert run().run_from_cache
    upgrade("PyStemmer")
    assert not run().run_from_cache
