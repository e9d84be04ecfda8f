"""trec_eval with several judges, and pytrec_eval on real collections.

What trec_eval prints line for line is held by tests/cli/test_score.py.
"""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from ragscore import Dataset, load_dataset, load_run
from ragscore.cli.score_measures import wanted_measures
from ragscore.formats import load_qrels
from ragscore.measures.trec_names import lines
from ragscore.scoring import PROFILES, score
from tests.factories import command

pytrec_eval = pytest.importorskip("pytrec_eval")


def test_several_judges_are_the_mean_of_each_by_itself(conformance: Path) -> None:
    folder = conformance / "runs" / "trec_eval"
    run = load_run(folder / "results.test", format="trec")
    judges: dict[str, dict[str, dict[str, float]]] = {}
    for line in (folder / "qrels.123").read_text(encoding="utf-8").splitlines():
        query, judge, passage, grade = line.split()
        judges.setdefault(judge, {}).setdefault(query, {})[passage] = float(grade)
    assert len(judges) == 3
    asked = lines(["map", "P", "Rprec_mult"])
    measures = [line.measure for line in asked if line.measure is not None]
    parts = [score(run, graded, measures).entries[0] for graded in judges.values()]
    text = (folder / "out.test.qrels_jg").read_text(encoding="utf-8")
    compared = 0
    for name, query, number in (line.split() for line in text.splitlines() if line):
        if "_avgjg" in name:
            at = [line.name for line in asked].index(name.replace("_avgjg", ""))
            by_judge = [part.per_query(measures[at]) for part in parts]
            means = {q: np.mean([values[q] for values in by_judge]) for q in by_judge[0]}
            value = np.mean(list(means.values())) if query == "all" else means[query]
            assert f"{value:.4f}" == number, (name, query)
            compared += 1
    assert compared == 80


SHARED = (
    *("map", "gm_map", "Rprec", "bpref", "recip_rank", "infAP", "gm_bpref", "ndcg", "ndcg_cut"),
    *("P", "recall", "map_cut", "relative_P", "success", "set_P", "set_recall", "set_F"),
    *("set_relative_P", "Rprec_mult", "num_ret", "num_rel", "num_rel_ret", "iprec_at_recall"),
    *("11pt_avg", "ndcg_cut.1,2,3,50", "P.1,2,3,50", "recall.1,2,3", "map_cut.1,2,3"),
)


@pytest.mark.parametrize(
    ("run_path", "qrels_path"),
    [
        ("bm25s/cranfield.bm25s-lucene-k1.5-b0.75.top100.run", "collections/cranfield"),
        ("anserini-cacm/run.cacm-bm25.txt", "runs/anserini-cacm/qrels.cacm.raw.txt"),
    ],
)
@pytest.mark.parametrize("relevant_from", [1, 2])
def test_pytrec_eval(conformance: Path, run_path: str, qrels_path: str, relevant_from: int) -> None:
    run, path = conformance / "runs" / run_path, conformance / qrels_path
    qrels = load_dataset(path).qrels if path.is_dir() else load_qrels(path)
    if relevant_from > float(qrels.grades.max()):
        pytest.skip("the collection has no such grade")
    judged = {
        query: {passage: int(grade) for passage, grade in graded.items()}
        for query, graded in qrels.to_dict().items()
    }
    evaluator = pytrec_eval.RelevanceEvaluator(judged, set(SHARED), relevance_level=relevant_from)
    theirs = evaluator.evaluate(load_run(run, format="trec").to_dict())
    assert len(theirs) > 30

    done = command.run(
        *("score", run, "--qrels", path, "--relevant-from", str(relevant_from)),
        # pytrec_eval holds trec_eval 9.
        *("--profile", "trec9", "--format", "json", "--per-query", "--quiet"),
        *(word for name in SHARED for word in ("-m", name)),
    )
    assert done.returncode == 0, done.stderr
    ours: dict[str, dict[str, float]] = {}
    for row in json.loads(done.stdout)["per_query"]:
        ours.setdefault(row["measure"], {})[row["query"]] = row["value"]
    wanted = wanted_measures(SHARED, relevant_from=relevant_from, profile=PROFILES["trec9"])
    assert len(wanted.lines) > 60
    for line in wanted.lines:
        found = np.array([ours[str(line.measure)][query] for query in theirs])
        values = np.array([value[line.name] for value in theirs.values()])
        if line.name.startswith("gm_"):
            values = np.maximum(np.exp(values), 0.00001)
            found = np.maximum(found, 0.00001)
        np.testing.assert_allclose(found, values, atol=1e-9, rtol=0, err_msg=line.name)


def test_runs_of_chunks_have_what_trec_eval_gives_to_their_documents() -> None:
    made = np.random.default_rng(5)
    document_of = {f"c{row:03}": f"d{made.integers(40):02}" for row in range(160)}
    run: dict[str, dict[str, float]] = {}
    best: dict[str, dict[str, float]] = {}
    judged: dict[str, dict[str, int]] = {}
    for query in (f"q{number:02}" for number in range(30)):
        found = made.choice(sorted(document_of), size=60, replace=False).tolist()
        scores = made.integers(0, 40, 60) / 4  # many are equal
        run[query] = dict(zip(found, scores.tolist(), strict=True))
        best[query] = {}
        for chunk, value in run[query].items():
            document = document_of[chunk]
            best[query][document] = max(value, best[query].get(document, -1.0))
        chosen = made.choice(40, size=8, replace=False).tolist()
        judged[query] = {f"d{at:02}": int(made.integers(0, 3)) for at in chosen}
    passages = [
        {"id": chunk, "text": chunk, "metadata": {"document": document}}
        for chunk, document in document_of.items()
    ]
    data = Dataset.from_rows(
        passages, dict.fromkeys(run, "?"), judged, unit="metadata.document", allow_missing=True
    )
    theirs = pytrec_eval.RelevanceEvaluator(judged, set(SHARED)).evaluate(best)
    wanted = wanted_measures(SHARED, relevant_from=1, profile=PROFILES["trec9"])
    (entry,) = score(run, data, wanted.measures, profile="trec9").entries
    for line in wanted.lines:
        assert line.measure is not None
        found_values = entry.per_query(str(line.measure))
        ours = np.array([found_values[query] for query in theirs])
        values = np.array([value[line.name] for value in theirs.values()])
        if line.name.startswith("gm_"):
            ours, values = np.maximum(ours, 1e-5), np.maximum(np.exp(values), 1e-5)
        np.testing.assert_allclose(ours, values, atol=1e-12, rtol=0, err_msg=line.name)


def test_anserini_cacm(conformance: Path) -> None:
    folder = conformance / "runs" / "anserini-cacm"
    run = load_run(folder / "run.cacm-bm25.txt", format="trec")
    scores = score(run, load_qrels(folder / "qrels.cacm.raw.txt"), ["P@30"])
    assert f"{scores.entries[0].means[0]:.4f}" == "0.1942"
