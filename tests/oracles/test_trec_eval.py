"""trec_eval's own expected outputs, and pytrec_eval on real collections."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from ragscore import load_dataset, load_run
from ragscore.dataset import Qrels
from ragscore.formats import load_qrels
from ragscore.run import Run
from ragscore.scoring import Scores, score

pytrec_eval = pytest.importorskip("pytrec_eval")

CUTS = (5, 10, 15, 20, 30, 100, 200, 500, 1000)
NAMES = {
    "map": "AP",
    "recip_rank": "RR",
    "ndcg": "nDCG",
    **{f"P_{k}": f"P@{k}" for k in CUTS},
    **{f"recall_{k}": f"R@{k}" for k in CUTS},
    **{f"ndcg_cut_{k}": f"nDCG@{k}" for k in CUTS},
    **{f"map_cut_{k}": f"AP@{k}" for k in CUTS},
    **{f"success_{k}": f"Success@{k}" for k in (1, 5, 10)},
}


def expected(path: Path) -> dict[tuple[str, str], str]:
    lines = (line.split() for line in path.read_text(encoding="utf-8").splitlines())
    return {(fields[1], fields[0]): fields[2] for fields in lines if len(fields) == 3}


def assert_printed_alike(scores: Scores, wanted: dict[tuple[str, str], str]) -> int:
    entry = scores.entries[0]
    compared = 0
    for (query, theirs), printed in wanted.items():
        if theirs not in NAMES:
            continue
        ours = NAMES[theirs]
        value = entry.mean(ours) if query == "all" else entry.per_query(ours)[query]
        assert f"{value:.4f}" == printed, (query, theirs)
        compared += 1
    return compared


@pytest.mark.parametrize(
    ("run_name", "wanted_name", "qrels_name", "at_least"),
    [
        ("results.test", "out.test.a", "qrels.test", 40),
        ("results.test", "out.test.aq", "qrels.test", 160),
        ("results.trunc", "out.test.aqc", "qrels.test", 160),
    ],
)
def test_expected_outputs(
    conformance: Path, run_name: str, wanted_name: str, qrels_name: str, at_least: int
) -> None:
    folder = conformance / "runs" / "trec_eval"
    run = load_run(folder / run_name, format="trec")
    qrels = load_qrels(folder / qrels_name)
    scores = score(run, qrels, NAMES.values())
    assert assert_printed_alike(scores, expected(folder / wanted_name)) >= at_least


def test_relevance_level(conformance: Path) -> None:
    folder = conformance / "runs" / "trec_eval"
    run = load_run(folder / "results.test", format="trec")
    qrels = load_qrels(folder / "qrels.rel_level")
    wanted = expected(folder / "out.test.aql")
    binary = {
        theirs: ours.replace("@", "(relevant_from=2)@")
        if "@" in ours
        else f"{ours}(relevant_from=2)"
        for theirs, ours in NAMES.items()
        if not ours.startswith("nDCG")
    }
    scores = score(run, qrels, binary.values()).entries[0]
    compared = 0
    for (query, theirs), printed in wanted.items():
        if theirs in binary:
            ours = binary[theirs]
            value = scores.mean(ours) if query == "all" else scores.per_query(ours)[query]
            assert f"{value:.4f}" == printed, (query, theirs)
            compared += 1
    assert compared > 100


@pytest.mark.parametrize(
    ("run_path", "qrels_path"),
    [
        ("bm25s/cranfield.bm25s-lucene-k1.5-b0.75.top100.run", "collections/cranfield"),
        ("anserini-cacm/run.cacm-bm25.txt", "anserini-cacm/qrels.cacm.raw.txt"),
    ],
)
def test_pytrec_eval_at_ten_cutoffs(conformance: Path, run_path: str, qrels_path: str) -> None:
    run = load_run(conformance / "runs" / run_path, format="trec")
    folder = conformance / qrels_path
    if folder.is_dir():
        qrels = load_dataset(folder).qrels
    else:
        qrels = load_qrels(conformance / "runs" / qrels_path)
    assert_equal_to_pytrec_eval(run, qrels)


def assert_equal_to_pytrec_eval(run: Run, qrels: Qrels) -> None:
    cuts = (1, 2, 3, 5, 10, 15, 20, 30, 50, 100)
    listed = ",".join(map(str, cuts))
    asked = {f"{name}.{listed}" for name in ("P", "recall", "map_cut", "ndcg_cut", "success")}
    judged = {
        query: {passage: int(grade) for passage, grade in graded.items()}
        for query, graded in qrels.to_dict().items()
    }
    theirs = pytrec_eval.RelevanceEvaluator(judged, asked | {"recip_rank", "map", "ndcg"}).evaluate(
        run.to_dict()
    )
    ours_of: dict[str, Callable[[int], str]] = {
        "P": lambda k: f"P@{k}",
        "recall": lambda k: f"R@{k}",
        "map_cut": lambda k: f"AP@{k}",
        "ndcg_cut": lambda k: f"nDCG@{k}",
        "success": lambda k: f"Success@{k}",
    }
    pairs = {f"{name}_{k}": make(k) for name, make in ours_of.items() for k in cuts}
    pairs |= {"recip_rank": "RR", "map": "AP", "ndcg": "nDCG"}
    entry = score(run, qrels, pairs.values()).entries[0]
    assert len(theirs) > 30
    for their_name, our_name in pairs.items():
        ours = entry.per_query(our_name)
        found = np.array([ours[query] for query in theirs])
        wanted = np.array([theirs[query][their_name] for query in theirs])
        np.testing.assert_allclose(found, wanted, atol=1e-9, rtol=0, err_msg=our_name)


def test_anserini_cacm(conformance: Path) -> None:
    folder = conformance / "runs" / "anserini-cacm"
    run = load_run(folder / "run.cacm-bm25.txt", format="trec")
    scores = score(run, load_qrels(folder / "qrels.cacm.raw.txt"), ["P@30"])
    assert f"{scores.entries[0].means[0]:.4f}" == "0.1942"
