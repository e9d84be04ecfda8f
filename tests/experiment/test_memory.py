"""`memory:` of an experiment: what does not fit is refused before anything is searched."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import faiss
import numpy as np
import pytest

from ragscore import load_experiment, open_result, run_experiment
from ragscore.errors import ConfigError
from ragscore.executors.processes import peak_bytes
from ragscore.experiment.memory import memory_bytes, memory_problems
from ragscore.retrievers import Faiss
from ragscore.retrievers.faiss.stored import bytes_of_vector, size_bytes


@pytest.mark.parametrize(
    "text", ["4", "4.5", "true", "4 gb", "-4GB", "1e9GB", "4GBB", "GB", "50MB"]
)
def test_an_amount_is_written_as_people_write_it(root: Path, text: str) -> None:
    said = "memory: .* is (not an amount of memory|too little to run in). Write "
    with pytest.raises(ConfigError, match=said):
        load_experiment(root / "configs" / "quickstart.yaml", [f"memory={text}"])


@pytest.mark.parametrize("index", ["IVF16,Flat", "HNSW32", "IVF16,PQ4x4", "SQ8", "IDMap,Flat"])
def test_what_an_index_takes_for_a_vector_is_what_it_takes(index: str) -> None:
    vectors = np.random.default_rng(0).standard_normal((4000, 32)).astype(np.float32)
    made: Any = faiss.index_factory(32, index)
    expected = len(vectors) * bytes_of_vector(made)
    made.train(vectors)
    before = size_bytes(made)
    if "IDMap" in index:
        made.add_with_ids(vectors, np.arange(len(vectors)))
    else:
        made.add(vectors)
    assert expected == pytest.approx(size_bytes(made) - before, rel=0.05)


@pytest.mark.parametrize(
    ("index", "refused"),
    [("Flat", False), ("IVF4096,Flat", True), ("HNSW32", True), ("IVF4096,PQ48", False)],
)
def test_an_index_that_does_not_fit_is_refused(index: str, refused: bool) -> None:
    retrievers = {"dense": Faiss(encoder="minilm", index=index)}
    problems = memory_problems("4GB", "many", 10_000_000, 10, retrievers, 100)
    assert [problem.where for problem in problems] == ["retrievers.dense.index"] * refused
    per_block = {"dense": Faiss(encoder="minilm", index=index, per_block=True)}
    assert not [*memory_problems("4GB", "many", 10_000_000, 10, per_block, 100)]


def test_too_many_queries_times_depth_are_refused() -> None:
    (problem,) = memory_problems("4GB", "many", 10_000, 2_000_000, {}, 1000)
    assert problem.where == "depth"
    assert "72.0 GB" in problem.what
    assert not [*memory_problems("4GB", "many", 10_000, 2_000_000, {}, 10)]


def test_a_run_in_little_memory_is_the_run_and_says_what_it_used(
    root: Path, tmp_path: Path
) -> None:
    config = root / "configs" / "quickstart.yaml"
    only = ("bm25",)
    dataset = f"{{path: {root / 'datasets' / 'harbour-tenancy'}, block: 40}}"
    results = [
        run_experiment(
            load_experiment(config, ["report=false", "latency=false", *more], only=only),
            output=tmp_path / str(number),
            only=only,
        )
        for number, more in enumerate([[], ["memory=100MB", f"dataset={dataset}"]])
    ]
    whole, blocks = (open_result(result.folder) for result in results)
    assert blocks.to_dict() == whole.to_dict()
    assert blocks.manifest.datasets[0].digest == whole.manifest.datasets[0].digest
    assert (whole.manifest.datasets[0].blocks, whole.manifest.memory) == (None, None)
    assert blocks.manifest.datasets[0].blocks == 5
    used = blocks.manifest.memory
    assert used is not None
    assert used.budget == "100MB"
    if peak_bytes() is not None:
        assert used.peak_bytes is not None
        above = used.peak_bytes > memory_bytes("100MB")
        given = "more than the 100MB it was given"
        assert above == any(given in str(note) for note in blocks.manifest.notes)
