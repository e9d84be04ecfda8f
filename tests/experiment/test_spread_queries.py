"""Queries of a reranker as tasks for workers: they score its pairs, the run finds the scores."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from ragscore import Cache, Result, load_experiment, run_experiment
from ragscore.errors import DiskError
from ragscore.experiment import spread_queries
from ragscore.progress import Progress
from ragscore.retrievers.rerank.cross_encoder import OpenCrossEncoder
from tests.factories import tiny_models
from tests.factories.here_executor import done, fails, install_here
from tests.factories.ray_blocks import Notes, recorded, write_words

QUERIES, N = 193, 6
PARTS = [f"queries {first} of words (better)" for first in ("1 to 64", "65 to 128", "129 to 193")]
"""The last query alone would be taken for one that is timed."""


@pytest.fixture(scope="module")
def words(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the dataset ``words``."""
    folder = tmp_path_factory.mktemp("words")
    write_words(folder, QUERIES)
    return folder / "words"


@pytest.fixture
def scored(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The query of each pair that a model scores."""
    asked: list[str] = []
    whole = OpenCrossEncoder.score_pairs

    def counted(self: Any, queries: Sequence[str], *others: Any) -> Any:
        asked.extend(queries)
        return whole(self, queries, *others)

    monkeypatch.setattr(OpenCrossEncoder, "score_pairs", counted)
    return asked


@pytest.fixture
def config(tmp_path: Path, words: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    pytest.importorskip("sentence_transformers")
    install_here(tmp_path, monkeypatch)
    return written(tmp_path, words)


def written(folder: Path, words: Path, **changed: Any) -> Path:
    by = {"kind": "cross-encoder", "model": str(tiny_models.cross_encoder())}
    experiment = {
        "dataset": {"path": str(words), "block": 1_000},
        "memory": "1GB",
        "retrievers": {
            "bm25": {"kind": "bm25"},
            "better": {"kind": "rerank", "retriever": "bm25", "n": N, "by": by},
        },
        "measures": ["nDCG@3"],
        "depth": N,
        "latency": False,
        "report": False,
    }
    config = folder / "config.yaml"
    config.write_text(json.dumps({**experiment, **changed}))
    return config


def ran(config: Path, executor: str, cache: str, notes: Progress | None = None) -> Result:
    return run_experiment(
        load_experiment(config, [f"executor={executor}"]),
        output=config.parent / "out",
        overwrite=True,
        cache=Cache(config.parent / cache),
        progress=notes or Progress(),
    )


def parts() -> Counter[str]:
    """The tasks on queries that were done."""
    return Counter({name: count for name, count in done.items() if name.startswith("queries")})


@pytest.mark.parametrize("dataset", ["in blocks", "in memory"])
def test_workers_score_the_pairs_and_the_run_is_the_same(
    config: Path, words: Path, scored: list[str], dataset: str
) -> None:
    if dataset == "in memory":
        config = written(config.parent, words, dataset=str(words), memory=None)
    alone = recorded(ran(config, "local", "alone"))
    asked = Counter(scored)
    scored.clear()
    assert recorded(ran(config, "here", "shared")) == alone, "rows and scores, to the last bit"
    assert parts() == dict.fromkeys(PARTS, 1)
    assert Counter(scored) == asked, "this process scores no pair again"
    done.clear()
    assert recorded(ran(config, "here", "shared")) == alone
    assert not parts(), "the run is there"


@pytest.mark.slow
def test_processes_of_this_machine_score_them(config: Path, scored: list[str]) -> None:
    alone = recorded(ran(config, "local", "alone"))
    scored.clear()
    assert recorded(ran(config, "{kind: local, processes: 2}", "shared")) == alone
    assert not scored, "of this process"


@pytest.mark.slow
def test_queries_that_fail_are_named_and_the_others_kept(config: Path, scored: list[str]) -> None:
    fails.add(PARTS[1])
    result = ran(config, "here", "shared")
    assert recorded(result).keys() == {"bm25"}
    error = str(result.failures["words", "better"])
    assert "retriever 'better'" in error
    assert f"{PARTS[1]}, on the node 10.0.0.7: passages.jsonl:3: it is broken" in error
    assert len(set(scored)) == QUERIES - 64
    fails.clear()
    scored.clear()
    assert recorded(ran(config, "here", "shared")) == recorded(ran(config, "local", "alone"))
    assert len(set(scored[: 64 * N])) == 64, "what was scored is not scored again"


@pytest.mark.slow
def test_the_first_queries_that_fail_are_named(config: Path) -> None:
    fails.update(PARTS[1:])
    assert PARTS[1] in str(ran(config, "here", "shared").failures["words", "better"])


@pytest.mark.slow
def test_scores_that_cannot_be_kept_fail(config: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The cache of a worker is an object of its own, and takes nothing."""

    class Full(Cache):
        @classmethod
        def at(cls, place: str | None) -> Cache:
            cache = Cache.at(place)
            cache.failure = DiskError("the disk is full", where=place or "")
            return cache

    monkeypatch.setattr(spread_queries, "Cache", Full)
    error = str(ran(config, "here", "shared").failures["words", "better"])
    assert PARTS[0] in error
    assert "the disk is full" in error


@pytest.mark.slow
def test_what_workers_cannot_find_is_scored_here(
    config: Path, words: Path, scored: list[str]
) -> None:
    (config.parent / "own.py").write_text(
        "def retrieve(query, k):\n    return [(f'p{n}', 10 - n) for n in range(k)]\n"
    )
    experiment = json.loads(config.read_text())
    own = {"kind": "custom", "use": "own:retrieve"}
    retrievers = {"bm25": own, "better": experiment["retrievers"]["better"]}
    notes = Notes()
    result = ran(written(config.parent, words, retrievers=retrievers), "here", "shared", notes)
    assert recorded(result).keys() == {"bm25", "better"}
    assert not parts(), "the run of foreign code is not kept"
    assert len(set(scored)) == QUERIES
