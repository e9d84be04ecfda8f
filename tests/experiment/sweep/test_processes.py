"""Processes share the configurations of a sweep, and find what one finds."""

from __future__ import annotations

import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ragscore.executors import local, processes
from ragscore.executors.processes import worker_count
from ragscore.experiment.sweep import sweeping
from ragscore.retrievers import Faiss
from tests.factories.house import PASSAGES, QUERIES
from tests.factories.swept_house import CONFIG, swept


@pytest.mark.slow
def test_processes_find_what_one_process_finds(
    config: Path, tmp_path: Path, calls: Counter[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    config.write_text(
        CONFIG
        + "  bm25: {fields: [[text], [title]], k1: [0.6, 1.2, 1.5, 2]}\n"
        + "  hybrid: {weights: [[1, 1], [1, 3]]}\n"
    )
    alone = swept(config)
    calls.clear()
    (tmp_path / "json.py").write_text("raise SystemExit")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sweeping, "MIN_SECONDS", 0.0)
    monkeypatch.setattr(local, "worker_count", lambda tasks, batch=1: 2)
    shared = swept(config, tmp_path / "cache")
    assert calls["search"] == 3 + 3, "the three of the experiment, and the first of the sweep"
    assert shared.labels == alone.labels
    assert dict(shared.failures) == dict(alone.failures)
    assert len(shared.failures) == 12
    np.testing.assert_array_equal(shared.values, alone.values)
    assert (shared.latency_ms > 0).all(), "timed here, when the processes have ended"


@pytest.mark.slow
def test_indexes_that_one_core_builds_are_built_side_by_side(
    config: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    random = np.random.default_rng(0)
    for name, ids in (("passages", PASSAGES), ("queries", QUERIES)):
        np.save(tmp_path / f"{name}.npy", random.normal(size=(len(ids), 8)).astype(np.float32))
    config.write_text(
        "dataset: house\nretrievers:\n  ann: {kind: faiss, index: HNSW4, encoder: "
        "{kind: precomputed, passages: passages.npy, queries: queries.npy}}\n"
        "measures: [nDCG@3]\nlatency: false\nreport: false\ncompare: false\nsweep:\n"
        "  ann: {index: [HNSW8, HNSW16, HNSW32], search.efSearch: [4, 8]}\n"
    )
    alone = swept(config)
    built = list[str]()
    real = Faiss._built
    monkeypatch.setattr(
        Faiss, "_built", lambda self, *given: (built.append(self.index), real(self, *given))[1]
    )
    monkeypatch.setattr(sweeping, "MIN_SECONDS", 0.0)
    monkeypatch.setattr(local, "worker_count", lambda tasks, batch=1: 2)
    shared = swept(config, tmp_path / "cache")
    assert [index for index in built if index not in ("HNSW4", "Flat")] == ["HNSW8"]
    np.testing.assert_array_equal(shared.values, alone.values)


def test_a_process_that_dies_leaves_its_work_to_this_one(
    config: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sweeping, "MIN_SECONDS", 0.0)
    monkeypatch.setattr(local, "worker_count", lambda tasks, batch=1: 2)
    monkeypatch.setattr(processes, "PROGRAM", "import sys; sys.stdin.readline(); sys.exit(3)")
    assert len(swept(config, tmp_path / "cache")) == 12


@pytest.mark.parametrize("what", ["subprocess.Popen.__init__", "pickle.dumps"])
def test_what_no_other_process_can_do_is_done_by_this_one(
    config: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, what: str
) -> None:
    def refused(*given: Any, **options: Any) -> None:
        raise BlockingIOError("too many processes") if "Popen" in what else TypeError("a lock")

    monkeypatch.setattr(sweeping, "MIN_SECONDS", 0.0)
    monkeypatch.setattr(local, "worker_count", lambda tasks, batch=1: 2)
    monkeypatch.setattr(what, refused)
    assert len(swept(config, tmp_path / "cache")) == 12


def test_a_process_ends_with_the_one_that_began_it() -> None:
    program = (
        "import sys, time; from ragscore.executors.processes import _lines\n"
        "next(_lines(sys.stdin.buffer)); print('at work', flush=True); time.sleep(60)"
    )
    command = [sys.executable, "-c", program]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(b"[]\n")
        process.stdin.flush()
        assert process.stdout.readline().strip() == b"at work"
        process.stdin.close()  # as the system does where its other end is killed
        assert process.wait(20) == 0


def test_as_many_processes_as_cores_and_memory_allow(monkeypatch: pytest.MonkeyPatch) -> None:
    def count(tasks: int, cores: int, free: int | None, own: int | None) -> int:
        monkeypatch.setattr(processes, "usable_cores", lambda: cores)
        monkeypatch.setattr(processes, "free_bytes", lambda: free)
        monkeypatch.setattr(processes, "peak_bytes", lambda: own)
        return worker_count(tasks, batch=8)

    gib = 1 << 30
    assert count(500, 8, 64 * gib, gib) == 8
    assert count(500, 8, 4 * gib, gib) == 3
    assert count(500, 8, gib, gib) == 0
    assert count(20, 8, 64 * gib, gib) == 3
    assert count(500, 8, None, None) == 2
