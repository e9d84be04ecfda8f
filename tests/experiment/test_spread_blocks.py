"""Blocks of a corpus as tasks for workers: the store is filled, and the run finds all there."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from ragscore import Cache, Result, load_experiment, run_experiment
from ragscore.progress import Progress
from tests.factories.here_executor import done, fails, install_here
from tests.factories.house import PASSAGES, write_dataset

TEXT = """\
dataset: {path: house, block: 2}
memory: 1GB
retrievers:
  bm25: {kind: bm25}
  words: {kind: bm25, tokenizer: words}
  both: {kind: fusion, retrievers: [bm25, words]}
measures: [nDCG@3]
depth: 4
latency: false
report: false
"""


@pytest.fixture
def config(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    install_here(tmp_path, monkeypatch)
    write_dataset(tmp_path / "house")
    path = tmp_path / "config.yaml"
    path.write_text(TEXT)
    return path


def ran(config: Path, executor: str, cache: str, notes: Any = None) -> Result:
    return run_experiment(
        load_experiment(config, [f"executor={executor}"]),
        output=config.parent / "out",
        overwrite=True,
        cache=Cache(config.parent / cache),
        progress=notes or Progress(),
    )


def means(result: Result) -> Any:
    return result.to_dict()


def test_blocks_are_shared_out_once_and_the_result_is_the_same(config: Path) -> None:
    alone = ran(config, "local", "alone")
    shared = ran(config, "here", "shared")
    assert means(shared) == means(alone)
    blocks = -(-len(PASSAGES) // 2)
    expected = {
        f"block {block + 1} of house ({kind}, {name})"
        for kind in ("encode", "search")
        for name in ("bm25", "words")
        for block in range(blocks)
    }
    assert done == dict.fromkeys(expected, 1)
    done.clear()
    assert means(ran(config, "here", "shared")) == means(alone)
    assert done == {}, "the runs are there, so nothing is left to do"


@pytest.mark.slow
def test_a_block_that_fails_is_named_and_the_others_are_kept(config: Path) -> None:
    fails.add("block 2 of house (encode, words)")
    result = ran(config, "here", "shared")
    assert means(result).keys() == {"house"}
    assert means(result)["house"].keys() == {"bm25"}
    error = str(result.failures["house", "words"])
    assert "retriever 'words'" in error
    assert "block 2 of house (encode, words), on the node 10.0.0.7: passages.jsonl:3" in error
    assert "its input 'words' failed" in str(result.failures["house", "both"])
    assert not [name for name in done if "(search, words)" in name]
    done.clear()
    fails.clear()
    assert means(ran(config, "here", "shared")) == means(ran(config, "local", "alone"))
    encoded = [name for name in done if "encode" in name]
    assert encoded == ["block 2 of house (encode, words)"], "what was done is not done again"


@pytest.mark.slow
def test_a_sweep_over_blocks_is_searched_by_workers_that_read_them_from_the_cache(
    config: Path,
) -> None:
    config.write_text(f"{TEXT}sweep:\n  bm25: {{k1: [0.6, 1.2, 2], b: [0.3, 0.9]}}\n")
    alone, shared = (
        result.parts.held_sweeps["house"]  # type: ignore[attr-defined]
        for result in (ran(config, "local", "alone"), ran(config, "here", "shared"))
    )
    assert shared.values.tobytes() == alone.values.tobytes()
    assert len([name for name in done if "block" not in name]) == len(shared) == 6


def test_a_corpus_that_is_not_in_blocks_stays_here(config: Path) -> None:
    config.write_text(TEXT.replace("memory: 1GB\n", "").replace("{path: house, block: 2}", "house"))
    result = ran(config, "here", "shared")
    assert done == {}
    assert any("passages are not read in blocks" in str(note) for note in result.manifest.notes)
    assert means(result)["house"].keys() == {"bm25", "words", "both"}
