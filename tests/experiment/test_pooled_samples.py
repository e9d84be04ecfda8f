"""A sample with a pool: what retrievers find in the whole corpus stays in, and the bias of the
sample is known for them."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from ragscore import (
    Cache,
    Experiment,
    Result,
    load_dataset,
    open_result,
    plan,
    run_experiment,
)
from ragscore.cli import main
from ragscore.elements import as_text
from ragscore.errors import ConfigError, RetrieverError
from ragscore.experiment import load_experiment, validate_experiment
from ragscore.experiment.staging import run_stage
from ragscore.report import make_report
from tests.factories.invented_language import written
from tests.factories.witness import Witness

WORDS = ["rent", "lift", "roof", "heat", "door", "lamp", "pets", "keys"]
PASSAGES = [
    {
        "id": f"p{row}",
        "text": f"{WORDS[row % 8]} {WORDS[row % 7]} floor {row % 5} {'on ' * (row % 6)}",
    }
    for row in range(120)
]
QUERIES = [{"id": f"q{row}", "text": f"{WORDS[row]} {WORDS[row - 3]}"} for row in range(8)]
TRUTH = [{"query_id": f"q{row}", "passages": {f"p{row * 9}": 1}} for row in range(8)]
RETRIEVERS: dict[str, Any] = {
    "bm25": {"kind": "bm25", "tokenizer": "words"},
    "flat": {"kind": "bm25", "tokenizer": "words", "k1": 0.1, "b": 0.0},
    "both": {"kind": "fusion", "retrievers": ["bm25", "flat"]},
}
POOL = {"retrievers": ["bm25"], "depth": 6}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("pooled")
    written(made / "house", PASSAGES, QUERIES, TRUTH)
    return made


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Cache:
    return Cache(tmp_path_factory.mktemp("cache"))


def experiment(folder: Path, corpus: Any, **parts: Any) -> Experiment:
    given = {
        "datasets": [{"path": str(folder / "house"), "corpus": corpus}],
        "retrievers": RETRIEVERS,
        "measures": ["nDCG@5", "R@depth"],
        "depth": 10,
        "latency": False,
        "report": False,
        **parts,
    }
    return Experiment.model_validate(given)


@pytest.fixture(scope="module")
def whole(folder: Path, cache: Cache) -> Result:
    return run_experiment(experiment(folder, True), output=folder / "whole", cache=cache)


@pytest.fixture(scope="module")
def pooled(folder: Path, cache: Cache) -> Result:
    run = experiment(folder, {"sample": 10, "pool": POOL}, report={"formats": ["markdown"]})
    return run_experiment(run, output=folder / "sampled", cache=cache)


def test_the_sample_holds_the_best_of_the_pool_over_the_whole_corpus(
    folder: Path, cache: Cache, whole: Result, pooled: Result
) -> None:
    run = whole.run("house", "bm25")
    best = set(run.passages.texts(run.rows[:, :6][run.rows[:, :6] >= 0]))
    alone = load_dataset(folder / "house", cache=cache, corpus={"sample": 10})
    assert alone.corpus is not None
    data = pooled.dataset()
    assert data.corpus is not None
    assert set(data.corpus.ids) == set(alone.corpus.ids) | best
    assert data.sample is not None
    assert data.sample.pooled == len(best - set(alone.corpus.ids)) > 0
    assert len(data.corpus) < 120


def test_what_the_pool_reaches_on_the_whole_is_known_and_said(
    whole: Result, pooled: Result
) -> None:
    (dataset,) = pooled.manifest.datasets
    entries = {entry.name: entry.whole for entry in pooled.manifest.retrievers}
    assert entries["flat"] is entries["both"] is None
    found = entries["bm25"]
    assert found is not None
    assert found.means == pytest.approx(whole.to_dict()["house"]["bm25"], abs=0)
    reached, own = found.means["nDCG@5"], pooled.scores["bm25"].mean("nDCG@5")
    told = f"the whole corpus: bm25 {reached:.3f} (sample: {own:.3f}, {own - reached:+.3f})"
    assert told in as_text(pooled.elements(), language="en")
    assert "전체 말뭉치의 nDCG@5: bm25" in as_text(pooled.elements(), language="ko")
    report = make_report(pooled, sections=["verdict"]).text(width=300)
    assert "The retrievers of the pool on the sample and on the whole corpus" in report
    assert f"{own:.3f}" in report
    sentence = (
        "and the first 6 of bm25 for each query over the whole corpus. Passages that are hard"
    )
    assert sentence in report
    assert dataset.sample is not None
    assert str(dataset.sample.caveat()) in report


def test_the_result_is_read_again_without_a_search(pooled: Result, whole: Result) -> None:
    assert pooled.folder is not None
    again = open_result(pooled.folder)
    assert again.dataset().digest == pooled.manifest.datasets[0].digest
    assert again.dataset().sample == pooled.dataset().sample
    assert again.rescored(["P@3"]).scores["bm25"].mean("P@3") > 0
    damaged = pooled.folder / "pooled.parquet"
    content = damaged.read_bytes()
    try:
        damaged.write_bytes(content[:-3] + b"xxx")
        assert not open_result(pooled.folder).parts.is_readable("house")
    finally:
        damaged.write_bytes(content)


def test_the_whole_corpus_is_searched_once(
    folder: Path, cache: Cache, whole: Result, pooled: Result
) -> None:
    """Its runs are those of any experiment over the whole corpus, whatever the sample."""
    seen = Witness()
    for sample in ({"sample": 20, "pool": POOL}, {"sample": 10, "pool": ["bm25"]}):
        run_experiment(
            experiment(folder, sample), output=folder / "again", overwrite=True, cache=cache,
            progress=seen,
        )  # fmt: skip
    # As deep as the pool, where that is deeper than the runs were.
    told = [note for note in seen.notes if "is searched for the pool" in note]
    assert told == [
        "house: the whole corpus of 120 passages is searched for the pool of the sample: bm25"
    ]


def test_a_retriever_of_the_pool_need_not_be_chosen(folder: Path, cache: Cache) -> None:
    run = experiment(folder, {"sample": 10, "pool": POOL})
    result = run_experiment(run, output=folder / "only", only=["flat"], cache=cache)
    assert result.retrievers == ["flat"]
    assert result.dataset().sample == run_sample(folder, cache)
    again = load_experiment(folder / "only" / "experiment.yaml")
    assert list(again.retrievers) == ["bm25", "flat"]


def run_sample(folder: Path, cache: Cache) -> Any:
    found = plan(experiment(folder, {"sample": 10, "pool": POOL}), cache=cache)
    return found.samples["house"]


def test_a_plan_has_the_search_of_the_whole_corpus(
    folder: Path, cache: Cache, pooled: Result
) -> None:
    run = experiment(folder, {"sample": 10, "pool": POOL})
    anew = plan(run, cache=Cache())
    assert [(str(row.dataset), row.retriever, row.kept) for row in anew.retrievers][:2] == [
        ("house (whole corpus)", "bm25", 0),
        ("house", "bm25", 0),
    ]
    assert "house(전체 말뭉치): 실행할 내용" in as_text(anew.elements(), language="ko")
    assert anew.to_dict()["retrievers"][0]["dataset"] == "house (whole corpus)"
    (note,) = anew.notes
    assert "unknown until bm25 searched the whole corpus of 120" in str(note)
    known = plan(run, cache=cache)
    assert [row.kept for row in known.retrievers] == [1, 1, 1, 1]
    assert known.samples["house"] == pooled.dataset().sample
    assert not known.notes


WRONG = {
    "corpus: {sample: 10, pool: [bn25]}": (
        r"e\.yaml:2:52: dataset\.corpus\.pool\[0\]: no retriever is named 'bn25'\. Did you mean"
    ),
    "corpus: {sample: 10, pool: [bm25, bm25]}": r"pool.*: 'bm25' is named twice",
    "corpus: {sample: 10, pool: {retrievers: [bm25], deep: 5}}": r"pool\.deep: unknown key",
    "corpus: {sample: 10, pool: bm25}": (
        r"corpus\.pool: the text 'bm25' where a list is expected\. Write \[bm25\]"
    ),
    "corpus: {pool: [bm25]}": (
        r"corpus\.sample: missing\. Add it: How many passages are drawn at random"
    ),
}


@pytest.mark.parametrize("corpus", WRONG)
def test_wrong_pools_are_named_in_the_file(folder: Path, corpus: str) -> None:
    path = folder / "e.yaml"
    text = f"# pools\ndataset: {{path: house, {corpus}}}\nretrievers: {{bm25: {{kind: bm25}}}}\n"
    path.write_text(text)
    (problem,) = validate_experiment(path)
    assert re.search(WRONG[corpus], str(problem)), problem


def test_commands_that_search_nothing_look_at_the_whole_corpus(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = folder / "whole.yaml"
    sampled = "{path: house, corpus: {sample: 10, pool: [bm25]}}"
    path.write_text(f"dataset: {sampled}\nretrievers: {{bm25: {{kind: bm25}}}}\n")
    main(["convert", str(path), str(tmp_path / "out"), "--format", "beir"])
    assert "120 passages" in capsys.readouterr().out
    main(["power", str(path)])
    assert "8 judged queries" in capsys.readouterr().out


def test_systems_outside_search_no_sample(folder: Path) -> None:
    path = folder / "remote.yaml"
    path.write_text(
        "dataset: {path: house, corpus: {sample: 10}}\n"
        "retrievers: {ours: {kind: command, command: [cat]}}\n"
    )
    (problem,) = validate_experiment(path)
    assert "searches all of its passages, and a sample of the corpus is searched" in str(problem)


def test_a_sample_has_no_blocks_to_share_out(folder: Path, cache: Cache) -> None:
    run = experiment(folder, {"sample": 10}, memory="1GB")
    with pytest.raises(ConfigError, match="no dataset of the experiment is read in blocks"):
        run_stage("encode", run, cache=cache)


def test_a_pool_that_fails_leaves_no_sample(folder: Path, tmp_path: Path) -> None:
    wrong = tmp_path / "run.trec"
    wrong.write_text("q1 Q0 elsewhere 1 2.5 x\n")
    retrievers = {**RETRIEVERS, "old": {"kind": "recorded", "run": str(wrong)}}
    run = experiment(folder, {"sample": 10, "pool": ["old"]}, retrievers=retrievers)
    with pytest.raises(RetrieverError, match="are not in the corpus: 'elsewhere'"):
        run_experiment(run, output=tmp_path / "result")


def test_validate_shows_the_sample_and_searches_nothing(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = folder / "v.yaml"
    path.write_text("dataset: {path: house}\nretrievers: {bm25: {kind: bm25}}\n")
    main(["validate", str(path), "--set", "dataset.corpus={sample: 10, pool: [bm25]}"])
    printed = capsys.readouterr()
    assert re.search(r"a sample of \d+ of 120 passages", printed.out)
    assert "the pool is unknown until bm25 searched" in printed.err


def test_exact_vectors_are_never_lower_on_a_sample_and_the_same_in_the_pool(
    folder: Path, tmp_path: Path
) -> None:
    """Where a passage is scored by itself, others that are left out can only move it up; and where
    none of the first k is left out, nothing moves among them."""
    numbers = np.random.default_rng(5)
    for name, rows in (("passages", PASSAGES), ("queries", QUERIES)):
        np.save(tmp_path / f"{name}.npy", numbers.normal(size=(len(rows), 6)).astype(np.float32))
        (tmp_path / f"{name}.txt").write_text("".join(f"{row['id']}\n" for row in rows))
    encoder = {
        "kind": "precomputed",
        "passages": str(tmp_path / "passages.npy"),
        "passage_ids": str(tmp_path / "passages.txt"),
        "queries": str(tmp_path / "queries.npy"),
        "query_ids": str(tmp_path / "queries.txt"),
    }
    measures = ["nDCG@10", "RR@10", "AP@10", "R@10", "P@10"]
    parts = {"retrievers": {"dense": {"kind": "faiss", "encoder": encoder}}, "measures": measures}

    def values(corpus: Any) -> NDArray[np.float64]:
        run = experiment(folder, corpus, **parts)
        output = tmp_path / "result"
        return run_experiment(run, output=output, overwrite=True).scores["dense"].values

    whole, drawn = values(True), values({"sample": 10})
    assert (drawn >= whole).all()
    assert (drawn > whole).any(axis=1).all()
    pool = {"retrievers": ["dense"], "depth": 10}
    np.testing.assert_array_equal(values({"sample": 10, "pool": pool}), whole)


def lifted(folder: Path, corpus: Any, cache: Cache, tmp_path: Path) -> tuple[float, int]:
    run = Experiment.model_validate(
        {
            "datasets": [{"path": str(folder), "corpus": corpus}],
            "retrievers": {"bm25": {"kind": "bm25"}},
            "measures": ["nDCG@10"],
            "latency": False,
            "report": False,
        }
    )
    result = run_experiment(run, output=tmp_path / "result", overwrite=True, cache=cache)
    return result.scores["bm25"].mean("nDCG@10"), result.manifest.datasets[0].passages or 0


@pytest.mark.slow
def test_scores_on_a_sample_are_too_high_and_less_so_with_a_pool(
    conformance: Path, tmp_path: Path
) -> None:
    cache, folder = Cache(), conformance / "collections" / "cacm"
    whole, _ = lifted(folder, True, cache, tmp_path)
    drawn, size = lifted(folder, {"sample": 1600}, cache, tmp_path)
    few, _ = lifted(folder, {"sample": 100}, cache, tmp_path)
    pool, pool_size = lifted(folder, {"sample": 100, "pool": ["bm25"]}, cache, tmp_path)
    assert few - whole > 0.08
    assert few > drawn
    assert drawn - whole > 0.03
    assert 0 <= pool - whole < 0.02
    assert abs(size - pool_size) < 100  # as many passages, a fraction of the bias


def test_wrong_config_in_python(folder: Path) -> None:
    with pytest.raises(ConfigError, match=r"datasets\[0\]\.corpus\.pool: no retriever is named"):
        experiment(folder, {"sample": 10, "pool": ["splade"]})
